import { type HtmlPart, html, joined } from '../../../http/html-template.js'
import { shortText } from '../declarations/declaration.js'
import type { DrawnGroup, DrawnList, DrawnMember, DrawnText, DrawnValue } from '../documents/drawn-value.js'
import { numberText, textMarkup } from './inline-markup.js'
import { mapSketch, placeIn, pointsIn } from './map-sketch.js'

/*
 * Draws the values of a document. Groups are sections, lists of groups are tables where they fit, everything else is a
 * list of definitions. What is inside of the second level is folded if it is long.
 */

/** Limits of what is not folded: entries of a list, columns of a table, values of an inner group. */
const most = { entries: 10, columns: 6, values: 8, description: 160 }

export function documentMarkup(value: DrawnValue): HtmlPart {
  return html`<div class="drawn">
${isEmpty(value) ? html`<p class="dim">empty</p>` : value.kind === 'group' ? groupMarkup(value, 0) : blockMarkup('', '', value, 0)}</div>
`
}

/** First the texts as one list of definitions, then the other members as blocks: no text follows a block of another. */
function groupMarkup({ members, text }: DrawnGroup, level: number): HtmlPart {
  const shown = members.filter(({ value }) => !isEmpty(value))
  const rows = shown.filter(isRow)
  const blocks = shown.filter(member => !isRow(member))
  return html`${hasText(text) && html`<p>${textMarkup(text)}</p>\n`}${rows.length > 0 && html`<dl>\n${rows.map(rowMarkup)}</dl>\n`}${blocks.map(member => memberMarkup(member, level))}`
}

function rowMarkup({ name, label, description, value }: DrawnMember): HtmlPart {
  return html`<dt>${labelMarkup(name, label)}</dt><dd>${valueMarkup(name, label, value)}${hint(description, 'span')}</dd>\n`
}

function labelMarkup(name: string, label: string): HtmlPart {
  return html`<span dir="auto"${label !== name && html` title="${name}"`}>${shortText(label)}</span>`
}

/** What the schema says. A long text is folded behind its first words. */
function hint(description: string | undefined, element: 'span' | 'p'): HtmlPart {
  if (description === undefined) return undefined
  const text = description.replace(/\s+/g, ' ').trim()
  if (text.length > most.description) {
    const beginning =
      text.slice(0, text.lastIndexOf(' ', most.description)) || text.slice(0, most.description)
    return html`<details class="hint"><summary dir="auto">${beginning}…</summary><p dir="auto">${text}</p></details>\n`
  }
  return element === 'p'
    ? html`<p class="hint" dir="auto">${text}</p>\n`
    : html`<span class="hint" dir="auto">${text}</span>`
}

function memberMarkup({ name, label, description, value }: DrawnMember, level: number): HtmlPart {
  const content = html`${hint(description, 'p')}${blockMarkup(name, label, value, level)}`
  if (level < 2) {
    const heading = html`${labelMarkup(name, label)}`
    return html`<section class="group">
${level === 0 ? html`<h3>${heading}</h3>` : html`<h4>${heading}</h4>`}
${content}</section>
`
  }
  return html`<details class="group"${sizeOf(value) <= most.values && html` open`}><summary>${labelMarkup(name, label)}</summary>
${content}</details>
`
}

/** A value with a line of its own. */
function blockMarkup(name: string, label: string, value: DrawnValue, level: number): HtmlPart {
  const place = placeIn(name, value)
  const sketch = place && mapSketch(place)
  if (value.kind === 'text') return html`<p>${textMarkup(value)}</p>\n${sketch}`
  if (value.kind === 'group') return html`${sketch}${!place?.isWhole && groupMarkup(value, level + 1)}`
  if (sketch) {
    const points = { ...value, entries: pointsIn(value.entries) }
    return html`${sketch}${folded(`The ${numberText(String(points.entries.length))} points`, entriesMarkup(label, points, level))}`
  }
  return entriesMarkup(label, value, level)
}

function folded(summary: HtmlPart, content: HtmlPart): HtmlPart {
  return html`<details><summary>${summary}</summary>
${content}</details>
`
}

function entriesMarkup(label: string, { entries, entryLabel }: DrawnList, level: number): HtmlPart {
  const [only] = entries
  if (entries.length === 0) return html`<p class="dim">empty list</p>\n`
  if (entries.length === 1 && only) return blockMarkup('', label, only, level)
  const groups = groupsOf(entries)
  const columns = groups && columnsOf(groups)
  if (columns) return inParts(groups, some => tableMarkup(label, entryLabel ?? 'Value', columns, some))
  return inParts(
    entries,
    some => html`<ol class="entries">
${some.map(entry => html`<li>${entryMarkup(label, entry, level)}</li>\n`)}</ol>
`,
  )
}

function entryMarkup(label: string, entry: DrawnValue, level: number): HtmlPart {
  return entry.kind === 'group'
    ? groupMarkup(entry, Math.max(level + 1, 2))
    : blockMarkup('', label, entry, level + 1)
}

/** The first entries, and the others folded. */
function inParts<T>(entries: readonly T[], draw: (some: readonly T[]) => HtmlPart): HtmlPart {
  if (entries.length <= most.entries + 2) return draw(entries)
  const rest = entries.length - most.entries
  return html`${draw(entries.slice(0, most.entries))}${folded(`${numberText(String(rest))} more`, draw(entries.slice(most.entries)))}`
}

