import type { Catalog } from '../../catalog/catalog.js'
import type { Finding } from '../../core/problem.js'
import type { Collection } from '../../core/records/collection.js'
import type { StoredRecord, WrittenRecord } from '../../core/records/record.js'
import { defaultedMembers } from '../../core/records/record-defaults.js'
import type { CatalogQueries } from '../../core/records/record-queries.js'
import type { Revision } from '../../core/records/revision.js'
import { asVersion, type Oid } from '../../core/value-types.js'
import { type BlobReader, blobId, sha1Of } from '../../store/objects/blob-cache.js'
import { isMissingOrDamaged } from '../../store/objects/object-reader.js'
import { decodeHandwrittenRecord, sameRecord } from '../../store/records/record-json.js'
import { recordFile } from '../../store/records/repository-layout.js'
import { fsck } from '../../store/repair/fsck.js'
import type { Repository } from '../../store/repository/open-repository.js'
import type { Validator } from '../../validation/validator.js'
import type { BundleAssembler } from '../rules/assemble-schema-bundle.js'
import { noSchemaNamed, noSuchVersion, toFindings } from '../rules/record-rules.js'
import { findingsOf } from '../rules/schema-rules.js'
import { damageComplaints } from './damage-report.js'
import type { IntegrityViolation } from './integrity-violation.js'

/**
 * @param done records that have been looked at
 * @param versions of those records, each a record and a document
 */
export type VerifyProgress = (done: number, total: number, versions: number) => void

/** A catalog made anew from the history, in a temporary file. */
export interface FreshCatalog {
  readonly catalog: Catalog
  /** Closes it and removes its file. */
  discard(): Promise<void>
}

export interface VerifyOptions {
  readonly repository: Repository
  readonly catalog: Catalog
  readonly documents: BlobReader
  readonly bundles: BundleAssembler
  readonly validator: Validator
  readonly rebuild: () => Promise<FreshCatalog>
}

/** Records looked at together. */
const portion = 32

/** Versions of one record looked at together. */
const versionPortion = 16
const kinds = ['schema', 'metadata'] as const

/**
 * Looks at everything there is, on a catalog of its own (where one can be made) that does not change meanwhile:
 * objects (`git fsck`), the served catalog against the fresh one, faulty revisions, then every version of every
 * record.
 */
export function openVerify(options: VerifyOptions) {
  const { repository, catalog, rebuild } = options
  const check = openChecks(options)

  return async function* verify(
    progress: VerifyProgress = () => undefined,
  ): AsyncGenerator<IntegrityViolation> {
    yield* objectsAndRefs(repository)
    const fresh = await made(rebuild)
    if ('missing' in fresh) {
      yield { check: 'catalog', findings: [{ message: `It cannot be made anew. ${fresh.missing}` }] }
      yield* checkAll(catalog.committed, progress)
      return
    }
    try {
      yield* await differences(catalog, fresh.catalog)
      yield* checkAll(fresh.catalog.committed, progress)
    } finally {
      await fresh.discard()
    }
  }

  async function* checkAll(
    view: CatalogQueries,
    progress: VerifyProgress,
  ): AsyncGenerator<IntegrityViolation> {
    for (const { kind, id, commit, findings } of view.faults()) {
      yield { kind, ...(id === undefined ? {} : { id }), commit, check: 'record', findings }
    }
    const { schemas, metadata } = view.counts()
    let [done, versions] = [0, 0]
    for (const some of records(view)) {
      const checked = await check.records(view, some)
      yield* checked.complaints
      done += some.length
      versions += checked.versions
      progress(done, schemas + metadata, versions)
    }
  }
}

/** A catalog made anew, or why the history cannot be read to its end. */
async function made(
  rebuild: () => Promise<FreshCatalog>,
): Promise<FreshCatalog | { readonly missing: string }> {
  try {
    return await rebuild()
  } catch (error) {
    if (isMissingOrDamaged(error)) return { missing: error.message }
    throw error
  }
}

