import { parseVersion, type Version } from '../../core/value-types.js'

/* Positional arguments and options that several commands share. */

export const recordId = {
  type: 'string',
  demandOption: true,
  describe: 'Id of the schema or metadata record',
} as const

export const ifMatch = {
  type: 'string',
  requiresArg: true,
  describe: 'Only if the record is still at this commit (its ETag)',
} as const

export const schemaVersion = {
  type: 'string',
  requiresArg: true,
  describe: 'Version of the schema; default: the newest',
} as const

/**
 * Parses the version that an optional argument names.
 * @returns undefined, which means the newest version, if the argument is missing
 * @throws ProblemError `malformed-request`
 */
export function parseOptionalVersion(text: string | undefined): Version | undefined {
  return text === undefined ? undefined : parseVersion(text)
}
