import type { DocumentDescription } from '../../core/records/document-description.js'
import type { StoredRecord } from '../../core/records/record.js'
import type { DescribedRecord, ExportContext, ExportedRevision } from './datacite/export-context.js'
import { describeRecord, describeWithSources, type SourcedDocument } from './datacite/record-to-datacite.js'
import { type PlainExportName, writeExport } from './export-formats.js'
import {
  type CrateFile,
  crateJson,
  documentEntities,
  furtherFileEntity,
  recordCrate,
} from './formats/crate-entities.js'

/*
 * Exports as jobs that consist of plain data, so that a thread can write the exports of long records.
 */

/** A revision and its context as plain data. */
export interface ExportInput {
  readonly revision: ExportedRevision
  /** Addresses of the exported revision and what it refers to, by keys such as `page metadata <id>`. */
  readonly addresses: ReadonlyMap<string, string>
  /** Landing pages of related records, by the name of the related record in this one. */
  readonly internalPages: ReadonlyMap<string, string>
  readonly isPinned: boolean
  readonly isPublic: boolean
  /** Size of the document in bytes; absent if it is unknown. */
  readonly documentSize?: number
  /** What the document says about itself. */
  readonly description?: DocumentDescription
}

/** A crate of a record, whose files are in a folder or on the web. */
export interface CrateJob {
  readonly write: 'crate'
  readonly record: ExportInput
  readonly document: CrateFile
  /** The schema that the document follows. */
  readonly schema?: { readonly record: ExportInput; readonly document: CrateFile }
  /** The further files of the schema, by their names. */
  readonly furtherFiles: readonly (readonly [name: string, file: CrateFile])[]
}

export type ExportJob = { readonly write: PlainExportName; readonly record: ExportInput } | CrateJob

/** Collects the addresses that the exports of a revision contain. */

export function exportInput(
  revision: ExportedRevision,
  { urls, ...context }: Omit<ExportContext, 'internalPage'> & Pick<ExportInput, 'internalPages'>,
): ExportInput {
  const { kind, id, version, previous, record } = revision
  const addresses = new Map<string, string>()
  const page: ExportContext['urls']['page'] = (...of) => set(`page ${of.join(' ')}`, urls.page(...of))
  function set(key: string, address: string): string {
    addresses.set(key, address)
    return address
  }
  page(kind, id)
  page(kind, id, version)
  set(`document ${kind} ${id} ${version}`, urls.document(kind, id, version))
  if (previous) page(kind, id, previous)
  if (record.schema) {
    const { schemaId, version: of } = record.schema
    page('schema', schemaId, of)
    set(`document schema ${schemaId} ${of}`, urls.document('schema', schemaId, of))
  }
  return {
    revision: plainRevision(revision, record),
    addresses,
    ...context,
  }
}

/** A copy of a revision without getters, which a thread can receive. */
function plainRevision(revision: ExportedRevision, record: StoredRecord): ExportedRevision {
  const { kind, id, version, previous, time, createdAt, documentType, documentHash, commit } = revision
  return {
    ...{ kind, id, version, time, createdAt, documentType, documentHash, commit, record },
    ...(previous && { previous }),
  }
}

/** The description of the revision, from which all formats are written. */
export function describeInput(input: ExportInput): DescribedRecord {
  return describeRecord(input.revision, contextOfInput(input))
}

/** The description of the revision, with the source of each value. */
export function describeSources(input: ExportInput): DescribedRecord & SourcedDocument {
  return describeWithSources(input.revision, contextOfInput(input))
}

function contextOfInput({ revision: _, addresses, internalPages, ...context }: ExportInput): ExportContext {
  const urlOf = (key: string) => addresses.get(key) ?? ''
  return {
    ...context,
    urls: {
      page: (...of) => urlOf(`page ${of.join(' ')}`),
      document: (...of) => urlOf(`document ${of.join(' ')}`),
    },
    internalPage: name => internalPages.get(name),
  }
}

/** Writes the export as text. */
export function runExportJob(job: ExportJob): string {
  const described = describeInput(job.record)
  if (job.write !== 'crate') return writeExport(job.write, described)
  const { document, schema, furtherFiles } = job
  const further = furtherFiles.map(([name, file]) => furtherFileEntity(file, name))
  if (!schema) return crateJson(recordCrate(described, document, further))
  const parts = furtherFiles.map(([, file]) => file)
  const ofSchema = documentEntities(describeInput(schema.record), schema.document, { hasPart: parts })
  return crateJson(recordCrate(described, document, [...ofSchema, ...further], schema.document.id))
}

/** Limits of the values and the characters of a record whose export takes a millisecond or two. */
const fewValues = 1000
const fewCharacters = 32 * 1024

/** Whether the exports of a record or a description take long. Reads only a few values of a long one. */
export function isLongRecord(record: StoredRecord | DocumentDescription): boolean {
  let values = 0
  let characters = 0
  const waiting: unknown[] = [record]
  while (waiting.length > 0) {
    const value = waiting.pop()
    values += 1
    if (typeof value === 'string') characters += value.length
    else if (typeof value === 'object' && value !== null) {
      const entries = Object.values(value)
      if (entries.length > fewValues) return true
      waiting.push(...entries)
    }
    if (values > fewValues || characters > fewCharacters) return true
  }
  return false
}

/** Limits of the entries of a list and the characters of a text in a shortened record. */
const maxEntries = 100
const maxCharacters = 8 * 1024

/**
 * The revision for an HTML page or a list of records. If the record is long, each of its arrays keeps only its first
 * entries and the last one, because the event loop renders them. Citations name the last creator.
 */
export function shortenedRevision(revision: ExportedRevision): ExportedRevision {
  const { record } = revision
  return plainRevision(revision, isLongRecord(record) ? (shortened(record) as StoredRecord) : record)
}

/** The description for an HTML page or a list of records, with the first entries of each property. */
export function shortenedDescription(description: DocumentDescription): DocumentDescription {
  return isLongRecord(description) ? (shortened(description) as DocumentDescription) : description
}

function shortened(value: unknown): unknown {
  if (typeof value === 'string') return value.slice(0, maxCharacters)
  if (Array.isArray(value)) {
    const first = value.length <= maxEntries ? value : [...value.slice(0, maxEntries - 1), value.at(-1)]
    return first.map(shortened)
  }
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, shortened(member)]))
}
