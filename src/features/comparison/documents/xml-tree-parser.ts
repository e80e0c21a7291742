import { ProblemError } from '../../../core/problem.js'
import { readDoctype } from '../../../core/xml/xml-doctype.js'
import { attribute, decodeReferences, endTag, positionAfter, startTag } from '../../../core/xml/xml-tags.js'
import { maxDepth, type NodeFactory, noMembers, type TreeNode } from './document-tree.js'

/*
 * A parser for stored documents, which are well-formed. Only schemas have a DOCTYPE. It keeps what comparisons need:
 * namespace prefixes and declarations, comments, processing instructions.
 */

const blank = /^[ \t\r\n]*$/

/** Attributes that identify an element among others of the same name, by priority. */
const identifying = ['xml:id', 'id', 'name', 'ref']

interface Open {
  readonly name: string
  readonly members: ReadonlyMap<string, TreeNode>
  readonly items: TreeNode[]
  /** `xml:space="preserve"` applies: blank text is kept. */
  readonly keepsBlanks: boolean
  text: string
}

/**
 * Parses an XML document into a tree, for comparisons.
 * @param source the decoded document, with or without an XML declaration
 * @returns a node of the kind `document`, whose items are the root element, comments and processing instructions
 * @throws ProblemError `unprocessable` if it is not well-formed, `too-large` if it has too many levels
 */
export function xmlTree(createNode: NodeFactory, source: string): TreeNode {
  // Line ends become `\n`, as XML 1.0 demands in §2.11.
  const text = source.replace(/^\ufeff/, '').replace(/\r\n?/g, '\n')
  const leaf = (kind: string, value: string) =>
    createNode({ kind, key: kind, members: noMembers, items: [], value })
  const document: Open = { name: 'document', members: noMembers, items: [], keepsBlanks: false, text: '' }
  const open: Open[] = [document]
  let current = document

  function endText(): void {
    if (current.text !== '' && current !== document) current.items.push(leaf('text()', current.text))
    current.text = ''
  }
  function close(): TreeNode {
    endText()
    const { name, members, keepsBlanks } = current
    const items = keepsBlanks ? current.items : withoutIndentation(current.items)
    // The root elements of two documents always correspond, so their identifiers do not matter.
    const id = open.length > 2 ? identifierIn(members) : undefined
    return createNode({
      kind: name,
      key: id === undefined ? name : `${name} ${id}`,
      members,
      items,
      value: null,
    })
  }
  function endElement(): void {
    const node = close()
    open.pop()
    current = open.at(-1) ?? document
    current.items.push(node)
  }

  let offset = 0
  while (offset < text.length) {
    const next = text.indexOf('<', offset)
    current.text += decodeReferences(text.slice(offset, next < 0 ? text.length : next))
    if (next < 0) break
    if (text.startsWith('<![CDATA[', next)) {
      offset = endOf(text, ']]>', next + 9)
      current.text += text.slice(next + 9, offset - 3)
    } else if (text.startsWith('<!--', next)) {
      endText()
      offset = endOf(text, '-->', next + 4)
      current.items.push(leaf('comment()', text.slice(next + 4, offset - 3)))
    } else if (text.startsWith('<?', next)) {
      endText()
      offset = endOf(text, '?>', next + 2)
      const { target, data } = parseInstruction(text.slice(next + 2, offset - 2))
      if (target !== 'xml') current.items.push(leaf(`processing-instruction(${target})`, data))
    } else if (text.startsWith('<!DOCTYPE', next)) {
      const doctype = readDoctype(text, next)
      if (!doctype) throw unreadable()
      offset = doctype.end
      current.items.push(leaf('doctype()', text.slice(next, offset)))
    } else if (text.startsWith('</', next)) {
      endTag.lastIndex = next
      if (!endTag.test(text) || open.length < 2) throw unreadable()
      offset = endTag.lastIndex
      endElement()
    } else {
      startTag.lastIndex = next
      const [whole, name = '', attributes = '', empty] = startTag.exec(text) ?? []
      if (whole === undefined) throw unreadable()
      if (open.length > maxDepth) {
        throw new ProblemError('too-large', `The document has more than ${maxDepth} levels of elements.`)
      }
      offset = next + whole.length
      endText()
      const members = attributes === '' ? noMembers : attributesIn(attributes, leaf)
      const space = members.get('xml:space')?.value
      const keepsBlanks = space === undefined ? current.keepsBlanks : space === 'preserve'
      current = { name, members, items: [], keepsBlanks, text: '' }
      open.push(current)
      if (empty) endElement()
    }
  }
  if (open.length !== 1) throw unreadable()
  return close()
}

function attributesIn(
  written: string,
  leaf: (kind: string, value: string) => TreeNode,
): ReadonlyMap<string, TreeNode> {
  const members = new Map<string, TreeNode>()
  for (const [, name = '', quoted, apostrophes = ''] of written.matchAll(attribute)) {
    const raw = (quoted as string | undefined) ?? apostrophes
    members.set(name, leaf('attribute', decodeReferences(raw.replace(/[\t\n]/g, ' '))))
  }
  return members
}

function parseInstruction(text: string): { readonly target: string; readonly data: string } {
  const target = /^[^ \t\n]*/.exec(text)?.[0] ?? ''
  return { target, data: text.slice(target.length).replace(/^[ \t\n]+/, '') }
}

/** The value of the attribute that identifies an element among others of the same name; undefined if there is none. */
function identifierIn(members: ReadonlyMap<string, TreeNode>): TreeNode['value'] | undefined {
  return identifying.map(name => members.get(name)?.value).find(Boolean)
}

/** Drops blank text between elements, unless the element has mixed content. */
function withoutIndentation(items: readonly TreeNode[]): readonly TreeNode[] {
  const isText = ({ kind }: TreeNode) => kind === 'text()'
  const hasElements = items.some(({ kind }) => !kind.endsWith(')'))
  const hasText = items.some(item => isText(item) && !blank.test(String(item.value)))
  return hasElements && !hasText ? items.filter(item => !isText(item)) : items
}

/** The position after the next `end`. */
function endOf(text: string, end: string, from: number): number {
  const offset = positionAfter(text, end, from)
  if (offset < 0) throw unreadable()
  return offset
}

function unreadable(): ProblemError {
  return new ProblemError('unprocessable', 'The document is not well-formed XML.')
}
