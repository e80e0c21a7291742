import type { Context } from 'koa'
import { ProblemError } from '../../core/problem.js'
import { truncate } from '../../core/value-types.js'
import { decodeJson } from '../forms/decode-json.js'
import { tooLarge } from '../forms/upload-limits.js'
import type { MemoryBudget } from '../limits/shared-memory-budget.js'

export interface JsonBodyLimits {
  readonly bytes: number
  /** Levels of arrays and objects. */
  readonly depth: number
  /** Values together; as {@link JsonSize} counts them. */
  readonly values: number
}

const jsonType = /^application\/(?:json|[\w.-]+\+json)[ \t]*(?:;|$)/i

/**
 * Reads a body that is one JSON value.
 * @param memory shared by all requests
 * @returns undefined for an empty body
 * @throws ProblemError `unsupported-media-type`, `too-large`, `malformed-request`; `unavailable` if other
 *   requests use up the memory
 */
export async function readJsonBody(
  ctx: Context,
  memory: MemoryBudget,
  limits: JsonBodyLimits,
): Promise<unknown> {
  const type = ctx.headers['content-type']
  if (type !== undefined && !jsonType.test(type)) {
    throw new ProblemError(
      'unsupported-media-type',
      `The body is JSON; send it as application/json, not as ${truncate(type)}.`,
    )
  }
  const bytes = await receive(ctx, memory, limits.bytes)
  if (bytes.length === 0) return undefined
  return decodeJson(bytes, 'The body', limits.depth, ({ values }) => {
    if (values > limits.values) throw tooLarge(`The body has more than ${limits.values} values.`)
  })
}

async function receive(ctx: Context, memory: MemoryBudget, most: number): Promise<Buffer> {
  const length = Number(ctx.headers['content-length'] ?? 0)
  if (length > most) throw tooLarge(`The body has ${length} bytes; at most ${most} are taken.`)
  const reserve = memory.enter(ctx)
  const chunks: Buffer[] = []
  let received = 0
  try {
    // The request stays open, so that a refusal can be answered.
    for await (const chunk of ctx.req.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      received += chunk.length
      if (received > most) throw tooLarge(`The body has more than ${most} bytes.`)
      reserve(chunk.length)
      chunks.push(chunk)
    }
  } catch (error) {
    if (error instanceof ProblemError) ctx.req.resume()
    if (error instanceof ProblemError || !ctx.req.destroyed) throw error
    throw new ProblemError(
      'malformed-request',
      'The request ends before its body does.',
      {},
      { cause: error },
    )
  }
  return Buffer.concat(chunks)
}
