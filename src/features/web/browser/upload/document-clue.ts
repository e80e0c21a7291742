/*
 * What the beginning of a document tells of its schema.
 */

export interface DocumentClue {
  /** Undefined: it is neither JSON nor XML. */
  readonly language: 'JSON' | 'XML' | undefined
  /** The value of `$schema`, or the namespace of the root element. */
  readonly names: string | undefined
}

/** Bytes that are read. What names the schema stands at the beginning. */
const headLength = 65_536

export async function clueOf(content: Blob): Promise<DocumentClue> {
  const bytes = new Uint8Array(await content.slice(0, headLength).arrayBuffer())
  return clueIn(new TextDecoder(encodingOf(bytes)).decode(bytes))
}

/** XML may be UTF-16, with a byte order mark. */
function encodingOf([first, second]: Uint8Array): string {
  if (first === 0xff && second === 0xfe) return 'utf-16le'
  return first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8'
}

/** @param head the beginning of the text */
export function clueIn(head: string): DocumentClue {
  const start = head.trimStart()[0]
  if (start === '<') return { language: 'XML', names: rootNamespace(head) }
  if (start !== '{' && start !== '[') return { language: undefined, names: undefined }
  const named = /"\$schema"\s*:\s*"([^"\\]{1,2000})"/.exec(head)
  return { language: 'JSON', names: named?.[1] }
}

function rootNamespace(head: string): string | undefined {
  const root = head.slice(rootIn(head))
  const prefix = /^<([^\s:/>]{1,200}):/.exec(root)?.[1]
  return attributeIn(root, prefix === undefined ? 'xmlns' : `xmlns:${prefix}`)
}

/** The value of an attribute of the start tag with which a text begins. */
function attributeIn(text: string, name: string): string | undefined {
  for (let at = 0; ; ) {
    const equals = text.indexOf('=', at)
    const before = text.slice(at, equals).trimEnd()
    if (equals < 0 || before.includes('>')) return undefined
    let open = equals + 1
    while (/\s/.test(text[open] ?? '')) open++
    const quote = text[open]
    const close = quote === '"' || quote === "'" ? text.indexOf(quote, open + 1) : -1
    if (close < 0) return undefined
    if (before.split(/\s/).at(-1) === name) return text.slice(open + 1, close)
    at = close + 1
  }
}

/** What stands before the root element, by its first characters, with its end. */
const notRoot = [
  ['<!--', '-->'],
  ['<?', '?>'],
  ['<!', '>'],
] as const

/** Where the root element begins; the end of the head, if it is not in there. */
function rootIn(head: string): number {
  for (let at = head.indexOf('<'); at >= 0; ) {
    const [start, end] = notRoot.find(([first]) => head.startsWith(first, at)) ?? []
    if (start === undefined || end === undefined) return at
    const last = head.indexOf(end, at + start.length)
    at = last < 0 ? -1 : head.indexOf('<', last)
  }
  return head.length
}
