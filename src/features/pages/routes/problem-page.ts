import { html } from '../../../http/html-template.js'
import { type Frame, page } from '../html/html-layout.js'

/** A problem as a page, with a link to the dashboard. */
export function problemPage(frame: Frame, status: number, title: string, detail: string): string {
  return page(
    frame,
    `${status} ${title}`,
    html`<h1>${title}</h1>
<p>${detail}</p>
<p class="dim">Status ${status}</p>`,
  )
}
