import { authorInWords, isNobody, nobody } from '../../../pages/html/spoken-names.js'
import { loginOptions } from '../login/login-session.js'

export { authorInWords, isNobody }

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

/** The name of an author, of which a person has typed what pages show. Only a server that asks for no login has `SELF`. */
export function namedAuthor(typed: string): string {
  if (typed.toLowerCase() !== nobody) return typed
  return loginOptions.tokens ? 'anonymousUser' : 'SELF'
}
