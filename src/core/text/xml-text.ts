import { cleanText } from './clean-text.js'

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
  // Parsers replace these by a space in attributes, and a carriage return by a line feed everywhere.
  '\t': '&#9;',
  '\n': '&#10;',
  '\r': '&#13;',
}

/** Escapes a text for the content of an element. Characters that XML 1.0 forbids become U+FFFD. */
export function escapeXml(text: string): string {
  return cleanText(text).replace(/[&<>\r]/g, character => entities[character] ?? character)
}

/** Escapes a text for an attribute in single or double quotes. Characters that XML 1.0 forbids become U+FFFD. */
export function escapeXmlAttribute(text: string): string {
  return cleanText(text).replace(/[&<>"'\t\n\r]/g, character => entities[character] ?? character)
}

/** Attributes by name; undefined values are left out. */
export type XmlAttributes = Readonly<Record<string, string | undefined>>

/**
 * An element as text.
 * @param content escaped text, or elements; absent for an empty element
 */
export function xmlElement(name: string, attributes: XmlAttributes, content?: string): string {
  let tag = `<${name}`
  for (const [key, value] of Object.entries(attributes)) {
    if (value !== undefined) tag += ` ${key}="${escapeXmlAttribute(value)}"`
  }
  return content === undefined ? `${tag}/>` : `${tag}>${content}</${name}>`
}
