import { html } from '../../http/html-template.js'
import type { PageSection } from '../../http/route-context.js'
import type { CrosswalkFault } from './crosswalk/crosswalk-rules.js'

/** Limit of the characters of a rule that a page shows. */
const maxRuleLength = 500

/**
 * The section of the page of a schema with its crosswalk.
 * @param crosswalk as the record has it
 * @param faults rules of which no value is taken
 */
export function crosswalkSection(
  crosswalk: Readonly<Record<string, unknown>>,
  faults: readonly CrosswalkFault[],
): PageSection {
  const rows = Object.entries(crosswalk).map(([property, rule]) => {
    const text = typeof rule === 'string' ? rule : JSON.stringify(rule)
    const shown = text.length > maxRuleLength ? `${text.slice(0, maxRuleLength)}…` : text
    return html`<tr><td>${property}</td><td class="mono" dir="ltr">${shown}</td></tr>\n`
  })
  const wrong = faults.map(
    ({ pointer, message }) => html`<li><span class="mono">${pointer || '/'}</span>: ${message}</li>\n`,
  )
  return {
    id: 'crosswalk',
    title: 'Where its documents describe themselves',
    content: html`${
      faults.length > 0 &&
      html`<p class="notice"><strong>The crosswalk has faults.</strong> What these rules would give is left out:</p>
<ul>${wrong}</ul>
`
    }<table>
<thead><tr><th scope="col">Property of DataCite</th><th scope="col">Place in the documents</th></tr></thead>
<tbody>
${rows}</tbody>
</table>`,
  }
}
