import { Link } from 'wouter'
import type { AffectedDocument } from '../api/interface-types.js'
import { FailureMessage, Findings } from '../parts/failure-message.js'
import { recordAddress } from '../parts/page-frame.js'
import { words } from '../words.js'
import type { ImpactAssessment } from './use-impact.js'

/** What a next version of a schema would break, while it is found. */
export function ImpactReport({ impact }: { readonly impact: ImpactAssessment }) {
  const { phase, counts, documents, error } = impact
  if (phase === 'none') return null
  const wrong = counts.breaking + counts.invalidBefore
  return (
    <section aria-label={words.impact.section}>
      <p role="status">
        {words.impact.state[phase]}{' '}
        {phase === 'done' && counts.total === 0 ? words.impact.none : words.impact.counts(counts)}
      </p>
      {phase === 'running' && (
        <p class="pager">
          <progress
            aria-label={words.impact.progress}
            value={counts.checked}
            max={Math.max(1, counts.total)}
          />
          <button type="button" onClick={impact.stop}>
            {words.impact.stop}
          </button>
        </p>
      )}
      {phase === 'failed' && <FailureMessage error={error} />}
      {documents.length > 0 && (
        <ul class="records" aria-label={words.impact.documents}>
          {documents.map(document => (
            <Affected key={document.id} {...document} />
          ))}
        </ul>
      )}
      {wrong > documents.length && <p>{words.impact.more(wrong - documents.length)}</p>}
    </section>
  )
}

function Affected({ id, version, schemaVersion, validBefore, findings }: AffectedDocument) {
  return (
    <li>
      <p>
        <Link href={recordAddress({ collection: 'metadata', id }, 'edit')} class="mono" dir="auto">
          {id}
        </Link>{' '}
        <strong>{validBefore ? words.impact.breaks : words.impact.wasWrong}</strong>
      </p>
      <p class="dim">{words.impact.follows(version, schemaVersion)}</p>
      <Findings findings={findings} />
    </li>
  )
}
