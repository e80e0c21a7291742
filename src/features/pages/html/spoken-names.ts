/** Languages, authors and messages for people. The browser application imports this module, too. */

const languages = new Intl.DisplayNames('en', { type: 'language' })

/** A language by its tag: `de` as `German`. A text that is no tag stays as it is. */
export function languageInWords(tag: string): string {
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
