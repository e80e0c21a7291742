import { type HtmlPart, html, joined } from '../../../http/html-template.js'
import type { SchemaBundle } from '../../../validation/validator.js'
import { skeletonOfSchema } from '../../web-api/outline/schema-job.js'
import {
  cardinalityOf,
  type Declaration,
  labelOf,
  type Member,
  shortText,
} from '../declarations/declaration.js'
import { readJsonDeclaration } from '../declarations/json-declarations.js'
import { readXsdDeclarations } from '../declarations/xsd-declarations.js'
import { paragraphs } from './inline-markup.js'

/*
 * Draws a schema as a tree of its members, and a document to start from.
 */

/** Limits of the members and of their levels that are drawn, of the values and alternatives of one, and of names in a summary. */
const most = { members: 1500, levels: 12, values: 60, alternatives: 12, named: 4 }

/** @returns nothing if the schema cannot be read */
export function schemaMarkup(bundle: SchemaBundle): HtmlPart {
  if (bundle.type === 'XML') {
    const { elements } = readXsdDeclarations(bundle)
    if (elements.length === 0) return undefined
    return drawnSchema(html`<ul class="tree">${drawMembers(elements, openTree(true), 0)}</ul>`, bundle)
  }
  const root = readJsonDeclaration(bundle)
  if (!root) return undefined
  const tree = openTree(false)
  tree.first.set(root.key, { label: 'The whole document', id: undefined })
  const content = innerOf(root, 'The whole document', tree, 0)
  return content && drawnSchema(content, bundle)
}

function drawnSchema(content: HtmlPart, bundle: SchemaBundle): HtmlPart {
  const skeleton = skeletonOfSchema(bundle)
  return html`<div class="drawn schema">
${content}
${
  skeleton !== undefined &&
  html`<details><summary>A document to start from</summary>
<p class="hint">What is required, with an empty place for each value. Copy it, fill it in, and add what else you have.</p>
<pre tabindex="0" role="region" aria-label="A document to start from" dir="ltr"><code>${skeleton}</code></pre></details>
`
}</div>
`
}

/** What is drawn so far. */
interface Tree {
  /** Where each declaration is drawn: the label of its member, and the id of the element. */
  readonly first: Map<unknown, { readonly label: string; readonly id: string | undefined }>
  /** Members that may still be drawn. */
  left: number
  number: number
  /** Whether the first level has the elements with which documents may begin. */
  readonly hasRoots: boolean
  /** Whether the members of the only member of the root are open. */
  opensFirst: boolean
}

function openTree(hasRoots: boolean): Tree {
  return { first: new Map(), left: most.members, number: 0, opensFirst: false, hasRoots }
}

function drawMembers(members: readonly Member[], tree: Tree, level: number): HtmlPart {
  const parts: HtmlPart[] = []
  // Only the members of a single member are open at once: a page is short at first.
  if (level === 0) tree.opensFirst = members.length === 1
  for (const [index, member] of members.entries()) {
    if (tree.left <= 0) {
      parts.push(html`<li class="dim">and ${members.length - index} more</li>\n`)
      break
    }
    tree.left--
    parts.push(drawMember(member, tree, level))
  }
  return parts
}

function drawMember(member: Member, tree: Tree, level: number): HtmlPart {
  const { name, isAttribute, declaration } = member
  const label = labelOf(member)
  const entry = declaration.entry()
  const subject = entry ?? declaration
  const facts = [
    isAttribute && 'attribute',
    entry ? `list of: ${entry.type}` : declaration.type,
    // The roots of XML documents are alternatives.
    tree.hasRoots && level === 0
      ? undefined
      : entry
        ? listCardinality(member, declaration)
        : cardinalityOf(member),
  ]
  const head = html`<span class="name" dir="auto">${shortText(label)}</span> <code>${name}</code> <span class="dim">${joined(facts, ', ')}</span>`
  const about = html`${textsOf(declaration, entry)}${valuesOf(subject)}`
  const inner = innerOf(subject, label, tree, level + 1)
  if (!inner) return html`<li>${head}${about}</li>\n`
  return html`<li>${head}${about}${inner}</li>\n`
}

