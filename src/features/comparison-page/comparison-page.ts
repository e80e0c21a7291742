import { tryParseJson } from '../../core/json/try-parse.js'
import { parseWrittenJson, type WrittenJson, writeJson } from '../../core/json/written-number.js'
import { type Collection, collectionNames, recordLabels } from '../../core/records/collection.js'
import type { Revision } from '../../core/records/revision.js'
import { placeInWords } from '../../core/text/name-in-words.js'
import { pluralize } from '../../core/text/pluralize.js'
import { type HtmlPart, html } from '../../http/html-template.js'
import type { PageUrls } from '../../http/page-urls/page-urls.js'
import { recordDirectory } from '../../store/records/repository-layout.js'
import type { Difference } from '../comparison/revisions/revision-difference.js'
import { authorInWords, titleOf } from '../pages/html/display-names.js'
import { type ComparisonAddress, type Frame, page, section, time } from '../pages/html/html-layout.js'
import { link } from '../pages/html/identifier-links.js'
import { type ComparedLine, readUnifiedDiff } from './unified-diff.js'

/** Why there is no comparison. */
export interface Refused {
  readonly refusal: string
}

interface ComparisonView {
  readonly from: Revision
  readonly to: Revision
  /** The point of history of the page; undefined: now. */
  readonly at: string | undefined
  readonly difference: Difference | Refused
  /** A unified diff of all files of the record. */
  readonly text: string | Refused
  /** Address, below the root of pages, of the same in the browser application; undefined: there is none. */
  readonly application: string | undefined
}

/** Limits of what the page shows: changes of a list, characters of a value, lines of all files, characters of a line. */
const most = { changes: 300, value: 400, lines: 2000, line: 1000 }
/** Limit of the characters of a list of changes that is read: its values may be large. */
const maxListLength = 2_000_000

export const comparisonAddress: ComparisonAddress = (kind, id, from, to) =>
  `compare/${collectionNames[kind]}/${encodeURIComponent(id)}?from=${from}&to=${to}`

/** The page that compares two versions of a record: the changes of values, then the lines of its files. */
export function comparisonPage(frame: Frame, addresses: PageUrls, view: ComparisonView): string {
  const { from, to, application, difference, text } = view
  const { kind, id } = to
  const title = titleOf(to.record)
  return page(
    frame,
    `${title}: version ${from.version} and version ${to.version}`,
    html`<p class="kind">${recordLabels[kind]}: ${link(addresses.page(kind, id), html`<span dir="auto">${title}</span>`)}</p>
<h1>Changes from version ${from.version} to version ${to.version}</h1>
${pointNote(frame, view)}<p class="dim">${versionText(addresses, from, difference, 'from')}<br>${versionText(addresses, to, difference, 'to')}</p>
<form class="filter" action="">
<label>From version<input type="number" name="from" min="1" required value="${from.version}"></label>
<label>To version<input type="number" name="to" min="1" required value="${to.version}"></label>
${view.at !== undefined && html`<input type="hidden" name="at" value="${view.at}">`}<button>Compare</button>
${application !== undefined && link(`${frame.root}/${application}`, 'Side by side, in the browser application')}
</form>
${changesOf(kind, difference)}
${section('lines', 'Line by line', linesOf(to, text))}`,
  )
}

function pointNote({ root }: Frame, { from, to, at }: ComparisonView): HtmlPart {
  if (at === undefined) return undefined
  const today = `${root}/${comparisonAddress(to.kind, to.id, from.version, to.version)}`
  return html`<p class="notice">These are the versions at the point <strong>${at}</strong> of the history. ${link(today, 'The versions as they are today')}</p>\n`
}

function versionText(
  addresses: PageUrls,
  { kind, id, version, time: when }: Revision,
  difference: Difference | Refused,
  side: 'from' | 'to',
): HtmlPart {
  const author = 'refusal' in difference ? undefined : difference[side].author
  return html`${link(addresses.page(kind, id, version), `Version ${version}`)}, ${time(when)}${author !== undefined && html`, <span dir="auto">${authorInWords(author)}</span>`}`
}

/** A change of JSON or of XML, as the interface has it. */
interface Change {
  readonly op: 'add' | 'remove' | 'replace'
  readonly path: string
  readonly value?: WrittenJson
  readonly before?: WrittenJson
  readonly effect?: keyof typeof effectWords
  readonly reason?: string
}

const operationWords = { add: '+ added', remove: '− removed', replace: '~ changed' }
const effectWords = {
  neutral: 'neutral: does not concern validity',
  compatible: 'compatible: every valid document stays valid',
  breaking: 'breaking: valid documents may become invalid',
}

function changesOf(kind: Collection, difference: Difference | Refused): HtmlPart {
  const title = kind === 'schema' ? 'Schema' : 'Document'
  if ('refusal' in difference) return section('changes', title, refused(difference))
  const { document, record, files = [], effect } = difference
  const ofDocument = document.changes === undefined ? undefined : readChanges(document.changes)
  const otherLanguage = html`<p>One version is JSON and the other XML, so there is no list of changes.</p>`
  return html`${section(
    'changes',
    title,
    html`${effect && html`<p>All changes together: ${effectWords[effect]}.</p>\n`}${document.changes === undefined ? otherLanguage : changeTable(ofDocument, title)}`,
  )}${
    files.length > 0 &&
    section(
      'files',
      'Further files',
      changeTable(files, 'Further files', path => path),
    )
  }
${section('record', 'Record', changeTable(readChanges(record), 'Record'))}`
}

