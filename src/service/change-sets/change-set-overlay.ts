import type { Collection } from '../../core/records/collection.js'
import { relatedResources, uniqueNamesOf } from '../../core/records/record.js'
import type { CatalogQueries, NameOwner } from '../../core/records/record-queries.js'
import type { Revision } from '../../core/records/revision.js'
import { type Id, type Oid, toInstant, toSha1, type Version } from '../../core/value-types.js'
import { recordDirectory } from '../../store/records/repository-layout.js'
import type { RecordChange } from '../../store/write/writer-interface.js'

/**
 * The records as they would be after the first changes of a change set, as far as the rules query them. The rules check
 * the later changes of the set against these records. The overlay is in memory, because the changes have no commit yet
 * and may never have one: a change set is prepared outside the writer, and one refused change discards all of them.
 *
 * The catalog's pending state (`catalog/write/pending-state`) is for the updates of a flush instead. These have commits
 * already, so the pending state writes them into the open transaction and queries the database.
 */
export interface ChangeSetOverlay {
  /** Queries that answer as if the added changes were stored on top of `state`. */
  queriesOn(state: CatalogQueries): CatalogQueries
  /** Adds a planned change. @param version of the record after it; undefined for a removal */
  add(change: RecordChange, version: Version | undefined): void
}

/** Members of a revision that are unknown before the commit. No rule queries them. */
const unknownBeforeCommit = {
  commit: '0'.repeat(40) as Oid,
  document: '0'.repeat(40) as Oid,
  documentHash: toSha1('0'.repeat(40)),
  time: toInstant(0),
  createdAt: toInstant(0),
  files: new Map<string, Oid>(),
  sequence: Number.MAX_SAFE_INTEGER,
}

export function openChangeSetOverlay(): ChangeSetOverlay {
  /** Planned revisions by directory; undefined: the record is removed. */
  const planned = new Map<string, Revision | undefined>()
  const names = new Map<string, NameOwner>()
  const pairs = new Map<string, Id>()
  const dependents = new Map<Id, Id>()
  const removedMetadata: Id[] = []

  const isRemoved = (kind: Collection, id: Id) => {
    const directory = recordDirectory(kind, id)
    return planned.has(directory) && planned.get(directory) === undefined
  }
  const pairOf = (resource: string, schemaId: string) => JSON.stringify([resource, schemaId])
  const withRemoval = <T extends NameOwner>(owner: T): T =>
    isRemoved(owner.kind, owner.id) ? { ...owner, gone: true } : owner

  return {
    add({ kind, id, state }, version) {
      const directory = recordDirectory(kind, id)
      if (!state || version === undefined) {
        planned.set(directory, undefined)
        if (kind === 'metadata') removedMetadata.push(id)
        return
      }
      const { record, documentType } = state
      planned.set(directory, { ...unknownBeforeCommit, kind, id, version, record, documentType })
      for (const name of uniqueNamesOf(record)) names.set(name, { kind, id, gone: false })
      const { schema } = record
      if (!schema) return
      dependents.set(schema.schemaId, id)
      for (const resource of relatedResources(record)) pairs.set(pairOf(resource, schema.schemaId), id)
    },

    queriesOn: state => ({
      ...state,
      newest(kind, id) {
        const directory = recordDirectory(kind, id)
        return planned.has(directory) ? planned.get(directory) : state.newest(kind, id)
      },
      atVersion(kind, id, version) {
        const found = planned.get(recordDirectory(kind, id))
        if (found?.version === version) return found
        return isRemoved(kind, id) ? undefined : state.atVersion(kind, id, version)
      },
      owner(name) {
        // The first record that has a name keeps it.
        const found = state.owner(name) ?? names.get(name)
        return found && withRemoval(found)
      },
      owners(wanted, except) {
        const stored = new Map(state.owners(wanted, except).map(owner => [owner.name, owner]))
        return wanted.flatMap(name => {
          const found = stored.get(name) ?? names.get(name)
          if (!found || (found.kind === except?.kind && found.id === except.id)) return []
          return [{ ...withRemoval(found), name }]
        })
      },
      describers(resources, schemaId, except) {
        const stored = new Map(
          state
            .describers(resources, schemaId, except)
            // `pairs` has the resources of changed records.
            .filter(({ id }) => !planned.has(recordDirectory('metadata', id)))
            .map(({ resource, id }) => [resource, id]),
        )
        return resources.flatMap(resource => {
          const own = pairs.get(pairOf(resource, schemaId))
          const id = own !== undefined && own !== except ? own : stored.get(resource)
          return id === undefined ? [] : [{ resource, id }]
        })
      },
      isFree: claim =>
        state.isFree(claim) &&
        !planned.has(claim.directory) &&
        !claim.names.some(name => names.has(name)) &&
        !claim.resources.some(resource => pairs.has(pairOf(resource, claim.schemaId ?? ''))),
      dependentOf: (schemaId, except = []) =>
        state.dependentOf(schemaId, [...except, ...removedMetadata]) ?? dependents.get(schemaId),
      isFaulty: directory => !planned.has(directory) && state.isFaulty(directory),
    }),
  }
}
