import type { DocumentType } from '../../core/values.js'

/** Bytes of a document that are shown on a page at most. */
export const shownAtMost = 256 * 1024

/**
 * A document as a person reads it: JSON with line breaks and indentation, its numbers and texts as they were written;
 * XML as it is, in whatever encoding it came.
 * @returns undefined for one that is too large for a page
 */
export function readableText(bytes: Buffer, type: DocumentType): string | undefined {
  if (bytes.length > shownAtMost) return undefined
  if (type === 'XML') return new TextDecoder(encodingOf(bytes)).decode(bytes)
  return indentJson(new TextDecoder().decode(bytes))
}

/** The encoding an XML document says it has; UTF-8 where it says none that is known. @see XML 1.0, appendix F */
function encodingOf(bytes: Buffer): string {
  const [first, second] = bytes
  if ((first === 0xfe && second === 0xff) || (first === 0 && second === 0x3c)) return 'utf-16be'
  if ((first === 0xff && second === 0xfe) || (first === 0x3c && second === 0)) return 'utf-16le'
  if (first === 0xef) return 'utf-8' // a byte order mark is right whatever the declaration says
  const declaration = /^<\?xml[^>]*?\sencoding\s*=\s*["']([\w.-]+)["']/.exec(bytes.toString('latin1', 0, 200))
  const label = declaration?.[1] ?? 'utf-8'
  try {
    return new TextDecoder(label).encoding
  } catch (error) {
    if (error instanceof RangeError) return 'utf-8'
    throw error
  }
}

/** Characters the indented text may have at most: indentation of deep nesting grows with its square. */
const indentedAtMost = 8 * shownAtMost

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
