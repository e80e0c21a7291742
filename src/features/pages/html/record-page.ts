import { type Finding, findingLine } from '../../../core/problem.js'
import { recordLabels } from '../../../core/records/collection.js'
import { stateOf } from '../../../core/records/record.js'
import type { Revision } from '../../../core/records/revision.js'
import { type HtmlPart, html, isNothing, joined } from '../../../http/html-template.js'
import type { PageUrls } from '../../../http/page-urls/page-urls.js'
import { mediaTypeOf } from '../../../http/record-formats/render-json-properties.js'
import type { PageSection } from '../../../http/route-context.js'
import type { UnservedVersion } from '../../../service/record-history/record-log.js'
import { linkElements } from '../../exports/routes/signposting.js'
import { citations, discoveryElements, exportLinks } from './cite-and-export.js'
import { accessInWords, authorInWords, stateInWords, titleOf, unusualState } from './display-names.js'
import { maxPreviewBytes, numberedLines, sizeText } from './document-preview.js'
import { findingInWords } from './finding-in-words.js'
import { definitionList, type Frame, list, page, renderFirst, section, time } from './html-layout.js'
import { icon } from './icons.js'
import { identifierUrl, link, userLink } from './identifier-links.js'
import {
  creatorsLine,
  dateDetails,
  descriptions,
  peopleDetails,
  type RecordView,
  subjectDetails,
} from './record-details.js'
import { versionTable } from './version-table.js'

/**
 * The page of a schema or a metadata document: the document in the middle, beside it what people look for: people,
 * dates, licence, how to cite it, and its files.
 */
export function recordPage(frame: Frame, addresses: PageUrls, view: RecordView): string {
  const { revision, versions, shown: record } = view
  const { kind, documentType, version } = revision
  const title = titleOf(record)
  const cited = citations(view.described)
  return page(
    frame,
    `${title} (version ${version})`,
    html`<p class="kind">${icon(kind === 'schema' ? 'schema' : 'document')} ${recordLabels[kind]}, ${documentType}</p>
<h1 dir="auto">${title}</h1>
${creatorsLine(record)}${stateNotes(addresses, view)}
${view.sections.filter(({ isNavigation }) => isNavigation).map(navigation)}
${jumps(addresses, view, cited)}<div class="record">
<div>
${descriptions(record)}
${section('document', kind === 'schema' ? 'What its documents have' : 'Document', documentOf(addresses, view))}
${view.sections.filter(({ isNavigation }) => !isNavigation).map(({ id, title, content }) => section(id, title, content))}
${versions && section('versions', 'Versions', versionTable(addresses, versions, view))}
</div>
<aside class="side" aria-label="About this record">
${sideSections(addresses, view, cited)}</aside>
</div>`,
    html`${discoveryElements(view.described)}${linkElements(view.signposts)}`,
  )
}

/** Links to what stands below the document on a narrow screen, and the download. On a wide one it stands beside it. */
function jumps(addresses: PageUrls, { revision, document, versions }: RecordView, cited: HtmlPart): HtmlPart {
  const there = [
    ['about', 'About'],
    ...(isNothing(cited) ? [] : [['cite', 'Cite']]),
    ['export', 'Export'],
    ...(versions ? [['versions', 'History']] : []),
  ]
  return html`<nav class="pager jumps" aria-label="On this page">
${there.map(([id, text]) => html`${link(`#${id}`, text)}\n`)}${downloadLink(addresses, revision, document.size)}
</nav>
`
}

/** The document as a file, as a button. */
function downloadLink(
  addresses: PageUrls,
  { kind, id, version, documentType }: Revision,
  size: number,
): HtmlPart {
  return html`<a class="button" href="${addresses.download(kind, id, version)}" download>${icon('download')}Download, ${documentType}, ${sizeText(size)}</a>`
}

function navigation({ id, title, content }: PageSection): HtmlPart {
  return html`<nav class="actions" id="${id}" aria-label="${title}">${content}</nav>\n`
}

