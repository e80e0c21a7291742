import { Refusal, serviceUrl } from '../api/client.js'
import type { Finding } from '../api/interface-types.js'
import { words } from '../words.js'

/** Says what failed and what can be done. @param retry tries again */
export function FailureMessage({ error, retry }: { readonly error: unknown; readonly retry?: () => void }) {
  const findings = error instanceof Refusal ? error.findings : []
  return (
    <div role="alert" class="notice">
      <p>{explanationOf(error)}</p>
      {error instanceof Refusal && error.status === 404 && (
        <p>
          <a href={new URL('search', serviceUrl).href}>{words.failure.search}</a>
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

/** A sentence about a failure. The server's own words come last, because they are exact. */
function explanationOf(error: unknown): string {
  if (error instanceof TypeError) return words.failure.notConnected
  if (!(error instanceof Refusal)) return error instanceof Error ? error.message : String(error)
  const { status, message, retryAfter } = error
  if (status === 404) return `${words.failure.noRecord} ${message}`
  if (status === 401 || status === 403) return `${words.failure.forbidden} ${message}`
  if ((status === 503 || status === 429) && retryAfter !== undefined)
    return `${words.failure.busy(retryAfter)} ${message}`
  return message
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
