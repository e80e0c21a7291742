import type { Principal } from '../../core/access-control.js'
import type { Precondition } from '../../core/precondition.js'
import { malformedRequest, ProblemError } from '../../core/problem.js'
import type { Collection } from '../../core/records/collection.js'
import type { CatalogQueries } from '../../core/records/record-queries.js'
import { openEventLoopPauses } from '../../core/scheduling/event-loop-pauses.js'
import type { Id, Oid, Version } from '../../core/value-types.js'
import { recordDirectory } from '../../store/records/repository-layout.js'
import type { ChangeSet, RecordChange } from '../../store/write/writer.js'
import type { SchemaBundle } from '../../validation/validator.js'
import { findByName } from '../rules/find-record.js'
import { isFaulty } from '../rules/request-rules.js'
import { type ChangeSetOverlay, openChangeSetOverlay } from './change-set-overlay.js'
import { recordLabel } from './commit-messages.js'
import type { MetadataPreparer } from './prepare-metadata.js'
import type { SchemaPreparer } from './prepare-schema.js'
import type { PreparedUpdate, UpdateBase } from './prepared-update.js'
import type { MetadataDraft, OwnBaseUrls, SchemaDraft, SchemaUpload } from './record-drafts.js'
import { type PlannedUpdate, retryWhileStale, type Transactions } from './submit-update.js'

/** Several updates as one: in one commit, or not at all. */
export interface ChangeSets {
  /**
   * Does what single updates would do, schemas first: a document may follow a schema of the same set. The message is
   * the subject of the commit.
   * @throws ProblemError as the single update would, with the place of the change; `malformed-request` for two changes
   *   of one record; `conflict` for what cannot be judged together
   */
  apply(
    caller: Principal,
    wanted: readonly WantedChange[],
    message: string | undefined,
  ): Promise<ChangeSetResult>
}

export type WantedChange =
  | {
      readonly kind: 'schema'
      readonly action: 'create'
      readonly draft: SchemaDraft
      readonly upload: SchemaUpload & { readonly document: Uint8Array }
      readonly origins: OwnBaseUrls
    }
  | {
      readonly kind: 'schema'
      readonly action: 'update'
      readonly name: string
      readonly precondition: Precondition
      readonly change: SchemaUpload & { readonly draft?: SchemaDraft }
      readonly origins: OwnBaseUrls
    }
  | {
      readonly kind: 'metadata'
      readonly action: 'create'
      readonly draft: MetadataDraft & Required<Pick<MetadataDraft, 'schema'>>
      readonly document: Uint8Array
    }
  | {
      readonly kind: 'metadata'
      readonly action: 'update'
      readonly name: string
      readonly precondition: Precondition
      readonly change: { readonly draft?: MetadataDraft; readonly document?: Uint8Array }
    }
  | {
      readonly kind: Collection
      readonly action: 'delete'
      readonly name: string
      readonly precondition: Precondition
    }

export interface ChangeSetResult {
  /** Undefined: nothing changes. */
  readonly commit?: Oid
  /** In the order of the changes. */
  readonly records: readonly AppliedRecord[]
}

export interface AppliedRecord {
  readonly kind: Collection
  readonly id: Id
  readonly change: 'created' | 'updated' | 'unchanged' | 'deleted'
  /** The state it has now; undefined where it is deleted. */
  readonly state?: { readonly version: Version; readonly commit: Oid }
}

export interface ChangeSetsOptions {
  readonly transactions: Transactions
  /** The committed state, for updates. */
  readonly committed: UpdateBase
  readonly updates: { readonly schema: SchemaPreparer; readonly metadata: MetadataPreparer }
  /** A random UUID. */
  readonly newId: () => Id
}

/** A change with its place in the set. */
interface Placed {
  readonly place: number
  readonly wanted: WantedChange
  /** For a new metadata record that has none. */
  readonly freeId: Id
}

interface Prepared extends Placed {
  readonly update: PreparedUpdate
}

interface Decided extends Prepared {
  readonly decision: PlannedUpdate
}

