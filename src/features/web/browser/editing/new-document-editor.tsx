import { useEffect, useRef, useState } from 'preact/hooks'
import { Link } from 'wouter'
import { isBusy } from '../api/client.js'
import type { SchemaOutline } from '../api/interface-types.js'
import { type NewRecord, newId, type SchemaChoice } from '../api/new-records.js'
import { isSameFields } from '../api/record-updates.js'
import { type KeptDraft, useDraft } from '../drafts/use-draft.js'
import { useUnloadWarning } from '../drafts/use-unload-warning.js'
import type { PlacedFinding } from '../editor/placed-findings.js'
import type { TextEditor } from '../editor/text-editor.js'
import { DraftOffer, DraftRefused } from '../parts/draft-notes.js'
import { FailureMessage } from '../parts/failure-message.js'
import { noteFocus } from '../parts/page-frame.js'
import { useOpenStored } from '../reading/record-link.js'
import { words } from '../words.js'
import { writingWords } from '../words-of-writing.js'
import { BeginWith } from './begin-with.js'
import { EditorViews } from './editor-views.js'
import { CheckResult, type FieldFault } from './finding-list.js'
import { faultsOfRecord, listFaults, type RecordFaults, RecordFields, Taken } from './record-fields.js'
import { StoreBar } from './store-bar.js'
import { findingsOf, useChecks } from './use-checks.js'
import { type NewOutcome, useNewStoring } from './use-new-storing.js'

/** What a new document begins with. */
export interface NewDocumentStart {
  readonly schema: SchemaChoice
  readonly text: string
  /** The elements with which the document may begin; undefined: it is no new XML document. */
  readonly outline?: SchemaOutline | undefined
  /** Title of the document of which it is a copy, for people. */
  readonly copyOf: string | undefined
  /** Title that the record begins with. */
  readonly title?: string
}

interface Props {
  readonly start: NewDocumentStart
  readonly resource: string
  /** Whether this window keeps the draft. */
  readonly isKept: boolean
}

/** A new document in an editor. A draft that was kept is offered before. */
export function NewDocumentEditor({ start, resource, isKept }: Props) {
  const { schema, text } = start
  const [first] = useState<NewRecord>(() => ({ id: newId(), title: start.title ?? '', resource }))
  const draft = useDraft(
    { collection: 'new', id: schema.id },
    kept => kept.text === text && isSameFields(kept.fields ?? first, first),
  )
  const [opened, setOpened] = useState({ record: first, text, caret: 0 })
  const { offered } = draft
  if (!offered || !isKept) return <OpenEditor {...{ schema, draft, isKept, first, start }} {...opened} />
  function take() {
    if (offered)
      setOpened({ record: { ...first, ...offered.fields }, text: offered.text, caret: offered.caret })
    draft.takeOffered()
  }
  return <DraftOffer draft={offered} isOutdated={false} take={take} throwAway={draft.throwAway} />
}

interface Opened extends Omit<Props, 'resource'> {
  readonly schema: SchemaChoice
  readonly draft: KeptDraft
  /** The record before anybody has typed. */
  readonly first: NewRecord
  readonly record: NewRecord
  readonly text: string
  readonly caret: number
}

