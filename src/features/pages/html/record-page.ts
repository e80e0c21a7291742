import { findingLine } from '../../../core/problem.js'
import { contentNames, recordLabels } from '../../../core/records/collection.js'
import { stateOf } from '../../../core/records/record.js'
import type { Revision } from '../../../core/records/revision.js'
import { type HtmlPart, html, isNothing, joined } from '../../../http/html-template.js'
import type { PageUrls } from '../../../http/page-urls/page-urls.js'
import { mediaTypeOf } from '../../../http/record-formats/render-json-properties.js'
import { type UnservedVersion, unservedAfter } from '../../../service/record-history/record-log.js'
import { linkElements } from '../../exports/routes/signposting.js'
import { citeAndExport, discoveryElements } from './cite-and-export.js'
import { humanizeConstant, titleOf } from './display-names.js'
import { maxPreviewBytes, numberedLines, sizeText } from './document-preview.js'
import { definitionList, type Frame, list, page, pager, renderFirst, section, time } from './html-layout.js'
import { identifierUrl, link, userLink } from './identifier-links.js'
import { descriptions, type RecordView, recordDetails } from './record-details.js'

/** The page of a schema or a metadata document: its record, the document, and its versions. */
export function recordPage(frame: Frame, addresses: PageUrls, view: RecordView): string {
  const { revision, versions, shown: record } = view
  const { kind, documentType, version } = revision
  const title = titleOf(record)
  const formatUrl = (format: string) =>
    addresses.export(kind, revision.id, format, view.isPinned ? version : undefined)
  return page(
    frame,
    `${title} (version ${version})`,
    html`<p class="dim">${recordLabels[kind]}, ${documentType}</p>
<h1 dir="auto">${title}</h1>
${stateNotes(addresses, view)}
${descriptions(record)}
${section('about', 'About', recordDetails(addresses, view))}
${section('cite', 'Cite and export', citeAndExport(view.described, formatUrl))}
${section('document', humanizeConstant(contentNames[kind]), documentOf(addresses, view))}
${versions && section('versions', 'Versions', versionTable(addresses, versions, view.unserved))}
${view.sections.map(({ id, title, content }) => section(id, title, content))}
${section('technical', 'Technical', technicalDetails(view))}
${section('programs', 'For programs', terminalCommands(addresses, revision))}`,
    html`${discoveryElements(view.described)}${linkElements(view.signposts)}`,
  )
}

/** The shown version, and notes on its state: outdated, revoked and so on. */
function stateNotes(
  addresses: PageUrls,
  { revision, newest, neighbours, at, versions, unserved }: RecordView,
): HtmlPart {
  const { kind, id, version } = revision
  const { previous, next } = neighbours
  const others = [
    previous !== undefined && link(addresses.page(kind, id, previous), `Version ${previous}`),
    next !== undefined && link(addresses.page(kind, id, next), `Version ${next}`),
    versions === undefined && link(addresses.page(kind, id), 'All versions'),
  ]
  return html`<p>Version ${version}${version === newest.version ? ', the newest' : ''}, ${time(revision.time)} <span class="tag">${stateOf(revision.record)}</span></p>
${
  stateOf(newest.record) === 'REVOKED' &&
  html`<p class="notice"><strong>REVOKED.</strong> This record has been deleted. Only those who administer it still see it.</p>`
}
${brokenNote(unserved.find(({ isNewest }) => isNewest))}
${
  at !== undefined &&
  html`<p class="notice">This is the state at the point <strong>${at}</strong> of the history. ${link(addresses.page(kind, id), 'The record as it is today')}</p>`
}
${
  version !== newest.version &&
  html`<p class="notice">This is an older version. ${link(addresses.page(kind, id, newest.version), `Version ${newest.version}`)} is the newest.</p>`
}
${versions === undefined && html`<p class="pager">${joined(others, ' ')}</p>`}`
}

