import type { Collection } from '../../core/records/collection.js'
import { relatedResources, uniqueNamesOf } from '../../core/records/record.js'
import type { CatalogQueries } from '../../core/records/record-queries.js'
import type { Revision } from '../../core/records/revision.js'
import type { Id } from '../../core/value-types.js'
import { recordDirectory } from '../../store/records/repository-layout.js'
import type { WrittenRevision } from '../../store/write/catalog-interface.js'

/** What the updates planned so far may have changed the answers about. */
export interface PendingChanges {
  add(revision: WrittenRevision): void
  readonly any: boolean
  record(kind: Collection, id: Id): boolean
  directory(directory: string): boolean
  name(name: string): boolean
  /** A resource described with a schema. */
  pair(resource: string, schemaId: Id): boolean
  /** Metadata that follows the schema has been written. */
  follower(schemaId: Id): boolean
}

export function openPendingChanges(): PendingChanges {
  const directories = new Set<string>()
  const names = new Set<string>()
  const pairs = new Set<string>()
  const schemas = new Set<string>()
  /** Of a removal the store does not say what it takes with it. */
  let removal = false
  const pairOf = (resource: string, schemaId: string) => `${schemaId} ${resource}`
  const record = (kind: Collection, id: Id) =>
    removal || (directories.size > 0 && directories.has(recordDirectory(kind, id)))
  return {
    add({ kind, id, state }) {
      directories.add(recordDirectory(kind, id))
      names.add(id)
      if (!state) {
        removal = true
        return
      }
      for (const name of uniqueNamesOf(state.record)) names.add(name)
      const schema = state.record.schema?.schemaId
      if (kind === 'schema' || schema === undefined) return
      schemas.add(schema)
      for (const resource of relatedResources(state.record)) pairs.add(pairOf(resource, schema))
    },
    get any() {
      return directories.size > 0
    },
    record,
    directory: directory => removal || directories.has(directory),
    name: name => removal || names.has(name),
    pair: (resource, schemaId) => removal || pairs.has(pairOf(resource, schemaId)),
    follower: schemaId => removal || schemas.has(schemaId),
  }
}

/**
 * The state updates are planned on. What the updates of a flush before them do is not written yet, and most ask for nothing
 * of it: they are answered from what is committed. A question that it may concern has it written first.
 * @param queries on the writer's connection
 * @param touched by the flush that is being planned; undefined where none is
 */
export function openPendingStateQueries(
  queries: CatalogQueries,
  touched: () => PendingChanges | undefined,
  write: () => void,
): CatalogQueries {
  const record = (kind: Collection, id: Id) => (by: PendingChanges) => by.record(kind, id)
  const any = (by: PendingChanges) => by.any
  /** Asks what can be told from what is committed unless `isTouched`. */
  function ask<T>(isTouched: (by: PendingChanges) => boolean, question: () => T): T {
    const by = touched()
    if (by && isTouched(by)) write()
    return question()
  }
  /** Asks for records, one of which may be touched. */
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
  /** Every update of metadata asks for its schema, and most of a flush follow the same few. */
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
        // All names of a record are its own, mostly.
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
    dependentOf: schemaId =>
      askFor(
        by => by.follower(schemaId),
        () => queries.dependentOf(schemaId),
        id => [['metadata', id]],
      ),
    list: (kind, query, cut) => ask(any, () => queries.list(kind, query, cut)),
    versions: (kind, id, cut) => ask(any, () => queries.versions(kind, id, cut)),
    documentRuns: revision => ask(record(revision.kind, revision.id), () => queries.documentRuns(revision)),
    revisions: (kind, id) => ask(record(kind, id), () => queries.revisions(kind, id)),
    isOpenTo: subjects => ask(any, () => queries.isOpenTo(subjects)),
    counts: () => ask(any, () => queries.counts()),
    faults: () => ask(any, () => queries.faults()),
    since: commit => ask(any, () => queries.since(commit)),
    isFaulty: directory =>
      ask(
        by => by.directory(directory),
        () => queries.isFaulty(directory),
      ),
  }
}
