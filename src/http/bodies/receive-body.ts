import type { IncomingMessage } from 'node:http'
import { finished } from 'node:stream'
import type { Context } from 'koa'
import { ProblemError, tooLarge } from '../../core/problem.js'
import type { MemoryBudget } from '../limits/memory-budget.js'

/** Limits of the body of a request. */
export interface BodyLimits {
  readonly maxBytes: number
  /** Limit on the memory for the bodies of all requests. */
  readonly memory: MemoryBudget
}

/**
 * Begins to count the bytes of a body against its limits.
 * @param what name of the body, for messages: `The body`
 * @returns function that counts further bytes, and throws ProblemError `too-large`, or `unavailable` if other requests
 *   use up the memory
 * @throws ProblemError `too-large` if the length that the client has declared is over the limit
 */
export function countBody(
  ctx: Context,
  what: string,
  { maxBytes, memory }: BodyLimits,
): (bytes: number) => void {
  const length = Number(ctx.headers['content-length'] ?? 0)
  if (length > maxBytes) throw tooLarge(`${what} has ${length} bytes; at most ${maxBytes} are taken.`)
  const reserve = memory.enter(ctx)
  let received = 0
  return bytes => {
    received += bytes
    if (received > maxBytes) throw tooLarge(`${what} has more than ${maxBytes} bytes.`)
    reserve(bytes)
  }
}

/**
 * Passes the chunks of a body to `take` as they come. If `take` throws, `fail` gets the error at once, so that the
 * client need not send all before it gets a response; the rest of the body is discarded.
 */
export function watchBody(
  req: IncomingMessage,
  take: (chunk: Buffer) => void,
  fail: (error: unknown) => void,
): void {
  function watch(chunk: Buffer): void {
    try {
      take(chunk)
    } catch (error) {
      req.off('data', watch)
      fail(error)
      req.resume()
    }
  }
  req.on('data', watch)
}

/**
 * Reads a body into memory.
 * @throws ProblemError `too-large`; `malformed-request` if the body is incomplete; `unavailable` if other requests use
 *   up the memory
 */
export async function receiveBody(ctx: Context, limits: BodyLimits): Promise<Buffer> {
  const count = countBody(ctx, 'The body', limits)
  return await new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    function take(chunk: Buffer): void {
      count(chunk.length)
      chunks.push(chunk)
    }
    function refuse(thrown: unknown): void {
      // The reserved memory is released with the response, but the body may still be arriving then.
      chunks.length = 0
      reject(thrown)
    }
    watchBody(ctx.req, take, refuse)
    finished(ctx.req, { writable: false }, error => {
      if (error) reject(incomplete(error))
      else resolve(Buffer.concat(chunks))
    })
  })
}

function incomplete(cause: unknown): ProblemError {
  return new ProblemError('malformed-request', 'The request ends before its body does.', {}, { cause })
}
