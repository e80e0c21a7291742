import createClient from 'openapi-fetch'
import { noteConnection } from '../failures/connection.js'
import { currentSession, endSession } from '../login/login-session.js'
import type { Finding, Problem, paths } from './interface-types.js'
import { notePoint, point, withPoint } from './point.js'
import { withinLimits } from './request-limits.js'
import { serviceUrl } from './service-url.js'

export { serviceUrl }

/** Calls the HTTP interface with the types of its description, as the person who is logged in. */
export const client = createClient<paths>({
  baseUrl: serviceUrl.href.replace(/\/$/, ''),
  fetch: request => fetchAsCaller(request),
  bodySerializer: withinLimits,
})

/**
 * Sends a request to the service with the token of the session, if there is one. A token that the server does not accept
 * any more ends the session.
 */
export async function fetchAsCaller(input: Request | URL, init?: RequestInit): Promise<Response> {
  const request = new Request(input, init)
  const token = request.headers.has('Authorization') ? undefined : currentSession().token
  if (token !== undefined) request.headers.set('Authorization', `Bearer ${token}`)
  const response = await fetch(request).catch((error: unknown) => {
    // Without an answer there is no connection, unless the page has ended the request.
    if (error instanceof TypeError) noteConnection(false)
    throw error
  })
  noteConnection(true)
  if (response.ok && new URL(request.url).searchParams.get('at') === point) notePoint()
  if (response.status === 401 && token !== undefined) endSession(token)
  return response
}

/** The paths that have only a current state. */
const withoutHistory = /\/may$/

// All that is read is of one point of history.
client.use({
  onRequest({ request, schemaPath }) {
    const isRead = request.method === 'GET' && schemaPath.startsWith('/api/v2/')
    if (point === undefined || !isRead || withoutHistory.test(schemaPath)) return undefined
    return new Request(withPoint(request.url), request)
  },
})

/** A refusal by the server. */
export class Refusal extends Error {
  override readonly name = 'Refusal'
  readonly status: number
  readonly findings: readonly Finding[]
  /** Index of the refused change in its change set. */
  readonly change: number | undefined
  /** Seconds after which the server asks to try again. */
  readonly retryAfter: number | undefined

  constructor(problem: Partial<Problem> | undefined, response: Response) {
    // `change` says which change of a change set it is.
    super(problem?.detail?.replace(/^changes\[\d+\][^:]*: /, '') ?? `The server answered ${response.status}.`)
    this.status = response.status
    this.findings = problem?.findings ?? []
    this.change = problem?.change
    const seconds = Number(response.headers.get('Retry-After') ?? Number.NaN)
    this.retryAfter = Number.isFinite(seconds) ? seconds : undefined
  }
}

/**
 * Whether the server has too much to do. It can be asked again. It may have done what it was asked for all the same, so a
 * request that changes something names the state that it was made from, or asks first whether it is done.
 */
export function isBusy(error: unknown): error is Refusal {
  return error instanceof Refusal && (error.status === 503 || error.status === 429)
}

/**
 * Whether what was sent may be stored all the same: no answer came, or a proxy or a busy server has given one. Before it is
 * sent again, the server is asked for it.
 */
export function mayBeStored(error: unknown): boolean {
  return error instanceof Refusal ? error.status >= 500 || error.status === 429 : error instanceof TypeError
}

/** The findings of a refusal; its message, if it has none. */
export function findingsOf({ findings, message }: Refusal): readonly Finding[] {
  return findings.length > 0 ? findings : [{ message }]
}

interface Answered<T> {
  readonly data?: T
  readonly error?: unknown
  readonly response: Response
}

/**
 * The content of an answer, and the response with its headers.
 * @throws Refusal; TypeError without a connection
 */
export async function answered<T>(
  answer: Promise<Answered<T>>,
): Promise<{ readonly data: T; readonly response: Response }> {
  const { data, error, response } = await answer
  if (!response.ok) throw new Refusal(isProblem(error) ? error : undefined, response)
  return { data: data as T, response }
}

/** The findings of a refusal that a change of the content would avoid; none: the answer is no refusal. @throws Refusal */
export async function findingsOfAnswer(
  answer: Promise<Answered<unknown>>,
  isAboutContent: (refusal: Refusal) => boolean,
): Promise<readonly Finding[]> {
  try {
    await answered(answer)
    return []
  } catch (error) {
    if (error instanceof Refusal && isAboutContent(error)) return findingsOf(error)
    throw error
  }
}

/** The number of all entries of a list, of which an answer has a part. */
export function totalOf({
  data,
  response,
}: {
  readonly data: readonly unknown[]
  readonly response: Response
}): number {
  return Number(response.headers.get('Content-Range')?.split('/')[1] ?? data.length)
}

/** What an answer has; undefined for a record that is not there. @throws Refusal for other refusals */
export async function unlessMissing<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer
  } catch (error) {
    if (error instanceof Refusal && error.status === 404) return undefined
    throw error
  }
}

function isProblem(error: unknown): error is Problem {
  return typeof error === 'object' && error !== null && 'detail' in error
}
