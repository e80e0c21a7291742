import { words } from '../words.js'

/** Who made a change. @param props.beginsSentence for a capital letter, if the author is not a name */
export function Author({
  name,
  beginsSentence = false,
}: {
  readonly name: string
  readonly beginsSentence?: boolean
}) {
  const text = authorInWords(name)
  const isName = text === name
  return (
    <span dir="auto">
      {beginsSentence && !isName ? `${text.charAt(0).toUpperCase()}${text.slice(1)}` : text}
    </span>
  )
}

/** Whether a name of an author stands for callers without a login, and so for nobody. */
export function isNobody(author: string): boolean {
  return author === 'SELF' || author === 'anonymousUser'
}

/** The author of a change for people. */
export function authorInWords(author: string): string {
  return isNobody(author) ? words.changes.nobody : author
}
