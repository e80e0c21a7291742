import { lazy, Suspense } from 'preact/compat'
import { Link, useRoute } from 'wouter'
import { isBusy, Refusal } from '../api/client.js'
import type { Finding } from '../api/interface-types.js'
import type { RecordName } from '../api/records.js'
import { BusyServer } from '../failures/busy-server.js'
import { LoginOffer } from '../login/login-offer.js'
import { useSession } from '../login/login-session.js'
import { WhoMayWrite } from '../login/who-may-write.js'
import { words } from '../words.js'
import { explanationOf } from './explain-failure.js'
import { findingInPlainWords } from './plain-finding.js'
import { useRecord } from './use-record.js'

/** Few records are lost. */
const LostRecord = lazy(async () => ({ default: (await import('../failures/lost-record.js')).LostRecord }))

interface Props {
  readonly error: unknown
  /** Tries again. A busy server is asked again by itself. */
  retry?(): void
  /** What could not be read; default: the record of the page. */
  readonly of?: RecordName
}

/** Says what failed and what can be done. */
export function FailureMessage({ error, retry, of }: Props) {
  const findings = error instanceof Refusal ? error.findings : []
  const seconds = isBusy(error) ? error.retryAfter : undefined
  const [, params] = useRoute('/:collection/:id/*?')
  const id = of?.id ?? params?.id ?? ''
  const collection = of?.collection ?? params?.collection
  const record: RecordName | undefined =
    collection === 'metadata' || collection === 'schemas' ? { collection, id } : undefined
  const status = error instanceof Refusal ? error.status : undefined
  return (
    <div class="notice">
      <div role="alert">
        <p>{explanationOf(error)}</p>
        {(status === 404 || status === 410) && id !== '' && (
          <p>
            <Link href={`/search?q=${encodeURIComponent(id)}`}>{words.failure.search(id)}</Link>
          </p>
        )}
        {(status === 401 || status === 403) && (
          <p>
            <LoginOffer />
          </p>
        )}
        {findings.length > 0 && <Findings findings={findings} />}
      </div>
      {status === 403 && record && <Forbidden {...record} />}
      {status === 404 && record && (
        <Suspense fallback={null}>
          <LostRecord {...record} />
        </Suspense>
      )}
      {retry && seconds !== undefined && <BusyServer {...{ error: error as Refusal, seconds, retry }} />}
      {retry && seconds === undefined && (
        <p>
          <button type="button" onClick={retry}>
            {words.failure.retry}
          </button>
        </p>
      )}
    </div>
  )
}

/** Names who may do it to a person who is logged in and may read the record. */
function Forbidden(name: RecordName) {
  const { token } = useSession()
  const { data, isPending } = useRecord(name, undefined, { retryOnMount: false })
  return token === undefined || isPending ? null : <WhoMayWrite record={data?.record} />
}

/** A list of findings with their places, in plain words where there are some, and in those of the validator. */
export function Findings({ findings }: { readonly findings: readonly Finding[] }) {
  return (
    <ul aria-label={words.failure.findings}>
      {findings.map(finding => (
        <li key={`${placeOf(finding)} ${finding.message}`} dir="auto">
          <FindingText finding={finding} place={placeOf(finding)} />
        </li>
      ))}
    </ul>
  )
}

export function FindingText({
  finding,
  place,
}: {
  readonly finding: Finding
  readonly place: string | undefined
}) {
  const plain = findingInPlainWords(finding)
  return (
    <>
      {place && <span class="mono">{place}: </span>}
      {plain && `${plain} `}
      <span class={plain && 'dim'}>{finding.message}</span>
    </>
  )
}

function placeOf({ line, path, file }: Finding): string {
  return [file, line !== undefined && `line ${line}`, path].filter(Boolean).join(', ')
}
