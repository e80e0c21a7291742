import type { Caller } from '../../core/access-control.js'
import type { PointName } from '../../core/history-point.js'
import type { Precondition } from '../../core/precondition.js'
import { type Finding, ProblemError } from '../../core/problem.js'
import type { Cut } from '../../core/records/list-page.js'
import type { Listed, ListQuery } from '../../core/records/list-query.js'
import { stateOf } from '../../core/records/record.js'
import type { Revision } from '../../core/records/revision.js'
import type { Id, Oid, Version } from '../../core/value-types.js'
import type { Documents } from '../../store/objects/blob-cache.js'
import type { Validator } from '../../validation/validator.js'
import type { OpenPast } from '../record-history/read-at-point.js'
import { type Bundles, furtherFiles } from '../rules/assemble-schema-bundle.js'
import {
  changeable,
  isReadable,
  isVisible,
  named,
  readable,
  seenBy,
  unknownRecord,
  unknownVersion,
} from '../rules/request-rules.js'
import type { SchemaUpdates } from '../updates/prepare-schema.js'
import { carryOut, type Prospect } from '../updates/prepared-update.js'
import type { Origins, SchemaDraft, SchemaUpload } from '../updates/record-drafts.js'
import type { Desk } from '../updates/submit-update.js'
import { dryRunWork } from '../updates/validation-request.js'

/** `name`: a name the record has now, its id, persistent identifier or an alternate identifier. @see contract, 1.8 */
export interface Schemas {
  register(
    caller: Caller,
    draft: SchemaDraft,
    upload: SchemaUpload & { readonly document: Uint8Array },
    origins: Origins,
  ): Promise<Revision>
  /**
   * Refuses what {@link revise} would refuse whatever the change is, for a request whose body has not been read.
   * @throws ProblemError `unauthenticated`, `not-found`, `forbidden`, `precondition-failed`
   */
  demandChangeable(caller: Caller, name: string, precondition: Precondition): Promise<void>
  /**
   * Where a document or a file is uploaded, the files the document still reaches are carried over from the current
   * version; the others leave.
   */
  revise(
    caller: Caller,
    name: string,
    precondition: Precondition,
    change: SchemaUpload & { readonly draft?: SchemaDraft },
    origins: Origins,
  ): Promise<Revision>
  read(caller: Caller, name: string, version?: Version): Revision
  list(caller: Caller, query: ListQuery, cut: Cut): Listed
  /** Versions newest first; an unknown schema has an empty page. */
  versions(caller: Caller, name: string, cut: Cut): Listed
  /** @returns the commit that took the step */
  remove(caller: Caller, name: string, precondition: Precondition): Promise<Oid | undefined>
  /** The id of the record with this name that the caller may read. */
  idOf(caller: Caller, name: string): Id | undefined
  /** Bytes of a further file. @throws ProblemError `not-found` */
  file(revision: Revision, path: string): Promise<Buffer>
  /**
   * Refuses what {@link validate} would refuse whatever the document is, for a request whose body has not been read.
   * @throws ProblemError `not-found`, `forbidden`; `malformed-request` for a point that is none
   */
  demandUsable(caller: Caller, name: string, version: Version | undefined, at?: PointName): Promise<void>
  /**
   * @param at the point of history whose schema is meant; default: now
   * @returns findings; none when the document is valid
   * @throws ProblemError `not-found`; `malformed-request` for a point that is none
   */
  validate(
    caller: Caller,
    name: string,
    version: Version | undefined,
    document: Uint8Array,
    at?: PointName,
  ): Promise<readonly Finding[]>
}

export interface SchemasOptions {
  readonly desk: Desk
  /** The committed state, for updates. */
  readonly committed: Prospect
  readonly updates: SchemaUpdates
  readonly documents: Documents
  readonly bundles: Bundles
  readonly validator: Validator
  readonly past: OpenPast
}

export function openSchemas(options: SchemasOptions): Schemas {
  const { desk, committed, updates, documents, bundles, validator, past } = options

  function read(caller: Caller, name: string, version?: Version): Revision {
    const newest = readable(desk.committed, caller, 'schema', name)
    if (version === undefined) return newest
    const found = desk.committed.atVersion('schema', newest.id, version)
    if (!found) throw unknownVersion(name, version)
    return found
  }

  /** The schema version that documents are checked against, and the state it is of. */
  async function usable(caller: Caller, name: string, version?: Version, at?: PointName) {
    const used = at
      ? await past.schema(caller, name, at, version)
      : { schema: read(caller, name, version), state: desk.committed }
    const today = desk.committed.newest('schema', used.schema.id)
    if (today && stateOf(today.record) === 'REVOKED') throw unknownRecord('schema', name)
    return used
  }

  return {
    async register(caller, draft, upload, origins) {
      return await carryOut(desk, caller, () => updates.register(caller, draft, upload, origins))
    },

    async revise(caller, name, precondition, change, origins) {
      return await carryOut(desk, caller, () =>
        updates.revise(committed, caller, name, precondition, change, origins),
      )
    },

    async demandChangeable(caller, name, precondition) {
      await desk.ask(state => changeable(state, caller, 'schema', name, precondition))
    },

    read,

    idOf(caller, name) {
      const found = named(desk.committed, 'schema', name)
      return found && isReadable(caller, found.record) ? found.id : undefined
    },

    list: (caller, query, cut) => desk.committed.list('schema', seenBy(desk.committed, caller, query), cut),

    versions(caller, name, cut) {
      const nothing = { items: [], offset: cut.offset, limit: cut.limit, total: 0 }
      const newest = named(desk.committed, 'schema', name)
      if (!newest || !isVisible(caller, newest.record)) return nothing
      readable(desk.committed, caller, 'schema', name)
      return desk.committed.versions('schema', newest.id, cut) ?? nothing
    },

    async remove(caller, name, precondition) {
      const { kind, id, plan } = await updates.remove(committed, caller, name, precondition)
      return await desk.commit(caller, async state => (await plan(state)).change, { kind, id })
    },

    async file(revision, path) {
      const oid = furtherFiles(revision.files).get(path)
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
      return await validator.validate(await bundles.of(state, schema, work), document, work)
    },
  }
}