/** The entries of a list as groups, some of which have a text alone; undefined if there is no group, or a list. */
function groupsOf(entries: readonly DrawnValue[]): readonly DrawnGroup[] | undefined {
  if (!entries.some(({ kind }) => kind === 'group')) return undefined
  const groups: DrawnGroup[] = []
  for (const entry of entries) {
    if (entry.kind === 'list') return undefined
    groups.push(entry.kind === 'group' ? entry : { kind: 'group', members: [], text: entry })
  }
  return groups
}

/** The members of the entries of a list, if the list fits into a table. */
function columnsOf(entries: readonly DrawnGroup[]): readonly DrawnMember[] | undefined {
  const columns = new Map<string, DrawnMember>()
  for (const entry of entries) {
    if (placeIn('', entry)) return undefined
    for (const member of entry.members) {
      if (!isRow(member) || depthOf(member.value) > 2) return undefined
      if (!columns.has(member.name)) columns.set(member.name, member)
    }
    if (columns.size > most.columns) return undefined
  }
  return [...columns.values()]
}

/** @param textLabel the heading of the texts of entries that also have members */
function tableMarkup(
  label: string,
  textLabel: string,
  columns: readonly DrawnMember[],
  entries: readonly DrawnGroup[],
): HtmlPart {
  const isTitled = entries.some(({ text }) => hasText(text))
  return html`<div class="wide" tabindex="0" role="group" aria-label="${label || 'Entries'}"><table class="stacked">
<thead><tr>${isTitled && html`<th scope="col">${textLabel}</th>`}${columns.map(({ name, label: title }) => html`<th scope="col">${labelMarkup(name, title)}</th>`)}</tr></thead>
<tbody>
${entries.map(
  ({ text, members }) =>
    html`<tr>${isTitled && html`<td data-label="${shortText(textLabel)}">${hasText(text) && textMarkup(text)}</td>`}${columns.map(
      ({ name, label: title }) => {
        const value = members.find(member => member.name === name)?.value
        return html`<td data-label="${shortText(title)}">${value && valueMarkup(name, title, value)}</td>`
      },
    )}</tr>\n`,
)}</tbody>
</table></div>
`
}

/** A value in a definition or a cell. */
function valueMarkup(name: string, label: string, value: DrawnValue): HtmlPart {
  const place = placeIn(name, value)
  if (place) return mapSketch(place)
  if (value.kind === 'text') return textMarkup(value)
  if (value.kind === 'list') {
    const [only] = value.entries
    if (value.entries.length === 0) return html`<span class="dim">empty list</span>`
    if (value.entries.length === 1 && only) return valueMarkup('', label, only)
    if (value.entries.every(isShort))
      return joined(
        value.entries.map(entry => valueMarkup('', label, entry)),
        ', ',
      )
    return inParts(
      value.entries,
      some => html`<ul>${some.map(entry => html`<li>${valueMarkup('', label, entry)}</li>`)}</ul>`,
    )
  }
  const { text, members } = value
  if (text && members.length === 0) return textMarkup(text)
  const facts = members.map(
    ({ name: inner, label: title, value: each }) =>
      html`<span class="fact"><span class="dim">${labelMarkup(inner, title)}:</span> ${valueMarkup(inner, title, each)}</span>`,
  )
  if (!text && members.length === 0) return html`<span class="dim">empty</span>`
  return html`${hasText(text) && html`<span class="before-facts">${textMarkup(text)}</span> `}<span class="facts">${joined(facts, ' ')}</span>`
}

/** A list without entries or a group without members: it says nothing to a person. */
function isEmpty(value: DrawnValue): boolean {
  if (value.kind === 'text') return false
  if (value.kind === 'list') return value.entries.every(isEmpty)
  return !hasText(value.text) && value.members.every(({ value: each }) => isEmpty(each))
}

/** Whether an element with attributes also has a text. */
function hasText(text: DrawnText | undefined): text is DrawnText {
  return text !== undefined && text.text !== ''
}

const shortLength = 24

function isShort(value: DrawnValue): boolean {
  return value.kind === 'text' && value.text.length <= shortLength
}

/** Whether a member is drawn as one definition: a text, texts, or an element with a text and attributes. */
function isRow({ name, value }: DrawnMember): boolean {
  if (value.kind === 'text') return !placeIn(name, value)
  if (placeIn(name, value)) return false
  if (value.kind === 'list') {
    const [only] = value.entries
    return (
      value.entries.every(({ kind }) => kind === 'text') ||
      (value.entries.length === 1 && only !== undefined && isFacts(only))
    )
  }
  return isFacts(value)
}

/** A group of few texts. */
function isFacts(value: DrawnValue): boolean {
  if (value.kind !== 'group' || value.members.length > 4) return false
  return value.members.every(
    ({ value: each }) => each.kind === 'text' && each.text.length <= most.description,
  )
}

function depthOf(value: DrawnValue): number {
  if (value.kind === 'text') return 1
  const inner = value.kind === 'list' ? value.entries : value.members.map(member => member.value)
  return 1 + inner.reduce((deepest, each) => Math.max(deepest, depthOf(each)), 0)
}

function sizeOf(value: DrawnText | DrawnGroup | DrawnList): number {
  if (value.kind === 'text') return 1
  const inner = value.kind === 'list' ? value.entries : value.members.map(member => member.value)
  return inner.reduce((size, each) => size + sizeOf(each), 1)
}
