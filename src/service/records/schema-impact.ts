import type { Principal } from '../../core/access-control.js'
import { type Finding, ProblemError } from '../../core/problem.js'
import type { ListCursor } from '../../core/records/list-page.js'
import type { SchemaReference } from '../../core/records/record.js'
import type { Revision } from '../../core/records/revision.js'
import type { Id, Oid, Version } from '../../core/value-types.js'
import type { BlobReader } from '../../store/objects/blob-cache.js'
import { prefetch } from '../../store/process/prefetch.js'
import type { SchemaBundle, Validator, Work } from '../../validation/validator.js'
import type { BundleAssembler } from '../rules/assemble-schema-bundle.js'
import { writable } from '../rules/find-record.js'
import { restrictToVisible } from '../rules/visible-lists.js'
import type { SchemaPreparer } from '../updates/prepare-schema.js'
import type { OwnBaseUrls, SchemaUpload } from '../updates/record-drafts.js'
import type { Transactions } from '../updates/submit-update.js'
import { dryRunWork } from '../updates/validation-request.js'

/** What a change of a schema would do to the documents that follow it. */
export interface Impact {
  /**
   * Refuses what {@link assess} would refuse whatever the upload is, for a request whose body has not been read.
   * @throws ProblemError `unauthenticated`, `not-found`, `forbidden`
   */
  demandAllowed(caller: Principal, name: string): Promise<void>
  /**
   * Has the newest version of every metadata record that follows the schema, in whatever version, validated against
   * what an upload would make of the schema. Nothing is stored. Documents the caller may not read are left out.
   * @param signal ends it; it counts as under way until then, or until its steps have been taken to their end
   * @returns when the new schema has been found good
   * @throws ProblemError `not-found`; `forbidden` without WRITE on the schema; what {@link Schemas.revise} says of the
   *   upload; `unavailable` where the caller's client has one under way, or as many are under way as may be
   */
  assess(
    caller: Principal,
    name: string,
    upload: SchemaUpload,
    origins: OwnBaseUrls,
    signal: AbortSignal,
  ): Promise<Assessment>
}

export interface Assessment {
  /** The schema as it is. */
  readonly schema: { readonly id: Id; readonly version: Version }
  /** The documents are those of this commit, whatever others write meanwhile. */
  readonly commit: Oid
  /**
   * Made as they are asked for. They end without an `end` where the signal ends them.
   * @throws ProblemError `unprocessable` where the checks take longer than {@link timeBudget}
   */
  readonly steps: AsyncIterable<ImpactStep>
}

export type ImpactStep =
  /** The first one, and again now and then. */
  | { readonly kind: 'progress'; readonly tally: ImpactCounts }
  /** A document that is not valid against the new schema, in the order of ids. */
  | { readonly kind: 'document'; readonly document: AffectedDocument }
  /** The last one. */
  | { readonly kind: 'end'; readonly tally: ImpactCounts }

/** Numbers of documents. */
export interface ImpactCounts {
  readonly checked: number
  /** Those there are to check. */
  readonly total: number
  /** Valid now, and not valid against the new schema. */
  readonly breaking: number
  /** Not valid against the new schema, nor against the version they follow. */
  readonly invalidBefore: number
}

export interface AffectedDocument {
  readonly id: Id
  readonly version: Version
  /** The version of the schema it follows. */
  readonly schemaVersion: Version
  /** Whether it is valid against that. */
  readonly validBefore: boolean
  /** What the new schema finds, at most {@link maxFindingsPerDocument}. */
  readonly findings: readonly Finding[]
}

export interface ImpactOptions {
  readonly transactions: Transactions
  readonly updates: Pick<SchemaPreparer, 'dryRun'>
  readonly bundles: BundleAssembler
  /** Without a cache. */
  readonly documents: BlobReader
  readonly validator: Pick<Validator, 'validate'>
  /** Milliseconds one check may take. */
  readonly timeLimit: number
}

/** Findings that are told of one document. */
export const maxFindingsPerDocument = 5
/** Assessments under way at a time, for all callers together. */
export const maxConcurrentAssessments = 2
/** Documents of one assessment that are read or validated at a time: others must get their turn with the workers. */
const atOnce = 4
/** Records that are read from the catalog at a time. */
const portion = 64
/** Milliseconds between two steps that say how far it is. */
const progressInterval = 250

/** Milliseconds that the checks of one assessment may take together, waiting for workers included. */
function timeBudget(timeLimit: number, total: number): number {
  return 10 * timeLimit + 10 * total
}

