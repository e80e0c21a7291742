import { tryParseJson } from '../../core/json/try-parse.js'
import { type Finding, malformedRequest, ProblemError } from '../../core/problem.js'
import { trimEnd } from '../../core/value-types.js'
import { kindOfStatus } from '../../http/problems/problem-status.js'

/** A complete answer of a server. */
export interface ServerResponse {
  readonly headers: Headers
  readonly bytes: Uint8Array
}

export interface HttpClient {
  /** Sends a request. @param path below the base URL, with its query @throws ProblemError unless it succeeds */
  request(method: string, path: string, options?: RequestOptions): Promise<ServerResponse>
  /**
   * Sends a form with POST. Yields the server-sent events of the answer as they arrive.
   * @throws ProblemError unless the answer is a success, and if the connection breaks
   */
  events(path: string, form: FormData): AsyncIterable<ServerEvent>
}

/**
 * A server-sent event: its name and its data.
 * @see https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation
 */
export interface ServerEvent {
  readonly event: string
  readonly data: string
}

export interface RequestOptions {
  readonly accept?: string
  readonly ifMatch?: string
  readonly body?: FormData
}

/**
 * A client of a running server.
 * @param base the URL that the server prints, with or without a slash at its end
 * @param token default: that of METASTORE_TOKEN; undefined without one, then requests are anonymous
 */
export function openClient(
  base: string,
  token: string | undefined = process.env.METASTORE_TOKEN?.trim() || undefined,
): HttpClient {
  const root = rootOf(base)

  /** Sends a request. The caller reads the body. */
  async function ask(method: string, path: string, options: RequestOptions): Promise<Response> {
    const { accept, ifMatch, body } = options
    const headers: Record<string, string> = {
      // The server must refuse what it does not know, because nothing that a command asks for is optional.
      prefer: 'handling=strict',
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(accept === undefined ? {} : { accept }),
      ...(ifMatch === undefined ? {} : { 'if-match': ifMatch }),
    }
    const sent = fetch(`${root}${path}`, { method, headers, ...(body === undefined ? {} : { body }) })
    const response = await answered(root, sent)
    if (!response.ok) {
      const text = await answered(root, response.text())
      throw withHint(parseProblem(text, response.status))
    }
    return response
  }

  /** Adds a hint for users of commands to the server's message. */
  function withHint(problem: ProblemError): ProblemError {
    const { kind, message, extra } = problem
    if (token !== undefined || (kind !== 'unauthenticated' && kind !== 'forbidden')) return problem
    return new ProblemError(
      kind,
      `${message} Commands send the token of METASTORE_TOKEN, which is not set.`,
      extra,
    )
  }

  return {
    async request(method, path, options = {}) {
      const response = await ask(method, path, options)
      const bytes = new Uint8Array(await answered(root, response.arrayBuffer()))
      return { headers: response.headers, bytes }
    },
    async *events(path, form) {
      const { body } = await ask('POST', path, { accept: 'text/event-stream', body: form })
      if (body) yield* eventsIn(body, root)
    },
  }
}

/** Parses the events of a git-metastore server, which ends lines with a line feed and writes data on one line. */
async function* eventsIn(body: ReadableStream<Uint8Array>, root: string): AsyncGenerator<ServerEvent> {
  const decoder = new TextDecoder()
  let text = ''
  try {
    for await (const bytes of body) {
      text += decoder.decode(bytes, { stream: true })
      const blocks = text.split('\n\n')
      text = blocks.pop() ?? ''
      for (const block of blocks) {
        const [, event = 'message'] = /^event: (.*)$/m.exec(block) ?? []
        const [, data] = /^data: (.*)$/m.exec(block) ?? []
        if (data !== undefined) yield { event, data }
      }
    }
  } catch (error) {
    throw unreachable(error, root)
  }
}

function rootOf(base: string): string {
  if (!URL.canParse(base) || !/^https?:$/.test(new URL(base).protocol)) {
    const meant = `http://${base.replace(/^\w*:?\/\//, '')}`
    const example = URL.canParse(meant) && base !== '' ? meant : 'http://localhost:8040/'
    throw malformedRequest(`--url "${base}" is not an http URL: write it as ${example}.`)
  }
  const [interface_] = /\/(?:repository\/)?api\/v[12]$/.exec(trimEnd(base, '/')) ?? []
  if (interface_ !== undefined) {
    throw malformedRequest(`--url "${base}" is too long: leave out ${interface_}. The command adds it.`)
  }
  return trimEnd(base, '/')
}

/** Waits for an answer, or for its body. @throws ProblemError `unavailable` if the network fails */
async function answered<T>(root: string, received: Promise<T>): Promise<T> {
  try {
    return await received
  } catch (error) {
    throw unreachable(error, root)
  }
}

/** The problem for a network failure, for which `fetch` throws a TypeError with a cause. Returns other errors. */
function unreachable(error: unknown, root: string): unknown {
  const cause = error instanceof TypeError ? error.cause : undefined
  if (cause === undefined) return error
  const reason =
    cause instanceof Error ? cause.message || (cause as NodeJS.ErrnoException).code : String(cause)
  return new ProblemError(
    'unavailable',
    `No answer from ${new URL(root).origin}: ${reason}.`,
    {},
    { cause: error },
  )
}

/**
 * Makes an error of the body of an answer. A body that is not problem details gives a general message.
 * @param status of the answer; default: the member `status` of the problem details
 * @see RFC 9457 §3
 */
export function parseProblem(text: string, status?: number): ProblemError {
  const problem = parse(text)
  const code = status ?? Number(problem.status)
  const detail = typeof problem.detail === 'string' ? problem.detail : `The server answered ${code}.`
  const findings = Array.isArray(problem.findings) ? (problem.findings as Finding[]) : undefined
  const kind = kindOfStatus(code) ?? 'internal'
  return new ProblemError(kind, detail, findings === undefined ? {} : { findings })
}

function parse(text: string): Readonly<Record<string, unknown>> {
  const value = tryParseJson(text)
  // A proxy may answer with an HTML page. Then only the status is known.
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
}

/** Adds a document and its further files to a form. @param name of the document's part */
export function addFiles(
  body: FormData,
  name: string,
  parts: { readonly document: Uint8Array; readonly files?: ReadonlyMap<string, Uint8Array> },
): void {
  body.append(name, new Blob([parts.document]), 'document')
  for (const [path, bytes] of parts.files ?? []) body.append('include', new Blob([bytes]), path)
}
