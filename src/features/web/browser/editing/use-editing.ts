import { useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'preact/hooks'
import type { Finding } from '../api/interface-types.js'
import { type RecordChange, useRecordChange } from '../api/record-changes.js'
import { type StoredState, storeRevision } from '../api/record-updates.js'
import type { RecordName } from '../api/records.js'
import type { KeptDraft } from '../drafts/use-draft.js'
import { useUnloadWarning } from '../drafts/use-unload-warning.js'
import type { TextEditor } from '../editor/text-editor.js'
import type { Choice } from '../merge/merge-texts.js'
import {
  type Conflict,
  type EditedDocument,
  type Meanwhile,
  type StoreResult,
  storeText,
} from './store-text.js'
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
  /** The text has the changes of both, and is not stored. */
  | { readonly kind: 'merged'; readonly meanwhile: Meanwhile; readonly why: 'look' | 'findings' | 'same' }
  | { readonly kind: 'chosen'; readonly choices: readonly Choice[] }
  | { readonly kind: 'failed'; readonly error: unknown; readonly sent: readonly unknown[] }
  | Conflict

export interface Editing {
  /** The state that the text is made from. */
  readonly base: EditedDocument
  readonly checks: Checks
  readonly outcome: Outcome | undefined
  readonly isStoring: boolean
  /** What the person says of the change. */
  readonly message: string
  setMessage(message: string): void
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

/** How something else than a document is checked and stored. What is stored has more than its text. */
export interface EditingWays {
  /** @param etag of the base */
  validate(etag: string, text: string, signal: AbortSignal): Promise<readonly Finding[]>
  /** @param title of the base @param message what a person says of the change */
  store(etag: string, text: string, title: string, message: string): Promise<StoredState>
  /** Whether more than the text has changed. @param title of the base */
  isChanged(title: string): boolean
  /** What is stored beside the text. Other values are another content. */
  readonly more: readonly unknown[]
}

/** The editing of one record: the base of the text, its checks, its draft, and storing it. @param ways default: a document */
export function useEditing(
  record: RecordName,
  first: EditedDocument,
  draft: KeptDraft,
  isReadOnly: boolean,
  ways?: EditingWays,
): Editing {
  const [base, setBase] = useState(first)
  const [outcome, setOutcome] = useState<Outcome>()
  const [isStoring, setIsStoring] = useState(false)
  const [message, setMessage] = useState('')
  /** The message for what waits before it stores. */
  const saying = useRef(message)
  saying.current = message
  const editor = useRef<TextEditor | undefined>(undefined)
  /** The base for what happens later, when `base` of this call is outdated. */
  const latest = useRef(first)
  const queries = useQueryClient()
  const checks = useChecks(
    base,
    () => editor.current,
    ways && ((edited, signal) => ways.validate(latest.current.etag, edited, signal)),
  )
  const news = useRecordChange(record, first.etag)
  const text = () => editor.current?.text() ?? latest.current.text
  const isChanged = () => text() !== latest.current.text || ways?.isChanged(latest.current.title) === true
  const shown = () => [text(), saying.current, ...(ways?.more ?? [])]
  useUnloadWarning(isChanged)

  function moveTo(state: EditedDocument): void {
    latest.current = state
    setBase(state)
  }
  function keep(): void {
    draft.keepSoon(() => {
      const { title, etag, version, schema: follows } = latest.current
      return isChanged()
        ? { title, etag, version, follows, text: text(), caret: editor.current?.caret() ?? 0 }
        : undefined
    })
  }
  async function store(): Promise<void> {
    if (isStoring || isReadOnly) return
    if (!isChanged()) return setOutcome({ kind: 'unchanged' })
    setIsStoring(true)
    checks.end()
    const all = shown()
    const sent = text()
    const said = saying.current
    const result = await storeText(
      record,
      latest.current,
      sent,
      (etag, edited) =>
        ways
          ? ways.store(etag, edited, latest.current.title, said)
          : storeRevision(record, etag, { document: new Blob([edited]), message: said }),
      ways === undefined,
    )
    setIsStoring(false)
    if (result.kind === 'failed') return setOutcome({ ...result, sent: all })
    if (result.kind === 'conflict') return setOutcome(result)
    // What was typed since it was sent is said of the next version.
    if (result.kind === 'stored') setMessage(now => (now === said ? '' : now))
    const { state, meanwhile } = result
    // What was typed since it was sent is merged when it is stored.
    if (meanwhile && text() !== sent)
      return setOutcome(result.kind === 'stored' ? storedAs(result) : undefined)
    moveTo(state)
    if (meanwhile && result.text !== sent) editor.current?.replace(result.text)
    if (result.kind === 'stored') setOutcome(storedAs(result))
    else {
      const why = result.kind === 'invalid' ? 'findings' : result.text === state.text ? 'same' : 'look'
      setOutcome(meanwhile && { kind: 'merged', meanwhile, why })
    }
    if (result.kind !== 'merged') checks.show(result.kind === 'invalid' ? result.findings : [])
    // Removes the draft of a text that is stored, unless it has changed since it was sent.
    keep()
    if (result.kind === 'stored')
      await queries.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'edited' })
  }
  return {
    ...{ base, checks, outcome, isStoring, message, setMessage, news, text, isChanged },
    goTo: (place, finding) => editor.current?.goTo(place, finding),
    isAsSent: all => shown().every((value, index) => value === all[index]),
    replace: replaced => editor.current?.replace(replaced),
    open(opened) {
      editor.current = opened
      if (isChanged()) checks.checkSoon()
    },
    change() {
      // What was sent is compared anew.
      setOutcome(before => (before?.kind === 'failed' ? { ...before } : before))
      keep()
      checks.checkSoon()
    },
    store: () => void store(),
    merge({ theirs, merge }, choices) {
      moveTo(theirs)
      setOutcome({ kind: 'chosen', choices })
      editor.current?.replace(merge.merged(choices))
      editor.current?.goTo(0)
    },
  }
}

function storedAs({ state, meanwhile, isUnsaid }: Extract<StoreResult, { readonly kind: 'stored' }>) {
  return { kind: 'stored', version: state.version, meanwhile, isUnsaid } as const
}
