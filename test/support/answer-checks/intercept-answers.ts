import type { IncomingMessage, ServerResponse } from 'node:http'
import { gunzipSync } from 'node:zlib'
import Koa from 'koa'
import type { faultsByStandards } from '../oai-pmh/oai-standards.js'
import { outsideHolds } from '../program/event-loop-monitor.js'
import { openResponseCheck, type RequestAndResponse } from './openapi-response-check.js'

/** The end of the report about an answer with status 500 that matches the description. */
export const failureText = '→ 500: the server failed'

/**
 * Limit of the compared bodies, in bytes. Larger bodies have the same form, and their comparison takes as long as the
 * answer.
 */
const maxBody = 2 ** 18
/** Limit of the validated OAI-PMH answers, in bytes. The parts of a list differ in their records. */
const maxOaiAnswer = 2 ** 23
/** Limit of the characters of a wrong answer in a report. */
const maxReport = 10_000

let isOther = false

/** Makes the handler of another program that uses Koa. Its answers are not compared. */
export function handlerOfOther<T>(make: () => T): T {
  isOther = true
  try {
    return make()
  } finally {
    isOther = false
  }
}

/**
 * Compares every answer of every server in this process with the OpenAPI description, before it is sent.
 * @param report receives each difference
 * @param keepOai receives each OAI-PMH answer, for another validation
 */
export function interceptResponses(
  report: (wrong: string, status: number) => void,
  keepOai?: (request: string, document: string) => void,
): void {
  // Loads the check only if a server answers, because that takes longer than a short command. Most test processes serve
  // nothing, and most servers do not serve OAI-PMH.
  let check: ReturnType<typeof openResponseCheck> | undefined
  let oaiFaultsIn: typeof faultsByStandards | undefined
  const callback = Koa.prototype.callback
  Koa.prototype.callback = function (this: Koa) {
    const handle = callback.call(this)
    if (isOther) return handle
    const watched = (request: IncomingMessage, response: ServerResponse) => {
      collect(request, response, exchange => {
        check ??= openResponseCheck({ validatesSchemas: false })
        for (const wrong of [...check(exchange), ...oaiFaults(exchange, oaiFaultsIn, keepOai)])
          report(wrong, exchange.status)
        if (exchange.status === 500) {
          report(`${exchange.method} ${exchange.url} ${failureText}`, exchange.status)
        }
      })
      if (oaiFaultsIn || !/\/oaipmh/i.test(request.url ?? '')) return handle(request, response)
      return import('../oai-pmh/oai-standards.js').then(standards => {
        oaiFaultsIn = standards.faultsByStandards
        return handle(request, response)
      })
    }
    // The types of Koa include HTTP/2.
    return watched as typeof handle
  }
}

/** Validates OAI-PMH answers with the official schemas, if they exist. @param faultsIn validates an answer */
function oaiFaults(
  { method, url, status, headers, body }: RequestAndResponse,
  faultsIn: typeof faultsByStandards | undefined,
  keep?: (request: string, document: string) => void,
): readonly string[] {
  const isOai = status === 200 && isOaiType(headers['content-type'])
  if (!isOai || !faultsIn || body === undefined || body.length === 0) return []
  const text = Buffer.from(body).toString()
  const request = `${method} ${url} → ${status}`
  keep?.(request, text)
  return faultsIn(text).map(fault => `${request}: ${fault}\n${text.slice(0, maxReport)}`)
}

/** Whether a media type is that of OAI-PMH answers. No other answer has it. */
function isOaiType(mediaType: unknown): boolean {
  return String(mediaType).startsWith('text/xml')
}

function collect(
  request: IncomingMessage,
  response: ServerResponse,
  done: (exchange: RequestAndResponse) => void,
): void {
  const chunks: Buffer[] = []
  let length = 0
  const isTooLarge = () => length > (isOaiType(response.getHeader('Content-Type')) ? maxOaiAnswer : maxBody)
  const keep = (chunk: unknown) => {
    if (typeof chunk !== 'string' && !(chunk instanceof Uint8Array)) return
    length += typeof chunk === 'string' ? Buffer.byteLength(chunk) : chunk.byteLength
    if (isTooLarge()) chunks.length = 0
    else chunks.push(Buffer.from(chunk as string))
  }
  // Koa sets the body for HEAD, too.
  const bodyOf = (method: string | undefined) => {
    if (method === 'HEAD') return Buffer.alloc(0)
    return isTooLarge() ? undefined : decoded(response, Buffer.concat(chunks))
  }
  const write = response.write.bind(response) as (...sent: unknown[]) => boolean
  const end = response.end.bind(response) as (...sent: unknown[]) => ServerResponse
  response.write = ((...sent: unknown[]) => {
    keep(sent[0])
    return write(...sent)
  }) as typeof response.write
  response.end = ((...sent: unknown[]) => {
    // The client has disconnected.
    if (response.closed || !request.socket.writable) return end(...sent)
    keep(sent[0])
    const headers = Object.entries(response.getHeaders()).map(([name, value]) => [
      name.toLowerCase(),
      Array.isArray(value) ? value : String(value),
    ])
    outsideHolds(() =>
      done({
        method: request.method ?? '',
        url: request.url ?? '',
        status: response.statusCode,
        headers: Object.fromEntries(headers) as Record<string, string | readonly string[]>,
        body: bodyOf(request.method),
      }),
    )
    return end(...sent)
  }) as typeof response.end
}

/** Decompresses the body. */
function decoded(response: ServerResponse, body: Buffer): Buffer {
  return response.getHeader('Content-Encoding') === 'gzip' ? gunzipSync(body) : body
}
