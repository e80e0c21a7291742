import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import { isBusy } from '../api/client.js'
import type { SchemaChoice } from '../api/new-records.js'
import { useUnloadWarning } from '../drafts/use-unload-warning.js'
import { DropZone } from '../files/drop-zone.js'
import { FailureMessage } from '../parts/failure-message.js'
import { noteFocus } from '../parts/page-frame.js'
import { RecordLink } from '../reading/record-link.js'
import { historyWords } from '../words-of-history.js'
import { writingWords } from '../words-of-writing.js'
import { FileTable } from './file-table.js'
import { ForAllFiles } from './for-all-files.js'
import { rememberSchema } from './guess-schema.js'
import { faultOf, findingsOfFile, isSentAlike, repeatedFiles, type UploadedFile } from './uploaded-file.js'
import { type StoreTogether, tooMuch, useStoring } from './use-storing.js'
import { type Upload, useUpload } from './use-upload.js'

/** Chosen files in a table, and storing those that are included. */
export function UploadedFiles({ schemas }: { readonly schemas: readonly SchemaChoice[] }) {
  const upload = useUpload(schemas)
  const storing = useStoring()
  const [outcome, setOutcome] = useState<StoreTogether>()
  /** Whether storing was refused before anything was sent. What it says follows the files. */
  const [isRefused, setIsRefused] = useState(false)
  const [failure, setFailure] = useState<unknown>()
  /** The file to which the focus goes: the first one that prevents storing. */
  const [wanted, setWanted] = useState<{ readonly id: string }>()
  /** Whether the person has been idle since the files were sent. */
  const isIdle = useRef<() => boolean>(undefined)
  const { files } = upload
  const repeated = useMemo(() => repeatedFiles(files), [files])
  const included = files.filter(({ isIncluded }) => isIncluded)
  const isWrong = (file: UploadedFile) => findingsOfFile(file, repeated.get(file.path)).length > 0
  const wrong = included.filter(isWrong)
  const fault = wrong.length > 0 ? writingWords.upload.wrong(wrong.length) : tooMuch(included)
  useUnloadWarning(() => files.length > 0)

  async function store(): Promise<void> {
    setOutcome(undefined)
    setIsRefused(fault !== undefined)
    const [first] = wrong
    if (first) setWanted({ id: first.id })
    if (fault !== undefined || included.length === 0 || storing.isStoring) return
    isIdle.current = noteFocus()
    const result = await storing.store(included)
    setOutcome(result)
    if (result.kind === 'stored') finish(result.files, schemas, upload)
    if (result.kind !== 'refused') return
    const { file, findings } = result
    upload.change(({ id }) => (id === file.id ? { check: { kind: 'invalid', findings } } : undefined))
    if (isIdle.current?.()) setWanted({ id: file.id })
  }

  return (
    <>
      <DropZone
        label={writingWords.upload.files}
        explain={writingWords.upload.explain}
        take={chosen => {
          setOutcome(undefined)
          setIsRefused(false)
          chosen.then(upload.add).catch(setFailure)
        }}
      />
      {failure !== undefined && <FailureMessage error={failure} />}
      {upload.isReading && <p role="status">{writingWords.upload.reading}</p>}
      <Outcome {...{ outcome, included }} isIdle={isIdle.current} retry={() => void store()} />
      {files.length > 0 && (
        <>
          <Progress {...{ upload, isWrong }} />
          {isRefused && fault !== undefined && (
            <p class="notice" role="alert">
              {fault}
            </p>
          )}
          {included.length === 0 && <p>{writingWords.upload.nothing}</p>}
          <p class="pager">
            <button
              type="button"
              class="button main"
              aria-disabled={storing.isStoring}
              onClick={() => void store()}
            >
              {storing.isStoring ? historyWords.restore.storing : writingWords.upload.store(included.length)}
            </button>
            <button
              type="button"
              onClick={() => upload.change(file => (isWrong(file) ? { isIncluded: false } : undefined))}
            >
              {writingWords.upload.leaveOut}
            </button>
          </p>
          <ForAllFiles {...{ upload, schemas }} />
          <FileTable {...{ upload, schemas, repeated, wanted, isWrong }} />
        </>
      )}
    </>
  )
}

/** Takes stored files out of the table. One that was changed after it was sent stays. */
function finish(stored: readonly UploadedFile[], schemas: readonly SchemaChoice[], upload: Upload): void {
  const sent = new Map(stored.map(file => [file.id, file]))
  upload.remove(file => isSentAlike(file, sent.get(file.id)))
  for (const schema of schemas) if (stored.some(file => file.schema === schema.id)) rememberSchema(schema)
}

/** How many files are checked; when all are, what came of it. */
function Progress({
  upload: { files, change },
  isWrong,
}: {
  readonly upload: Upload
  isWrong(file: UploadedFile): boolean
}) {
  const open = files.filter(
    file => ['typing', 'waiting', 'checking'].includes(file.check.kind) && faultOf(file) === undefined,
  )
  const done = files.length - open.length
  const left = files.filter(({ isIncluded }) => !isIncluded).length
  const failed = files.find(({ check }) => check.kind === 'failed')
  const checkAgain = () =>
    change(({ check }) => (check.kind === 'failed' ? { check: { kind: 'waiting' } } : undefined))
  return (
    <>
      <p role="status">
        {open.length === 0 && writingWords.upload.summary(files.length, files.filter(isWrong).length, left)}
      </p>
      {open.length > 0 && (
        <p>
          <progress max={files.length} value={done} aria-label={historyWords.restore.checking} />{' '}
          {writingWords.upload.checked(done, files.length)}
        </p>
      )}
      {failed?.check.kind === 'failed' && <FailureMessage error={failed.check.error} retry={checkAgain} />}
    </>
  )
}

interface OutcomeProps {
  readonly outcome: StoreTogether | undefined
  readonly included: readonly UploadedFile[]
  readonly isIdle: (() => boolean) | undefined
  retry(): void
}

function Outcome({ outcome, included, isIdle, retry }: OutcomeProps) {
  switch (outcome?.kind) {
    case 'failed': {
      const { error, files } = outcome
      // What somebody still changes is not stored by itself.
      const isAsSent =
        files.length === included.length && files.every((file, index) => isSentAlike(file, included[index]))
      return <FailureMessage error={error} {...(isAsSent && isBusy(error) && { retry })} />
    }
    case 'lost':
    case 'refused':
      return (
        <p class="notice" role="alert">
          {outcome.kind === 'lost'
            ? writingWords.upload.lost
            : writingWords.upload.refused(outcome.file.path)}
        </p>
      )
    case 'stored':
      return <Stored {...outcome} isIdle={isIdle} />
    default:
      return null
  }
}

function Stored({
  files,
  commit,
  isIdle,
}: Extract<StoreTogether, { kind: 'stored' }> & Pick<OutcomeProps, 'isIdle'>) {
  const status = useRef<HTMLParagraphElement>(null)
  useLayoutEffect(() => {
    if (isIdle?.()) status.current?.focus()
  }, [])
  return (
    <section aria-label={writingWords.upload.storedList}>
      <p ref={status} role="status" tabIndex={-1}>
        {writingWords.upload.stored(files.length)}
        {commit === undefined ? '.' : ': '}
        {commit !== undefined && <span class="mono">{commit.slice(0, 10)}</span>}
      </p>
      <details>
        <summary>{writingWords.upload.storedList}</summary>
        <ul>
          {files.map(({ id, path }) => (
            <li key={id}>
              <RecordLink record={{ collection: 'metadata', id }}>{path}</RecordLink>
            </li>
          ))}
        </ul>
      </details>
    </section>
  )
}