/** The newest revisions of all records, a few at a time. */
function* records(view: CatalogQueries): Generator<readonly Revision[]> {
  for (const kind of kinds) {
    for (let offset = 0; ; offset += portion) {
      const { items } = view.list(kind, {}, { offset, limit: portion })
      if (items.length === 0) break
      yield items
    }
  }
}

async function* objectsAndRefs({ git, gitDir, dir }: Repository): AsyncGenerator<IntegrityViolation> {
  if (git === undefined) return
  const lines = await fsck(git, gitDir)
  if (lines.length === 0) return
  yield { check: 'fsck', findings: lines.map(message => ({ message })) }
  yield* await damageComplaints(dir, git)
}

/** How often the comparison is done again when the repository changes under it. */
const comparisons = 20

/** The served catalog against the fresh one, once both reflect the same commit. */
async function differences(served: Catalog, fresh: Catalog): Promise<readonly IntegrityViolation[]> {
  for (let attempt = 1; ; attempt++) {
    const head = served.head()
    if (head === undefined) return [complaint('The catalog is empty.')]
    if (fresh.head() !== head) await fresh.writer.catchUp(head)
    const found: IntegrityViolation[] = []
    for (const kind of kinds) found.push(...(await compareRecords(kind, served.committed, fresh.committed)))
    if (JSON.stringify(served.committed.faults()) !== JSON.stringify(fresh.committed.faults())) {
      found.push(complaint('The catalog lists other faulty revisions than one made anew.'))
    }
    // A difference may be an update that came between two looks.
    if (found.length === 0 || served.head() === head || attempt === comparisons) return found
  }
}

async function compareRecords(
  kind: Collection,
  served: CatalogQueries,
  fresh: CatalogQueries,
): Promise<readonly IntegrityViolation[]> {
  const found: IntegrityViolation[] = []
  for (let offset = 0; ; offset += portion) {
    const window = { offset, limit: portion }
    const [is, should] = [served.list(kind, {}, window), fresh.list(kind, {}, window)]
    for (let at = 0; at < Math.max(is.items.length, should.items.length); at++) {
      const record = should.items[at] ?? is.items[at]
      if (record && describe(served, is.items[at]) !== describe(fresh, should.items[at])) {
        found.push({ ...complaint('The catalog differs from one made anew.'), kind, id: record.id })
      }
    }
    if (is.items.length === 0 && should.items.length === 0) return found
    // So that requests are answered meanwhile.
    await new Promise(resolve => setImmediate(resolve))
  }
}

/** All the catalog derives for a record. The sequence is its own business. */
function describe(queries: CatalogQueries, newest: Revision | undefined): string {
  if (!newest) return ''
  const { kind, id } = newest
  const versions = queries.versions(kind, id, { offset: 0, limit: Number.MAX_SAFE_INTEGER })?.items ?? []
  const told = versions.map(({ sequence: _, record, files, ...rest }) => [
    rest,
    record,
    [...files].sort(([a], [b]) => (a < b ? -1 : 1)),
  ])
  return JSON.stringify([told, queries.revisions(kind, id)])
}

function complaint(message: string): IntegrityViolation {
  return {
    check: 'catalog',
    findings: [{ message: `${message} Restart with a deleted catalog to make it anew.` }],
  }
}

interface CheckedVersions {
  readonly versions: number
  readonly complaints: readonly IntegrityViolation[]
}

