import { findingInWords } from '../../../pages/html/finding-in-words.js'
import type { Finding } from '../api/interface-types.js'
import { words } from '../words.js'

/** Limit of the characters of a value in a sentence. */
const maxValue = 60
/** Sentences about a value of another type, and which one the schema wants. */
const wrongType = /^must be (string|number|integer|boolean|array|object|null)$/

/**
 * A finding in plain words; undefined if only the words of the validator are exact.
 * @param value the text of the value that it is about
 */
export function findingInPlainWords(
  { message, missing, unknown }: Finding,
  value?: string,
): string | undefined {
  if (missing !== undefined) return words.finding.missing(missing)
  if (unknown !== undefined) return words.finding.unknown(unknown)
  const [, type = ''] = wrongType.exec(message) ?? []
  const say = words.finding.types[type]
  if (say && value !== undefined && !/^[[{]/.test(value)) return say(shortened(value.replace(/^"|"$/g, '')))
  return findingInWords(message)
}

function shortened(value: string): string {
  return value.length > maxValue ? `${value.slice(0, maxValue)}…` : value
}
