/** Languages, authors, times and messages for people. The browser application imports this module, too. */

// Made on demand, because it takes a fiftieth of the start of a server.
let languages: Intl.DisplayNames | undefined

/** A language by its tag: `de` as `German`. A text that is no tag stays as it is. */
export function languageInWords(tag: string): string {
  languages ??= new Intl.DisplayNames('en', { type: 'language' })
  try {
    return languages.of(tag) ?? tag
  } catch (error) {
    if (error instanceof RangeError) return tag
    throw error
  }
}

/** Whether a name of an author stands for callers without a login, and so for nobody. */
export function isNobody(author: string): boolean {
  return author === 'SELF' || author === 'anonymousUser'
}

/** Who has made a change without a login. */
export const nobody = 'someone without a login'

/** The author of a change for people. */
export function authorInWords(author: string): string {
  return isNobody(author) ? nobody : author
}

/** Whether the message of a commit only says what a list of versions says anyway, because nobody wrote one. */
export function isAutomatic(message: string): boolean {
  return /^(?:Create|Register|Update|Update the record of) (?:schema|metadata) /.test(message)
}

const dayAndTime = new Intl.DateTimeFormat('en-GB', {
  ...{ day: 'numeric', month: 'short', year: 'numeric' },
  ...{ hour: '2-digit', minute: '2-digit', second: '2-digit', timeZone: 'UTC' },
})

/** A time in UTC, to the second: `14 Mar 2026, 09:26:53 UTC`. */
export function secondInWords(time: Date): string {
  return `${dayAndTime.format(time)} UTC`
}

/** What a person cannot do, for a refusal of the interface; undefined: it has no plainer words. */
export function refusalInWords(message: string): string | undefined {
  const [, field] = /^The field "(?:document\.)?(.*)" has no range[.,]/.exec(message) ?? []
  if (field !== undefined)
    return `Nothing is found by a range of “${field}”, because no schema says that it is a number or a date. Search for a word of it instead, or ask those who look after the schema.`
  const [, permission, name] =
    /^This needs the permission (READ|WRITE|ADMINISTRATE) on "(.*)"\.$/.exec(message) ?? []
  if (permission === 'READ') return `You may not read “${name}”.`
  if (permission === 'WRITE') return `You may not change “${name}”.`
  return permission && `You may not change who may do what with “${name}”, or its state.`
}
