import type { Finding } from '../../core/problem.js'
import { ProblemError, throwIfFindings } from '../../core/problem.js'
import type { Collection, DocumentType } from '../../core/records/collection.js'
import type { SchemaReference } from '../../core/records/record.js'
import type { Id } from '../../core/value-types.js'
import { findFileNameFaults } from '../../store/records/repository-layout.js'
import { detectDocumentType } from '../../validation/detect-document-type.js'
import type { RuleFinding } from './record-rules.js'

/** The id of a new schema must be in lower case. @see docs/contract.md#ids-of-schemas */
export function* findUpperCase(id: Id): Iterable<RuleFinding> {
  const lower = id.toLowerCase()
  if (id === lower) return
  yield {
    problem: 'malformed-request',
    message: `The schema id "${id}" has upper case letters. Use "${lower}".`,
  }
}

/**
 * The language of a schema document.
 * @param wanted the language by the record, or by the name of the file
 * @returns a finding if the document is of another language, or of none
 * @see docs/contract.md#schema-documents
 */
export function findSchemaLanguage(
  document: Uint8Array,
  wanted: DocumentType | undefined,
): DocumentType | RuleFinding {
  const found = detectDocumentType(document)
  if (found === undefined) {
    return { problem: 'unprocessable', message: 'The schema document is neither JSON nor XML.', path: '' }
  }
  return wanted === undefined || wanted === found ? found : otherLanguage(wanted, found)
}

export function otherLanguage(wanted: DocumentType, found: DocumentType): RuleFinding {
  const message = `The record says that the schema document is ${wanted}, but it is ${found}.`
  return { problem: 'unprocessable', message, path: '' }
}

/** Refuses an uploaded document. @throws ProblemError `unprocessable` with the finding */
export function refuseDocument({ message, path }: RuleFinding): never {
  throw new ProblemError('unprocessable', message, { findings: [{ message, path: path ?? '' }] })
}

/** Finds faults in the names of additional files. */
export function* findFileNames(kind: Collection, paths: Iterable<string>): Iterable<RuleFinding> {
  for (const finding of findFileNameFaults(kind, paths)) yield { ...finding, problem: 'malformed-request' }
}

/** Refuses an invalid schema. @throws ProblemError `unprocessable` if there are findings about the schema */
export function refuseUnusableSchema(findings: readonly Finding[]): void {
  throwIfFindings(findings, 'The schema document cannot be used.')
}

/** Refuses an invalid document. @throws ProblemError `unprocessable` if there are findings about the document */
export function refuseInvalidDocument(
  findings: readonly Finding[],
  { schemaId, version }: SchemaReference,
): void {
  throwIfFindings(findings, `The document is not valid against the schema "${schemaId}", version ${version}.`)
}

/** Runs a check. @returns findings that it returns or throws (`unprocessable`) @throws any other error of the check */
export async function findingsOf(check: () => Promise<readonly Finding[]>): Promise<readonly Finding[]> {
  try {
    return await check()
  } catch (error) {
    if (!(error instanceof ProblemError) || error.kind !== 'unprocessable') throw error
    return error.extra.findings?.length ? error.extra.findings : [{ message: error.message }]
  }
}
