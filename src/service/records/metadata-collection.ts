import type { Caller } from '../../core/access-control.js'
import type { Precondition } from '../../core/precondition.js'
import type { Cut } from '../../core/records/list-page.js'
import type { Listed, ListQuery } from '../../core/records/list-query.js'
import type { Revision } from '../../core/records/revision.js'
import type { Id, Oid, Version } from '../../core/value-types.js'
import { changeable, readable, seenByName, unknownRecord, unknownVersion } from '../rules/request-rules.js'
import type { MetadataUpdates } from '../updates/prepare-metadata.js'
import { carryOut, type Prospect } from '../updates/prepared-update.js'
import type { MetadataDraft } from '../updates/record-drafts.js'
import type { Desk } from '../updates/submit-update.js'

/** `name` as in {@link Schemas}. */
export interface Metadata {
  create(
    caller: Caller,
    draft: MetadataDraft & { readonly schema: NonNullable<MetadataDraft['schema']> },
    document: Uint8Array,
  ): Promise<Revision>
  /**
   * Refuses what {@link revise} would refuse whatever the change is, for a request whose body has not been read.
   * @throws ProblemError `unauthenticated`, `not-found`, `forbidden`, `precondition-failed`
   */
  demandChangeable(caller: Caller, name: string, precondition: Precondition): Promise<void>
  revise(
    caller: Caller,
    name: string,
    precondition: Precondition,
    change: { readonly draft?: MetadataDraft; readonly document?: Uint8Array },
  ): Promise<Revision>
  read(caller: Caller, name: string, version?: Version): Revision
  /** `schemaIds` may be any names of schemas. */
  list(caller: Caller, query: ListQuery, cut: Cut): Listed
  /** Versions newest first. @throws ProblemError `not-found` */
  versions(caller: Caller, name: string, cut: Cut): Listed
  /** @returns the commit that took the step */
  remove(caller: Caller, name: string, precondition: Precondition): Promise<Oid | undefined>
}

export interface MetadataOptions {
  readonly desk: Desk
  /** The committed state, for updates. */
  readonly committed: Prospect
  readonly updates: MetadataUpdates
  /** A random UUID. */
  readonly newId: () => Id
}

export function openMetadata({ desk, committed, updates, newId }: MetadataOptions): Metadata {
  return {
    async create(caller, draft, document) {
      const id = draft.id ?? newId()
      return await carryOut(desk, caller, () => updates.create(committed, caller, { ...draft, id }, document))
    },

    async demandChangeable(caller, name, precondition) {
      await desk.ask(state => changeable(state, caller, 'metadata', name, precondition))
    },

    async revise(caller, name, precondition, change) {
      return await carryOut(desk, caller, () => updates.revise(committed, caller, name, precondition, change))
    },

    read(caller, name, version) {
      const newest = readable(desk.committed, caller, 'metadata', name)
      if (version === undefined) return newest
      const found = desk.committed.atVersion('metadata', newest.id, version)
      if (!found) throw unknownVersion(name, version)
      return found
    },

    list: (caller, query, cut) =>
      desk.committed.list('metadata', seenByName(desk.committed, caller, query), cut),

    versions(caller, name, cut) {
      const { id } = readable(desk.committed, caller, 'metadata', name)
      const page = desk.committed.versions('metadata', id, cut)
      if (!page) throw unknownRecord('metadata', id)
      return page
    },

    async remove(caller, name, precondition) {
      const { kind, id, plan } = await updates.remove(committed, caller, name, precondition)
      return await desk.commit(caller, async state => (await plan(state)).change, { kind, id })
    },
  }
}
