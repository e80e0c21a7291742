import type { Context } from 'koa'
import { ProblemError, tooLarge } from '../../core/problem.js'
import { truncate } from '../../core/value-types.js'
import { decodeJson } from '../../http/bodies/decode-json.js'
import { type BodyLimits, receiveBody } from '../../http/bodies/receive-body.js'
import { isJsonType, mediaTypeIn } from '../../http/media-types.js'

export interface JsonBodyLimits extends BodyLimits {
  /** Limit of the levels of nested arrays and objects. */
  readonly maxDepth: number
  /** Limit of the number of values in the whole body, as {@link JsonSize} counts them. */
  readonly maxValues: number
}

/**
 * Reads a body that is one JSON value.
 * @returns undefined for an empty body
 * @throws ProblemError `unsupported-media-type`, `too-large`, `malformed-request`; `unavailable` if other
 *   requests use up the memory
 */
export async function readJsonBody(ctx: Context, limits: JsonBodyLimits): Promise<unknown> {
  const type = ctx.headers['content-type']
  if (type !== undefined && !isJsonType(mediaTypeIn(type))) {
    throw new ProblemError(
      'unsupported-media-type',
      `The body is JSON; send it as application/json, not as ${truncate(type)}.`,
    )
  }
  const bytes = await receiveBody(ctx, limits)
  if (bytes.length === 0) return undefined
  return decodeJson(bytes, 'The body', limits.maxDepth, ({ values }) => {
    if (values > limits.maxValues) throw tooLarge(`The body has more than ${limits.maxValues} values.`)
  })
}
