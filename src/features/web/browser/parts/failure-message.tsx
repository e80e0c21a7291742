import { Link, useRoute } from 'wouter'
import { Refusal } from '../api/client.js'
import type { Finding } from '../api/interface-types.js'
import { LoginOffer } from '../login/login-offer.js'
import { words } from '../words.js'
import { explanationOf } from './explain-failure.js'

/** Says what failed and what can be done. @param retry tries again */
export function FailureMessage({ error, retry }: { readonly error: unknown; readonly retry?: () => void }) {
  const findings = error instanceof Refusal ? error.findings : []
  const [, params] = useRoute('/:collection/:id/*?')
  const id = params?.id ?? ''
  return (
    <div role="alert" class="notice">
      <p>{explanationOf(error)}</p>
      {error instanceof Refusal && error.status === 404 && (
        <p>
          <Link href={`/search?q=${encodeURIComponent(id)}`}>{words.failure.search(id)}</Link>
        </p>
      )}
      {error instanceof Refusal && (error.status === 401 || error.status === 403) && (
        <p>
          <LoginOffer />
        </p>
      )}
      {findings.length > 0 && <Findings findings={findings} />}
      {retry && (
        <p>
          <button type="button" onClick={retry}>
            {words.failure.retry}
          </button>
        </p>
      )}
    </div>
  )
}

/** A list of findings with their places. */
export function Findings({ findings }: { readonly findings: readonly Finding[] }) {
  return (
    <ul aria-label={words.failure.findings}>
      {findings.map(finding => (
        <li key={`${placeOf(finding)} ${finding.message}`} dir="auto">
          {placeOf(finding) && <span class="mono">{placeOf(finding)}: </span>}
          {finding.message}
        </li>
      ))}
    </ul>
  )
}

function placeOf({ line, path, file }: Finding): string {
  return [file, line !== undefined && `line ${line}`, path].filter(Boolean).join(', ')
}
