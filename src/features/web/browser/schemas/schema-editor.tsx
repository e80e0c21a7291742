import { useRef } from 'preact/hooks'
import { Refusal } from '../api/client.js'
import { storeRevision } from '../api/record-updates.js'
import { checkRevision } from '../api/schemas.js'
import { EditableText } from '../editing/editable-text.js'
import { ConflictChoice, News, StoreOutcome } from '../editing/editing-notices.js'
import { CheckResult } from '../editing/finding-list.js'
import { StoreBar } from '../editing/store-bar.js'
import { findingsOf } from '../editing/use-checks.js'
import { type OpenedDocument, useEditing } from '../editing/use-editing.js'
import { DraftRefused } from '../parts/draft-notes.js'
import { lazyPart } from '../parts/failure-boundary.js'
import { noteFocus } from '../parts/page-frame.js'
import { words } from '../words.js'
import { schemaWords } from '../words-of-schemas.js'
import { FileFields } from './file-fields.js'
import { KeysAndDrafts, TitleField } from './schema-fields.js'
import { useGivenFiles } from './use-given-files.js'
import { type ImpactState, useImpact } from './use-impact.js'

/** The text is there before an example of it, and before one asks what it would break. */
const ExampleTrial = lazyPart(async () => (await import('./example-trial.js')).ExampleTrial)
const ImpactReport = lazyPart(async () => (await import('./impact-report.js')).ImpactReport)

/** The next version of a schema. What it would break is shown before it is stored. */
export function SchemaEditor(opened: OpenedDocument) {
  const { record, draft, isReadOnly, text, caret } = opened
  const { id } = record
  const impact = useImpact(id)
  const files = useGivenFiles(({ text: given }) => editing.replace(given))
  const editing = useEditing(opened, {
    validate: (etag, edited, signal) => checkRevision(id, etag, files.contentWith(edited), signal),
    isChanged: () => files.now().given.length > 0,
    more: files.now(),
    async store(etag, edited, revision) {
      const { main, ...others } = files.contentWith(edited)
      const given = files.now()
      const stored = await storeRevision(record, etag, { ...revision, ...others, document: main })
      files.clear(given)
      impact.reset()
      return stored
    },
  })
  const { base, checks, fields } = editing

  async function assess(): Promise<ImpactState | undefined> {
    const [isIdle, sent] = [noteFocus(), editing.text()]
    const found = await impact.assess(files.contentWith(sent))
    const { error } = found
    if (found.phase !== 'failed' || !(error instanceof Refusal) || error.findings.length === 0) return found
    // The schema is broken: that is shown at its lines.
    impact.reset()
    checks.show(error.findings, sent, isIdle())
    return undefined
  }
  /** Stores what would break nothing. Else a person decides, who has seen what it would break. */
  async function store(): Promise<void> {
    if (impact.phase === 'running') return
    if (impact.phase === 'none' && editing.isChanged()) {
      const found = await assess()
      if (found?.phase !== 'done' || found.counts.breaking > 0) return
    }
    editing.store()
  }
  const on = {
    onChange() {
      impact.reset()
      editing.change()
    },
    onStore: () => void store(),
    onCheck: () => checks.checkNow(),
  }
  const isDecided = impact.phase !== 'none' && impact.phase !== 'running'
  const report = useRef<HTMLDivElement>(null)
  function storeLabel(): string {
    if (impact.phase === 'running') return schemaWords.impact.state.running
    const isHarmless = !isDecided || (impact.phase === 'done' && impact.counts.breaking === 0)
    return (isHarmless ? words.edit.store : schemaWords.schema.storeAllTheSame)(base.version + 1)
  }
  return (
    <>
      <News record={record} editing={editing} />
      {draft.isRefused && <DraftRefused textOf={editing.text} />}
      <ConflictChoice editing={editing} />
      {!isReadOnly && (
        <>
          <FileFields files={files} />
          <p class="dim">{schemaWords.schema.storedFiles}</p>
          <TitleField title={fields.title} change={title => editing.changeFields({ ...fields, title })} />
        </>
      )}
      <EditableText
        {...{ text, caret, isReadOnly, language: base.language, onOpen: editing.open }}
        label={words.edit.label(base.title)}
        on={on}
      />
      <KeysAndDrafts />
      <CheckResult verdict={checks.verdict} {...editing} valid={schemaWords.schema.valid} />
      <div ref={report} tabIndex={-1}>
        {impact.phase !== 'none' && <ImpactReport impact={impact} />}
      </div>
      <ExampleTrial textOf={editing.text} files={files} before={{ id, version: base.version }} />
      {!isReadOnly && (
        <StoreBar
          label={storeLabel()}
          isStoring={editing.isStoring}
          verdict={checks.verdict}
          count={findingsOf(checks.verdict).findings.length}
          saying={editing}
          {...on}
          toFindings={checks.toFindings}
          actions={
            <button type="button" onClick={() => void assess()}>
              {schemaWords.impact.see}
            </button>
          }
        >
          <StoreOutcome editing={editing} store={on.onStore} />
          {isDecided && impact.counts.breaking > 0 && (
            <p>
              <button type="button" class="link" onClick={() => report.current?.focus()}>
                {schemaWords.impact.wouldBreak(impact.counts.breaking)}
              </button>
            </p>
          )}
        </StoreBar>
      )}
    </>
  )
}
