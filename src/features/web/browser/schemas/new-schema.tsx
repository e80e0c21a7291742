import { useEffect, useRef, useState } from 'preact/hooks'
import { Link } from 'wouter'
import { isBusy } from '../api/client.js'
import { checkNewSchema } from '../api/schemas.js'
import { type KeptDraft, useDraft } from '../drafts/use-draft.js'
import { useUnloadWarning } from '../drafts/use-unload-warning.js'
import { EditableText } from '../editing/editable-text.js'
import { CheckResult } from '../editing/finding-list.js'
import { useChecks } from '../editing/use-checks.js'
import type { TextEditor } from '../editor/text-editor.js'
import { DraftOffer, DraftRefused } from '../parts/draft-notes.js'
import { lazyPart } from '../parts/failure-boundary.js'
import { FailureMessage } from '../parts/failure-message.js'
import { noteFocus, recordAddress } from '../parts/page-frame.js'
import { useOpenStored } from '../reading/record-link.js'
import { words } from '../words.js'
import { historyWords } from '../words-of-history.js'
import { schemaWords } from '../words-of-schemas.js'
import { FileFields } from './file-fields.js'
import { guessId, guessLanguage, guessTitle } from './given-schema-files.js'
import {
  draftOf,
  emptySchema,
  isSameSchema,
  newSchema,
  schemaOfDraft,
  type UnstoredSchema,
} from './schema-draft.js'
import { IdField, KeysAndDrafts, TitleField } from './schema-fields.js'
import { useGivenFiles } from './use-given-files.js'
import { type RegisterOutcome, useRegistering } from './use-registering.js'

/** The text is there before an example of it. */
const ExampleTrial = lazyPart(async () => (await import('./example-trial.js')).ExampleTrial)

type Outcome = RegisterOutcome | { readonly kind: 'none' | 'storing' }

interface Props {
  /** Whether this window keeps the draft. */
  readonly isKept: boolean
  /** The draft that was kept is registered already. */
  readonly isRegistered: boolean
}

/** A new schema, from files or typed. A draft that was kept is offered before. */
export function NewSchema({ isKept, isRegistered }: Props) {
  const draft = useDraft(newSchema, () => isRegistered)
  const [opened, setOpened] = useState(emptySchema)
  const { offered } = draft
  if (!offered || !isKept) return <OpenNewSchema {...{ draft, isKept, opened }} />
  function take() {
    if (offered) setOpened(schemaOfDraft(offered))
    draft.takeOffered()
  }
  return <DraftOffer draft={offered} isOutdated={false} take={take} throwAway={draft.throwAway} />
}

interface Opened {
  readonly draft: KeptDraft
  readonly isKept: boolean
  readonly opened: UnstoredSchema
}

