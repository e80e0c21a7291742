import type { Context } from 'koa'
import type { MemoryBudget } from '../limits/memory-budget.js'
import { matchesIfNoneMatch, requireIfMatch } from '../request/conditional-headers.js'

/** Bytes of a response up to which no memory is reserved for it, because the number of connections is limited. */
export const smallBody = 64 * 1024

/**
 * Reserves memory for a response until it is sent.
 * @param size in bytes; for a text its length, because most characters take one byte
 * @throws ProblemError `unavailable`
 */
export function reserveMemory(ctx: Context, memory: MemoryBudget, size: number): void {
  if (size > smallBody) memory.enter(ctx)(size)
}

/**
 * Checks the conditions of a read, and answers 304 if the client has the answer already.
 * @param tag of the answer, with the double quotes
 * @returns false if the client does not have the answer; then nothing is set
 * @throws ProblemError `precondition-failed` if `If-Match` names other states
 * @see RFC 9110 §13.2.2, §15.4.5
 */
export function answerUnchanged(ctx: Context, tag: string): boolean {
  requireIfMatch(ctx.headers['if-match'], tag)
  if (!matchesIfNoneMatch(ctx.headers['if-none-match'], tag)) return false
  ctx.status = 304
  ctx.set('ETag', tag)
  return true
}

/**
 * Sets the headers of an answer that clients and proxies may cache, but must revalidate each time. Then as {@link
 * answerUnchanged}.
 */
export function answerRevalidated(ctx: Context, tag: string): boolean {
  ctx.set({ ETag: tag, 'Cache-Control': 'no-cache' })
  return answerUnchanged(ctx, tag)
}

/** Answers with a string that may be long. @throws ProblemError `unavailable` */
export function sendLong(ctx: Context, memory: MemoryBudget, text: string, mediaType: string): void {
  reserveMemory(ctx, memory, text.length)
  sendText(ctx, text, mediaType)
}

/** Answers with compact JSON. */
export function sendJson(ctx: Context, value: unknown, mediaType: string, status = 200): void {
  sendText(ctx, JSON.stringify(value), mediaType, status)
}

/** Sets `Content-Type` as a header: `ctx.type` of Koa would add a charset, which JSON does not have (RFC 8259 §11). */
function sendText(ctx: Context, text: string, mediaType: string, status = 200): void {
  ctx.status = status
  ctx.set('Content-Type', mediaType)
  ctx.body = text
}
