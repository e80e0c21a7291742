import type { Collection } from '../../core/records/collection.js'
import { relatedResources, uniqueNamesOf } from '../../core/records/record.js'
import type { CatalogQueries } from '../../core/records/record-queries.js'
import type { Revision } from '../../core/records/revision.js'
import type { Id } from '../../core/value-types.js'
import { recordDirectory } from '../../store/records/repository-layout.js'
import type { WrittenRevision } from '../../store/write/catalog-interface.js'

/** What the planned updates of a flush may change. Each function says whether queries about its argument may change. */
export interface PendingChanges {
  add(revision: WrittenRevision): void
  readonly any: boolean
  record(kind: Collection, id: Id): boolean
  directory(directory: string): boolean
  name(name: string): boolean
  /** For queries about the metadata that describe the resource with the schema. */
  pair(resource: string, schemaId: Id): boolean
  /**
   * For queries about the metadata that follow a schema in any of their versions. A record that is created again brings
   * back the schemas of its earlier versions, so any of its changes counts.
   */
  readonly anyMetadata: boolean
}

export function openPendingChanges(): PendingChanges {
  const directories = new Set<string>()
  const names = new Set<string>()
  const pairs = new Set<string>()
  /** Whether a record is removed. It is unknown which names and resources that frees, so any query may change. */
  let removal = false
  let anyMetadata = false
  const pairOf = (resource: string, schemaId: string) => `${schemaId} ${resource}`
  const record = (kind: Collection, id: Id) =>
    removal || (directories.size > 0 && directories.has(recordDirectory(kind, id)))
  return {
    add({ kind, id, state }) {
      directories.add(recordDirectory(kind, id))
      names.add(id)
      anyMetadata ||= kind === 'metadata'
      if (!state) {
        removal = true
        return
      }
      for (const name of uniqueNamesOf(state.record)) names.add(name)
      const schema = state.record.schema?.schemaId
      if (kind === 'schema' || schema === undefined) return
      for (const resource of relatedResources(state.record)) pairs.add(pairOf(resource, schema))
    },
    get any() {
      return directories.size > 0
    },
    record,
    directory: directory => removal || directories.has(directory),
    name: name => removal || names.has(name),
    pair: (resource, schemaId) => removal || pairs.has(pairOf(resource, schemaId)),
    get anyMetadata() {
      return anyMetadata
    },
  }
}

/**
 * Queries on the pending state, for which updates are planned. The earlier updates of a flush are not written to the
 * catalog at first. Most queries do not depend on them and read the committed state. Before a query that may depend on
 * them, they are written into the open transaction, so that SQL can answer. They can be, because their commits exist.
 * The changes of a change set have no commit yet: `service/change-sets/change-set-overlay` keeps them in memory.
 *
 * This function is long, because it has an entry for each query.
 * @param queries queries on the writer's connection
 * @param touched the changes of the flush that is being planned; undefined if there is none
 */
export function openPendingStateQueries(
  queries: CatalogQueries,
  touched: () => PendingChanges | undefined,
  write: () => void,
): CatalogQueries {
  const record = (kind: Collection, id: Id) => (by: PendingChanges) => by.record(kind, id)
  const any = (by: PendingChanges) => by.any
  /** Writes the pending updates before the query if it depends on them. */
  function ask<T>(isTouched: (by: PendingChanges) => boolean, question: () => T): T {
    const by = touched()
    if (by && isTouched(by)) write()
    return question()
  }
  /** As `ask`. Writes and repeats the query also if the pending updates change a record in the answer. */
  function askFor<T>(
    isTouched: (by: PendingChanges) => boolean,
    question: () => T,
    found: (answer: NonNullable<T>) => readonly (readonly [Collection, Id])[],
  ): T {
    const answer = ask(isTouched, question)
    const by = touched()
    if (answer === undefined || answer === null || !found(answer).some(one => by?.record(...one)))
      return answer
    write()
    return question()
  }
  /** Schemas that were read for a flush. Every update of metadata reads its schema, and most follow one of a few. */
  const schemas = new WeakMap<PendingChanges, Map<Id, Revision | undefined>>()
  function newest(kind: Collection, id: Id): Revision | undefined {
    const by = touched()
    if (!by || kind !== 'schema' || by.record(kind, id))
      return ask(record(kind, id), () => queries.newest(kind, id))
    const known = schemas.get(by) ?? new Map<Id, Revision | undefined>()
    schemas.set(by, known)
    if (!known.has(id)) known.set(id, queries.newest(kind, id))
    return known.get(id)
  }
  return {
    newest,
    atVersion(kind, id, version) {
      const last = newest(kind, id)
      return last && last.version !== version ? queries.atVersion(kind, id, version) : last
    },
    asOf: (kind, id, at, version) => ask(any, () => queries.asOf(kind, id, at, version)),
    schemaAsOf: (id, version, sequence) =>
      ask(record('schema', id), () => queries.schemaAsOf(id, version, sequence)),
    owner: name =>
      askFor(
        by => by.name(name),
        () => queries.owner(name),
        ({ kind, id }) => [[kind, id]],
      ),
    owners: (names, except) =>
      askFor(
        by => names.some(name => by.name(name)),
        () => queries.owners(names, except),
        // Most names belong to one record, which is checked once.
        owners => [...new Map(owners.map(({ kind, id }) => [`${kind} ${id}`, [kind, id] as const])).values()],
      ),
    describers: (resources, schemaId, except) =>
      askFor(
        by => resources.some(resource => by.pair(resource, schemaId)),
        () => queries.describers(resources, schemaId, except),
        describers => describers.map(({ id }) => ['metadata', id]),
      ),
    isFree: claim =>
      ask(
        by =>
          by.directory(claim.directory) ||
          claim.names.some(name => by.name(name)) ||
          claim.resources.some(resource => claim.schemaId && by.pair(resource, claim.schemaId)),
        () => queries.isFree(claim),
      ),
    dependentOf: (schemaId, except) =>
      ask(
        by => by.anyMetadata,
        () => queries.dependentOf(schemaId, except),
      ),
    list: (kind, query, window) => ask(any, () => queries.list(kind, query, window)),
    versions: (kind, id, window) => ask(any, () => queries.versions(kind, id, window)),
    documentRuns: revision => ask(record(revision.kind, revision.id), () => queries.documentRuns(revision)),
    validRevisions: (revision, max) =>
      ask(record(revision.kind, revision.id), () => queries.validRevisions(revision, max)),
    revisions: (kind, id) => ask(record(kind, id), () => queries.revisions(kind, id)),
    unservedRevisions: (kind, id, version) =>
      ask(record(kind, id), () => queries.unservedRevisions(kind, id, version)),
    isOpenTo: subjects => ask(any, () => queries.isOpenTo(subjects)),
    countSharedWithOthers: subjects => ask(any, () => queries.countSharedWithOthers(subjects)),
    countRevoked: (kind, query) => ask(any, () => queries.countRevoked(kind, query)),
    counts: () => ask(any, () => queries.counts()),
    faults: () => ask(any, () => queries.faults()),
    since: commit => ask(any, () => queries.since(commit)),
    hasFaults: () => ask(any, () => queries.hasFaults()),
    isFaulty: directory =>
      ask(
        by => by.directory(directory),
        () => queries.isFaulty(directory),
      ),
  }
}
