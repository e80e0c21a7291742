import type { Principal } from '../../core/access-control.js'
import type { Precondition } from '../../core/precondition.js'
import { malformedRequest, ProblemError } from '../../core/problem.js'
import { type Collection, changeRank } from '../../core/records/collection.js'
import type { CatalogQueries } from '../../core/records/record-queries.js'
import { openEventLoopPauses } from '../../core/scheduling/event-loop-pauses.js'
import type { Id, Oid, Version } from '../../core/value-types.js'
import { recordDirectory } from '../../store/records/repository-layout.js'
import type { ChangeSet, RecordChange } from '../../store/write/writer-interface.js'
import type { SchemaBundle } from '../../validation/validator.js'
import { findByName } from '../access/find-record.js'
import { isFaulty } from '../access/request-rules.js'
import { recordLabel } from '../updates/commit-messages.js'
import { prepareRemoval } from '../updates/prepare-deletion.js'
import type { MetadataPreparer } from '../updates/prepare-metadata.js'
import type { SchemaPreparer } from '../updates/prepare-schema.js'
import type { PreparedUpdate, UpdateBase } from '../updates/prepared-update.js'
import type { NewRecordUpload, OwnBaseUrls, RecordDraft, RecordUpdate } from '../updates/record-drafts.js'
import { type PlannedUpdate, retryWhileStale, type Transactions } from '../updates/submit-update.js'
import { type ChangeSetOverlay, openChangeSetOverlay } from './change-set-overlay.js'

/** Several updates in one commit. If one is refused, none is made. */
export interface ChangeSets {
  /**
   * Makes the same changes as single updates would. Schemas come first: a document may follow a schema of the same set.
   * @param message the subject of the commit; undefined: a default
   * @throws ProblemError as the single update, with the position of the change; `malformed-request` for two changes of
   *   one record; `conflict` for changes that cannot be checked in one set
   */
  apply(
    caller: Principal,
    wanted: readonly WantedChange[],
    message: string | undefined,
  ): Promise<ChangeSetResult>
}

export interface ChangeSetResult {
  /** The commit of the changes; undefined if nothing changed. */
  readonly commit?: Oid
  /** In the order of the request. */
  readonly records: readonly AppliedRecord[]
}

export interface AppliedRecord {
  readonly kind: Collection
  readonly id: Id
  readonly change: 'created' | 'updated' | 'unchanged' | 'deleted'
  /** Version and commit of the newest revision; undefined if the record is deleted. */
  readonly state?: { readonly version: Version; readonly commit: Oid }
}

export interface ChangeSetsOptions {
  readonly transactions: Transactions
  /** The records as the last flush stored them. Updates are prepared on these. */
  readonly committed: UpdateBase
  readonly updates: { readonly schema: SchemaPreparer; readonly metadata: MetadataPreparer }
  /** Makes a random UUID. */
  readonly newId: () => Id
}

interface PreparedChange extends PlacedChange {
  readonly update: PreparedUpdate
}

interface PlannedChange extends PreparedChange {
  readonly planned: PlannedUpdate
}

export function openChangeSets(options: ChangeSetsOptions): ChangeSets {
  const { transactions, newId } = options
  const prepare = openChangeSetPreparation(options)

  return {
    async apply(caller, wanted, message) {
      const inOrder = wanted
        .map((one, place) => ({ place, wanted: one, freeId: newId() }))
        .sort(inOrderOfPreparation)
      return await retryWhileStale(async () => {
        const prepared = await prepare(caller, inOrder)
        let planned: PlannedChange[] = []
        const commit = await transactions.commit(caller, async state => {
          planned = await planAll(prepared, state)
          return changeSetOf(planned, message)
        })
        const records = planned.sort((a, b) => a.place - b.place).map(one => recordOf(one, commit))
        return { records, ...(commit && { commit }) }
      })
    },
  }
}

