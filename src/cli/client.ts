import { type Finding, ProblemError, type ProblemKind } from '../core/problem.js'

/** What a server answered, read to its end. */
export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly bytes: Uint8Array
}

export interface Client {
  /** @param path below the base URL, with its query  @throws ProblemError for every answer that is no success */
  request(method: string, path: string, options?: RequestOptions): Promise<Answer>
}

export interface RequestOptions {
  readonly accept?: string
  readonly ifMatch?: string
  readonly body?: FormData
}

const kindOf: Readonly<Record<number, ProblemKind>> = {
  400: 'malformed-request',
  401: 'unauthenticated',
  403: 'forbidden',
  404: 'not-found',
  409: 'conflict',
  410: 'gone',
  412: 'precondition-failed',
  413: 'too-large',
  416: 'page-out-of-range',
  422: 'unprocessable',
  428: 'precondition-required',
  503: 'unavailable',
  507: 'no-space',
}

/** Talks to a running server. @param base its URL as `listening on` says it, with or without a slash at its end */
export function openClient(base: string): Client {
  const root = rootOf(base)
  return {
    async request(method, path, { accept, ifMatch, body } = {}) {
      const headers: Record<string, string> = {
        ...(accept === undefined ? {} : { accept }),
        ...(ifMatch === undefined ? {} : { 'if-match': ifMatch }),
      }
      const response = await send(`${root}${path}`, {
        method,
        headers,
        ...(body === undefined ? {} : { body }),
      })
      const bytes = new Uint8Array(await response.arrayBuffer())
      if (!response.ok) throw problemOf(response, bytes)
      return { status: response.status, headers: response.headers, bytes }
    },
  }
}

function rootOf(base: string): string {
  if (!URL.canParse(base) || !/^https?:$/.test(new URL(base).protocol)) {
    throw new ProblemError(
      'malformed-request',
      `--url "${base}" is no http URL: write it as http://localhost:8040/.`,
    )
  }
  return base.replace(/\/+$/, '')
}

async function send(url: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, init)
  } catch (error) {
    // fetch throws a TypeError for every failure of the network, with the reason as its cause.
    const cause = error instanceof TypeError ? error.cause : undefined
    if (cause === undefined) throw error
    const reason =
      cause instanceof Error ? cause.message || (cause as NodeJS.ErrnoException).code : String(cause)
    throw new ProblemError(
      'unavailable',
      `No answer from ${new URL(url).origin}: ${reason}.`,
      {},
      { cause: error },
    )
  }
}

/** @see RFC 9457 §3 */
function problemOf(response: Response, bytes: Uint8Array): ProblemError {
  const problem = parse(new TextDecoder().decode(bytes))
  const detail =
    typeof problem.detail === 'string' ? problem.detail : `The server answered ${response.status}.`
  const findings = Array.isArray(problem.findings) ? (problem.findings as Finding[]) : undefined
  const kind = kindOf[response.status] ?? 'internal'
  return new ProblemError(kind, detail, findings === undefined ? {} : { findings })
}

function parse(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  } catch (error) {
    // A proxy's page, say. The status is all there is to tell.
    if (error instanceof SyntaxError) return {}
    throw error
  }
}
