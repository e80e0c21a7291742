import { positionAfter } from './xml-tags.js'

/** Limit of the characters of a DOCTYPE. */
const maxLength = 64 * 1024

/** A DOCTYPE with the declarations of its internal subset. @see https://www.w3.org/TR/xml/#NT-doctypedecl */
export interface Doctype {
  /** Name of the root element. */
  readonly root: string
  /** The position after its end. */
  readonly end: number
  /** The declarations with their positions in the text; no comments, instructions and parameter entities. */
  readonly declarations: readonly (readonly [text: string, offset: number])[]
}

/** Position of the DOCTYPE before the root element; undefined if there is none. */
export function findDoctype(text: string): number | undefined {
  const offset = startOfRoot(text)
  return offset >= 0 && text.startsWith('<!DOCTYPE', offset) ? offset : undefined
}

/** Position of the DOCTYPE or the root element; -1 if a comment or instruction before it has no end. */
export function startOfRoot(text: string): number {
  let offset = text.charCodeAt(0) === 0xfeff ? 1 : 0
  for (;;) {
    offset = afterBlanks(text, offset)
    if (text.startsWith('<!--', offset)) offset = positionAfter(text, '-->', offset + 4)
    else if (text.startsWith('<?', offset)) offset = positionAfter(text, '?>', offset + 2)
    else return offset
    if (offset < 0) return -1
  }
}

/** Reads the DOCTYPE that begins at `start`. @returns undefined if it is malformed or has more than 64 Ki characters */
export function readDoctype(text: string, start: number): Doctype | undefined {
  const head = text.slice(start, start + maxLength)
  const declarations: (readonly [string, number])[] = []
  const name = /^<!DOCTYPE[ \t\r\n]+([^ \t\r\n[>]+)/.exec(head)
  if (!name) return undefined
  let offset = name[0].length
  let inSubset = false
  while (offset >= 0) {
    offset = afterBlanks(head, offset)
    const char = head.charAt(offset)
    if (char === '>' && !inSubset) return { root: name[1] ?? '', end: start + offset + 1, declarations }
    if (char === (inSubset ? ']' : '[')) {
      inSubset = !inSubset
      offset++
    } else if (char === '"' || char === "'") offset = positionAfter(head, char, offset + 1)
    else if (head.startsWith('<!--', offset)) offset = positionAfter(head, '-->', offset + 4)
    else if (head.startsWith('<?', offset)) offset = positionAfter(head, '?>', offset + 2)
    else if (char === '%' && inSubset) offset = positionAfter(head, ';', offset)
    else if (char === '<' && inSubset) {
      const end = afterDeclaration(head, offset)
      declarations.push([head.slice(offset, end), start + offset])
      offset = end
    } else if (/[A-Z]/.test(char) && !inSubset) offset++
    else return undefined
  }
  return undefined
}

/** The position after the end of a declaration, whose literals may contain `>`; -1 if it has no end. */
function afterDeclaration(text: string, from: number): number {
  for (let offset = from; offset < text.length; offset++) {
    const char = text.charAt(offset)
    if (char === '>') return offset + 1
    if (char !== '"' && char !== "'") continue
    const end = text.indexOf(char, offset + 1)
    if (end < 0) return -1
    offset = end
  }
  return -1
}

function afterBlanks(text: string, from: number): number {
  let offset = from
  while (/^[ \t\r\n]/.test(text.charAt(offset))) offset++
  return offset
}
