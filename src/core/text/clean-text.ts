/**
 * Replaces characters that no format can contain by U+FFFD: control characters other than tab and line breaks,
 * noncharacters and lone surrogates.
 * @see https://www.w3.org/TR/xml/#charsets
 */
export function cleanText(text: string): string {
  return text.replace(/[\p{Cc}\p{Cs}\ufffe\uffff]/gu, character =>
    character === '\t' || character === '\n' || character === '\r' ? character : '\ufffd',
  )
}

/** A text of invisible characters alone: blanks, control characters and others. */
const invisible = /^[\s\p{Cc}\p{Cf}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]*$/u

/** The text of {@link cleanText} without blanks at its ends; undefined if it has no visible character. */
export function visibleText(text: string | undefined): string | undefined {
  if (text === undefined || invisible.test(text)) return undefined
  return cleanText(text).trim()
}
