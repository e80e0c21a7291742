/**
 * The text without what no format can hold: control characters other than tab and line breaks, noncharacters and lone
 * surrogates become U+FFFD.
 * @see https://www.w3.org/TR/xml/#charsets
 */
export function cleanText(text: string): string {
  return text.replace(/[\p{Cc}\p{Cs}\ufffe\uffff]/gu, character =>
    character === '\t' || character === '\n' || character === '\r' ? character : '\ufffd',
  )
}

/** Characters that show nothing: blanks, control characters and other invisible characters. */
const invisible = /^[\s\p{Cc}\p{Cf}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]*$/u

/** The cleaned text without blanks at its ends; undefined if nothing of it is visible. */
export function visibleText(text: string | undefined): string | undefined {
  if (text === undefined || invisible.test(text)) return undefined
  return cleanText(text).trim()
}
