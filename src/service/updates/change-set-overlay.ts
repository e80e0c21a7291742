import type { Collection } from '../../core/records/collection.js'
import { relatedResources, uniqueNamesOf } from '../../core/records/record.js'
import type { NameOwner } from '../../core/records/record-names.js'
import type { CatalogQueries } from '../../core/records/record-queries.js'
import type { Revision } from '../../core/records/revision.js'
import { type Id, type Oid, toInstant, toSha1, type Version } from '../../core/value-types.js'
import { recordDirectory } from '../../store/records/repository-layout.js'
import type { RecordChange } from '../../store/write/writer.js'

/**
 * What the state will be after updates that are decided and not written yet, as far as the rules look at it: the
 * updates after them in a change set are judged by that.
 */
export interface ChangeSetOverlay {
  over(state: CatalogQueries): CatalogQueries
  /** One more update is decided. @param version of the record after it; undefined where it is removed */
  add(change: RecordChange, version: Version | undefined): void
}

/** What nobody knows before there is a commit, and no rule asks for. */
const unwritten = {
  commit: '0'.repeat(40) as Oid,
  document: '0'.repeat(40) as Oid,
  documentHash: toSha1('0'.repeat(40)),
  time: toInstant(0),
  createdAt: toInstant(0),
  files: new Map<string, Oid>(),
  sequence: Number.MAX_SAFE_INTEGER,
}

export function openChangeSetOverlay(): ChangeSetOverlay {
  /** By directory; undefined: it is removed. */
  const decided = new Map<string, Revision | undefined>()
  const names = new Map<string, NameOwner>()
  const pairs = new Map<string, Id>()
  const dependents = new Map<Id, Id>()

  const isRemoved = (kind: Collection, id: Id) => {
    const directory = recordDirectory(kind, id)
    return decided.has(directory) && decided.get(directory) === undefined
  }
  const pairOf = (resource: string, schemaId: string) => JSON.stringify([resource, schemaId])
  const asDecided = <T extends NameOwner>(owner: T): T =>
    isRemoved(owner.kind, owner.id) ? { ...owner, gone: true } : owner

  return {
    add({ kind, id, state }, version) {
      const directory = recordDirectory(kind, id)
      if (!state || version === undefined) {
        decided.set(directory, undefined)
        return
      }
      const { record, documentType } = state
      decided.set(directory, { ...unwritten, kind, id, version, record, documentType })
      for (const name of uniqueNamesOf(record)) names.set(name, { kind, id, gone: false })
      const { schema } = record
      if (!schema) return
      dependents.set(schema.schemaId, id)
      for (const resource of relatedResources(record)) pairs.set(pairOf(resource, schema.schemaId), id)
    },

    over: state => ({
      ...state,
      newest(kind, id) {
        const directory = recordDirectory(kind, id)
        return decided.has(directory) ? decided.get(directory) : state.newest(kind, id)
      },
      atVersion(kind, id, version) {
        const found = decided.get(recordDirectory(kind, id))
        if (found?.version === version) return found
        return isRemoved(kind, id) ? undefined : state.atVersion(kind, id, version)
      },
      owner(name) {
        // A name stays with whoever had it first.
        const found = state.owner(name) ?? names.get(name)
        return found && asDecided(found)
      },
      owners(wanted, except) {
        const stored = new Map(state.owners(wanted, except).map(owner => [owner.name, owner]))
        return wanted.flatMap(name => {
          const found = stored.get(name) ?? names.get(name)
          if (!found || (found.kind === except?.kind && found.id === except.id)) return []
          return [{ ...asDecided(found), name }]
        })
      },
      describers(resources, schemaId, except) {
        const stored = new Map(
          state
            .describers(resources, schemaId, except)
            // What an update has decided of it is known already.
            .filter(({ id }) => !decided.has(recordDirectory('metadata', id)))
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
        !decided.has(claim.directory) &&
        !claim.names.some(name => names.has(name)) &&
        !claim.resources.some(resource => pairs.has(pairOf(resource, claim.schemaId ?? ''))),
      dependentOf: schemaId => state.dependentOf(schemaId) ?? dependents.get(schemaId),
      isFaulty: directory => !decided.has(directory) && state.isFaulty(directory),
    }),
  }
}
