/** The start tag of an element. */
export interface Element {
  readonly name: string
  readonly attributes: Readonly<Record<string, string>>
}

const voidElements = new Set(['meta', 'link', 'input', 'br', 'hr', 'wbr'])
const tag = /<(\/?)([a-z][a-z0-9]*)((?:\s+[a-z-]+(?:="[^"<>]*")?)*)\s*>/y

/**
 * Reads a page more strictly than browsers do, so that a page cannot hide anything. Every element is closed in order.
 * Every attribute has quotes and occurs once. Every ampersand begins an entity. Every id occurs once.
 * @throws Error with the place of a violation
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
    if (whole === undefined) throw new Error(`This is not a tag: ${page.slice(at, at + 80)}`)
    at += whole.length
    if (slash) {
      if (open.pop() !== name)
        throw new Error(`</${name}> closes another element: ${page.slice(at - 80, at)}`)
      continue
    }
    elements.push({ name, attributes: attributesOf(rest) })
    if (!voidElements.has(name)) open.push(name)
  }
  if (open.length > 0) throw new Error(`The page does not close: ${open.join(', ')}`)
  const ids = elements.flatMap(({ attributes }) => attributes.id ?? [])
  if (new Set(ids).size < ids.length) throw new Error(`An id occurs twice: ${ids.join(', ')}`)
  return { elements, text }
}

function attributesOf(text: string): Readonly<Record<string, string>> {
  const attributes: Record<string, string> = {}
  for (const [, name = '', value = ''] of text.matchAll(/\s([a-z-]+)(?:="([^"]*)")?/g)) {
    if (name in attributes) throw new Error(`The attribute ${name} occurs twice.`)
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
    if (character === undefined) throw new Error(`This is not an entity: ${entity}`)
    return character
  })
}

/** Reads the links of a `Link` header. The targets may not contain `>`, and the parameters may not contain quotes. */
export function readLinks(header: string): readonly Readonly<Record<string, string>>[] {
  return header.split(/,\s*(?=<)/).map(link => {
    const [, href = '', parameters = ''] = /^<([^<>\s"]+)>((?:; [a-z]+="[^"]*")*)$/.exec(link) ?? []
    if (href === '') throw new Error(`This is not a link: ${link}`)
    const pairs = [...parameters.matchAll(/; ([a-z]+)="([^"]*)"/g)].map(([, name, value]) => [name, value])
    return { href, ...Object.fromEntries(pairs) }
  })
}
