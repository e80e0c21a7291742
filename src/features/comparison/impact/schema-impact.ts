import type { CoreParts } from '../../../compose/compose.js'
import type { Principal } from '../../../core/access-control.js'
import { type Finding, ProblemError } from '../../../core/problem.js'
import type { ListCursor } from '../../../core/records/list-page.js'
import type { SchemaReference } from '../../../core/records/record.js'
import type { CatalogQueries } from '../../../core/records/record-queries.js'
import type { Revision } from '../../../core/records/revision.js'
import type { Id, Oid, Version } from '../../../core/value-types.js'
import { findWritable } from '../../../service/access/find-record.js'
import { visibilityOf } from '../../../service/access/visible-lists.js'
import type { BundleAssembler } from '../../../service/rules/assemble-schema-bundle.js'
import { openSchemaPreparer } from '../../../service/updates/prepare-schema.js'
import { dryRunWork } from '../../../service/updates/prepared-update.js'
import type { OwnBaseUrls, RecordUpload } from '../../../service/updates/record-drafts.js'
import { type BlobReader, openBlobReader } from '../../../store/blobs/blob-reader.js'
import { prefetch } from '../../../store/process/prefetch.js'
import type { SchemaBundle, Validator, Work } from '../../../validation/validator.js'
import { openAssessmentSlots } from './assessment-slots.js'

/** The impact of a change of a schema on the documents that follow the schema. */
export interface Impact {
  /**
   * Refuses what {@link assess} would refuse for any upload, before the body of the request is read.
   * @throws ProblemError `unauthenticated`, `not-found`, `forbidden`
   */
  demandAllowed(caller: Principal, name: string): Promise<void>
  /**
   * Validates the newest version of every metadata record that follows any version of the schema, against the schema
   * that an upload would make. It stores nothing. Documents that the caller may not read are left out.
   * @param signal ends the assessment. Until then, or until its last step is read, the assessment counts as running
   * @returns after the new schema was found valid
   * @throws ProblemError `not-found`; `forbidden` without WRITE on the schema; problems of the upload as {@link
   *   Schemas.revise}; `unavailable` if this client has a running assessment, or too many are running
   */
  assess(
    caller: Principal,
    name: string,
    upload: RecordUpload,
    origins: OwnBaseUrls,
    signal: AbortSignal,
  ): Promise<Assessment>
}

export interface Assessment {
  /** The current version of the schema. */
  readonly schema: { readonly id: Id; readonly version: Version }
  /** The documents are those of this commit. Later updates are ignored. */
  readonly commit: Oid
  /**
   * Each step is computed when it is read. There is no step `end` if the signal ends the assessment.
   * @throws ProblemError `unprocessable` if the checks take longer than {@link timeBudget}
   */
  readonly steps: AsyncIterable<ImpactStep>
}

export type ImpactStep =
  /** The first step; repeated at an interval. */
  | { readonly kind: 'progress'; readonly tally: ImpactCounts }
  /** A document that is invalid against the new schema. The documents come in the order of ids. */
  | { readonly kind: 'document'; readonly document: AffectedDocument }
  /** The last step. */
  | { readonly kind: 'end'; readonly tally: ImpactCounts }

/** Numbers of documents. */
export interface ImpactCounts {
  readonly checked: number
  /** Number of documents to check. */
  readonly total: number
  /** Valid now, and invalid against the new schema. */
  readonly breaking: number
  /** Invalid against the new schema and against the version that they follow. */
  readonly invalidBefore: number
}

export interface AffectedDocument {
  readonly id: Id
  readonly version: Version
  /** The version of the schema that the document follows. */
  readonly schemaVersion: Version
  /** Whether the document is valid against that version. */
  readonly validBefore: boolean
  /** The first findings against the new schema, at most {@link maxFindingsPerDocument}. */
  readonly findings: readonly Finding[]
}

interface DocumentCheckOptions {
  readonly bundles: BundleAssembler
  /** Reads documents without a cache. */
  readonly documents: BlobReader
  readonly validator: Pick<Validator, 'validate'>
}

/** Limit of the findings of one document. */
export const maxFindingsPerDocument = 5
/** Limit of the documents of one assessment that are read or validated at once: others need workers, too. */
const documentsAtOnce = 4
/** Number of records in one read of the catalog. */
const portionSize = 64
/** Milliseconds between two steps of progress. */
const progressInterval = 250

/** Time limit in milliseconds of all validations of an assessment, waiting for workers included. */
function timeBudget(timeLimit: number, total: number): number {
  return 10 * timeLimit + 10 * total
}

