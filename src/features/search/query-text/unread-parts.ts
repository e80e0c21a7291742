import { rangeKindOf } from '../range-bounds.js'
import { withoutDocumentPrefix } from '../search-condition.js'
import { recordFieldOfName } from './field-of-name.js'
import type { QueryToken } from './query-text-tokens.js'

/*
 * Notes for the person who searches, on words and phrases that look like the syntax of another query language, or like
 * syntax of this one where it has no meaning.
 */

/**
 * A note on a word that is searched as text although the person may have meant something else.
 * @param next the tokens that follow
 * @returns undefined if there is nothing to say
 */
export function noteOnWord(
  text: string,
  field: string | undefined,
  next: readonly QueryToken[],
): string | undefined {
  const name = text.slice(0, -1)
  if (text.endsWith(':') && isLikeField(name))
    return `"${text}" has no value and is searched as a word: write ${name}:word, without a blank.`
  if (field === undefined) return undefined
  const shown = withoutDocumentPrefix(field)
  if (/^[<>]/.test(text)) {
    const bound = text.replace(/^[<>=]+/, '')
    return `"${shown}:${text}" is no range: write ${shown}:${bound}.. or ${shown}:..${bound}.`
  }
  const [to, until] = next
  if (/^[[{]/.test(text) && to?.type === 'word' && to.text === 'TO') {
    const last = until?.type === 'word' ? until.text.replace(/\*?[\]}]$/, '') : ''
    return `"${shown}:${text} TO" is no range and is searched as words: write ${shown}:${text.slice(1)}..${last} instead.`
  }
  if (rangeKindOf(field) === 'date')
    return `"${text}" is no time, so ${shown}:${text} finds nothing: write ${shown}:2024-05-01 or ${shown}:2024-05..2024-06.`
  return undefined
}

/** A note on the name of a field that the person may have meant otherwise; undefined if there is nothing to say. */
export function noteOnField(name: string): string | undefined {
  return name !== '*' && name.replace(/^\*\./, '').includes('*')
    ? `"${name}" is no field, so it finds nothing: an asterisk stands for the beginning of a path, as in *.name.`
    : undefined
}

/** A note on a phrase that the person may have meant otherwise; undefined if there is nothing to say. */
export function noteOnPhrase(text: string): string | undefined {
  return /[\p{L}\p{N}]\*/u.test(text)
    ? `An asterisk has no meaning between quotation marks: write "${text}" without them.`
    : undefined
}

/** Whether a word before a colon and a blank is more likely the name of a field than a word of a text. */
function isLikeField(name: string): boolean {
  if (recordFieldOfName(name) !== undefined) return true
  const parts = name.split('.')
  return /^[\p{L}_@*]/u.test(name) && parts.length > 1 && parts.every(part => part !== '')
}