/** Prepares the changes of a set: each is validated as if the changes before it were stored. */
function openChangeSetPreparation({ transactions, committed, updates }: ChangeSetsOptions) {
  function prepareOne(
    on: UpdateBase,
    caller: Principal,
    { wanted, freeId }: PlacedChange,
  ): Promise<PreparedUpdate> {
    if (wanted.action === 'delete') {
      const { kind, name, precondition } = wanted
      return prepareRemoval(on, caller, kind, name, precondition)
    }
    const { kind, origins } = wanted
    if (wanted.action === 'update')
      return updates[kind].revise(on, caller, wanted.name, wanted.precondition, wanted.update, origins)
    const { draft, upload } = wanted
    if (kind === 'schema') return updates.schema.create(on, caller, draft, upload, origins)
    return updates.metadata.create(on, caller, { ...draft, id: draft.id ?? freeId }, upload, origins)
  }

  return async (caller: Principal, inOrder: readonly PlacedChange[]): Promise<readonly PreparedChange[]> => {
    const overlay = openChangeSetOverlay()
    /** New contents of schemas, by id and version. */
    const bundles = new Map<string, SchemaBundle>()
    const on: UpdateBase = {
      query: question => transactions.readCommitted(state => question(overlay.queriesOn(state))),
      // A schema that the set changes has no stored content yet: its bundle is in `bundles`.
      bundle: async (schema, work) =>
        bundles.get(`${schema.schemaId} ${schema.version}`) ?? (await committed.bundle(schema, work)),
    }
    const all: PreparedChange[] = []
    const pauses = openEventLoopPauses()
    const seen: SeenChanges = new Map()
    for (const one of inOrder) {
      await pauses.ifDue()
      await forChange(one, async () => {
        const { kind } = one.wanted
        if ('name' in one.wanted) {
          const found = findByName(overlay.queriesOn(transactions.committed), kind, one.wanted.name)
          // Refused before it is prepared: the overlay lacks the content of the first change.
          refuseTwice(kind, found?.id, seen)
        }
        const update = await prepareOne(on, caller, one)
        refuseTwice(kind, update.id, seen)
        const prepared = { ...one, update }
        refuseReferenceInSet(prepared, seen)
        const planned = await transactions.readCommitted(state => planOne(prepared, overlay, state))
        const { content, id } = update
        if (content && planned.version) bundles.set(`${id} ${planned.version}`, content.bundle)
        if (planned.change) overlay.add(planned.change, planned.version)
        all.push(prepared)
        seen.set(keyOf(kind, update.id), prepared)
      })
    }
    for (const one of all) await forChange(one, () => refuseReferenceInSet(one, seen))
    return all
  }
}

/** Plans the changes of a set, each as if the changes before it were stored. */
async function planAll(prepared: readonly PreparedChange[], state: CatalogQueries): Promise<PlannedChange[]> {
  const all: PlannedChange[] = []
  const overlay = openChangeSetOverlay()
  const pauses = openEventLoopPauses()
  for (const one of prepared) {
    await pauses.ifDue()
    const planned = await forChange(one, () => planOne(one, overlay, state))
    if (planned.change) overlay.add(planned.change, planned.version)
    all.push({ ...one, planned })
  }
  return all
}

async function planOne(
  { update }: PreparedChange,
  overlay: ChangeSetOverlay,
  state: CatalogQueries,
): Promise<PlannedUpdate> {
  const { kind, id, plan } = update
  if (isFaulty(state, kind, id)) {
    throw new ProblemError(
      'conflict',
      `Conflict: the newest revision of the ${kind} record "${id}" breaks a rule. Change it by itself first.`,
    )
  }
  return await plan(overlay.queriesOn(state))
}

/** The prepared changes of a set by kind and id. */
type SeenChanges = Map<string, PreparedChange>

function keyOf(kind: Collection, id: Id | undefined): string {
  return `${kind} ${id}`
}

function refuseTwice(kind: Collection, id: Id | undefined, seen: SeenChanges): void {
  const other = seen.get(keyOf(kind, id))
  if (!other) return
  throw malformedRequest(
    `changes[${other.place}] is about the same record, and one commit makes one version. Send them one after the other.`,
  )
}

/**
 * Refuses a schema that refers to another schema of the set: a reference without a version would mean one version when
 * the schema is checked, and another one when it is committed.
 */
