/**
 * Whether a passage contains the beginning of a text, or is a part of that beginning.
 * @param beginning ends with `…` if the text is cut
 */
export function overlapsBeginning(passage: string, beginning: string | undefined): boolean {
  const text = beginning?.replace(/…$/, '')
  return text !== undefined && (text.includes(passage) || passage.includes(text))
}
