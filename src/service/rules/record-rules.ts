import { hasPermission, type Principal, seesEverything } from '../../core/access-control.js'
import { type Finding, ProblemError, type ProblemKind, throwIfFindings } from '../../core/problem.js'
import type { Collection, DocumentType } from '../../core/records/collection.js'
import {
  blankIdentifier,
  isDeclarablePath,
  relatedResources,
  type SchemaReference,
  type StoredRecord,
  schemaUnnamed,
  stateOf,
  uniqueNamesOf,
  unknownSchemaText,
} from '../../core/records/record.js'
import type { CatalogQueries } from '../../core/records/record-queries.js'
import type { Revision, UnservedRevision } from '../../core/records/revision.js'
import { type Id, truncate, type Version } from '../../core/value-types.js'
import { findFileNameFaults, recordFile } from '../../store/records/repository-layout.js'
import { detectDocumentType } from '../../validation/detect-document-type.js'

/*
 * The rules for records, as functions of the records at one moment (`CatalogQueries`). A request or an import is
 * refused with the first finding. A commit gets all findings. The texts are part of the contract with clients.
 */

/** A broken rule, and the kind of problem with which a request is refused. */
export interface RuleFinding extends Finding {
  readonly problem: ProblemKind
}

type Rule = Iterable<RuleFinding>

/** The problem with which a request is refused. */
export function problemOf({ problem, message }: RuleFinding): ProblemError {
  return new ProblemError(problem, message)
}

/**
 * Refuses a request that violates a rule.
 * @throws ProblemError for the first finding; later findings are not computed
 */
export function refuse(findings: Rule): void {
  for (const finding of findings) throw problemOf(finding)
}

/** Findings as the check of a commit reports them. */
export function toFindings(findings: Rule): readonly Finding[] {
  return Array.from(findings, ({ problem: _, ...finding }) => finding)
}

function inRecord(problem: ProblemKind, message: string, path = ''): RuleFinding {
  return { problem, message, path, file: recordFile }
}

/**
 * Names a record in a message. Callers who may not read the record do not learn its id.
 * @see docs/contract.md#what-a-caller-may-not-learn
 */
function nameOf(queries: CatalogQueries, caller: Principal, kind: Collection, id: Id): string {
  if (seesEverything(caller)) return `the ${kind} record "${id}"`
  const record = queries.newest(kind, id)?.record
  return record && isReadable(caller, record) ? `the ${kind} record "${id}"` : `a ${kind} record`
}

/**
 * Finds names of the record that belong to another record: id, persistent identifier, alternate identifiers.
 * @param isNew whether the record is new. Then names of a deleted record with the same id are taken, too
 * @see docs/contract.md#names-of-a-record
 */
export function* findTakenNames(
  queries: CatalogQueries,
  caller: Principal,
  kind: Collection,
  record: StoredRecord,
  isNew = false,
): Rule {
  const owners = queries.owners(uniqueNamesOf(record), isNew ? undefined : { kind, id: record.id })
  for (const owner of owners) {
    const name = truncate(owner.name, 200)
    if (!owner.gone) {
      const whose = nameOf(queries, caller, owner.kind, owner.id)
      yield inRecord('conflict', `Conflict: the identifier "${name}" belongs to ${whose}.`)
      continue
    }
    const why = `the ${owner.kind} record with the identifier "${name}" was deleted; its identifiers are never given again.`
    yield isNew ? inRecord('gone', `Gone: ${why}`) : inRecord('conflict', `Conflict: ${why}`)
  }
}

/**
 * Finds resources that another record describes with any version of the same schema.
 * @param before the former record: its pairs of resource and schema are not checked again
 * @see docs/contract.md#one-document-per-resource-and-schema
 */
export function* findSecondDocuments(
  queries: CatalogQueries,
  caller: Principal,
  record: StoredRecord,
  before?: StoredRecord,
): Rule {
  const schemaId = record.schema?.schemaId
  if (schemaId === undefined) return
  const had = new Set(before?.schema?.schemaId === schemaId ? relatedResources(before) : [])
  const fresh = relatedResources(record).filter(resource => !had.has(resource))
  if (fresh.length === 0) return
  for (const { resource, id } of queries.describers(fresh, schemaId, record.id)) {
    yield inRecord(
      'conflict',
      `Conflict: the resource "${truncate(resource, 500)}" already has a document that follows the schema "${schemaId}": ${nameOf(queries, caller, 'metadata', id)}.`,
      '/relatedIdentifiers',
    )
  }
}

/** A metadata record must name a resource that it describes. @see docs/contract.md#order-of-checks-of-a-post */
export function* findMissingResource(record: StoredRecord): Rule {
  if (relatedResources(record).length > 0) return
  const message = 'The record names no related resource that it describes.'
  yield inRecord('malformed-request', message, '/relatedIdentifiers')
}

/**
 * Finds a state that a record gets only by DELETE.
 * @param states the forbidden states: both for requests; commits and imports may bring records that are REVOKED
 */
export function* findStateByHand(record: StoredRecord, states: readonly ('REVOKED' | 'GONE')[]): Rule {
  const found = states.find(state => state === stateOf(record))
  if (found) yield inRecord('malformed-request', `A record becomes ${found} by DELETE only.`, '/state')
}

