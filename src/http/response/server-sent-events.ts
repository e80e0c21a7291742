import { Readable } from 'node:stream'
import type { Context } from 'koa'
import type { Headers } from '../openapi/specification-types.js'

/**
 * Answers with server-sent events. The next event is produced when the client has read the events before it.
 * @see https://html.spec.whatwg.org/multipage/server-sent-events.html
 */
export function sendEvents(ctx: Context, events: AsyncIterable<string>): void {
  ctx.status = 200
  ctx.set({ 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store', 'X-Accel-Buffering': 'no' })
  ctx.body = Readable.from(events, { objectMode: false, highWaterMark: 1 })
}

/**
 * The text of one event in an event stream.
 * @param data one line, such as JSON text
 * @param id the client sends it as `Last-Event-ID` when it connects again
 */
export function serverSentEvent(name: string, data: string, id?: string): string {
  return `event: ${name}\ndata: ${data}\n${id === undefined ? '' : `id: ${id}\n`}\n`
}

/** Headers of a response that may be an event stream, for the OpenAPI description. */
export const eventStreamHeaders: Headers = {
  'X-Accel-Buffering': {
    description: 'With an event stream: proxies must forward each event at once.',
    schema: { const: 'no' },
  },
}