function OpenNewSchema({ draft, isKept, opened }: Opened) {
  const openStored = useOpenStored()
  const [names, setNames] = useState({ title: opened.title, id: opened.id })
  /** What the editor opens with. Another language needs another editor. */
  const [shown, setShown] = useState(() => shownText(opened.text, opened.caret))
  const [isTried, setIsTried] = useState(false)
  const [outcome, setOutcome] = useState<Outcome>({ kind: 'none' })
  const editor = useRef<TextEditor | undefined>(undefined)
  const register = useRegistering()
  /** What requests that run may find changed: the names, what has no need to be kept, and what was sent last. */
  const latest = useRef({ names, kept: emptySchema, sent: emptySchema })
  const files = useGivenFiles(
    file => {
      const title = guessTitle(file.text, file.path)
      rename({ title, id: guessId(title) })
      show(file.text)
    },
    { given: opened.given, main: opened.main },
  )
  const textNow = () => editor.current?.text() ?? shown.text
  const schemaNow = (): UnstoredSchema => ({
    ...latest.current.names,
    ...files.now(),
    text: textNow(),
    caret: editor.current?.caret() ?? 0,
  })
  const isChanged = () => !isSameSchema(schemaNow(), latest.current.kept)
  const checks = useChecks(
    { schema: undefined, language: shown.language },
    () => editor.current,
    (_, signal) => checkNewSchema(files.contentWith(textNow()), signal),
  )
  // What somebody still types is not registered by itself.
  const isAsSent = () => isSameSchema(schemaNow(), latest.current.sent)
  useUnloadWarning(isChanged)

  function keep(): void {
    setOutcome(afterTyping)
    if (isKept) draft.keepSoon(() => (isChanged() ? draftOf(schemaNow()) : undefined))
  }
  function rename(changed: typeof names): void {
    latest.current.names = changed
    setNames(changed)
    keep()
  }
  function show(text: string): void {
    const next = shownText(text, 0)
    if (next.language === shown.language && editor.current) editor.current.replace(text)
    else setShown(next)
  }
  function change(): void {
    const text = textNow()
    // What begins with another bracket is in another language.
    if (text.trim() !== '' && guessLanguage(text) !== shown.language)
      setShown(shownText(text, editor.current?.caret() ?? 0))
    keep()
    checks.checkSoon()
  }
  async function store(): Promise<void> {
    if (outcome.kind === 'storing' || outcome.kind === 'stored') return
    const sent = schemaNow()
    setIsTried(true)
    if (sent.id === '') return
    setOutcome({ kind: 'storing' })
    latest.current.sent = sent
    const [isIdle, result] = [noteFocus(), await register(sent)]
    setOutcome(result)
    if (result.kind === 'invalid') checks.show(result.findings, sent.text, isIdle())
    if (result.kind !== 'stored') return
    latest.current.kept = sent
    // Removes the draft.
    keep()
  }

  // The page is left when it knows that nothing is lost.
  useEffect(() => {
    if (outcome.kind === 'stored') openStored({ collection: 'schemas', id: latest.current.sent.id })
  }, [outcome.kind])

  return (
    <>
      {draft.isRefused && <DraftRefused textOf={textNow} />}
      <FileFields files={files} />
      <TitleField title={names.title} change={title => rename({ ...names, title })} />
      <IdField
        id={names.id}
        fault={isTried && names.id === '' ? schemaWords.schema.noId : undefined}
        change={id => rename({ ...names, id })}
      />
      <p role="status">{schemaWords.schema.language[shown.language]}</p>
      <EditableText
        key={shown.language}
        {...shown}
        isReadOnly={false}
        label={schemaWords.schema.text}
        onOpen={opened => {
          editor.current = opened
          if (shown.text === '') return
          checks.checkSoon()
          if (shown.caret > 0) opened.goTo(shown.caret)
        }}
        on={{ onChange: change, onStore: () => void store(), onCheck: () => checks.checkNow() }}
      />
      <KeysAndDrafts />
      <Buttons isStoring={outcome.kind === 'storing'} store={() => void store()} check={checks.checkNow} />
      <Result {...{ outcome, id: latest.current.sent.id, isAsSent }} retry={() => void store()} />
      <CheckResult
        verdict={checks.verdict}
        text={textNow}
        goTo={place => editor.current?.goTo(place)}
        valid={schemaWords.schema.valid}
      />
      <ExampleTrial textOf={textNow} files={files} />
    </>
  )
}

/** What was refused is about what was typed before. */
function afterTyping(outcome: Outcome): Outcome {
  return outcome.kind === 'storing' || outcome.kind === 'stored' ? outcome : { kind: 'none' }
}

function Buttons({ isStoring, store, check }: { readonly isStoring: boolean; store(): void; check(): void }) {
  return (
    <p class="pager">
      <button type="button" class="button main" aria-disabled={isStoring} onClick={store}>
        {isStoring ? historyWords.restore.storing : schemaWords.schema.register}
      </button>
      <button type="button" onClick={() => check()}>
        {words.edit.check}
      </button>
    </p>
  )
}

interface ResultProps {
  readonly outcome: Outcome
  readonly id: string
  isAsSent(): boolean
  retry(): void
}

function Result({ outcome, id, isAsSent, retry }: ResultProps) {
  if (outcome.kind === 'stored') return <p role="status">{schemaWords.schema.registered}</p>
  if (outcome.kind === 'lost') {
    return (
      <p class="notice" role="alert">
        {schemaWords.schema.lost}
      </p>
    )
  }
  if (outcome.kind === 'failed')
    return <FailureMessage error={outcome.error} {...(isBusy(outcome.error) && isAsSent() && { retry })} />
  if (outcome.kind !== 'taken') return null
  return (
    <div class="notice" role="alert">
      <p dir="auto">{schemaWords.schema.taken(id, outcome.title)}</p>
      <p>
        <Link href={recordAddress({ collection: 'schemas', id }, 'edit')}>
          {schemaWords.schema.reviseThat}
        </Link>
      </p>
    </div>
  )
}

/** What an editor opens with. */
function shownText(text: string, caret: number) {
  return { text, caret, language: guessLanguage(text) }
}
