/** Markup that is safe to send: {@link html} inserts it as it is, and escapes everything else. */
export class Html {
  constructor(readonly markup: string) {}
}

/** A value in a template: text is escaped, a list is joined, an absent value is an empty string. */
export type HtmlPart = Html | string | number | false | undefined | readonly HtmlPart[]

/** Template tag for markup. Inserted values are escaped; they may be in texts and in quoted attributes. */
export function html(texts: TemplateStringsArray, ...parts: readonly HtmlPart[]): Html {
  let markup = texts[0] ?? ''
  for (const [index, part] of parts.entries()) markup += markupOf(part) + texts[index + 1]
  return new Html(markup)
}

function markupOf(part: HtmlPart): string {
  if (part === undefined || part === false) return ''
  if (part instanceof Html) return part.markup
  return typeof part === 'object' ? part.map(markupOf).join('') : escaped(String(part))
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** Control characters and unpaired surrogates become U+FFFD, because HTML cannot contain them. */
function escaped(text: string): string {
  // Most texts need no change, which one search finds faster than two replacements.
  if (!/[\p{Cc}\p{Cs}&<>"']/u.test(text)) return text
  return text
    .replace(/[\p{Cc}\p{Cs}]/gu, char => (/[\t\n\r]/.test(char) ? char : '\ufffd'))
    .replace(/[&<>"']/g, char => entities[char] ?? char)
}

/** Whether a part is absent or empty. */
export function isNothing(part: HtmlPart): boolean {
  if (Array.isArray(part)) return part.every(isNothing)
  return part === undefined || part === false || part === ''
}

/** The parts that are not absent or empty, with a separator between them. */
export function joined(parts: readonly HtmlPart[], separator: HtmlPart): readonly HtmlPart[] {
  return parts
    .filter(part => !isNothing(part))
    .flatMap((part, index) => (index === 0 ? [part] : [separator, part]))
}

/**
 * A text with marks around parts of it.
 * @param places in order and not overlapping, in UTF-16 units
 * @param mark makes the markup of a part
 */
export function marked(
  text: string,
  places: readonly { readonly start: number; readonly end: number }[],
  mark: (part: string) => Html,
): Html {
  const parts: HtmlPart[] = []
  let offset = 0
  for (const { start, end } of places) {
    parts.push(text.slice(offset, start), mark(text.slice(start, end)))
    offset = end
  }
  return html`${[...parts, text.slice(offset)]}`
}
