import { lazyPart } from '../parts/failure-boundary.js'
import { FailureMessage } from '../parts/failure-message.js'
import { schemaWords } from '../words-of-schemas.js'
import type { ImpactAssessment } from './use-impact.js'

/** Most new versions break nothing. */
const AffectedDocuments = lazyPart(async () => (await import('./affected-documents.js')).AffectedDocuments)

/** What a next version of a schema would break, while it is found. */
export function ImpactReport({ impact }: { readonly impact: ImpactAssessment }) {
  const { phase, counts, documents, error } = impact
  if (phase === 'none') return null
  const wrong = counts.breaking + counts.invalidBefore
  return (
    <section aria-label={schemaWords.impact.section}>
      <p role="status">
        {schemaWords.impact.state[phase]}{' '}
        {phase === 'done' && counts.total === 0 ? schemaWords.impact.none : schemaWords.impact.counts(counts)}
      </p>
      {phase === 'running' && (
        <p class="pager">
          <progress
            aria-label={schemaWords.impact.progress}
            value={counts.checked}
            max={Math.max(1, counts.total)}
          />
          <button type="button" onClick={impact.stop}>
            {schemaWords.impact.stop}
          </button>
        </p>
      )}
      {phase === 'failed' && <FailureMessage error={error} />}
      {documents.length > 0 && <AffectedDocuments documents={documents} isWhole={phase !== 'running'} />}
      {wrong > documents.length && <p>{schemaWords.impact.more(wrong - documents.length)}</p>}
    </section>
  )
}
