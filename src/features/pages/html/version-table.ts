import { findingLine } from '../../../core/problem.js'
import type { Revision } from '../../../core/records/revision.js'
import { type HtmlPart, html } from '../../../http/html-template.js'
import type { PageUrls } from '../../../http/page-urls/page-urls.js'
import { type UnservedVersion, unservedAfter } from '../../../service/record-history/record-log.js'
import { authorInWords, isAutomatic } from './display-names.js'
import { type ComparisonAddress, pager, time } from './html-layout.js'
import { link } from './identifier-links.js'
import type { RecordView } from './record-details.js'

/** The versions of a record: when, who, what was said, and what changed. */
export function versionTable(
  addresses: PageUrls,
  { listed, page: number, pages, entries }: NonNullable<RecordView['versions']>,
  { unserved, comparisonOf }: Pick<RecordView, 'unserved' | 'comparisonOf'>,
): HtmlPart {
  const [{ kind, id } = {}] = listed.items
  if (kind === undefined || id === undefined) return undefined
  const rows = listed.items.map(
    (revision, index) =>
      html`${unservedAfter(unserved, revision.version).map(unservedRow)}${versionRow(addresses, revision, entries[index], comparisonOf)}`,
  )
  return html`<div class="wide" tabindex="0" role="region" aria-label="Table of versions"><table class="dense stacked versions">
<thead><tr><th scope="col">Version</th><th scope="col">When</th><th scope="col">Who</th><th scope="col">What was said</th><th scope="col">See</th></tr></thead>
<tbody>
${rows}</tbody>
</table></div>
${pager(number, pages, wanted => `${addresses.page(kind, id)}&page=${wanted}`)}`
}

function versionRow(
  addresses: PageUrls,
  { kind, id, version, time: when }: Revision,
  entry: NonNullable<RecordView['versions']>['entries'][number] | undefined,
  comparisonOf: ComparisonAddress | undefined,
): HtmlPart {
  const previous = entry?.previous
  const changes =
    previous !== undefined &&
    comparisonOf !== undefined &&
    html`<br>${link(`${addresses.root}/${comparisonOf(kind, id, previous, version)}`, `Changes since version ${previous}`)}`
  return html`<tr>
<td class="when">${link(addresses.page(kind, id, version), `Version ${version}`)}</td>
<td>${time(when)}</td>
<td dir="auto">${entry && authorInWords(entry.author)}</td>
<td dir="auto">${entry && !isAutomatic(entry.message) && entry.message}</td>
<td>${link(addresses.download(kind, id, version), 'Document')}${changes}</td>
</tr>
`
}

/** A version that no link leads to. */
function unservedRow({ version, time: when, author, findings: [first] }: UnservedVersion): HtmlPart {
  return html`<tr>
<td>Version ${version}</td>
<td>${time(when)}</td>
<td dir="auto">${authorInWords(author)}</td>
<td>not served: ${first && findingLine(first)}</td>
<td></td>
</tr>
`
}
