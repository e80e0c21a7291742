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
 * The version that an argument names; undefined, for the newest version, if there is no argument.
 * @throws ProblemError `malformed-request`
 */
export function parseOptionalVersion(text: string | undefined): Version | undefined {
  return text === undefined ? undefined : parseVersion(text)
}
