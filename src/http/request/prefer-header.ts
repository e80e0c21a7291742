import type { Context } from 'koa'
import { headerParameter } from './request-parameter.js'

/** What the answer says where {@link isStrict}. @see RFC 7240 §3 */
export const strictApplied = 'handling=strict'

/**
 * Whether the client prefers an error over a request whose unknown parts are ignored.
 * @see RFC 7240 §4.4, and §2: of a preference that is there twice the first one counts
 */
export function isStrict(ctx: Pick<Context, 'headers'>): boolean {
  const { prefer: header } = ctx.headers
  return asksForStrict(header === undefined ? undefined : String(header))
}

function asksForStrict(header: string | undefined): boolean {
  if (header === undefined) return false
  for (const preference of header.split(',')) {
    const [said = ''] = preference.split(';')
    const at = said.indexOf('=')
    const name = (at < 0 ? said : said.slice(0, at)).trim().toLowerCase()
    if (name !== 'handling') continue
    const value = at < 0 ? '' : said.slice(at + 1).trim()
    return value === 'strict' || value === '"strict"'
  }
  return false
}

/** Every operation takes it. */
export const prefer = headerParameter(
  'Prefer',
  {
    component: 'prefer',
    description:
      '`handling=strict` (RFC 7240) refuses query parameters and members of records that are not described, with 400. Without it they are ignored, but for names that look like a misspelling of one that is described.',
    schema: { type: 'string', examples: ['handling=strict'] },
  },
  asksForStrict,
)
