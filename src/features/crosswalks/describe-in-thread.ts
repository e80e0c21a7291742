import type { DescribeModule } from '../../core/records/document-description.js'
import { withoutAddresses } from '../exports/datacite/export-context.js'
import { sourcedDocument } from '../exports/datacite/record-to-datacite.js'
import { recordWithDescription } from '../exports/datacite/record-with-description.js'
import { shortenedRevision } from '../exports/export-job.js'
import { describeDocument } from './describe-document.js'
import { readStatement } from './schema-statement.js'
import { besideRecord, needsAuthor } from './stated-people.js'

/*
 * The module that threads of other features load, so that they describe documents themselves.
 */

export { saidBySchema } from './schema-statement.js'

/** What was read last, because documents of one schema often come one after another. */
let last: { readonly text: string; readonly read: ReturnType<typeof readStatement> } | undefined

export const describe: DescribeModule['describe'] = (revision, document, said, readAuthor) => {
  if (said !== undefined && last?.text !== said) last = { text: said, read: readStatement(said) }
  const { crosswalk, known } = (said !== undefined && last?.read) || {}
  const found = describeDocument(document, revision.documentType, crosswalk, known)
  if (Object.keys(found).length === 0) return revision.record
  const description = needsAuthor(revision.record, found)
    ? besideRecord(revision.record, found, readAuthor())
    : found
  const described = sourcedDocument(shortenedRevision(revision), { ...withoutAddresses, description })
  return recordWithDescription(revision.record, described)
}
