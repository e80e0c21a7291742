import type { DescribeInThread } from '../../../core/records/document-description.js'
import type { StoredRecord } from '../../../core/records/record.js'
import type { Revision } from '../../../core/records/revision.js'

/**
 * Gives the record of a revision with what its document says about itself.
 * @param document undefined for a document that cannot be read
 * @param crosswalk of the schema, as JSON
 */
export type DescribeRecord = (
  revision: Revision,
  document: Uint8Array | undefined,
  crosswalk: string | undefined,
) => StoredRecord

/** Takes nothing from documents. */
export const asStored: DescribeRecord = ({ record }) => record

/** Loads the module that describes documents. @param address undefined: there is none */
export async function loadDescribeModule(address: string | undefined): Promise<DescribeRecord> {
  if (address === undefined) return asStored
  const { describe } = (await import(address)) as { readonly describe: DescribeInThread }
  return (revision, document, crosswalk) =>
    document && revision.kind === 'metadata' ? describe(revision, document, crosswalk) : revision.record
}