/** The note that the newest commit of the record is not served, and why. */
function brokenNote(broken: UnservedVersion | undefined): HtmlPart {
  if (!broken) return undefined
  const { commit, time: when, author, findings } = broken
  return html`<p class="notice"><strong>The newest commit of this record is not served,</strong> because it breaks a rule. This page shows the last version that is valid.</p>
${definitionList([
  [
    'Commit',
    html`<span class="mono">${commit.slice(0, 10)}</span>, ${time(when)}, <span dir="auto">${author}</span>`,
  ],
  ['What is wrong', list(renderFirst(findings, findingLine))],
  [
    'To mend it',
    html`correct the files and commit, or undo the commit: <code>git revert ${commit.slice(0, 10)}</code>`,
  ],
])}`
}

function documentOf(addresses: PageUrls, { revision, document, files }: RecordView): HtmlPart {
  const { kind, id, version, documentType } = revision
  const text =
    document.text === undefined
      ? html`<p>It is larger than ${sizeText(maxPreviewBytes)}, and its text is not shown here.</p>`
      : html`<pre class="lines" tabindex="0" role="region" aria-label="The document" dir="ltr"><code>${numberedLines(document.text)}</code></pre>`
  return html`<p><a class="button" href="${addresses.download(kind, id, version)}" download>Download, ${documentType}, ${sizeText(document.size)}</a></p>
${document.drawn}${isNothing(document.drawn) ? text : html`<details class="as-text"><summary>As text</summary>\n${text}</details>`}
${
  files.length > 0 &&
  html`<p>It comes with further files:</p>
<ul>${files.map(path => html`<li>${link(addresses.file(id, path, version), path)}</li>`)}</ul>`
}`
}

function versionTable(
  addresses: PageUrls,
  { listed, page: number, pages, authors }: NonNullable<RecordView['versions']>,
  unserved: readonly UnservedVersion[],
): HtmlPart {
  const [{ kind, id } = {}] = listed.items
  if (kind === undefined || id === undefined) return undefined
  const rows = listed.items.map(
    ({ version, time: when, commit }) => html`${unservedAfter(unserved, version).map(unservedRow)}<tr>
<td>${link(addresses.page(kind, id, version), `Version ${version}`)}</td>
<td>${time(when)}</td>
<td dir="auto">${authors.get(commit)}</td>
<td>${link(addresses.download(kind, id, version), 'Document')}</td>
</tr>
`,
  )
  return html`<table>
<thead><tr><th scope="col">Version</th><th scope="col">When</th><th scope="col">Who</th><th scope="col">Download</th></tr></thead>
<tbody>
${rows}</tbody>
</table>
${pager(number, pages, wanted => `${addresses.page(kind, id)}&page=${wanted}`)}`
}

/** A version that no link leads to. */
function unservedRow({ version, time: when, author, findings: [first] }: UnservedVersion): HtmlPart {
  return html`<tr>
<td>Version ${version}</td>
<td>${time(when)}</td>
<td dir="auto">${author}</td>
<td>not served: ${first && findingLine(first)}</td>
</tr>
`
}

function technicalDetails({ revision }: RecordView): HtmlPart {
  const { record, id, commit, documentHash, documentType } = revision
  return definitionList([
    ['Id', html`<span class="mono">${id}</span>`],
    [
      'Also known as',
      list(
        renderFirst(record.alternateIdentifiers, ({ value, identifierType }) =>
          joined([userLink(value, identifierUrl(value, identifierType)), identifierType], ', '),
        ),
      ),
    ],
    ['State', stateOf(record)],
    ['Media type', mediaTypeOf[documentType]],
    ['Hash', html`<span class="mono">sha1:${documentHash}</span>`],
    ['Commit (ETag)', html`<span class="mono">${commit}</span>`],
    ['Access', list(renderFirst(record.acls, ({ sid, permission }) => `${sid}: ${permission}`))],
  ])
}

/** Commands for a terminal. They send the header `Accept`, which a link cannot do. */
function terminalCommands(addresses: PageUrls, { kind, id, version }: Revision): HtmlPart {
  const url = addresses.item(kind, id, version)
  return html`<p>The record, then the document, byte for byte:</p>
<pre tabindex="0" role="region" aria-label="Commands" dir="ltr"><code>curl -H 'Accept: ${addresses.recordTypes[kind]}' '${url}'
curl '${url}'</code></pre>`
}