/** @returns undefined if it is too long */
function readChanges(list: string): readonly Change[] | undefined {
  if (list.length > maxListLength) return undefined
  return tryParseJson(list, parseWrittenJson) as readonly Change[]
}

function changeTable(
  changes: readonly Change[] | undefined,
  label: string,
  placeOf = placeInWords,
): HtmlPart {
  if (changes === undefined) return html`<p>There are too many changes to list them here.</p>`
  if (changes.length === 0) return html`<p>No changes.</p>`
  const hasEffects = changes.some(({ effect }) => effect)
  const rows = changes.slice(0, most.changes).map(
    ({ op, path, before, value, effect, reason }) => html`<tr>
<td class="when">${operationWords[op]}</td>
<td data-label="Place" title="${path}" dir="auto">${placeOf(path) || 'the whole'}</td>
<td data-label="Before">${valueMarkup(before, value)}</td>
<td data-label="After">${valueMarkup(value, before)}</td>
${hasEffects && html`<td data-label="Effect on documents">${effect && effectWords[effect]}${reason !== undefined && html`<span class="hint">${reason}</span>`}</td>\n`}</tr>
`,
  )
  return html`<div class="wide" tabindex="0" role="region" aria-label="Changes: ${label}"><table class="dense stacked">
<thead><tr><th scope="col">What</th><th scope="col">Place</th><th scope="col">Before</th><th scope="col">After</th>${hasEffects && html`<th scope="col">Effect on documents</th>`}</tr></thead>
<tbody>
${rows}</tbody>
</table></div>
${changes.length > most.changes && html`<p class="dim">and ${changes.length - most.changes} more</p>`}`
}

function valueMarkup(value: WrittenJson | undefined, other: WrittenJson | undefined): HtmlPart {
  if (value === undefined) return undefined
  return html`<span dir="auto">${excerpt(textOf(value), other === undefined ? undefined : textOf(other), most.value)}</span>`
}

function textOf(value: WrittenJson): string {
  return typeof value === 'string' ? value : writeJson(value)
}

/**
 * A part of a long text: its beginning, or what is around the first difference from the other text.
 * @param length limit of the characters of the part
 */
function excerpt(text: string, other: string | undefined, length: number): string {
  if (text.length <= length) return text
  let same = 0
  while (other !== undefined && same < text.length && text[same] === other[same]) same++
  const isFar = other !== undefined && same > length / 2
  const start = isFar ? Math.min(same - Math.floor(length / 4), text.length - length) : 0
  const end = start + length
  return `${start > 0 ? '…' : ''}${text.slice(start, end)}${end < text.length ? '…' : ''}`
}

function linesOf({ kind, id }: Revision, diff: string | Refused): HtmlPart {
  if (typeof diff !== 'string') return refused(diff)
  const files = readUnifiedDiff(diff)
  if (files.length === 0) return html`<p>The files of both versions are the same.</p>`
  const folder = `${recordDirectory(kind, id)}/`
  let left = most.lines
  const shown = files.map(({ path, parts }): HtmlPart => {
    if (left <= 0) return undefined
    const name = path.startsWith(folder) ? path.slice(folder.length) : path
    const markup: HtmlPart[] = []
    for (const { line, lines } of parts) {
      if (left <= 0) break
      const some = lines.slice(0, left)
      left -= some.length
      markup.push(
        html`${line !== undefined && html`<span class="dim">Line ${line}</span>`}${some.map(each => lineMarkup(each, some))}`,
      )
    }
    return html`<h3 class="mono" dir="ltr">${name}</h3>
<pre class="diff" tabindex="0" role="region" aria-label="Lines of ${name}" dir="ltr"><code>${markup}</code></pre>
`
  })
  const all = files.flatMap(({ parts }) => parts).reduce((sum, { lines }) => sum + lines.length, 0)
  return html`<p class="dim">A line with − is in the earlier version only, a line with + in the later one.</p>
${shown}${all > most.lines && html`<p class="dim">and ${pluralize(all - most.lines, 'more line')}</p>`}`
}

/** The line of the other version that stands for a removed or an added line; undefined if there is none. */
function otherOf(all: readonly ComparedLine[], line: ComparedLine): string | undefined {
  // A sentence says that the last line has no line end.
  const lines = all.filter(({ sign }) => sign !== '\\')
  const at = lines.indexOf(line)
  if (line.sign !== '-' && line.sign !== '+') return undefined
  const runEnd = (from: number, sign: string, step: 1 | -1) => {
    let end = from
    while (lines[end + step]?.sign === sign) end += step
    return end
  }
  // Added lines follow the removed ones.
  if (lines[at]?.sign === '+') {
    const added = runEnd(at, '+', -1)
    const other = lines[runEnd(added, '-', -1) + at - added]
    return other?.sign === '-' ? other.text : undefined
  }
  const other = lines[runEnd(at, '-', 1) + 1 + at - runEnd(at, '-', -1)]
  return other?.sign === '+' ? other.text : undefined
}

/** @param all the lines of the part that are shown */
function lineMarkup(line: ComparedLine, all: readonly ComparedLine[]): HtmlPart {
  const { sign, text } = line
  const shown = text.length > most.line ? excerpt(text, otherOf(all, line), most.line) : text
  if (sign === '-') return html`<del>− ${shown}</del>`
  if (sign === '+') return html`<ins>+ ${shown}</ins>`
  if (sign === '\\') return html`<span class="dim">${shown}</span>`
  return html`<span>  ${shown}</span>`
}

function refused({ refusal }: Refused): HtmlPart {
  return html`<p class="notice">${refusal}</p>`
}
