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

/** The name of an author, of which a person has typed what pages show. */
export function namedAuthor(typed: string): string {
  return typed.toLowerCase() === words.changes.nobody ? 'SELF' : typed
}

/** The author of a change for people. */
export function authorInWords(author: string): string {
  return isNobody(author) ? words.changes.nobody : author
}