function OpenEditor({ start, schema, draft, isKept, first, text, caret, record: opened }: Opened) {
  const [record, setRecord] = useState(opened)
  const [faults, setFaults] = useState<RecordFaults>({})
  const [outcome, setOutcome] = useState<NewOutcome>()
  /** Whether all that is shown is as it was sent: what somebody still types is not stored by itself. */
  const [isAsSent, setIsAsSent] = useState(false)
  const editor = useRef<TextEditor | undefined>(undefined)
  const place = useRef<HTMLDivElement>(null)
  /** What requests that run may find changed: the record, and what has no need to be kept. */
  const latest = useRef({ record: opened, kept: { record: first, text: start.text } })
  const [wantsFocus, setWantsFocus] = useState(false)
  const checks = useChecks({ schema, language: schema.language }, () => editor.current)
  const storing = useNewStoring(schema.id)
  const openStored = useOpenStored()
  const textNow = () => editor.current?.text() ?? text
  const isChanged = () =>
    textNow() !== latest.current.kept.text || !isSameFields(latest.current.record, latest.current.kept.record)
  useUnloadWarning(isChanged)

  function keep(): void {
    setIsAsSent(false)
    if (!isKept) return
    draft.keepSoon(() => {
      const { record: fields } = latest.current
      const title = fields.title || writingWords.newDocument.unnamed(schema.title)
      const { version } = schema
      return isChanged()
        ? { title, etag: '', version, text: textNow(), caret: editor.current?.caret() ?? 0, fields }
        : undefined
    })
  }
  function change(changed: NewRecord): void {
    latest.current.record = changed
    setRecord(changed)
    if (Object.keys(faults).length > 0) setFaults(faultsOfRecord(changed))
    keep()
  }
  function begin(beginning: string): void {
    // A beginning that nobody has edited needs no draft.
    if (textNow() === latest.current.kept.text) latest.current.kept.text = beginning
    editor.current?.replace(beginning)
  }
  async function store(): Promise<void> {
    if (storing.isStoring || outcome?.kind === 'stored') return
    const missing = faultsOfRecord(latest.current.record)
    setFaults(missing)
    // The server tells the findings of the document together with what the record does not have.
    if (Object.keys(missing).length > 0) {
      setWantsFocus(true)
      return checks.checkNow(false)
    }
    const sent = { record: latest.current.record, text: textNow() }
    setIsAsSent(true)
    const [isIdle, result] = [noteFocus(), await storing.store(sent.record, sent.text)]
    setOutcome(result)
    if (result.kind === 'invalid') {
      checks.show(result.findings, sent.text, false)
      setWantsFocus(isIdle())
    }
    if (result.kind !== 'stored') return
    latest.current.kept = sent
    // Removes the draft.
    keep()
    openStored(result.record)
  }
  const { findings } = findingsOf(checks.verdict)
  const listed = listFaults(faults, () => place.current)
  const count = findings.length + listed.length
  const goToFirst = () => goToFirstOf(listed, findings, editor.current)
  // The focus goes to the first finding, above that of the document, when the fields show their findings.
  useEffect(() => {
    if (!wantsFocus) return
    goToFirst()
    setWantsFocus(false)
  }, [wantsFocus, faults, checks.verdict])

  const on = {
    onChange() {
      keep()
      checks.checkSoon()
    },
    onStore: () => void store(),
    onCheck: () => checks.checkNow(),
  }
  return (
    <>
      {draft.isRefused && <DraftRefused textOf={textNow} />}
      <div ref={place}>
        <RecordFields record={record} faults={faults} change={change} />
      </div>
      {start.outline && <BeginWith outline={start.outline} begin={begin} />}
      <EditorViews
        {...{ document: { language: schema.language, schema }, text, caret, on, textNow }}
        label={writingWords.newDocument.label}
        isReadOnly={false}
        onOpen={opened => {
          editor.current = opened
        }}
      />
      <p>
        <Link href="/drafts">{words.drafts.link}</Link>
      </p>
      <CheckResult
        verdict={checks.verdict}
        text={textNow}
        faults={listed}
        goTo={(place, finding) => editor.current?.goTo(place, finding)}
        valid={writingWords.newDocument.valid(schema.title, schema.version)}
      />
      <StoreBar
        label={writingWords.newDocument.store}
        {...{ isStoring: storing.isStoring, verdict: checks.verdict, count }}
        {...on}
        toFindings={goToFirst}
      >
        <Outcome outcome={outcome} retry={isAsSent ? () => void store() : undefined} />
      </StoreBar>
    </>
  )
}

function goToFirstOf(
  [fault]: readonly FieldFault[],
  [finding]: readonly PlacedFinding[],
  editor: TextEditor | undefined,
): void {
  if (fault) fault.goTo()
  else if (finding) editor?.goTo(finding.from, finding.finding)
}

interface OutcomeProps {
  readonly outcome: NewOutcome | undefined
  readonly retry: (() => void) | undefined
}

function Outcome({ outcome, retry }: OutcomeProps) {
  switch (outcome?.kind) {
    case 'failed':
      return <FailureMessage error={outcome.error} {...(retry && isBusy(outcome.error) && { retry })} />
    case 'stored':
      return <p role="status">{writingWords.newDocument.stored}</p>
    case 'lost':
      return (
        <p class="notice" role="alert">
          {writingWords.newDocument.lost}
        </p>
      )
    case 'taken':
      return <Taken rival={outcome.rival} />
    default:
      return null
  }
}
