import type { DocumentType } from '../../core/records/collection.js'
import { documentText } from '../record-formats/document-text.js'

/** Bytes of a document that are shown on a page at most. */
export const maxPreviewBytes = 256 * 1024

/**
 * A document as a person reads it: JSON with line breaks and indentation, its numbers and texts as they were written;
 * XML as it is, in whatever encoding it came.
 * @returns undefined for one that is too large for a page
 */
export function readableText(bytes: Buffer, type: DocumentType): string | undefined {
  if (bytes.length > maxPreviewBytes) return undefined
  const text = documentText(bytes, type)
  return type === 'XML' ? text : indentJson(text)
}

/** Characters the indented text may have at most: indentation of deep nesting grows with its square. */
const indentedAtMost = 8 * maxPreviewBytes

/** The same tokens with other white space between them: reading and writing the values would change long numbers. */
export function indentJson(text: string): string {
  let indented = ''
  let depth = 0
  let opened = false
  const newLine = () => `\n${'  '.repeat(Math.max(depth, 0))}`
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"|[[\]{},:]|[^\s[\]{},:"]+|"/g)) {
    const closes = token === '}' || token === ']'
    if (closes) depth--
    if (opened !== closes) indented += newLine()
    opened = token === '{' || token === '['
    if (opened) depth++
    indented += token
    if (token === ',') indented += newLine()
    if (token === ':') indented += ' '
    if (indented.length > indentedAtMost) return text
  }
  return indented
}

/** `812 bytes`, `1.2 kB`, `3.4 MB`, in thousands. */
export function sizeText(bytes: number): string {
  if (bytes < 1000) return `${bytes} ${bytes === 1 ? 'byte' : 'bytes'}`
  return bytes < 999_950 ? `${(bytes / 1000).toFixed(1)} kB` : `${(bytes / 1e6).toFixed(1)} MB`
}
