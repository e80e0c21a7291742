import type { DocumentType } from '../../../core/records/collection.js'
import { Html, type HtmlPart, html } from '../../../http/html-template.js'
import { documentText } from '../../../http/record-formats/document-text.js'

/** Limit of the bytes of a document that a page shows. */
export const maxPreviewBytes = 256 * 1024

/**
 * The readable text of a document: JSON with line breaks and indentation, its numbers and strings as they were
 * uploaded; XML decoded and otherwise unchanged.
 */
export function readableText(bytes: Buffer, type: DocumentType): string {
  const text = documentText(bytes, type)
  return type === 'XML' ? text : indentJson(text)
}

/** Limit of the characters of the indented text: the indentation of nested values grows with the square of the depth. */
const maxIndentedLength = 8 * maxPreviewBytes

/** Changes only the white space between tokens: parsing and serialising would change long numbers. */
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
    if (indented.length > maxIndentedLength) return text
  }
  return indented
}

/** A size for people: `812 bytes`, `1.2 kB`, `3.4 MB`; 1 kB is 1000 bytes. */
export function sizeText(bytes: number): string {
  if (bytes < 1000) return `${bytes} ${bytes === 1 ? 'byte' : 'bytes'}`
  return bytes < 999_950 ? `${(bytes / 1000).toFixed(1)} kB` : `${(bytes / 1e6).toFixed(1)} MB`
}

/** Limit of the lines that get a number, because each is an element of the page. */
const maxNumbered = 20_000

/** The lines of a text, each an element that the style numbers. Copied text has no numbers. */
export function numberedLines(text: string): HtmlPart {
  const lines = html`${text}`.markup.split('\n')
  return lines.length > maxNumbered ? text : new Html(`<span>${lines.join('\n</span><span>')}</span>`)
}
