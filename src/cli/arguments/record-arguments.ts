import { parseVersion, type Version } from '../../core/value-types.js'
import { argument, text } from './option-table.js'

/* Positional arguments and options that several commands share. */

export const recordId = { ...argument, describe: 'Id of the schema or metadata record' } as const

export const ifMatch = { ...text, describe: 'Only if the record is still at this commit (its ETag)' } as const

export const schemaVersion = { ...text, describe: 'Version of the schema; default: the newest' } as const

/**
 * Parses the version that an optional argument names.
 * @returns undefined, which means the newest version, if the argument is missing
 * @throws ProblemError `malformed-request`
 */
export function parseOptionalVersion(text: string | undefined): Version | undefined {
  return text === undefined ? undefined : parseVersion(text)
}
