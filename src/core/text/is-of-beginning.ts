/**
 * Whether a passage has the beginning of a text, or a part of it.
 * @param beginning ends with `…` if the text is cut
 */
export function isOfBeginning(passage: string, beginning: string | undefined): boolean {
  const text = beginning?.replace(/…$/, '')
  return text !== undefined && (text.includes(passage) || passage.includes(text))
}
