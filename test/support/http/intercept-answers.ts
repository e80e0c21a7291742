import type { IncomingMessage, ServerResponse } from 'node:http'
import { gunzipSync } from 'node:zlib'
import Koa from 'koa'
import type { faultsByStandards } from '../oai-pmh/oai-standards.js'
import { outsideHolds } from '../program/event-loop-monitor.js'
import { openResponseCheck, type RequestAndResponse } from './openapi-response-check.js'

/** What the report of a 500 that is as described ends with. */
export const failureText = '→ 500: the server failed'

/** Largest body that is compared, in bytes: larger ones have the same form, and the comparison takes as long as the answer. */
const maxBody = 2 ** 18
/** Largest answer of OAI-PMH that is validated: the parts of a list differ in the records that they have. */
const maxOaiAnswer = 2 ** 23
/** Characters of a wrong answer in a report. */
const maxReport = 10_000

/**
 * Has every answer of every server of this process compared with the description of the interface, before it is sent.
 * @param report told what is wrong with one
 * @param keepOai told each answer of OAI-PMH, for another validation
 */
export function interceptResponses(
  report: (wrong: string, status: number) => void,
  keepOai?: (request: string, document: string) => void,
): void {
  // Most processes of tests serve nothing, and most servers no OAI-PMH: to load the check takes longer than a short command.
  let check: ReturnType<typeof openResponseCheck> | undefined
  let oaiFaultsIn: typeof faultsByStandards | undefined
  const callback = Koa.prototype.callback
  Koa.prototype.callback = function (this: Koa) {
    const handle = callback.call(this)
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
    // the types of Koa speak of HTTP/2 too
    return watched as typeof handle
  }
}

/** Answers of OAI-PMH are compared with its official schemas, where these are. @param faultsIn those of an answer */
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

/** No other answer has this media type. */
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
  // Koa hands the body over for HEAD as well
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
    // nobody is there to be answered any more
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

/** The body without its compression. */
function decoded(response: ServerResponse, body: Buffer): Buffer {
  return response.getHeader('Content-Encoding') === 'gzip' ? gunzipSync(body) : body
}
