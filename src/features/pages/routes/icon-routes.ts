import { headerRef } from '../../../http/openapi/specification-types.js'
import { routesWith } from '../../../http/route-declaration/route.js'
import type { PageContext } from './page-responses.js'

/** The mark of the program, a branch of three commits: an ICO file with one picture of 32 by 32 pixels. */
const icon = Buffer.from(
  'AAABAAEAICAAAAEAIADIAAAAFgAAAIlQTkcNChoKAAAADUlIRFIAAAAgAAAAIAIDAAAADhSSZwAAAAlQTFRFAAAAC1ek////oSCi' +
    'mAAAAAN0Uk5TAP//RFDWIQAAAGtJREFUeNpjYGANBYIABgbGUDBwgAiAhEQhjBAgIwvGWDUVzAgNW7UUJISNAVKTBWZkgdlgBkgW' +
    'ByMLpmYVVFfUSog5WVlToYxVUJOzYFaAZaBWwC3F4R4YQxTCQPKFaGgkxF9wL8MDARYsAHcEXTd8pn3OAAAAAElFTkSuQmCC',
  'base64',
)

/** The same mark as a drawing. */
const drawing = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">
<rect width="32" height="32" rx="6" fill="#0b57a4"/>
<path d="M10.5 7.5v17M22.5 12.5l-12 8" stroke="#fff" stroke-width="3"/>
<g fill="#fff"><circle cx="10.5" cy="7.5" r="4"/><circle cx="10.5" cy="24.5" r="4"/><circle cx="22.5" cy="12.5" r="4"/></g>
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
