import { trimEnd } from '../../../core/value-types.js'

/** How requests to the cluster are authenticated. */
export type ClusterCredentials =
  | { readonly type: 'basic'; readonly user: string; readonly password: string }
  | { readonly type: 'api-key'; readonly key: string }

/** Errors that are due to the request, such as a forged cursor, although clusters answer some with 500 or 503. */
const faultsOfRequests: ReadonlySet<string> = new Set([
  'class_cast_exception',
  'illegal_argument_exception',
  'null_pointer_exception',
  'query_shard_exception',
  'too_many_buckets_exception',
  'too_many_clauses',
  'too_many_nested_clauses',
])

/** A request to an OpenSearch or Elasticsearch cluster failed. */
export class ClusterError extends Error {
  override readonly name = 'ClusterError'

  constructor(
    message: string,
    /** Status of the answer; undefined if there was no answer. */
    readonly status?: number,
    options?: ErrorOptions,
    /** The cluster's name of what went wrong, such as `circuit_breaking_exception`. */
    readonly type = '',
  ) {
    super(message, options)
  }

  /** Whether a repetition may succeed without a change of the request. */
  get isTemporary(): boolean {
    if (faultsOfRequests.has(this.type)) return false
    return this.status === undefined || this.status === 429 || this.status >= 500
  }
}

interface ClusterRequest {
  /** A value, which is sent as JSON, or a text of JSON lines. */
  readonly body?: object | string
  /** Milliseconds until the answer must be complete. */
  readonly timeout?: number
}

/** Sends requests to a cluster. */
export interface ClusterClient {
  /** Address of the cluster, without credentials. */
  readonly address: string
  /** Sends a request and returns the parsed answer. @throws ClusterError */
  send<T>(method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, request?: ClusterRequest): Promise<T>
  /** Sends a GET; undefined if the answer is 404. @throws ClusterError */
  find<T>(path: string): Promise<T | undefined>
}

/** Limit of the milliseconds of most requests. */
const defaultTimeout = 30_000
/** Limit of the bytes of an answer. */
const maxAnswerBytes = 64 * 2 ** 20

/**
 * Opens a client. It needs no library, because it uses few calls, which OpenSearch and Elasticsearch have in common.
 * @param url of the cluster, without user and password
 * @param ended aborts all requests
 */
export function openClusterClient(
  url: string,
  credentials: ClusterCredentials | undefined,
  ended?: AbortSignal,
): ClusterClient {
  const base = trimEnd(url, '/')
  const authorization = credentials && authorizationOf(credentials)

  async function send<T>(method: string, path: string, request: ClusterRequest = {}): Promise<T> {
    const { body, timeout = defaultTimeout } = request
    const limit = AbortSignal.timeout(timeout)
    const isText = typeof body === 'string'
    try {
      const response = await fetch(`${base}/${path}`, {
        method,
        // A redirection must not send the credentials to another server.
        redirect: 'error',
        signal: ended ? AbortSignal.any([ended, limit]) : limit,
        headers: {
          Accept: 'application/json',
          ...(body !== undefined && { 'Content-Type': isText ? 'application/x-ndjson' : 'application/json' }),
          ...(authorization !== undefined && { Authorization: authorization }),
        },
        ...(body !== undefined && { body: isText ? body : JSON.stringify(body) }),
      })
      const text = await textOf(response)
      if (!response.ok) throw failureOf(base, response.status, text)
      return parse<T>(base, text)
    } catch (error) {
      if (error instanceof ClusterError || ended?.aborted) throw error
      throw new ClusterError(`${base} cannot be reached: ${reasonOf(error, timeout)}`, undefined, {
        cause: error,
      })
    }
  }

  return {
    address: base,
    send,
    async find<T>(path: string) {
      try {
        return await send<T>('GET', path)
      } catch (error) {
        if (error instanceof ClusterError && error.status === 404) return undefined
        throw error
      }
    },
  }
}

function authorizationOf(credentials: ClusterCredentials): string {
  if (credentials.type === 'api-key') return `ApiKey ${credentials.key}`
  return `Basic ${Buffer.from(`${credentials.user}:${credentials.password}`).toString('base64')}`
}

async function textOf(response: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length
    if (bytes > maxAnswerBytes)
      throw new ClusterError(`An answer has more than ${maxAnswerBytes} bytes.`, 502)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

function parse<T>(base: string, text: string): T {
  try {
    return JSON.parse(text === '' ? '{}' : text) as T
  } catch (error) {
    throw new ClusterError(`${base} does not answer with JSON: it is no OpenSearch or Elasticsearch.`, 502, {
      cause: error,
    })
  }
}

/** Limit of the characters of an error message of the cluster. */
const maxReasonLength = 500

function failureOf(base: string, status: number, text: string): ClusterError {
  const hint = status === 401 || status === 403 ? ' See METASTORE_SEARCH_CREDENTIALS.' : ''
  const cause = causeIn(text)
  const why = causeText(cause).slice(0, maxReasonLength)
  return new ClusterError(`${base} answers ${status}: ${why}${hint}`, status, {}, cause.type)
}

/** What a cluster says about a failure. */
export interface FailureCause {
  readonly type?: string
  readonly reason?: string
}

export function causeText({ type, reason }: FailureCause): string {
  return [type, reason].filter(Boolean).join(': ')
}

/** What the cluster says about a failure; if shards have failed, about that of the first one. */
function causeIn(text: string): FailureCause {
  try {
    const { error } = JSON.parse(text) as {
      readonly error?: string | (FailureCause & { readonly root_cause?: readonly FailureCause[] })
    }
    if (typeof error === 'string') return { reason: error }
    if (error) return error.root_cause?.[0] ?? error
  } catch (thrown) {
    // A proxy in front of the cluster answers with text or HTML.
    if (!(thrown instanceof SyntaxError)) throw thrown
  }
  return { reason: text }
}

function reasonOf(error: unknown, timeout: number): string {
  if (!(error instanceof Error)) return String(error)
  if (error.name === 'TimeoutError') return `no answer within ${timeout / 1000} s`
  const { cause } = error
  return cause instanceof Error ? cause.message : error.message
}