function sideSections(addresses: PageUrls, view: RecordView, cited: HtmlPart): HtmlPart {
  const { revision, versions } = view
  const formatUrl = (format: string) =>
    addresses.export(revision.kind, revision.id, format, view.isPinned ? revision.version : undefined)
  const versionsText =
    versions &&
    html`<p>${link('#versions', `${versions.listed.total} ${versions.listed.total === 1 ? 'version' : 'versions'}`)}</p>`
  return html`${section('about', 'About', subjectDetails(addresses, view))}
${section('people', 'People', peopleDetails(view))}
${section('dates', 'Dates', html`${dateDetails(view)}${versionsText}`)}
${section('cite', 'Cite', cited)}
${section('export', 'Export', exportLinks(formatUrl))}
${section('files', 'Files', fileLinks(addresses, view))}
${section(
  'technical',
  'Technical',
  html`<details><summary>Identifiers, rights and addresses</summary>
${technicalDetails(view)}${terminalCommands(addresses, revision)}</details>`,
)}
`
}

function fileLinks(addresses: PageUrls, { revision, document, files }: RecordView): HtmlPart {
  const { kind, id, version, documentType } = revision
  return html`<ul class="plain"><li><a href="${addresses.download(kind, id, version)}" download>${icon('download')}Download, ${documentType}, ${sizeText(document.size)}</a></li>
${files.map(path => html`<li>${link(addresses.file(id, path, version), path)}</li>\n`)}</ul>`
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
  const state = unusualState(revision.record)
  return html`<p class="dim">Version ${version}${version === newest.version ? ', the newest' : ''}, ${time(revision.time)}${state !== undefined && html` <span class="tag">${state}</span>`}</p>
${
  stateOf(newest.record) === 'REVOKED' &&
  html`<p class="notice"><strong>Withdrawn.</strong> Only those who may delete this record still see it.</p>`
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
    html`<span class="mono">${commit.slice(0, 10)}</span>, ${time(when)}, <span dir="auto">${authorInWords(author)}</span>`,
  ],
  ['What is wrong', list(renderFirst(findings, findingText))],
  [
    'To mend it',
    html`correct the files and commit, or undo the commit: <code>git revert ${commit.slice(0, 10)}</code>`,
  ],
])}`
}

/** A finding in plain words, and in the words of the validator. */
function findingText(finding: Finding): HtmlPart {
  const words = findingInWords(finding.message)
  return words === undefined
    ? findingLine(finding)
    : html`${words} <span class="hint">${findingLine(finding)}</span>`
}

function documentOf(addresses: PageUrls, { revision, document }: RecordView): HtmlPart {
  const text =
    document.text === undefined
      ? html`<p>It is larger than ${sizeText(maxPreviewBytes)}, and its text is not shown here.</p>`
      : html`<pre class="lines" tabindex="0" role="region" aria-label="The document" dir="ltr"><code>${numberedLines(document.text)}</code></pre>`
  const download = html`<p class="actions">${downloadLink(addresses, revision, document.size)}</p>`
  if (isNothing(document.drawn)) return html`${download}\n${text}`
  return html`${document.drawn}<details class="as-text"><summary>As text</summary>
${download}
${text}</details>
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
    ['State', html`${stateInWords(stateOf(record))} <code>${stateOf(record)}</code>`],
    ['Media type', mediaTypeOf[documentType]],
    ['Checksum of the document', html`<span class="mono">sha1:${documentHash}</span>`],
    ['Commit, which programs send as ETag', html`<span class="mono">${commit}</span>`],
    [
      'Who may do what',
      list(renderFirst(record.acls, ({ sid, permission }) => accessInWords(sid, permission))),
    ],
  ])
}

/** Commands for a terminal. They send the header `Accept`, which a link cannot do. */
function terminalCommands(addresses: PageUrls, { kind, id, version }: Revision): HtmlPart {
  const url = addresses.item(kind, id, version)
  return html`<p>For programs: the record, then the document, byte for byte:</p>
<pre tabindex="0" role="region" aria-label="Commands" dir="ltr"><code>curl -H 'Accept: ${addresses.recordTypes[kind]}' '${url}'
curl '${url}'</code></pre>`
}
