import type { Context } from 'koa'
import { listElements, parameterIn, partsOfElement } from '../list-header.js'
import { headerParameter } from '../parameters/request-parameter.js'
import { requestState } from '../request-state.js'

/** Value of `Preference-Applied` in responses to strict requests. @see RFC 7240 §3 */
export const strictApplied = 'handling=strict'

/**
 * Whether the client wants an error for unknown names, instead of the server ignoring them.
 * @see RFC 7240 §4.4, and §2: the first one of repeated preferences counts
 */
export function isStrict(ctx: Context): boolean {
  const state = requestState(ctx)
  const { prefer: header } = ctx.headers
  state.isStrict ??= header !== undefined && asksForStrict(String(header))
  return state.isStrict
}

function asksForStrict(header: string | undefined): boolean {
  for (const preference of listElements(header)) {
    const [pair = ''] = partsOfElement(preference)
    const { name = pair.toLowerCase(), value } = parameterIn(pair) ?? {}
    if (name === 'handling') return value === 'strict'
  }
  return false
}

/** The header `Prefer`, which every operation accepts. */
export const prefer = headerParameter(
  'Prefer',
  {
    component: 'prefer',
    description:
      'With `handling=strict` (RFC 7240), unknown query parameters and members of records are refused with 400. Without it, they are ignored unless they look like a misspelling of a known name.',
    schema: { type: 'string', examples: ['handling=strict'] },
  },
  asksForStrict,
)
