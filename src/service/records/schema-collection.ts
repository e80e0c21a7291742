import type { Principal } from '../../core/access-control.js'
import type { PointExpression } from '../../core/history-point.js'
import { type Finding, ProblemError } from '../../core/problem.js'
import { stateOf } from '../../core/records/record.js'
import type { Revision } from '../../core/records/revision.js'
import { type Id, isId, type Version } from '../../core/value-types.js'
import type { BlobReader } from '../../store/blobs/blob-reader.js'
import type { Validator } from '../../validation/validator.js'
import { findByName, findIfReadable, findReadable, unknownRecord } from '../access/find-record.js'
import type { RecordsAtPoint } from '../points/read-at-point.js'
import type { BundleAssembler } from '../rules/assemble-schema-bundle.js'
import { isVisible } from '../rules/record-rules.js'
import { attachedFiles } from '../rules/schema-source.js'
import { dryRunWork } from '../updates/prepared-update.js'
import type { RecordDraft } from '../updates/record-drafts.js'
import {
  openRecordCollection,
  type RecordCollection,
  type RecordCollectionOptions,
} from './record-collection.js'

/** The schemas, with the functions that change them and use them. `name` as in {@link RecordCollection}. */
export interface Schemas extends RecordCollection {
  /** The id of the schema with a name; undefined if there is none that the caller may read. */
  idOf(caller: Principal, name: string): Id | undefined
  /**
   * The schema version to which a reference with an id leads.
   * @param from the schema version with the reference
   * @param version default: the newest one when `from` was registered
   * @returns undefined if there is none that the caller may read
   */
  referredTo(caller: Principal, from: Revision, id: string, version?: Version): Revision | undefined
  /** Bytes of an additional file. @throws ProblemError `not-found` */
  file(revision: Revision, path: string): Promise<Buffer>
  /**
   * Refuses what {@link validate} would refuse for any document, before the body of the request is read.
   * @throws ProblemError `not-found`, `forbidden`; `malformed-request` for a point that cannot be read
   */
  demandUsable(
    caller: Principal,
    name: string,
    version: Version | undefined,
    at?: PointExpression,
  ): Promise<void>
  /**
   * Validates a document, and stores nothing.
   * @param at point of history of the schema; default: now
   * @throws ProblemError `not-found`; `malformed-request` for a point that cannot be read
   */
  validate(
    caller: Principal,
    name: string,
    version: Version | undefined,
    document: Uint8Array,
    at?: PointExpression,
  ): Promise<Judgement>
}

/** The result of a validation. */
export interface Judgement {
  /** None for a valid document. */
  readonly findings: readonly Finding[]
  /** The schema version that the document was judged by. */
  readonly schema: Revision
  /** Name of the library that judged. */
  readonly engine: string
}

export interface SchemasOptions extends RecordCollectionOptions<RecordDraft> {
  readonly documents: BlobReader
  readonly bundles: BundleAssembler
  readonly validator: Validator
  readonly past: Pick<RecordsAtPoint, 'schema'>
}

export function openSchemas(options: SchemasOptions): Schemas {
  const { transactions, documents, bundles, validator, past } = options
  const collection = openRecordCollection('schema', options, draft => draft)

  /** The schema version against which documents are validated, and the records that its references may name. */
  async function usable(caller: Principal, name: string, version?: Version, at?: PointExpression) {
    const used = at
      ? await past.schema(caller, name, at, version)
      : { schema: collection.read(caller, name, version), state: transactions.committed }
    const today = transactions.committed.newest('schema', used.schema.id)
    if (today && stateOf(today.record) === 'REVOKED') throw unknownRecord('schema', name)
    return used
  }

  return {
    ...collection,

    idOf: (caller, name) => findIfReadable(transactions.committed, caller, 'schema', name)?.id,

    versions(caller, name, window) {
      const nothing = { items: [], offset: window.offset, limit: window.limit, total: 0 }
      const newest = findByName(transactions.committed, 'schema', name)
      if (!newest || !isVisible(caller, newest.record)) return nothing
      findReadable(transactions.committed, caller, 'schema', name)
      return transactions.committed.versions('schema', newest.id, window) ?? nothing
    },

    referredTo(caller, from, id, version) {
      if (!isId(id) || !findIfReadable(transactions.committed, caller, 'schema', id)) return undefined
      return bundles.referredTo(transactions.committed, from, { id, ...(version && { version }) })
    },

    async file(revision, path) {
      const oid = attachedFiles(revision).get(path)
      if (oid === undefined) {
        throw new ProblemError(
          'not-found',
          `Version ${revision.version} of the schema "${revision.id}" has no file "${path}".`,
        )
      }
      return await documents.read(oid)
    },

    async demandUsable(caller, name, version, at) {
      await usable(caller, name, version, at)
    },

    async validate(caller, name, version, document, at) {
      const { schema, state } = await usable(caller, name, version, at)
      const work = dryRunWork(caller)
      const findings = await validator.validate(await bundles.ofStored(state, schema, work), document, work)
      return { findings, schema, engine: validator.engineOf(schema.documentType) }
    },
  }
}
