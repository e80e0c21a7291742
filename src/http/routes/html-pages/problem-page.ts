import { type Frame, page } from '../../html-pages/html-layout.js'
import { html } from '../../html-pages/html-template.js'

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
