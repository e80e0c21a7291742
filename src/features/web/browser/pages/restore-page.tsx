import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'preact/hooks'
import { useLocation, useSearch } from 'wouter'
import { isBusy, mayBeStored, Refusal } from '../api/client.js'
import { type StoredState, storeRevision } from '../api/record-updates.js'
import {
  type CurrentRecord,
  type RecordName,
  readFiles,
  readVersions,
  restoreMessage,
  type StoredDocument,
  schemaOf,
  validateDocument,
} from '../api/records.js'
import { MessageField } from '../editing/message-field.js'
import { MayNotWrite } from '../login/may-not-write.js'
import { useMay } from '../login/use-may.js'
import { FailureMessage, Findings } from '../parts/failure-message.js'
import { PageFrame, recordAddress } from '../parts/page-frame.js'
import { TextComparison } from '../parts/text-comparison.js'
import { schemaInWords, useRecord, useVersionText } from '../parts/use-record.js'
import { historyWords } from '../words-of-history.js'

/** Makes an older version the newest one again: shows the difference, checks it, and stores it as the next version. */
export function RestorePage(record: RecordName) {
  const version = Number(new URLSearchParams(useSearch()).get('version') ?? 1)
  const current = useRecord(record)
  const newest = current.data && Number(current.data.record.version)
  const old = useVersionText(record, version)
  const now = useVersionText(record, newest)
  const failed = [current, old, now].find(({ error }) => error)
  // The message is kept here, because the button disappears while the page reads the record anew.
  const [message, setMessage] = useState('')
  return (
    <PageFrame title={historyWords.restore.title(version, current.data?.title ?? record.id)} record={record}>
      {failed && <FailureMessage error={failed.error} retry={() => void failed.refetch()} />}
      {current.data && newest && old.data && now.data && (
        <Restoring
          {...{ record, version, newest, old: old.data, now: now.data }}
          {...{ current: current.data, message, setMessage }}
        />
      )}
    </PageFrame>
  )
}

interface Restored {
  readonly record: RecordName
  readonly version: number
  readonly newest: number
  readonly current: CurrentRecord
  readonly old: StoredDocument
  readonly now: StoredDocument
  readonly message: string
  setMessage(message: string): void
}

function Restoring(restored: Restored) {
  const { record, version, newest, old, now } = restored
  if (version === newest) return <p>{historyWords.restore.isNewest}</p>
  // Only further files can differ.
  if (old.text === now.text && record.collection === 'metadata') return <p>{historyWords.restore.same}</p>
  return (
    <>
      <p>{historyWords.restore.explain(version, newest + 1)}</p>
      <h2>{historyWords.restore.difference}</h2>
      <TextComparison from={{ version: newest, document: now }} to={{ version, document: old }} />
      {record.collection === 'metadata' ? <CheckedStore {...restored} /> : <StoreButton {...restored} />}
    </>
  )
}

/** Checks the old text against the schema that the record follows today. */
function CheckedStore(restored: Restored) {
  const { current, version, record, old } = restored
  const schema = schemaOf(current.record)
  const check = useQuery({
    queryKey: ['check', record.id, version, schema],
    queryFn: ({ signal }) => (schema ? validateDocument(schema, old.text, signal) : []),
    // The verdict is about this moment.
    gcTime: 0,
  })
  if (check.error) return <FailureMessage error={check.error} retry={() => void check.refetch()} />
  if (!check.data || !schema) return <p role="status">{historyWords.restore.checking}</p>
  const schemaName = schemaInWords(schema, current.schemaTitle)
  if (check.data.length > 0) {
    return (
      <div class="notice" role="alert">
        <p>{historyWords.restore.invalid(schemaName, schema.version)}</p>
        <Findings findings={check.data} />
      </div>
    )
  }
  return (
    <>
      <p role="status">{historyWords.restore.valid(schemaName, schema.version)}</p>
      <StoreButton {...restored} />
    </>
  )
}

function StoreButton({ record, version, newest, current: { etag }, old, message, setMessage }: Restored) {
  const queries = useQueryClient()
  const [, navigate] = useLocation()
  /** The message of a version that may be stored: its answer did not come. */
  const unanswered = useRef<string | undefined>(undefined)
  const storing = useMutation({
    /** `from`: entity tag of the state that was shown. A repetition is refused if there is another one. */
    mutationFn: async ({ from, typed }: { readonly from: string; readonly typed: string }) => {
      const arrived = await findStored(record, newest + 1, unanswered.current)
      unanswered.current = undefined
      if (arrived) return arrived
      const files = record.collection === 'schemas' ? await readFiles(record.id, version) : undefined
      const said = typed.trim() || restoreMessage(record, version)
      try {
        return await storeRevision(record, from, { document: new Blob([old.text]), files, message: said })
      } catch (error) {
        if (mayBeStored(error)) unanswered.current = said
        throw error
      }
    },
    onSuccess: async (stored: Pick<StoredState, 'version' | 'isUnsaid'>, { typed }) => {
      const unsaid = stored.isUnsaid && typed.trim() !== '' ? '&unsaid=1' : ''
      await queries.invalidateQueries()
      navigate(recordAddress(record, 'versions', `?restored=${version}&as=${stored.version}${unsaid}`))
    },
  })
  const may = useMay(record)
  const { error, variables } = storing
  const isConflict = error instanceof Refusal && error.status === 412
  function store(): void {
    if (!storing.isPending) storing.mutate({ from: etag, typed: message })
  }
  async function readAnew() {
    await queries.invalidateQueries()
    storing.reset()
  }
  return (
    <>
      {isConflict && (
        <div class="notice" role="alert">
          <p>{historyWords.restore.conflict}</p>
          <button type="button" onClick={() => void readAnew()}>
            {historyWords.restore.reload}
          </button>
        </div>
      )}
      {error instanceof TypeError && (
        <p class="notice" role="alert">
          {historyWords.restore.lost}
        </p>
      )}
      {error && !isConflict && !(error instanceof TypeError) && (
        <FailureMessage
          error={error}
          // What somebody still types is not stored by itself.
          {...(isBusy(error) && variables?.typed === message && { retry: () => storing.mutate(variables) })}
        />
      )}
      {may && !may.includes('WRITE') && <MayNotWrite {...record} />}
      {!isConflict && may?.includes('WRITE') && (
        <>
          <MessageField {...{ message, setMessage }} onStore={store} />
          <p>
            <button type="button" class="button main" aria-disabled={storing.isPending} onClick={store}>
              {storing.isPending
                ? historyWords.restore.storing
                : historyWords.restore.store(version, newest + 1)}
            </button>
          </p>
        </>
      )}
    </>
  )
}

/** A version with a message, if it is stored. @param message undefined: none was sent */
async function findStored(record: RecordName, version: number, message: string | undefined) {
  if (message === undefined) return undefined
  const { entries } = await readVersions(record, 0)
  return entries.find(entry => entry.version === version && entry.message === message)
}
