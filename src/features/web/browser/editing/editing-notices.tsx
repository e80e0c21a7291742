import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'preact/hooks'
import { isBusy } from '../api/client.js'
import type { RecordName } from '../api/records.js'
import { authorInWords } from '../parts/author.js'
import { lazyPart } from '../parts/failure-boundary.js'
import { FailureMessage } from '../parts/failure-message.js'
import { focusHeading } from '../parts/page-frame.js'
import { words } from '../words.js'
import { type Conflict, type Meanwhile, readEdited } from './store-content.js'
import type { Editing, Outcome } from './use-editing.js'

/** Others seldom change the same at the same time. */
const MergeChoice = lazyPart(async () => (await import('../merge/merge-choice.js')).MergeChoice)

/** Says at once that somebody else has stored a version. Who has typed nothing can see it. */
export function News({ record, editing }: { readonly record: RecordName; readonly editing: Editing }) {
  const { news, base, isStoring, isChanged } = editing
  const queries = useQueryClient()
  const [failure, setFailure] = useState<unknown>()
  // While a version is being stored, the news may be that very version.
  if (!news || isStoring || (news.change !== 'deleted' && news.version <= base.version)) return null
  if (news.change === 'deleted' || isChanged()) {
    return (
      <p class="notice" role="alert">
        {news.change === 'deleted'
          ? words.edit.deleted
          : words.edit.news(news.version, authorInWords(news.author))}
      </p>
    )
  }
  async function show(): Promise<void> {
    const read = await readEdited(record)
    // What was typed meanwhile is merged when it is stored.
    if (isChanged()) return
    queries.setQueryData(['edited', record.collection, record.id], read)
    // The element with the focus is replaced.
    focusHeading()
  }
  return (
    <>
      <p class="notice" role="status">
        {words.news.stored(news.version, authorInWords(news.author))}{' '}
        <button type="button" onClick={() => void show().catch(setFailure)}>
          {words.news.show}
        </button>
      </p>
      {failure !== undefined && <FailureMessage error={failure} />}
    </>
  )
}

/** Where both have changed the same, a person chooses. */
export function ConflictChoice({ editing: { outcome, merge } }: { readonly editing: Editing }) {
  if (outcome?.kind !== 'conflict') return null
  return <MergeChoice conflict={outcome} isIdle={outcome.isIdle} merge={choices => merge(outcome, choices)} />
}

/** Says what came of storing. @param props.store stores as the button of the page does */
export function StoreOutcome({
  editing: { outcome, isAsSent },
  store,
}: {
  readonly editing: Editing
  store(): void
}) {
  if (outcome === undefined) return null
  if (outcome.kind === 'failed') {
    const { error, sent } = outcome
    // The entity tag of what was changed goes along, so nothing is stored twice.
    const retry = error instanceof TypeError || (isBusy(error) && isAsSent(sent)) ? store : undefined
    return <FailureMessage error={error} {...(retry && { retry })} />
  }
  const said =
    outcome.kind === 'conflict'
      ? words.merge.notStored(outcome.version, authorInWords(outcome.author))
      : outcomeInWords(outcome)
  return <p role="status">{said}</p>
}

function outcomeInWords(outcome: Exclude<Outcome, Conflict | { kind: 'failed' }>): string {
  switch (outcome.kind) {
    case 'unchanged':
      return words.edit.unchanged
    case 'chosen':
      return words.merge.chosen(
        outcome.choices.filter(choice => choice === 'mine').length,
        outcome.choices.length,
      )
    case 'merged':
      return `${changeInWords(outcome.meanwhile)} ${words.merge.merged[outcome.why]}`
    default: {
      const { version, meanwhile, isUnsaid } = outcome
      const stored = `${words.edit.stored(version)}${isUnsaid ? ` ${words.edit.unsaid}` : ''}`
      return meanwhile ? `${stored} ${changeInWords(meanwhile)} ${words.merge.bothIn(version)}` : stored
    }
  }
}

/** What somebody else has stored meanwhile. */
function changeInWords({ version, author, changes }: Meanwhile): string {
  return words.merge.changed(version, authorInWords(author), changes)
}
