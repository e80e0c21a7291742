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

/** The author of a change for people: who has not logged in has the name of a role. */
export function authorInWords(author: string): string {
  return author === 'SELF' || author === 'anonymousUser' ? words.changes.nobody : author
}
