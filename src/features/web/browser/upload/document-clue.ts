/*
 * What the beginning of a document tells of its schema, and whether it has a title.
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
  return clueIn(await headOf(content, headLength))
}

async function headOf(content: Blob, length: number): Promise<string> {
  const bytes = new Uint8Array(await content.slice(0, length).arrayBuffer())
  return new TextDecoder(encodingOf(bytes)).decode(bytes)
}

/** Bytes of a JSON document in which a title is looked for. */
const maxJson = 2 ** 20

/**
 * Whether a document has a title where every server looks for one: in `title`, `titles`, `name` or `label` at its top.
 * @see docs/use/crosswalks.md
 */
export async function hasOwnTitle(content: Blob, { language }: DocumentClue): Promise<boolean> {
  if (language === 'XML') return hasTitleElement(await headOf(content, headLength))
  if (language === undefined || content.size > maxJson) return false
  try {
    const top = JSON.parse(await headOf(content, maxJson))
    const [first] = Array.isArray(top.titles) ? top.titles : []
    return [top.title, first?.title, top.name, top.label].some(isText)
  } catch {
    // The server tells what is wrong with it.
    return false
  }
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value.trim() !== ''
}

function hasTitleElement(head: string): boolean {
  const open: string[] = []
  for (const part of withoutComments(head.slice(rootIn(head)))
    .split('<')
    .slice(1)) {
    const [tag = '', text] = part.split('>', 2)
    if (/^[!?]/.test(tag)) continue
    if (tag.startsWith('/')) open.pop()
    else if (!tag.endsWith('/')) open.push(localNameOf(tag))
    const place = open.slice(1).join('.')
    if (!tag.startsWith('/') && ['title', 'titles.title', 'name', 'label'].includes(place) && isText(text))
      return true
  }
  return false
}

/** @param tag a start tag without its brackets */
function localNameOf(tag: string): string {
  const [name = ''] = tag.split(/[\s/]/, 1)
  return name.slice(name.indexOf(':') + 1)
}

function withoutComments(text: string): string {
  let rest = ''
  for (let at = 0; ; ) {
    const start = text.indexOf('<!--', at)
    const end = text.indexOf('-->', start + 4)
    if (start < 0 || end < 0) return rest + text.slice(at)
    rest += text.slice(at, start)
    at = end + 3
  }
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