export function openChangeSets(options: ChangeSetsOptions): ChangeSets {
  const { transactions, committed, updates, newId } = options

  function prepareOne(
    on: UpdateBase,
    caller: Principal,
    { wanted, freeId }: Placed,
  ): Promise<PreparedUpdate> {
    if (wanted.action === 'delete') {
      const { kind, name, precondition } = wanted
      return updates[kind].remove(on, caller, name, precondition)
    }
    if (wanted.kind === 'schema') {
      const { origins } = wanted
      return wanted.action === 'create'
        ? updates.schema.register(caller, wanted.draft, wanted.upload, origins)
        : updates.schema.revise(on, caller, wanted.name, wanted.precondition, wanted.change, origins)
    }
    return wanted.action === 'create'
      ? updates.metadata.create(
          on,
          caller,
          { ...wanted.draft, id: wanted.draft.id ?? freeId },
          wanted.document,
        )
      : updates.metadata.revise(on, caller, wanted.name, wanted.precondition, wanted.change)
  }

  /** Has every document checked, each as if what comes before it were there already. */
  async function prepare(caller: Principal, wanted: readonly Placed[]): Promise<readonly Prepared[]> {
    const overlay = openChangeSetOverlay()
    const bundles = new Map<string, SchemaBundle>()
    const on: UpdateBase = {
      ask: question => transactions.readCommitted(state => question(overlay.over(state))),
      // A revision that the overlay tells may be one that is not written yet: it is asked for again.
      bundle: async (schema, work) =>
        bundles.get(`${schema.schemaId} ${schema.version}`) ?? (await committed.bundle(schema, work)),
    }
    const all: Prepared[] = []
    const pauses = openEventLoopPauses()
    const seen: Seen = new Map()
    for (const one of wanted) {
      await pauses.ifDue()
      await placed(one, async () => {
        // Before anything is made of a state that is not written yet.
        const { kind } = one.wanted
        if ('name' in one.wanted) {
          refuseTwice(kind, findByName(overlay.over(transactions.committed), kind, one.wanted.name)?.id, seen)
        }
        const update = await prepareOne(on, caller, one)
        refuseTwice(kind, update.id, seen)
        const prepared = { ...one, update }
        refuseEntangled(prepared, seen)
        const decision = await transactions.readCommitted(state => decide(prepared, overlay, state))
        const { content, id } = update
        if (content && decision.version) bundles.set(`${id} ${decision.version}`, content.bundle)
        if (decision.change) overlay.add(decision.change, decision.version)
        all.push(prepared)
        seen.set(keyOf(kind, update.id), prepared)
      })
    }
    for (const one of all) placedNow(one, () => refuseEntangled(one, seen))
    return all
  }

  return {
    async apply(caller, wanted, message) {
      const inOrder = wanted.map((one, place) => ({ place, wanted: one, freeId: newId() })).sort(byOrder)
      return await retryWhileStale(async () => {
        const all = await prepare(caller, inOrder)
        let decided: Decided[] = []
        const commit = await transactions.commit(caller, async state => {
          decided = []
          const overlay = openChangeSetOverlay()
          const pauses = openEventLoopPauses()
          for (const one of all) {
            await pauses.ifDue()
            const decision = await placed(one, () => decide(one, overlay, state))
            if (decision.change) overlay.add(decision.change, decision.version)
            decided.push({ ...one, decision })
          }
          return changeSetOf(decided, message)
        })
        const records = decided.sort((a, b) => a.place - b.place).map(one => recordOf(one, commit))
        return { records, ...(commit && { commit }) }
      })
    },
  }
}

/** What leaves comes first, then schemas, then what may follow them. */
function rankOf({ kind, action }: WantedChange): number {
  if (action === 'delete') return kind === 'metadata' ? 0 : 1
  return kind === 'schema' ? 2 : 3
}

function byOrder(a: Placed, b: Placed): number {
  return rankOf(a.wanted) - rankOf(b.wanted) || a.place - b.place
}

async function decide(
  { update }: Prepared,
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
  return await plan(overlay.over(state))
}

/** The changes of a set so far, by kind and id of the records they are about. */
type Seen = Map<string, Prepared>

function keyOf(kind: Collection, id: Id | undefined): string {
  return `${kind} ${id}`
}

function refuseTwice(kind: Collection, id: Id | undefined, seen: Seen): void {
  const other = seen.get(keyOf(kind, id))
  if (!other) return
  throw malformedRequest(
    `changes[${other.place}] is about the same record, and one commit makes one version. Send them one after the other.`,
  )
}

/** What a schema names without a version means another version when the commit is made than when it was checked. */
function refuseEntangled({ update }: Prepared, seen: Seen): void {
  const others = update.content?.refersTo.flatMap(id => seen.get(keyOf('schema', id)) ?? []) ?? []
  const [other] = others.sort(byOrder)
  if (!other) return
  throw new ProblemError(
    'conflict',
    `Conflict: the schema refers to the schema "${other.update.id}", which changes[${other.place}] changes. Send that one first.`,
  )
}

function changeSetOf(decided: readonly Decided[], message: string | undefined): ChangeSet | undefined {
  const changes = decided.flatMap(({ decision }) => decision.change ?? [])
  const [first, second] = changes
  if (!first) return undefined
  const subject = message ?? (second ? `Change ${changes.length} records` : first.subject)
  const trailers = second ? [['Records', String(changes.length)] as const] : (first.trailers ?? [])
  return { changes: inOrderOfHistory(changes), subject, trailers }
}

/** Sorts changes as reading the history returns the records of a commit. */
function inOrderOfHistory(changes: readonly RecordChange[]): readonly RecordChange[] {
  const rank = ({ kind, state }: RecordChange) =>
    state ? (kind === 'schema' ? 2 : 3) : kind === 'metadata' ? 0 : 1
  return changes
    .map(change => ({ change, rank: rank(change), directory: recordDirectory(change.kind, change.id) }))
    .sort((a, b) => a.rank - b.rank || (a.directory < b.directory ? -1 : 1))
    .map(({ change }) => change)
}

function recordOf({ wanted, update, decision }: Decided, commit: Oid | undefined): AppliedRecord {
  const { kind, id } = update
  const { change, version, current } = decision
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

async function placed<T>(one: Placed, job: () => Promise<T>): Promise<T> {
  try {
    return await job()
  } catch (thrown) {
    throw inItsPlace(one, thrown)
  }
}

function placedNow<T>(one: Placed, job: () => T): T {
  try {
    return job()
  } catch (thrown) {
    throw inItsPlace(one, thrown)
  }
}

/** A refusal that says which change it is about. */
function inItsPlace({ place, wanted }: Placed, thrown: unknown): unknown {
  if (!(thrown instanceof ProblemError)) return thrown
  const { kind, action } = wanted
  const name = 'name' in wanted ? wanted.name : wanted.draft.id
  const what = `${action} ${name === undefined ? kind : recordLabel(kind, name)}`
  const { missing: _, ...extra } = thrown.extra
  return new ProblemError(
    thrown.kind,
    `changes[${place}] (${what}): ${thrown.message}`,
    { ...extra, change: place },
    { cause: thrown },
  )
}
