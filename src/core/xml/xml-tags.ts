/*
 * The syntax of XML tags, for readers of documents that an XML parser checks, and that have no DOCTYPE. The patterns do
 * not use \s, which matches characters that XML permits in names.
 */

/** Matches a start tag or empty tag at `lastIndex`: its name, its attributes, and the slash of an empty tag. */
export const startTag =
  /<([^ \t\r\n<>/=!?]+)((?:[ \t\r\n]+[^ \t\r\n<>/=]+[ \t\r\n]*=[ \t\r\n]*(?:"[^"<]*"|'[^'<]*'))*)[ \t\r\n]*(\/?)>/y
/** Matches an end tag at `lastIndex`. */
export const endTag = /<\/[^ \t\r\n<>/=]+[ \t\r\n]*>/y
/** Matches the attributes of a start tag one by one: the name, and the value in either kind of quotes. */
export const attribute = /[ \t\r\n]+([^ \t\r\n<>/=]+)[ \t\r\n]*=[ \t\r\n]*(?:"([^"<]*)"|'([^'<]*)')/gy

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

/** Replaces character references and predefined entities. Other references stay. */
export function decodeReferences(text: string): string {
  if (!text.includes('&')) return text
  return text.replace(
    /&(?:#x([0-9a-fA-F]+)|#([0-9]+)|(\w+));/g,
    (whole, hex: string | undefined, decimal: string | undefined, name: string | undefined) => {
      if (name !== undefined) return entities[name] ?? whole
      const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16)
      return code <= 0x10ffff ? String.fromCodePoint(code) : whole
    },
  )
}

/** The position after the next `end`, or -1. */
export function positionAfter(text: string, end: string, from: number): number {
  const index = text.indexOf(end, from)
  return index < 0 ? -1 : index + end.length
}
