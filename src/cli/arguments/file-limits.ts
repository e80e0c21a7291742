import { uploadLimits } from '../../http/forms/upload-limits.js'
import type { FileSizeLimits } from '../../service/git/incoming-commit-rules.js'
import { UsageError } from '../command-context.js'
import { number } from './option-table.js'

/** Names of the options below, which environment variables can set, too. */
export const fileLimitNames = ['max-document', 'max-record'] as const

const mebibyte = 2 ** 20
const kibibyte = 2 ** 10
const defaults = uploadLimits()

/** Options for the limits of file sizes: of `serve`, and of commands that check commits before a server gets them. */
export const fileLimitOptions = {
  'max-document': {
    ...number,
    default: defaults.document / mebibyte,
    describe: 'Mebibytes that a document may have',
  },
  'max-record': {
    ...number,
    default: defaults.record / kibibyte,
    describe: 'Kibibytes that a record may have',
  },
} as const

/**
 * Converts `--max-document` (MiB) and `--max-record` (KiB) to bytes.
 * @throws UsageError unless both are more than 0
 */
export function fileLimitsOf(options: {
  readonly maxDocument: number
  readonly maxRecord: number
}): FileSizeLimits {
  const { maxDocument, maxRecord } = options
  if (!(maxDocument > 0)) throw new UsageError('--max-document must be more than 0.')
  if (!(maxRecord > 0)) throw new UsageError('--max-record must be more than 0.')
  return { document: maxDocument * mebibyte, record: maxRecord * kibibyte }
}
