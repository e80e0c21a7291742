import { useQueryClient } from '@tanstack/react-query'
import type { ComponentType } from 'preact'
import { useState } from 'preact/hooks'
import { Link } from 'wouter'
import { isBusy } from '../api/client.js'
import { type RecordName, readDocument } from '../api/records.js'
import { useDraft } from '../drafts/use-draft.js'
import { authorInWords } from '../parts/author.js'
import { DraftOffer, DraftRefused } from '../parts/draft-notes.js'
import { lazyPart } from '../parts/failure-boundary.js'
import { FailureMessage } from '../parts/failure-message.js'
import { words } from '../words.js'
import { CheckResult } from './check-result.js'
import { EditorViews } from './editor-views.js'
import { StoreBar } from './store-bar.js'
import type { Conflict, EditedDocument, Meanwhile } from './store-text.js'
import { findingsOf } from './use-checks.js'
import { type Editing, type Outcome, useEditing } from './use-editing.js'

/** Others seldom change the same at the same time. */
const MergeChoice = lazyPart(async () => (await import('../merge/merge-choice.js')).MergeChoice)
/** One asks what will change before storing, if at all. */
const TextComparison = lazyPart(async () => (await import('../parts/text-comparison.js')).TextComparison)

interface Props {
  readonly record: RecordName
  readonly edited: EditedDocument
  readonly isReadOnly: boolean
  /** Default: the editor of documents. */
  readonly Editor?: ComponentType<OpenedDocument> | undefined
}

/** A document in an editor. A draft that was kept is offered before. */
export function DocumentEditor({ record, edited, isReadOnly, Editor = OpenEditor }: Props) {
  const draft = useDraft(record, ({ text }) => text === edited.text)
  const [opened, setOpened] = useState({ base: edited, text: edited.text, caret: 0 })
  const [failure, setFailure] = useState<Error>()
  if (!draft.offered || isReadOnly) {
    return <Editor {...{ record, draft, isReadOnly }} {...opened} />
  }
  const { etag, version, text, caret } = draft.offered
  const isOutdated = etag !== edited.etag
  async function take() {
    // The text that the draft was made from: a merge with what was stored since needs it.
    const base = isOutdated
      ? { ...edited, etag, version, text: (await readDocument(record, version)).text }
      : edited
    setOpened({ base, text, caret })
    draft.takeOffered()
  }
  return (
    <>
      {failure !== undefined && <FailureMessage error={failure} />}
      <DraftOffer
        draft={draft.offered}
        isOutdated={isOutdated}
        take={() => void take().catch(setFailure)}
        throwAway={draft.throwAway}
      />
    </>
  )
}

/** A document when its editor opens. */
export interface OpenedDocument {
  readonly record: RecordName
  readonly draft: ReturnType<typeof useDraft>
  readonly isReadOnly: boolean
  readonly base: EditedDocument
  readonly text: string
  readonly caret: number
}

function OpenEditor({ record, draft, isReadOnly, base: first, text, caret }: OpenedDocument) {
  const editing = useEditing(record, first, draft, isReadOnly)
  const [compared, setCompared] = useState<string>()
  const { base, checks } = editing
  const on = { onChange: editing.change, onStore: editing.store, onCheck: () => checks.checkNow() }
  const version = { language: base.language, etag: base.etag }
  const { findings } = findingsOf(checks.verdict)
  return (
    <>
      <News record={record} editing={editing} />
      {draft.isRefused && <DraftRefused textOf={editing.text} />}
      <ConflictChoice editing={editing} />
      <EditorViews
        {...{ document: base, text, caret, isReadOnly, on }}
        label={words.edit.label(base.title)}
        textNow={editing.text}
        onOpen={editing.open}
      />
      <p>
        <Link href="/drafts">{words.drafts.link}</Link>
      </p>
      {!isReadOnly && (
        <p>
          <button
            type="button"
            aria-expanded={compared !== undefined}
            onClick={() => setCompared(compared === undefined ? editing.text() : undefined)}
          >
            {words.edit.compare(base.version)}
          </button>
        </p>
      )}
      <CheckResult
        verdict={checks.verdict}
        {...editing}
        valid={base.schema && words.restore.valid(base.schema.id, base.schema.version)}
      />
      {compared !== undefined && (
        <TextComparison
          from={{ version: base.version, document: { ...version, text: base.text } }}
          to={{ version: base.version + 1, document: { ...version, text: compared } }}
        />
      )}
      {!isReadOnly && (
        <StoreBar
          label={words.edit.store(base.version + 1)}
          {...{ isStoring: editing.isStoring, verdict: checks.verdict, count: findings.length }}
          {...on}
          saying={editing}
          toFindings={checks.toFindings}
        >
          <StoreOutcome editing={editing} store={editing.store} />
        </StoreBar>
      )}
    </>
  )
}

/** Says at once that somebody else has stored a version. Who has typed nothing can see it. */
export function News({ record, editing }: { readonly record: RecordName; readonly editing: Editing }) {
  const { news, base, isStoring, isChanged } = editing
  const queries = useQueryClient()
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
  function show() {
    // What was typed since is merged when it is stored.
    if (isChanged()) return
    void queries.invalidateQueries({ queryKey: ['edited', record.collection, record.id] })
  }
  return (
    <p class="notice" role="status">
      {words.news.stored(news.version, authorInWords(news.author))}{' '}
      <button type="button" onClick={show}>
        {words.news.show}
      </button>
    </p>
  )
}

/** Where both have changed the same, a person chooses. */
export function ConflictChoice({ editing: { outcome, merge } }: { readonly editing: Editing }) {
  if (outcome?.kind !== 'conflict') return null
  return <MergeChoice conflict={outcome} merge={choices => merge(outcome, choices)} />
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
