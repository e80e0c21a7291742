import type { Principal } from '../../core/access-control.js'
import type { Precondition } from '../../core/precondition.js'
import type { PageRequest } from '../../core/records/list-page.js'
import type { ListPage, ListQuery } from '../../core/records/list-query.js'
import type { Revision } from '../../core/records/revision.js'
import type { Id, Oid, Version } from '../../core/value-types.js'
import {
  findChangeable,
  findReadable,
  restrictToVisibleByName,
  unknownRecord,
  unknownVersion,
} from '../rules/request-rules.js'
import type { MetadataPreparer } from '../updates/prepare-metadata.js'
import { commitPrepared, type UpdateBase } from '../updates/prepared-update.js'
import type { MetadataDraft } from '../updates/record-drafts.js'
import type { Transactions } from '../updates/submit-update.js'

/** `name` as in {@link Schemas}. */
export interface Metadata {
  create(
    caller: Principal,
    draft: MetadataDraft & { readonly schema: NonNullable<MetadataDraft['schema']> },
    document: Uint8Array,
  ): Promise<Revision>
  /**
   * Refuses what {@link revise} would refuse whatever the change is, for a request whose body has not been read.
   * @throws ProblemError `unauthenticated`, `not-found`, `forbidden`, `precondition-failed`
   */
  demandChangeable(caller: Principal, name: string, precondition: Precondition): Promise<void>
  revise(
    caller: Principal,
    name: string,
    precondition: Precondition,
    change: { readonly draft?: MetadataDraft; readonly document?: Uint8Array },
  ): Promise<Revision>
  read(caller: Principal, name: string, version?: Version): Revision
  /** `schemaIds` may be any names of schemas. */
  list(caller: Principal, query: ListQuery, cut: PageRequest): ListPage
  /** Versions newest first. @throws ProblemError `not-found` */
  versions(caller: Principal, name: string, cut: PageRequest): ListPage
  /** @returns the commit that took the step */
  remove(caller: Principal, name: string, precondition: Precondition): Promise<Oid | undefined>
}

export interface MetadataOptions {
  readonly desk: Transactions
  /** The committed state, for updates. */
  readonly committed: UpdateBase
  readonly updates: MetadataPreparer
  /** A random UUID. */
  readonly newId: () => Id
}

export function openMetadata({ desk, committed, updates, newId }: MetadataOptions): Metadata {
  return {
    async create(caller, draft, document) {
      const id = draft.id ?? newId()
      return await commitPrepared(desk, caller, () =>
        updates.create(committed, caller, { ...draft, id }, document),
      )
    },

    async demandChangeable(caller, name, precondition) {
      await desk.readCommitted(state => findChangeable(state, caller, 'metadata', name, precondition))
    },

    async revise(caller, name, precondition, change) {
      return await commitPrepared(desk, caller, () =>
        updates.revise(committed, caller, name, precondition, change),
      )
    },

    read(caller, name, version) {
      const newest = findReadable(desk.committed, caller, 'metadata', name)
      if (version === undefined) return newest
      const found = desk.committed.atVersion('metadata', newest.id, version)
      if (!found) throw unknownVersion(name, version)
      return found
    },

    list: (caller, query, cut) =>
      desk.committed.list('metadata', restrictToVisibleByName(desk.committed, caller, query), cut),

    versions(caller, name, cut) {
      const { id } = findReadable(desk.committed, caller, 'metadata', name)
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
