import type { Finding } from '../../core/problem.js'
import type { Collection, DocumentType } from '../../core/records/collection.js'
import { type StoredRecord, schemaMisplaced, schemaUnnamed } from '../../core/records/record.js'
import type { Oid } from '../../core/value-types.js'
import {
  documentTypeOfFile,
  findFileNameFaults,
  recordDirectory,
  recordFile,
} from '../../store/records/repository-layout.js'
import type { DirectoryFiles } from '../database/directory-files.js'

/** Says whether the entry is a plain file, executable or not, and no symbolic link or submodule. */
export function isPlain(mode: string | undefined): boolean {
  return mode === undefined || /^100/.test(mode)
}

interface RecordFiles {
  readonly record: Oid
  readonly document: Oid
  readonly documentType: DocumentType
}

/** Finds record and document of a directory, or the faults that prevent it, from names and modes alone. */
export function findRecordFiles(kind: Collection, files: DirectoryFiles): RecordFiles | readonly Finding[] {
  const findings: Finding[] = []
  const documents: Omit<RecordFiles, 'record'>[] = []
  const others: string[] = []
  for (const [file, entry] of files) {
    const type = documentTypeOfFile(kind, file)
    if (type) documents.push({ document: entry.oid, documentType: type })
    else if (file !== recordFile && isPlain(entry.mode)) others.push(file)
    if (!isPlain(entry.mode)) {
      findings.push({ message: 'It is a symbolic link or a submodule; only plain files are read.', file })
    }
  }
  findings.push(...findFileNameFaults(kind, others))
  const record = files.get(recordFile)
  if (!record) findings.push({ message: `There is no ${recordFile}.` })
  const [document, second] = documents
  if (!document) findings.push({ message: 'There is no document.' })
  if (second) findings.push({ message: 'There are two documents, one JSON and one XML. Remove one.' })
  return record && document && findings.length === 0 ? { record: record.oid, ...document } : findings
}

/** The reasons why a readable record cannot be the record of its directory; empty if there are none. */
export function placementFindings(
  kind: Collection,
  directory: string,
  record: StoredRecord,
): readonly Finding[] {
  const findings: Finding[] = []
  const place = recordDirectory(kind, record.id)
  if (place !== directory) {
    const what = `The record of the id "${record.id}" belongs into ${place}.`
    findings.push(recordFault(`${what} Move its directory there, or correct the id.`, '/id'))
  }
  if (kind === 'metadata' && !record.schema) {
    findings.push(recordFault(`${schemaUnnamed} Add "schema": {"schemaId": …}.`, ''))
  }
  if (kind === 'schema' && record.schema) {
    findings.push(recordFault(`${schemaMisplaced} Remove "schema".`, '/schema'))
  }
  return findings
}

/** A finding in `record.json`. @param path JSON Pointer */
export function recordFault(message: string, path: string): Finding {
  return { message, path, file: recordFile }
}
