import { type HtmlPart, html } from '../../../http/html-template.js'
import { type Frame, page } from '../html/html-layout.js'
import { icon } from '../html/icons.js'
import { link } from '../html/identifier-links.js'
import { refusalInWords } from '../html/spoken-names.js'

/** Titles of problems for people, by status. */
const titles = new Map([
  [400, 'This address cannot be understood'],
  [401, 'This needs a login'],
  [403, 'You may not see this'],
  [404, 'This does not exist'],
  [410, 'This was deleted'],
  [416, 'This page of the list does not exist'],
  [429, 'Too many requests at once'],
  [503, 'This is not available at present'],
])

/** What happened, where the words of the interface do not say it to people. They stand beside the status then. */
const plainDetails = new Map([[403, 'This is not public: only some people may read it.']])

/** What a person can do about a problem. */
const advice = new Map([
  [400, 'Look at the address: a parameter may be misspelt. Or begin at one of these pages.'],
  [401, 'Ask those who run this service for a login. Everything that is public is here:'],
  [403, 'Those who may change this record can permit you to read it. Everything that you may read is here:'],
  [404, 'The address may be misspelt, or what was there was deleted. Look for it here:'],
  [416, 'The list became shorter, perhaps. Its first page is there.'],
  [503, 'Load the page again in a few seconds.'],
])

/** A problem as a page: what happened, and ways on. */
export function problemPage(frame: Frame, status: number, title: string, detail: string): string {
  const isRefused = status === 401 || status === 403
  const plain = plainDetails.get(status) ?? refusalInWords(detail)
  return page(
    frame,
    `${status} ${title}`,
    html`<h1>${titles.get(status) ?? title}</h1>
<p>${plain ?? detail}</p>
<div class="panel"><h2>What you can do</h2>
${
  isRefused &&
  frame.login !== undefined &&
  html`<p>Pages of the server show what everybody may read. <a class="button main" href="${frame.root}/${frame.login}">${icon('person')} Log in</a></p>
`
}<p>${advice.get(status) ?? 'Load the page again, or begin at one of these pages.'}</p>
${waysOn(frame)}</div>
<p class="dim">Status ${status}, ${title}${plain !== undefined && `: ${detail}`}</p>`,
  )
}

function waysOn({ root, search }: Frame): HtmlPart {
  const query = new URLSearchParams({ q: search?.query ?? '' }).toString()
  return html`<p class="actions">${search && html`<a class="button main" href="${root}/search?${query}">${icon('search')} Search everything</a> `}<a class="button" href="${root}/metadata-management">${icon('document')} All documents</a> <a class="button" href="${root}/schema-management">${icon('schema')} All schemas</a> ${link(`${root}/dashboard`, 'Dashboard')}</p>`
}