export function openImpact(parts: CoreParts): Impact {
  const { bundles, validator, transactions } = parts
  const { committed } = transactions
  const updates = openSchemaPreparer({ ...parts, committed: parts.catalog.committed })
  const options = { bundles, validator, documents: openBlobReader(parts.repository.objects) }
  const takeSlot = openAssessmentSlots()

  return {
    async demandAllowed(caller, name) {
      await transactions.readCommitted(state => findWritable(state, caller, 'schema', name))
    },

    async assess(caller, name, upload, origins, signal) {
      const freeSlot = takeSlot(caller, signal)
      try {
        const schema = await transactions.readCommitted(state => findWritable(state, caller, 'schema', name))
        const { id, version } = schema
        const bundle = await updates.dryRun(caller, schema, upload, origins)
        const followers = listFollowers(committed, caller, id)
        const check = openDocumentCheck(options, committed, bundle, { ...dryRunWork(caller), signal })
        const budget = timeBudget(parts.config.validationTime, followers.total)
        return {
          schema: { id, version },
          commit: followers.commit,
          steps: assessFollowers(followers, check, budget, signal, freeSlot),
        }
      } catch (error) {
        freeSlot()
        throw error
      }
    },
  }
}

interface Followers {
  readonly total: number
  readonly commit: Oid
  /** Reads all followers in the order of ids, in portions. */
  all(): Generator<Revision>
}

/** The metadata that follow a schema and that the caller may read, as of one commit. */
function listFollowers(committed: CatalogQueries, caller: Principal, schemaId: Id): Followers {
  const sort = { by: 'id', direction: 'asc' } as const
  const query = { schemaIds: [schemaId], sort, ...visibilityOf(committed, caller) }
  const read = (commit?: Oid, after?: ListCursor) =>
    committed.list('metadata', query, {
      ...{ offset: 0, limit: portionSize },
      ...(commit && { at: { commit } }),
      ...(after && { after }),
    })
  const first = read()
  const { total, commit } = first
  if (commit === undefined) throw new Error('There is a schema, but no commit with it.')
  function* all(): Generator<Revision> {
    for (let part = first; ; part = read(commit, part.next)) {
      yield* part.items
      if (!part.next) return
    }
  }
  return { total, commit, all }
}

/** Validates a document against the new schema. Resolves with undefined if the document is valid. */
type DocumentCheck = (revision: Revision) => Promise<AffectedDocument | undefined>

/** Opens the check of documents against a new schema. @param bundle the new schema */
function openDocumentCheck(
  { bundles, documents, validator }: DocumentCheckOptions,
  committed: CatalogQueries,
  bundle: SchemaBundle,
  work: Work,
): DocumentCheck {
  async function isValidNow({ schemaId, version }: SchemaReference, document: Uint8Array): Promise<boolean> {
    const followed = committed.atVersion('schema', schemaId, version)
    if (!followed) return false
    const findings = await validator.validate(
      await bundles.ofStored(committed, followed, work),
      document,
      work,
    )
    return findings.length === 0
  }

  return async ({ id, version, record, document: oid }) => {
    if (!record.schema) return undefined
    const document = await documents.read(oid)
    const findings = await validator.validate(bundle, document, work)
    if (findings.length === 0) return undefined
    return {
      id,
      version,
      schemaVersion: record.schema.version,
      validBefore: await isValidNow(record.schema, document),
      findings: findings.slice(0, maxFindingsPerDocument),
    }
  }
}

/**
 * Checks the followers, a few at a time.
 * @param budget time limit of all checks together, in milliseconds
 * @param ended called at the end, after an error, and if the caller stops taking steps
 */
async function* assessFollowers(
  { total, all }: Followers,
  check: DocumentCheck,
  budget: number,
  signal: AbortSignal,
  ended: () => void,
): AsyncGenerator<ImpactStep> {
  let used = 0
  const timedCheck: DocumentCheck = async revision => {
    const began = performance.now()
    try {
      return await check(revision)
    } finally {
      used += performance.now() - began
    }
  }
  try {
    let tally: ImpactCounts = { checked: 0, total, breaking: 0, invalidBefore: 0 }
    let reportedAt = performance.now()
    yield { kind: 'progress', tally }
    for await (const [, document] of prefetch(all(), documentsAtOnce, timedCheck)) {
      if (signal.aborted) return
      if (used > budget) throw overBudget(tally, budget)
      tally = {
        checked: tally.checked + 1,
        total,
        breaking: tally.breaking + (document?.validBefore === true ? 1 : 0),
        invalidBefore: tally.invalidBefore + (document?.validBefore === false ? 1 : 0),
      }
      if (document) yield { kind: 'document', document }
      if (performance.now() - reportedAt < progressInterval) continue
      yield { kind: 'progress', tally }
      reportedAt = performance.now()
    }
    if (!signal.aborted) yield { kind: 'end', tally }
  } finally {
    ended()
  }
}

function overBudget({ checked, total }: ImpactCounts, budget: number): ProblemError {
  return new ProblemError(
    'unprocessable',
    `The assessment was stopped: checking ${checked} of ${total} documents took longer than ${Math.round(budget / 1000)} s. Make the schema faster to check: simplify its patterns and references.`,
  )
}
