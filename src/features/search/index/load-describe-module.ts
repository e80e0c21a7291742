import type { Connection } from '../../../catalog/database/sqlite-connection.js'
import type { DescribeModule } from '../../../core/records/document-description.js'
import type { StoredRecord } from '../../../core/records/record.js'
import type { Revision } from '../../../core/records/revision.js'
import type { Oid } from '../../../core/value-types.js'
import { parseCommit } from '../../../store/objects/commit-format.js'
import type { PackReader } from '../../../store/packs/pack-reader.js'

/**
 * Gives the record of a revision with what its document says about itself.
 * @param document undefined for a document that cannot be read
 * @param said what the schema says about its documents
 */
export type DescribeRecord = (
  revision: Revision,
  document: Uint8Array | undefined,
  said: string | undefined,
) => StoredRecord

/** What a thread asks of the module that describes documents. */
export interface Describer {
  readonly describe: DescribeRecord
  readonly saidBySchema: DescribeModule['saidBySchema']
}

/** Reads the name of the author of the commit that created a record; undefined if it is unknown. */
export type ReadAuthor = (revision: Revision) => string | undefined

/** Takes nothing from documents. */
export const asStored: DescribeRecord = ({ record }) => record

/** Loads the module that describes documents. @param address undefined: there is none */
export async function loadDescribeModule(
  address: string | undefined,
  readAuthor: ReadAuthor,
): Promise<Describer> {
  if (address === undefined) return { describe: asStored, saidBySchema: () => undefined }
  const { describe, saidBySchema } = (await import(address)) as DescribeModule
  return {
    describe: (revision, document, said) =>
      document && revision.kind === 'metadata'
        ? describe(revision, document, said, () => readAuthor(revision))
        : revision.record,
    saidBySchema,
  }
}

/** Limit of the bytes of a commit whose author is read. */
const maxCommitBytes = 64 * 1024

/** Reads authors from packs. @param catalog the catalog, or a connection to which it is attached */
export function openAuthorReader(catalog: Connection, packs: PackReader): ReadAuthor {
  const firstCommit = catalog.prepare<readonly [oid: string]>(
    `SELECT r.oid FROM newest n CROSS JOIN revision r ON r.rid = n.rid AND r.standing = 1 AND r.version = 1
     WHERE n.kind = ? AND n.id = ? ORDER BY r.sequence LIMIT 1`,
  )
  return ({ kind, id, version, commit }) => {
    const oid = version === 1 ? commit : firstCommit.get(kind, id)?.[0]
    const read = oid === undefined ? undefined : packs.read(oid as Oid, maxCommitBytes)
    return read?.type === 'commit' ? parseCommit(oid as Oid, read.bytes).authorName : undefined
  }
}
