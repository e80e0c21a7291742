import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { Finding } from '../api/interface-types.js'
import { type RecordChange, useRecordChange } from '../api/record-changes.js'
import {
  type EditedContent,
  type FieldValues,
  isSameContent,
  isSameFields,
  type Revision,
  type StoredState,
  storeRevision,
} from '../api/record-updates.js'
import type { RecordName } from '../api/records.js'
import type { KeptDraft } from '../drafts/use-draft.js'
import { useUnloadWarning } from '../drafts/use-unload-warning.js'
import type { TextEditor } from '../editor/text-editor.js'
import type { Choice } from '../merge/merge-texts.js'
import { noteFocus } from '../parts/page-frame.js'
import {
  type Conflict,
  type EditedDocument,
  type Meanwhile,
  type StoreResult,
  storeContent,
} from './store-content.js'
import { type Checks, useChecks } from './use-checks.js'

/** What came of storing. */
export type Outcome =
  | {
      readonly kind: 'stored'
      readonly version: number
      readonly meanwhile?: Meanwhile | undefined
      readonly isUnsaid?: boolean | undefined
    }
  | { readonly kind: 'unchanged' }
  /** The content has the changes of both, and is not stored. */
  | { readonly kind: 'merged'; readonly meanwhile: Meanwhile; readonly why: 'look' | 'findings' | 'same' }
  | { readonly kind: 'chosen'; readonly choices: readonly Choice[] }
  | { readonly kind: 'failed'; readonly error: unknown; readonly sent: readonly unknown[] }
  /** `isIdle`: whether the person has been idle since the text was sent. */
  | (Conflict & { isIdle(): boolean })

/** A document with its record, when its editor opens. */
export interface OpenedDocument extends EditedContent {
  readonly record: RecordName
  readonly draft: KeptDraft
  readonly isReadOnly: boolean
  readonly base: EditedDocument
  readonly caret: number
  readonly message: string
  /** Is told the title of each state that the editor moves to. */
  onTitle(title: string): void
}

export interface Editing {
  /** The state that the content is made from. */
  readonly base: EditedDocument
  readonly checks: Checks
  readonly outcome: Outcome | undefined
  readonly isStoring: boolean
  /** What the person says of the change. */
  readonly message: string
  setMessage(message: string): void
  /** What the record says so far. */
  readonly fields: FieldValues
  changeFields(fields: FieldValues): void
  /** The newest change of the record by anybody. */
  readonly news: RecordChange | undefined
  text(): string
  /** Whether there is something to store. */
  isChanged(): boolean
  /** Whether all that is shown is as it was sent: what somebody still types is not stored by itself. */
  isAsSent(sent: readonly unknown[]): boolean
  goTo(place: number, finding?: Finding): void
  open(editor: TextEditor): void
  /** Replaces the whole text, as a change that can be undone. */
  replace(text: string): void
  /** Is called after each change of the text. */
  change(): void
  store(): void
  /** Continues with what was chosen, on the newer state. */
  merge(conflict: Conflict, choices: readonly Choice[]): void
}

/** How something else than a document is checked and stored. What is stored has more than text and fields. */
export interface EditingWays {
  /** @param etag of the base */
  validate(etag: string, text: string, signal: AbortSignal): Promise<readonly Finding[]>
  /** @param revision what a document would be stored with */
  store(etag: string, text: string, revision: Revision): Promise<StoredState>
  /** Whether more than text and fields has changed. */
  isChanged(): boolean
  /** What is stored beside text and fields. Another value is another content. */
  readonly more: unknown
}