function listCardinality({ min }: Member, declaration: Declaration): string {
  const entries = declaration.rules.filter(rule => countsEntries.test(rule))
  return entries.length > 0 ? entries.join(', ') : min > 0 ? 'any number' : 'optional'
}

function textsOf(declaration: Declaration, entry: Declaration | undefined): HtmlPart {
  const texts = [declaration.description, entry?.description].filter(text => text !== undefined)
  return [...new Set(texts)].map(text => html`<div class="hint">${paragraphs(text)}</div>`)
}

/** Matches the rules about the number of entries of a list. */
const countsEntries = / entr(?:y|ies)$/

/** The rules, the listed values and the examples. */
function valuesOf({ rules, enumeration, examples }: Declaration): HtmlPart {
  const listed = (values: readonly string[]) => [
    joined(
      values.slice(0, most.values).map(value => html`<code dir="auto">${value}</code>`),
      ', ',
    ),
    values.length > most.values && ` and ${values.length - most.values} more`,
  ]
  const own = rules.filter(rule => !countsEntries.test(rule))
  return html`${own.length > 0 && html`<div class="hint">${joined(own, '; ')}</div>`}${
    enumeration.length > 0 &&
    (enumeration.length <= 8
      ? html`<div><span class="dim">One of:</span> ${listed(enumeration)}</div>`
      : html`<details><summary>One of ${enumeration.length} values</summary>${listed(enumeration)}</details>`)
  }${examples.length > 0 && html`<div><span class="dim">For example:</span> ${listed(examples)}</div>`}`
}

/** The members inside, and the alternatives; a link to the first place if they are drawn there. */
function innerOf(declaration: Declaration, label: string, tree: Tree, level: number): HtmlPart {
  const known = tree.first.get(declaration.key)
  if (known && level > 0) {
    const text = html`The same as <span dir="auto">${shortText(known.label)}</span>`
    return html`<div>${known.id === undefined ? text : html`<a class="same" href="#${known.id}">${text}</a>`}</div>`
  }
  const members = declaration.members()
  const alternatives = declaration.alternatives().slice(0, most.alternatives)
  if (members.length === 0 && alternatives.length === 0) return undefined
  if (level > most.levels) return html`<div class="dim">Deeper levels are not drawn.</div>`
  const id = `part-${++tree.number}`
  if (!known) tree.first.set(declaration.key, { label, id })
  const list = members.length > 0 && html`<ul class="tree">${drawMembers(members, tree, level)}</ul>`
  const choices = alternatives.map((alternative, index) => {
    const title = alternative.title ?? `Alternative ${index + 1}: ${alternative.type}`
    const content = html`${alternative.description !== undefined && html`<div class="hint">${paragraphs(alternative.description)}</div>`}${valuesOf(alternative)}${alternative.key !== declaration.key && innerOf(alternative, title, tree, level + 1)}`
    return html`<li><span class="name" dir="auto">${shortText(title)}</span>${content}</li>\n`
  })
  const either =
    choices.length > 0 &&
    html`<div class="dim">${members.length > 0 ? 'and one of these' : 'One of these'}:</div><ul class="tree">${choices}</ul>`
  if (level === 0) return html`<div id="${id}">${list}${either}</div>`
  const names = members.slice(0, most.named).map(member => shortText(labelOf(member), 40))
  const summary =
    members.length > 0
      ? html`${members.length} ${members.length === 1 ? 'member' : 'members'}: <span dir="auto">${names.join(', ')}${members.length > names.length && ', …'}</span>`
      : `${choices.length} ${choices.length === 1 ? 'alternative' : 'alternatives'}`
  return html`<details id="${id}"${level === 1 && (tree.opensFirst || members.length <= 6) && html` open`}><summary>${summary}</summary>${list}${either}</details>`
}
