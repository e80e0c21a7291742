import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { type AccessEdits, editsSince, mayEditAcls } from '../access/access-edits.js'
import { AccessList } from '../access/access-list.js'
import { RecordState, type StateChange } from '../access/record-state.js'
import { isBusy, Refusal, serviceUrl } from '../api/client.js'
import type { AclEntry, Caller } from '../api/interface-types.js'
import { deleteRecord, storeRecord } from '../api/record-updates.js'
import type { CurrentRecord, RecordName } from '../api/records.js'
import { LoginOffer } from '../login/login-offer.js'
import { loginOptions, useSession } from '../login/login-session.js'
import { useMay } from '../login/use-may.js'
import { titleOfPage } from '../parts/explain-failure.js'
import { FailureMessage } from '../parts/failure-message.js'
import { noteFocus, PageFrame } from '../parts/page-frame.js'
import { useRecord, useRecordTitle } from '../parts/use-record.js'
import { words } from '../words.js'
import { peopleWords } from '../words-of-people.js'

/** Who may do what with a record, and its state. Who may do everything can change both, and delete it. */
export function AccessPage(record: RecordName) {
  const current = useRecord(record)
  const may = useMay(record)
  const [isGone, setIsGone] = useState(false)
  const title = peopleWords.access.title(useRecordTitle(record))
  if (isGone) {
    return (
      <PageFrame key="gone" title={peopleWords.access.goneTitle(record.id)}>
        <p role="status">{peopleWords.access.gone}</p>
        <p>
          <a href={new URL('dashboard', serviceUrl).href}>{words.toDashboard}</a>
        </p>
      </PageFrame>
    )
  }
  return (
    <PageFrame title={titleOfPage(current.error, title)} record={record}>
      {current.error && <FailureMessage error={current.error} retry={() => void current.refetch()} />}
      {current.data && may && (
        <Rights
          {...{ record, current: current.data }}
          isAdministered={may.includes('ADMINISTRATE')}
          onGone={() => setIsGone(true)}
        />
      )}
      {!current.error && !(current.data && may) && <p role="status">{words.loading}</p>}
    </PageFrame>
  )
}

interface Shown {
  readonly record: RecordName
  readonly current: CurrentRecord
  readonly isAdministered: boolean
  onGone(): void
}

/** `from`: the state that was shown. A repetition is refused if there is another one. */
type Change = { readonly from: CurrentRecord } & (
  | { readonly acls: AclEntry[]; readonly edits: AccessEdits }
  | { readonly to: StateChange }
)

function Rights({ record, current, isAdministered, onGone }: Shown) {
  const queries = useQueryClient()
  const me = useCaller()
  const [edits, setEdits] = useState<AccessEdits>(new Map())
  const [fault, setFault] = useState<string>()
  const acls = current.record.acls ?? []
  /** Whether the person has been idle since the last change was sent. */
  const isIdle = useRef<() => boolean>(undefined)
  const storing = useMutation({
    mutationFn: (change: Change) => makeChange(record, change),
    onMutate() {
      isIdle.current = noteFocus()
      setFault(undefined)
    },
    onSuccess: async (_, change) => {
      if ('to' in change && change.to === 'delete') return onGone()
      // What was changed since it was sent stays.
      if ('acls' in change) setEdits(now => editsSince(now, change.edits))
      await queries.invalidateQueries()
    },
    // What was changed here is put into the newer state.
    onError: async error => {
      if (isConflict(error)) await queries.invalidateQueries()
    },
  })
  const editor = isAdministered && me && mayEditAcls(acls, me) ? me : undefined
  const { error, isPending, isSuccess, variables } = storing
  const stored = isSuccess ? variables : undefined
  const isListStored = stored !== undefined && 'acls' in stored
  const said = useRef<HTMLParagraphElement>(null)
  useLayoutEffect(() => {
    if (isListStored && isIdle.current?.()) said.current?.focus()
  }, [stored])
  /** Only the latest outcome is shown. @param why the list was not sent */
  function forget(why?: string): void {
    if (!isPending) storing.reset()
    setFault(why)
  }
  return (
    <>
      {!isAdministered && (
        <div class="notice">
          <p>{peopleWords.access.readOnly}</p>
          <LoginOffer />
        </div>
      )}
      {isConflict(error) && (
        <p class="notice" role="alert">
          {peopleWords.access.conflict}
        </p>
      )}
      {error && !isConflict(error) && (
        <FailureMessage
          error={error}
          {...(isBusy(error) && variables && { retry: () => storing.mutate(variables) })}
        />
      )}
      <p ref={said} role="status" tabIndex={-1}>
        {isListStored && peopleWords.access.stored}
      </p>
      <section aria-labelledby="rights">
        <h2 id="rights">{peopleWords.access.rightsTitle}</h2>
        {isAdministered && !editor && <p class="notice">{peopleWords.access.byGroup}</p>}
        <AccessList
          {...{ acls, editor, me, edits, fault }}
          isStoring={isPending}
          edit={next => {
            forget()
            setEdits(next)
          }}
          refuse={forget}
          store={next => storing.mutate({ from: current, acls: next, edits })}
        />
      </section>
      <RecordState
        record={record}
        title={useRecordTitle(record)}
        state={current.record.state}
        stored={stored && 'to' in stored ? stored.to : undefined}
        isEditable={isAdministered}
        isStoring={isPending}
        change={to => storing.mutate({ from: current, to })}
        isIdle={isIdle.current}
        forget={forget}
      />
    </>
  )
}

/** The person, as access lists know it. Without a login a server that asks for none calls everybody `SELF`. */
function useCaller(): Caller | undefined {
  const { caller } = useSession()
  if (loginOptions.tokens) return caller
  return { name: 'SELF', displayName: 'SELF', groups: [], roles: [], administrator: true, creates: true }
}

async function makeChange(record: RecordName, change: Change): Promise<void> {
  const { from } = change
  if ('acls' in change) return await storeRecord(record, from, { acls: change.acls })
  if (change.to === 'fix') return await storeRecord(record, from, { state: 'FIXED' })
  if (change.to === 'open') return await storeRecord(record, from, { state: 'VOLATILE' })
  await deleteRecord(record, from.etag)
}

function isConflict(error: unknown): boolean {
  return error instanceof Refusal && error.status === 412
}