/** The editing of one record: the base of its content, checks, its draft, and storing it. @param ways default: a document */
export function useEditing(
  { record, base: first, draft, isReadOnly, onTitle, ...opened }: OpenedDocument,
  ways?: EditingWays,
): Editing {
  const [base, latest, setBase] = useLatest(first)
  const [outcome, setOutcome] = useState<Outcome>()
  const [isStoring, setIsStoring] = useState(false)
  const [message, saying, say] = useLatest(opened.message)
  const [fields, filled, fill] = useLatest(opened.fields)
  const editor = useRef<TextEditor | undefined>(undefined)
  const queries = useQueryClient()
  const checks = useChecks(
    base,
    () => editor.current,
    ways && ((edited, signal) => ways.validate(latest.current.etag, edited, signal)),
  )
  const news = useRecordChange(record, first.etag)
  const text = () => editor.current?.text() ?? opened.text
  const content = () => ({ text: text(), fields: filled.current })
  const isChanged = () => !isSameContent(content(), latest.current) || ways?.isChanged() === true
  const shown = () => [text(), filled.current, saying.current, ways?.more]
  useUnloadWarning(isChanged)
  useEffect(() => onTitle(base.title), [base.title])

  function keep(): void {
    const place = () => ({ caret: editor.current?.caret() ?? 0, message: saying.current })
    draft.keepSoon(() =>
      isChanged() ? { ...madeFrom(latest.current), ...content(), ...place() } : undefined,
    )
  }
  function noteChange(): void {
    setOutcome(before => outcomeAfterChange(before, isChanged()))
    keep()
  }
  async function store(): Promise<void> {
    // What was merged would not get into an editor that is not open yet.
    if (isStoring || isReadOnly || !editor.current) return
    if (!isChanged()) return setOutcome({ kind: 'unchanged' })
    setIsStoring(true)
    checks.end()
    const [all, sent, said] = [shown(), content(), saying.current]
    const [from, isIdle] = [latest.current, noteFocus()]
    const result = await storeContent(record, from, sent, sendingOf(record, said, ways), ways === undefined)
    setIsStoring(false)
    if (result.kind === 'failed') return setOutcome({ ...result, sent: all })
    if (result.kind === 'conflict') return setOutcome({ ...result, isIdle })
    setOutcome(outcomeOf(result))
    // What was typed since it was sent is said of the next version.
    if (result.kind === 'stored' && saying.current === said) say('')
    const { state, meanwhile } = result
    // What was typed since it was sent is merged when it is stored.
    if (meanwhile && !isSameContent(content(), sent)) {
      if (result.kind !== 'stored') setOutcome(undefined)
      return
    }
    setBase(state)
    if (meanwhile && result.content.text !== sent.text) editor.current?.replace(result.content.text)
    if (isSameFields(filled.current, sent.fields)) fill(result.content.fields)
    if (result.kind === 'merged') checks.checkSoon()
    else if (result.kind === 'invalid') checks.show(result.findings, result.content.text, isIdle())
    // A document that was not sent was not checked.
    else if (result.kind === 'stored' && (ways || sent.text !== from.text))
      checks.show([], result.content.text, false)
    // Removes the draft of what is stored, unless it has changed since it was sent.
    keep()
    if (result.kind === 'stored')
      await queries.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'edited' })
  }
  return {
    ...{ base, checks, outcome, isStoring, message, fields, news, text, isChanged },
    setMessage(said) {
      say(said)
      keep()
    },
    changeFields(next) {
      fill(next)
      noteChange()
    },
    goTo: (place, finding) => editor.current?.goTo(place, finding),
    isAsSent: all => shown().every((value, index) => value === all[index]),
    replace: replaced => editor.current?.replace(replaced),
    open(ready) {
      // What was merged while this view was loaded is in the one before.
      const before = text()
      editor.current = ready
      if (ready.text() !== before) ready.replace(before)
      if (isChanged()) checks.checkSoon()
    },
    change() {
      noteChange()
      checks.checkSoon()
    },
    store: () => void store(),
    merge({ theirs, merge }, choices) {
      setBase(theirs)
      setOutcome({ kind: 'chosen', choices })
      const merged = merge.merged(choices)
      fill(merged.fields)
      editor.current?.replace(merged.text)
      editor.current?.goTo(0)
    },
  }
}

/** Sends what is stored, with what the person says of the change. */
function sendingOf(record: RecordName, message: string, ways: EditingWays | undefined) {
  return (etag: string, edited: string, changed: Revision) => {
    const revision = { ...changed, message }
    return ways ? ways.store(etag, edited, revision) : storeRevision(record, etag, revision)
  }
}

/** What a draft says of the state that it was made from. */
function madeFrom({ title, etag, version, schema: follows }: EditedDocument) {
  return { title, etag, version, follows }
}

/** A state, with a reference to it for what happens later, when that of a call is outdated. */
function useLatest<T>(first: T) {
  const [value, setValue] = useState(first)
  const latest = useRef(first)
  function set(next: T): void {
    latest.current = next
    setValue(next)
  }
  return [value, latest, set] as const
}

/** What is still true of an outcome after a key. @param isChanged whether there is something to store */
function outcomeAfterChange(before: Outcome | undefined, isChanged: boolean): Outcome | undefined {
  // What was sent is compared anew.
  if (before?.kind === 'failed') return { ...before }
  const isPast = before?.kind === 'unchanged' || (before?.kind === 'stored' && !before.meanwhile)
  return isPast && isChanged ? undefined : before
}

function outcomeOf(
  result: Exclude<StoreResult, { readonly kind: 'failed' | 'conflict' }>,
): Outcome | undefined {
  const { state, content, meanwhile } = result
  if (result.kind === 'stored')
    return { kind: 'stored', version: state.version, meanwhile, isUnsaid: result.isUnsaid }
  if (!meanwhile) return undefined
  const why = result.kind === 'invalid' ? 'findings' : isSameContent(content, state) ? 'same' : 'look'
  return { kind: 'merged', meanwhile, why }
}