function openChecks({ repository, documents, bundles, validator }: VerifyOptions) {
  /** @returns the bytes as they are on disk, not as a cache has them, or what is wrong with them */
  async function readBlob(oid: Oid, file: string): Promise<{ bytes?: Buffer; findings: readonly Finding[] }> {
    try {
      const { bytes } = await repository.objects.read(oid)
      const found = blobId(bytes)
      if (found === oid) return { bytes, findings: [] }
      return { findings: [{ message: `The bytes of ${file} have the name ${found}, not ${oid}.`, file }] }
    } catch (error) {
      if (!isMissingOrDamaged(error)) throw error
      return { findings: [{ message: error.message, file }] }
    }
  }

  async function checkHashes(revision: Revision): Promise<readonly Finding[]> {
    const files = [...revision.files].map(async ([file, oid]) => {
      const { bytes, findings } = await readBlob(oid, file)
      if (!bytes || oid !== revision.document) return findings
      const hash = sha1Of(bytes)
      if (hash === revision.documentHash) return findings
      return [
        ...findings,
        { message: `The SHA-1 of ${file} is ${hash}, not ${revision.documentHash}.`, file },
      ]
    })
    return (await Promise.all(files)).flat()
  }

  async function checkRecord(revision: Revision): Promise<readonly Finding[]> {
    const oid = revision.files.get(recordFile)
    if (oid === undefined) return [{ message: `There is no ${recordFile}.` }]
    return await withoutThrowing(async () => {
      const written = decodeHandwrittenRecord(revision.kind, await documents.read(oid))
      if (sameRecord(asServed(written, revision.record), revision.record)) return []
      return [{ message: 'The catalog has another record than the file.', file: recordFile }]
    })
  }

  async function checkDocument(view: CatalogQueries, revision: Revision): Promise<readonly Finding[]> {
    return await withoutThrowing(async () => {
      if (revision.kind === 'schema') return await validator.check(await bundles.ofStored(view, revision))
      const wanted = revision.record.schema
      if (!wanted) return toFindings([noSchemaNamed()])
      const schema = view.schemaAsOf(wanted.schemaId, wanted.version, revision.sequence)
      if (!schema) return toFindings([noSuchVersion(wanted.schemaId, wanted.version)])
      return await validator.validate(
        await bundles.ofStored(view, schema),
        await documents.read(revision.document),
      )
    })
  }

  async function checkVersion(
    view: CatalogQueries,
    revision: Revision,
  ): Promise<readonly IntegrityViolation[]> {
    const { kind, id, commit, version } = revision
    const about = { kind, id, commit, version }
    const hashes = await checkHashes(revision)
    // What cannot be read cannot be judged either.
    if (hashes.length > 0) return [{ ...about, check: 'hash', findings: hashes }]
    const record = await checkRecord(revision)
    const document = await checkDocument(view, revision)
    return [
      { ...about, check: 'record', findings: record },
      { ...about, check: kind === 'schema' ? 'schema' : 'document', findings: document },
    ].filter(({ findings }) => findings.length > 0)
  }

  async function checkVersions(view: CatalogQueries, { kind, id }: Revision): Promise<CheckedVersions> {
    const complaints: IntegrityViolation[] = []
    let versions = 0
    for (let offset = 0; ; offset += versionPortion) {
      const page = view.versions(kind, id, { offset, limit: versionPortion })
      if (!page || page.items.length === 0) return { versions, complaints }
      versions += page.items.length
      const found = await Promise.all(page.items.map(revision => checkVersion(view, revision)))
      complaints.push(...found.flat())
    }
  }

  return {
    /** Every version of some records, side by side. */
    async records(view: CatalogQueries, newest: readonly Revision[]): Promise<CheckedVersions> {
      const checked = await Promise.all(newest.map(revision => checkVersions(view, revision)))
      return {
        versions: checked.reduce((sum, { versions }) => sum + versions, 0),
        complaints: checked.flatMap(({ complaints }) => complaints),
      }
    },
  }
}

/**
 * A record of a file with what it leaves out as it is served. Whether that is right the comparison with a catalog made
 * anew tells.
 */
function asServed(written: WrittenRecord, served: StoredRecord): StoredRecord {
  const { schema, ...others } = written
  const known = Object.fromEntries(defaultedMembers.map(name => [name, served[name]]))
  return {
    ...known,
    id: served.id,
    ...others,
    ...(schema && { schema: { version: asVersion(1), ...served.schema, ...schema } }),
  }
}

/** What is wrong with a document or a schema, however it is told; whatever else is thrown is a failure to look. */
async function withoutThrowing(look: () => Promise<readonly Finding[]>): Promise<readonly Finding[]> {
  try {
    return await findingsOf(look)
  } catch (error) {
    if (isMissingOrDamaged(error)) return [{ message: error.message }]
    throw error
  }
}
