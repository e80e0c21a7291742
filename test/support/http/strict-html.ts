/** An element as it was opened. */
export interface Element {
  readonly name: string
  readonly attributes: Readonly<Record<string, string>>
}

const voidElements = new Set(['meta', 'link', 'input', 'br', 'hr'])
const tag = /<(\/?)([a-z][a-z0-9]*)((?:\s+[a-z-]+(?:="[^"<>]*")?)*)\s*>/y

/**
 * Reads a page strictly: every element that is opened is closed in order, every attribute is in quotes and there once,
 * every ampersand begins an entity, every id is there once. More than browsers ask, so that nothing can hide.
 * @throws Error that says where it is not so
 */
export function readHtml(page: string): { readonly elements: readonly Element[]; readonly text: string } {
  const doctype = '<!DOCTYPE html>\n'
  if (!page.startsWith(doctype)) throw new Error('The page has no doctype.')
  const elements: Element[] = []
  const open: string[] = []
  let text = ''
  for (let at = doctype.length; at < page.length; ) {
    if (page[at] !== '<') {
      const end = page.indexOf('<', at)
      const raw = page.slice(at, end < 0 ? page.length : end)
      if (open.at(-1) !== 'style') text += unescaped(raw)
      at += raw.length
      continue
    }
    tag.lastIndex = at
    const [whole, slash, name = '', rest = ''] = tag.exec(page) ?? []
    if (whole === undefined) throw new Error(`No tag: ${page.slice(at, at + 80)}`)
    at += whole.length
    if (slash) {
      if (open.pop() !== name) throw new Error(`</${name}> closes something else: ${page.slice(at - 80, at)}`)
      continue
    }
    elements.push({ name, attributes: attributesOf(rest) })
    if (!voidElements.has(name)) open.push(name)
  }
  if (open.length > 0) throw new Error(`Never closed: ${open.join(', ')}`)
  const ids = elements.flatMap(({ attributes }) => attributes.id ?? [])
  if (new Set(ids).size < ids.length) throw new Error(`An id is there twice: ${ids.join(', ')}`)
  return { elements, text }
}

function attributesOf(text: string): Readonly<Record<string, string>> {
  const attributes: Record<string, string> = {}
  for (const [, name = '', value = ''] of text.matchAll(/\s([a-z-]+)(?:="([^"]*)")?/g)) {
    if (name in attributes) throw new Error(`The attribute ${name} is there twice.`)
    attributes[name] = unescaped(value)
  }
  return attributes
}

const characters: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
}

function unescaped(text: string): string {
  return text.replace(/&[^;&\s]*;?/g, entity => {
    const character = characters[entity]
    if (character === undefined) throw new Error(`No entity: ${entity}`)
    return character
  })
}

/** Links of a `Link` header, whose targets have no `>` and whose parameters have no quotes in them. */
export function readLinks(header: string): readonly Readonly<Record<string, string>>[] {
  return header.split(/,\s*(?=<)/).map(link => {
    const [, href = '', parameters = ''] = /^<([^<>\s"]+)>((?:; [a-z]+="[^"]*")*)$/.exec(link) ?? []
    if (href === '') throw new Error(`No link: ${link}`)
    const pairs = [...parameters.matchAll(/; ([a-z]+)="([^"]*)"/g)].map(([, name, value]) => [name, value])
    return { href, ...Object.fromEntries(pairs) }
  })
}