/** Finds an identifier without visible characters. */
export function* findBlankIdentifier(record: StoredRecord): Rule {
  const blank = blankIdentifier(record)
  if (blank === undefined) return
  const message = `The member ${blank} is blank. Write the identifier, or leave the entry out.`
  yield inRecord('malformed-request', message)
}

/** Limit of the fields that a schema declares for the search. */
const maxDeclaredFields = 100

/** Finds faults in what a schema declares for the search. @see docs/use/search.md#declared-fields */
export function* findSearchDeclaration({ search, schema }: StoredRecord): Rule {
  const fields = search?.fields ?? []
  if (search === undefined) return
  if (schema !== undefined) {
    const message =
      'The member search is for schemas: it says which fields of their documents have ranges and facets.'
    yield inRecord('malformed-request', message, '/search')
    return
  }
  if (fields.length > maxDeclaredFields) {
    const message = `The member search declares ${fields.length} fields. At most ${maxDeclaredFields} are possible.`
    yield inRecord('malformed-request', message, '/search/fields')
    return
  }
  const known = new Set<string>()
  for (const [index, { path }] of fields.entries()) {
    const lower = path.toLowerCase()
    const why = !isDeclarablePath(path)
      ? 'is no path: write the names of members or elements from the root of the document, joined by dots, without asterisks'
      : known.has(lower)
        ? 'is declared twice'
        : undefined
    known.add(lower)
    if (why === undefined) continue
    const message = `The path "${truncate(path)}" of search.fields ${why}.`
    yield inRecord('malformed-request', message, `/search/fields/${index}/path`)
  }
}

/** A crosswalk is a member of schemas. What is wrong in it, the feature that reads it finds. */
export function* findMisplacedCrosswalk({ crosswalk, schema }: StoredRecord): Rule {
  if (crosswalk === undefined || schema === undefined) return
  const message =
    'The member crosswalk is for schemas: it says where their documents have titles, people and dates.'
  yield inRecord('malformed-request', message, '/crosswalk')
}

/** Finds a metadata record that follows the schema. All such records must be removed before the schema. */
export function* findDependents(queries: CatalogQueries, caller: Principal, id: Id): Rule {
  const dependent = queries.dependentOf(id)
  if (dependent === undefined) return
  yield {
    problem: 'conflict',
    message: `Conflict: ${nameOf(queries, caller, 'metadata', dependent)} follows a version of the schema "${id}". Delete the documents that follow it first.`,
  }
}

export function noSchemaNamed(): RuleFinding {
  return inRecord('malformed-request', schemaUnnamed, '/schema')
}

export function noSuchSchema(id: string): RuleFinding {
  return inRecord('unprocessable', unknownSchemaText(id), '/schema/schemaId')
}

/** @param version of which no revision is served */
export function noSuchVersion(queries: CatalogQueries, id: Id, version: Version | undefined): RuleFinding {
  const [unserved] = version === undefined ? [] : queries.unservedRevisions('schema', id, version)
  const message = unserved
    ? `Version ${version} of the schema "${id}" is not served: ${unservedText(unserved)}`
    : `The schema "${id}" has no version ${version}.`
  return inRecord('unprocessable', message, '/schema')
}

/** Sentences on why a version is not served, and which versions are. The first one begins with a lower case letter. */
export function unservedText({ commit, before, after }: UnservedRevision): string {
  const served = [before, after].filter(version => version !== undefined)
  const others =
    served.length === 0
      ? ''
      : served.length === 1
        ? ` Version ${served[0]} is served.`
        : ` Versions ${served.join(' and ')} are served.`
  return `its commit ${commit.slice(0, 10)} breaks a rule.${others}`
}

/** The name of a schema version in a record or another schema. */
export interface SchemaName {
  readonly id: Id
  /** Undefined: the newest version. */
  readonly version?: Version | undefined
}

/**
 * Finds a schema version that a record may follow, or to which another schema may refer.
 * @param mayBeRevoked the record follows the schema already, or is imported with it
 * @returns a finding if there is no such version
 */
export function findSchemaVersion(
  queries: CatalogQueries,
  { id, version }: SchemaName,
  mayBeRevoked = false,
): Revision | RuleFinding {
  const newest = queries.newest('schema', id)
  if (!newest || (stateOf(newest.record) === 'REVOKED' && !mayBeRevoked)) return noSuchSchema(id)
  const found = version === undefined ? newest : queries.atVersion('schema', id, version)
  return found ?? noSuchVersion(queries, id, version)
}

/** Says whether two records follow the same schema version. */
export function sameSchema(a: SchemaReference | undefined, b: SchemaReference | undefined): boolean {
  return a !== undefined && a.schemaId === b?.schemaId && a.version === b.version
}

/** A REVOKED record is visible only to callers who may revive it. @see docs/contract.md#what-a-caller-may-not-learn */
export function isVisible(caller: Principal, record: StoredRecord): boolean {
  return stateOf(record) !== 'REVOKED' || hasPermission(caller, record, 'ADMINISTRATE')
}

export function isReadable(caller: Principal, record: StoredRecord): boolean {
  return isVisible(caller, record) && hasPermission(caller, record, 'READ')
}

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
