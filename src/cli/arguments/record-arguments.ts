import { parseVersion, type Version } from '../../core/value-types.js'

/** Positional arguments and options that several commands have. */

export const recordId = {
  type: 'string',
  demandOption: true,
  describe: 'Id of the schema or metadata record',
} as const

export const ifMatch = {
  type: 'string',
  requiresArg: true,
  describe: 'Only if the current state is still the one of this commit (its ETag)',
} as const

export const schemaVersion = {
  type: 'string',
  requiresArg: true,
  describe: 'Version of the schema; by default the newest',
} as const

/** @returns undefined where no version is named: the newest */
export function parseOptionalVersion(text: string | undefined): Version | undefined {
  return text === undefined ? undefined : parseVersion(text)
}
