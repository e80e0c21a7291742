import type { Finding } from '../../../core/problem.js'
import { contentNames } from '../../../core/records/collection.js'
import type { StoredRecord, WrittenRecord } from '../../../core/records/record.js'
import { defaultedMembers } from '../../../core/records/record-defaults.js'
import type { CatalogQueries } from '../../../core/records/record-queries.js'
import type { Revision } from '../../../core/records/revision.js'
import { asVersion, type Oid } from '../../../core/value-types.js'
import type { BundleAssembler } from '../../../service/rules/assemble-schema-bundle.js'
import { findingsOf, noSchemaNamed, noSuchVersion, toFindings } from '../../../service/rules/record-rules.js'
import type { BlobReader } from '../../../store/blobs/blob-reader.js'
import { blobId, sha1Of } from '../../../store/objects/hash-object.js'
import { isObjectDamage } from '../../../store/objects/object-errors.js'
import { decodeHandwrittenRecord, sameRecord } from '../../../store/records/record-json.js'
import { recordFile } from '../../../store/records/repository-layout.js'
import type { Repository } from '../../../store/repository/open-repository.js'
import type { Validator } from '../../../validation/validator.js'
import type { Complaint } from './complaint.js'

export interface CheckedVersions {
  readonly versions: number
  readonly complaints: readonly Complaint[]
}

export interface RevisionCheckOptions {
  readonly repository: Repository
  readonly documents: BlobReader
  readonly bundles: BundleAssembler
  readonly validator: Validator
}

/** Number of versions of one record that are checked at once. */
const versionPortionSize = 16

/**
 * Checks files, hashes, records and documents of revisions.
 * @returns a function that checks every version of records at once, whose newest revisions it gets
 */
export function openRevisionChecks({ repository, documents, bundles, validator }: RevisionCheckOptions) {
  async function checkDocument(view: CatalogQueries, revision: Revision): Promise<readonly Finding[]> {
    return await withoutThrowing(async () => {
      if (revision.kind === 'schema') return await validator.check(await bundles.ofStored(view, revision))
      const wanted = revision.record.schema
      if (!wanted) return toFindings([noSchemaNamed()])
      const schema = view.schemaAsOf(wanted.schemaId, wanted.version, revision.sequence)
      if (!schema) return toFindings([noSuchVersion(view, wanted.schemaId, wanted.version)])
      return await validator.validate(
        await bundles.ofStored(view, schema),
        await documents.read(revision.document),
      )
    })
  }

  async function checkVersion(view: CatalogQueries, revision: Revision): Promise<readonly Complaint[]> {
    const { kind, id, commit, version } = revision
    const about = { kind, id, commit, version }
    const hashes = await checkFiles(repository, revision)
    // Unreadable files cannot be validated.
    if (hashes.length > 0) return [{ ...about, check: 'hash', findings: hashes }]
    const record = await checkRecord(documents, revision)
    const document = await checkDocument(view, revision)
    return [
      { ...about, check: 'record', findings: record },
      { ...about, check: contentNames[kind], findings: document },
    ].filter(({ findings }) => findings.length > 0)
  }

  async function checkVersions(view: CatalogQueries, { kind, id }: Revision): Promise<CheckedVersions> {
    const complaints: Complaint[] = []
    let versions = 0
    for (let offset = 0; ; offset += versionPortionSize) {
      const page = view.versions(kind, id, { offset, limit: versionPortionSize })
      if (!page || page.items.length === 0) return { versions, complaints }
      versions += page.items.length
      const found = await Promise.all(page.items.map(revision => checkVersion(view, revision)))
      complaints.push(...found.flat())
    }
  }

  return async (view: CatalogQueries, newest: readonly Revision[]): Promise<CheckedVersions> => {
    const checked = await Promise.all(newest.map(revision => checkVersions(view, revision)))
    return {
      versions: checked.reduce((sum, { versions }) => sum + versions, 0),
      complaints: checked.flatMap(({ complaints }) => complaints),
    }
  }
}

/**
 * Completes a record from a file: members that the file leaves out get the served values. The comparison with a rebuilt
 * catalog checks these values.
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

/** Runs a check. @returns the findings that it returns or throws, and damage @throws any other error of the check */
async function withoutThrowing(look: () => Promise<readonly Finding[]>): Promise<readonly Finding[]> {
  try {
    return await findingsOf(look)
  } catch (error) {
    if (isObjectDamage(error)) return [{ message: error.message }]
    throw error
  }
}

/** Reads a blob from the disk, not from a cache. @returns the bytes, or findings */
async function readBlob(
  { objects }: Repository,
  oid: Oid,
  file: string,
): Promise<{ readonly bytes?: Buffer; readonly findings: readonly Finding[] }> {
  try {
    const { bytes } = await objects.read(oid)
    const found = blobId(bytes)
    if (found === oid) return { bytes, findings: [] }
    return { findings: [{ message: `The bytes of ${file} have the name ${found}, not ${oid}.`, file }] }
  } catch (error) {
    if (!isObjectDamage(error)) throw error
    return { findings: [{ message: error.message, file }] }
  }
}

/** Checks the object name of each file, and the SHA-1 of the document. */
async function checkFiles(repository: Repository, revision: Revision): Promise<readonly Finding[]> {
  const files = [...revision.files].map(async ([file, oid]) => {
    const { bytes, findings } = await readBlob(repository, oid, file)
    if (!bytes || oid !== revision.document) return findings
    const hash = sha1Of(bytes)
    if (hash === revision.documentHash) return findings
    return [...findings, { message: `The SHA-1 of ${file} is ${hash}, not ${revision.documentHash}.`, file }]
  })
  return (await Promise.all(files)).flat()
}

/** Compares the record in the catalog with the file. */
async function checkRecord(documents: BlobReader, revision: Revision): Promise<readonly Finding[]> {
  const oid = revision.files.get(recordFile)
  if (oid === undefined) return [{ message: `There is no ${recordFile}.` }]
  return await withoutThrowing(async () => {
    const written = decodeHandwrittenRecord(revision.kind, await documents.read(oid))
    if (sameRecord(asServed(written, revision.record), revision.record)) return []
    return [{ message: 'The record in the catalog differs from the file.', file: recordFile }]
  })
}
