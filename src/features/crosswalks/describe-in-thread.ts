import type { DescribeInThread } from '../../core/records/document-description.js'
import { withoutAddresses } from '../exports/datacite/export-context.js'
import { sourcedDocument } from '../exports/datacite/record-to-datacite.js'
import { recordWithDescription } from '../exports/datacite/record-with-description.js'
import { shortenedRevision } from '../exports/export-job.js'
import { readCrosswalk } from './crosswalk/read-crosswalk.js'
import { describeDocument } from './describe-document.js'
import { besideRecord, needsAuthor } from './stated-people.js'

/*
 * The module that threads of other features load, so that they describe documents themselves.
 */

/** The last crosswalk that was read, because documents of one schema often come one after another. */
let last: { readonly text: string; readonly read: ReturnType<typeof readCrosswalk> } | undefined

export const describe: DescribeInThread = (revision, document, crosswalk, readAuthor) => {
  if (crosswalk !== undefined && last?.text !== crosswalk)
    last = { text: crosswalk, read: readCrosswalk(JSON.parse(crosswalk)) }
  const own = crosswalk === undefined ? undefined : last?.read.crosswalk
  const found = describeDocument(document, revision.documentType, own)
  if (Object.keys(found).length === 0) return revision.record
  const description = needsAuthor(revision.record, found)
    ? besideRecord(revision.record, found, readAuthor())
    : found
  const described = sourcedDocument(shortenedRevision(revision), { ...withoutAddresses, description })
  return recordWithDescription(revision.record, described)
}
