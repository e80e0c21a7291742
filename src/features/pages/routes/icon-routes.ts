import { headerRef } from '../../../http/openapi/specification-types.js'
import { routesWith } from '../../../http/route-declaration/route.js'
import { markColours, markShapes } from '../html/icons.js'
import type { PageContext } from './page-responses.js'

/** The mark of the program, a branch of three commits: an ICO file with one picture of 32 by 32 pixels. */
const icon = Buffer.from(
  'AAABAAEAICAAAAEAIADPAAAAFgAAAIlQTkcNChoKAAAADUlIRFIAAAAgAAAAIAIDAAAADhSSZwAAAAxQTFRFAAAADVxP/////8FF' +
    '7gY+lAAAAAR0Uk5TAP///7MtQIgAAABuSURBVHjaY2BgDQWCAAYGxlAwcIAIgIREIYwQICMLxlg1FcwIDVu1FCSEjQFSUw9mAHX9' +
    'vwphhP//iouRD1OzGqoraiXEnKysqVDGKqjJWTArwDJQK+CW4nAPjCEKYSD5QjQ0EuIvuJfhgQALFgCy7mCDJtr4KgAAAABJRU5E' +
    'rkJggg==',
  'base64',
)

/** The same mark as a drawing. */
const drawing = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">
<rect width="32" height="32" rx="6" fill="${markColours.back}"/>
<path d="${markShapes.lines}" stroke="${markColours.lines}" stroke-width="3"/>
<g fill="${markColours.lines}">${markShapes.commits.map(([x, y]) => `<circle cx="${x}" cy="${y}" r="4"/>`).join('')}</g>
<circle cx="${markShapes.head[0]}" cy="${markShapes.head[1]}" r="4" fill="${markColours.head}"/>
</svg>
`

const headers = { 'Cache-Control': headerRef('CacheControl') }
const route = routesWith<PageContext>()

/** The icon that browsers show next to the titles of pages. */
export const iconRoutes = [
  iconRoute('/favicon.ico', 'icon', 'image/vnd.microsoft.icon', icon),
  iconRoute('/favicon.svg', 'drawnIcon', 'image/svg+xml', drawing),
]

function iconRoute(path: string, operationId: string, type: string, body: Buffer | string) {
  return route({
    method: 'get',
    path,
    tags: ['Pages'],
    operationId,
    summary: 'The icon of the pages',
    description: 'The mark of the program, for the tabs of browsers.',
    access: 'none',
    parameters: {},
    responses: { 200: { description: 'The icon.', headers, content: { [type]: { schema: {} } } } },
    handle(ctx) {
      ctx.set({ 'Content-Type': type, 'Cache-Control': 'public, max-age=86400' })
      ctx.body = body
    },
  })
}