function refuseReferenceInSet({ update }: PreparedChange, seen: SeenChanges): void {
  const others = update.content?.refersTo.flatMap(id => seen.get(keyOf('schema', id)) ?? []) ?? []
  const [other] = others.sort(inOrderOfPreparation)
  if (!other) return
  throw new ProblemError(
    'conflict',
    `Conflict: the schema refers to the schema "${other.update.id}", which changes[${other.place}] changes. Send that one first.`,
  )
}

function changeSetOf(planned: readonly PlannedChange[], message: string | undefined): ChangeSet | undefined {
  const changes = planned.flatMap(one => one.planned.change ?? [])
  const [first, second] = changes
  if (!first) return undefined
  const subject = message ?? (second ? `Change ${changes.length} records` : first.subject)
  const trailers = second ? [['Records', String(changes.length)] as const] : (first.trailers ?? [])
  return { changes: inOrderOfHistory(changes), subject, trailers }
}

function recordOf({ wanted, update, planned }: PlannedChange, commit: Oid | undefined): AppliedRecord {
  const { kind, id } = update
  const { change, version, current } = planned
  if (!change) {
    return { kind, id, change: 'unchanged', ...(current && { state: current }) }
  }
  if (!change.state || version === undefined || commit === undefined) return { kind, id, change: 'deleted' }
  return {
    kind,
    id,
    change: wanted.action === 'create' ? 'created' : 'updated',
    state: { version, commit },
  }
}

/** A change of one record, as a change set names it. */
export type WantedChange =
  | {
      readonly kind: Collection
      readonly action: 'create'
      readonly draft: RecordDraft
      readonly upload: NewRecordUpload
      readonly origins: OwnBaseUrls
    }
  | {
      readonly kind: Collection
      readonly action: 'update'
      readonly name: string
      readonly precondition: Precondition
      readonly update: RecordUpdate
      readonly origins: OwnBaseUrls
    }
  | {
      readonly kind: Collection
      readonly action: 'delete'
      readonly name: string
      readonly precondition: Precondition
    }

/** A change with its position in the set. */
interface PlacedChange {
  /** Index in the request. */
  readonly place: number
  readonly wanted: WantedChange
  /** The id for a new metadata record, if the request names none. */
  readonly freeId: Id
}

/**
 * Order in which the changes of a set are prepared: deletions first, then schemas, then metadata, which may follow
 * these schemas. Changes of equal rank stay in the order of the request.
 */
function inOrderOfPreparation(a: PlacedChange, b: PlacedChange): number {
  return (
    changeRank(a.wanted.kind, a.wanted.action === 'delete') -
      changeRank(b.wanted.kind, b.wanted.action === 'delete') || a.place - b.place
  )
}

/**
 * Sorts the changes of one commit into the order in which the catalog reads them from the history.
 * @see directoryChanges
 */
function inOrderOfHistory(changes: readonly RecordChange[]): readonly RecordChange[] {
  return changes
    .map(change => ({
      change,
      rank: changeRank(change.kind, !change.state),
      directory: recordDirectory(change.kind, change.id),
    }))
    .sort((a, b) => a.rank - b.rank || (a.directory < b.directory ? -1 : 1))
    .map(({ change }) => change)
}

/** Runs a job for a change. @throws the error of the job; a ProblemError names the change */
async function forChange<T>(change: PlacedChange, job: () => T | Promise<T>): Promise<T> {
  try {
    return await job()
  } catch (thrown) {
    throw thrown instanceof ProblemError ? problemOfChange(change, thrown) : thrown
  }
}

function problemOfChange({ place, wanted }: PlacedChange, problem: ProblemError): ProblemError {
  const { kind, action } = wanted
  const name = 'name' in wanted ? wanted.name : wanted.draft.id
  const what = `${action} ${name === undefined ? kind : recordLabel(kind, name)}`
  const { missing: _, ...extra } = problem.extra
  return new ProblemError(
    problem.kind,
    `changes[${place}] (${what}): ${problem.message}`,
    { ...extra, change: place },
    { cause: problem },
  )
}