export function openImpact(options: ImpactOptions): Impact {
  const { transactions, updates, bundles, documents, validator, timeLimit } = options
  /** The client of each assessment. */
  const underWay = new Map<object, string>()

  /** @returns what gives the place back; it may be called twice */
  function enter({ client }: Principal, signal: AbortSignal): () => void {
    const key = client?.key ?? ''
    if ([...underWay.values()].includes(key)) {
      throw new ProblemError(
        'unavailable',
        'An assessment for this client is under way, and each client may have one. Try again when it has ended.',
        { retryAfter: 30 },
      )
    }
    if (underWay.size >= maxConcurrentAssessments) {
      throw new ProblemError(
        'unavailable',
        `${maxConcurrentAssessments} assessments are under way, and no more are taken at once. Try again in a minute.`,
        { retryAfter: 30 },
      )
    }
    const place = {}
    const leave = () => {
      underWay.delete(place)
      signal.removeEventListener('abort', leave)
    }
    if (signal.aborted) return leave
    underWay.set(place, key)
    signal.addEventListener('abort', leave)
    return leave
  }

  /** Those the caller may read, part by part, all as of the commit the first part is of. */
  function followersOf(caller: Principal, schemaId: Id) {
    const wanted = { schemaIds: [schemaId], sort: { by: 'id', direction: 'asc' } as const }
    const query = restrictToVisible(transactions.committed, caller, wanted)
    const read = (commit?: Oid, after?: ListCursor) =>
      transactions.committed.list('metadata', query, {
        ...{ offset: 0, limit: portion },
        ...(commit && { at: { commit } }),
        ...(after && { after }),
      })
    const first = read()
    const { total, commit } = first
    if (commit === undefined) throw new Error('There is a schema, and no commit that has it.')
    function* all(): Generator<Revision> {
      for (let part = first; ; part = read(commit, part.next)) {
        yield* part.items
        if (!part.next) return
      }
    }
    return { total, commit, all }
  }

  async function isValidNow(
    { schemaId, version }: SchemaReference,
    document: Uint8Array,
    work: Work,
  ): Promise<boolean> {
    const followed = transactions.committed.atVersion('schema', schemaId, version)
    if (!followed) return false
    const findings = await validator.validate(
      await bundles.ofStored(transactions.committed, followed, work),
      document,
      work,
    )
    return findings.length === 0
  }

  /** @returns undefined where it stays valid */
  async function affected(
    revision: Revision,
    bundle: SchemaBundle,
    work: Work,
  ): Promise<AffectedDocument | undefined> {
    const { id, version, record } = revision
    if (!record.schema) return undefined
    const document = await documents.read(revision.document)
    const findings = await validator.validate(bundle, document, work)
    if (findings.length === 0) return undefined
    return {
      id,
      version,
      schemaVersion: record.schema.version,
      validBefore: await isValidNow(record.schema, document, work),
      findings: findings.slice(0, maxFindingsPerDocument),
    }
  }

  async function* steps(
    { total, all }: ReturnType<typeof followersOf>,
    bundle: SchemaBundle,
    work: Work & { readonly signal: AbortSignal },
    leave: () => void,
  ): AsyncGenerator<ImpactStep> {
    const { signal } = work
    const budget = timeBudget(timeLimit, total)
    let used = 0
    const timed = async (revision: Revision) => {
      const began = performance.now()
      try {
        return await affected(revision, bundle, work)
      } finally {
        used += performance.now() - began
      }
    }
    try {
      let tally: ImpactCounts = { checked: 0, total, breaking: 0, invalidBefore: 0 }
      let toldAt = performance.now()
      yield { kind: 'progress', tally }
      for await (const [, document] of prefetch(all(), atOnce, timed)) {
        if (signal.aborted) return
        if (used > budget) throw overBudget(tally, budget)
        tally = {
          checked: tally.checked + 1,
          total,
          breaking: tally.breaking + (document?.validBefore === true ? 1 : 0),
          invalidBefore: tally.invalidBefore + (document?.validBefore === false ? 1 : 0),
        }
        if (document) yield { kind: 'document', document }
        if (performance.now() - toldAt < progressInterval) continue
        yield { kind: 'progress', tally }
        toldAt = performance.now()
      }
      if (!signal.aborted) yield { kind: 'end', tally }
    } finally {
      leave()
    }
  }

  return {
    async demandAllowed(caller, name) {
      await transactions.readCommitted(state => writable(state, caller, 'schema', name))
    },

    async assess(caller, name, upload, origins, signal) {
      const leave = enter(caller, signal)
      try {
        const schema = await transactions.readCommitted(state => writable(state, caller, 'schema', name))
        const { id, version } = schema
        const bundle = await updates.dryRun(caller, schema, upload, origins)
        const followers = followersOf(caller, id)
        const { commit } = followers
        return {
          schema: { id, version },
          commit,
          steps: steps(followers, bundle, { ...dryRunWork(caller), signal }, leave),
        }
      } catch (error) {
        leave()
        throw error
      }
    },
  }
}

function overBudget({ checked, total }: ImpactCounts, budget: number): ProblemError {
  return new ProblemError(
    'unprocessable',
    `The assessment was stopped: checking ${checked} of ${total} documents took longer than ${Math.round(budget / 1000)} s. Make the schema quicker to check: simplify its patterns and references.`,
  )
}
