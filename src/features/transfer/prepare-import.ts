import { LRUCache } from 'lru-cache'
import { type Principal, selfPrincipal } from '../../core/access-control.js'
import { malformedRequest, ProblemError } from '../../core/problem.js'
import { type StoredRecord, schemaMisplaced } from '../../core/records/record.js'
import type { CatalogQueries } from '../../core/records/record-queries.js'
import type { Revision } from '../../core/records/revision.js'
import { asVersion, isId, type Version } from '../../core/value-types.js'
import { findDeletable } from '../../service/access/find-record.js'
import { nextVersion, refuseTakenClaims } from '../../service/access/request-rules.js'
import { type BundleAssembler, stillResolves } from '../../service/rules/assemble-schema-bundle.js'
import { contentOf, sameContent } from '../../service/rules/record-content.js'
import { type RecordHooks, refuseByFeatures } from '../../service/rules/record-hooks.js'
import {
  findBlankIdentifier,
  findFileNames,
  findMisplacedCrosswalk,
  findMissingResource,
  findSchemaLanguage,
  findSchemaVersion,
  findSearchDeclaration,
  findStateByHand,
  findUpperCase,
  noSchemaNamed,
  problemOf,
  refuse,
  refuseInvalidDocument,
  refuseUnusableSchema,
  type SchemaName,
} from '../../service/rules/record-rules.js'
import {
  deletionSubject,
  metadataSubject,
  newSchemaSubject,
  originalTimeTrailer,
  recordTrailers,
  schemaSubject,
} from '../../service/updates/commit-messages.js'
import { StaleUpdateError, type Transactions } from '../../service/updates/submit-update.js'
import { blobId } from '../../store/objects/hash-object.js'
import { parseRecord } from '../../store/records/record-json.js'
import type { Change } from '../../store/write/writer-interface.js'
import type { Validator } from '../../validation/validator.js'
import { type IncomingState, isStoredAlready } from './compare-with-stored.js'
import type { ImportOutcome } from './import-report.js'
import type { InterchangeItem, ItemState } from './interchange-format.js'

/** An item that has passed the checks whose result other writers cannot change. */
export interface PreparedItem {
  readonly item: InterchangeItem
  /** The author of the commit. */
  readonly caller: Principal
  /**
   * Plans the change. A pure function, which the writer runs on the newest records.
   * @throws ProblemError; StaleUpdateError if the item must be prepared again
   */
  plan(state: CatalogQueries): Planned
}

export interface Planned {
  readonly outcome: ImportOutcome
  readonly change?: Change
  /** The version that the change makes, if it is known; undefined for a removal. */
  readonly version?: Version | undefined
}

export interface PrepareOptions {
  readonly transactions: Transactions
  readonly bundles: BundleAssembler
  readonly validator: Validator
  /** Their rules for records. */
  readonly features: readonly RecordHooks[]
}

/** Number of schema versions in the cache. */
const maxCachedSchemas = 1000

/** Checks an item. @param update whether an item that differs from the stored record is its next version */
export type PrepareItem = (item: InterchangeItem, update: boolean) => Promise<PreparedItem>

/**
 * Checks items by the rules of a POST or PUT, with two exceptions that are needed to move a repository: a record may be
 * REVOKED from the start, and a document may follow a REVOKED schema.
 */
export function openItemPreparer(options: PrepareOptions): PrepareItem {
  const { committed } = options.transactions
  const cache = new LRUCache<string, Revision>({ max: maxCachedSchemas })

  /** The revision of a schema that an item names. It is cached if the item names a version, which never changes. */
  function schemaNamedBy(name: SchemaName): Revision {
    const key = `${name.id} ${name.version}`
    const found = cache.get(key) ?? schemaOf(committed, name)
    if (name.version !== undefined) cache.set(key, found)
    return found
  }

  return (item, update) => {
    const { kind, state } = item
    if (!state) return Promise.resolve(prepareRemoval(item, update))
    if (kind === 'schema') return prepareSchema(options, item, state, update)
    return prepareMetadata(options, schemaNamedBy, item, state, update)
  }
}

function prepareRemoval(item: InterchangeItem, update: boolean): PreparedItem {
  const { kind, id } = item
  return preparedItem(item, state => {
    if (isStoredAlready(state, item, undefined, update)) return { outcome: 'there' }
    findDeletable(state, selfPrincipal, kind, id, { any: true })
    return { outcome: 'removed', change: changeOf(item, deletionSubject(kind, id), undefined) }
  })
}

async function prepareMetadata(
  { transactions, bundles, validator }: PrepareOptions,
  schemaNamedBy: (name: SchemaName) => Revision,
  item: InterchangeItem,
  sent: ItemState,
  update: boolean,
): Promise<PreparedItem> {
  const { id } = item
  const { committed } = transactions
  const name = schemaNameIn(sent.record)
  const schema = schemaNamedBy(name)
  const follows = { schemaId: schema.id, version: schema.version }
  const record = toStoredRecord(item, sent, follows)
  refuse(findMissingResource(record))
  refuse(findFileNames('metadata', sent.files.keys()))
  const type = schema.documentType
  const wanted: IncomingState = { record, type, document: blobId(sent.document), files: new Map() }
  const isKnown = needsNoValidation(committed, item, wanted, update)
  if (!isKnown) {
    const findings = await validator.validate(await bundles.ofStored(committed, schema), sent.document)
    refuseInvalidDocument(findings, follows)
  }
  return preparedItem(item, state => {
    const current = state.newest('metadata', id)
    if (isStoredAlready(state, item, wanted, update)) return { outcome: 'there' }
    if (isKnown || !stillNames(state, name, schema)) throw new StaleUpdateError()
    const isReturning = followsDeletion(item, current)
    refuseTakenClaims(state, selfPrincipal, 'metadata', record, current?.record, isReturning)
    const version = current ? nextVersion(state, current, true) : isReturning ? undefined : asVersion(1)
    const subject = metadataSubject(id, follows, current && version)
    const files = new Map<string, Uint8Array>()
    const after = { record, documentType: type, document: sent.document, files }
    return {
      outcome: current ? 'revised' : 'created',
      version,
      change: changeOf(item, subject, version, after),
    }
  })
}

async function prepareSchema(
  { transactions, bundles, validator, features }: PrepareOptions,
  item: InterchangeItem,
  sent: ItemState,
  update: boolean,
): Promise<PreparedItem> {
  const { id } = item
  const { committed } = transactions
  refuse(findUpperCase(id))
  const record = toStoredRecord(item, sent, undefined)
  refuse(findFileNames('schema', sent.files.keys()))
  const type = findSchemaLanguage(sent.document, undefined)
  if (typeof type !== 'string') throw problemOf(type)
  const wanted: IncomingState = { record, type, document: blobId(sent.document), files: sent.files }
  const isKnown = needsNoValidation(committed, item, wanted, update)
  const { bundle, findings, resolved } = await bundles.ofNew(committed, { id, type, ...sent })
  refuseUnusableSchema(findings)
  if (!isKnown) {
    refuseUnusableSchema(await validator.check(bundle))
    const before = committed.newest('schema', id)?.record
    await refuseByFeatures(features, { record, before, bundle: async () => bundle })
  }
  return preparedItem(item, state => {
    const current = state.newest('schema', id)
    if (isStoredAlready(state, item, wanted, update)) return { outcome: 'there' }
    if (isKnown || !resolved.every(reference => stillResolves(state, reference))) throw new StaleUpdateError()
    refuseTakenClaims(state, selfPrincipal, 'schema', record, current?.record, followsDeletion(item, current))
    const after = { record, documentType: type, document: sent.document, files: sent.files }
    if (!current) {
      const change = changeOf(item, newSchemaSubject(id), asVersion(1), after)
      return { outcome: 'created', change }
    }
    const filesChange = !sameContent(contentOf(current), wanted)
    const version = nextVersion(state, current, filesChange)
    const subject = schemaSubject(id, filesChange, version)
    return { outcome: 'revised', change: changeOf(item, subject, version, after) }
  })
}

/**
 * Whether the record of a revision was deleted before, and a user restored it with git in the repository that the item
 * comes from.
 */
function followsDeletion({ number = 1 }: InterchangeItem, current: Revision | undefined): boolean {
  return current === undefined && number > 1
}

/** Whether the item is stored already. The plan finds conflicts with the stored record. */
function needsNoValidation(
  committed: CatalogQueries,
  item: InterchangeItem,
  wanted: IncomingState,
  update: boolean,
): boolean {
  try {
    return isStoredAlready(committed, item, wanted, update)
  } catch (error) {
    if (error instanceof ProblemError) return false
    throw error
  }
}

function preparedItem(item: InterchangeItem, plan: PreparedItem['plan']): PreparedItem {
  return { item, caller: item.author ? { ...selfPrincipal, ...item.author } : selfPrincipal, plan }
}

function changeOf(
  { kind, id, time }: InterchangeItem,
  subject: string,
  version: Version | undefined,
  state?: NonNullable<Change['state']>,
): Change {
  const own = recordTrailers(kind, id, version)
  return {
    kind,
    id,
    ...(state && { state }),
    subject,
    trailers: time === undefined ? own : [...own, [originalTimeTrailer, new Date(time).toISOString()]],
    ...(time !== undefined && { authoredAt: time }),
  }
}

/** The schema version that a record names. @throws ProblemError `malformed-request` */
function schemaNameIn(record: ItemState['record']): SchemaName {
  const { schemaId, version } = (record.schema ?? {}) as Readonly<Record<string, unknown>>
  if (typeof schemaId !== 'string' || !isId(schemaId)) {
    throw problemOf(noSchemaNamed())
  }
  if (version === undefined) return { id: schemaId, version: undefined }
  if (typeof version === 'number' && Number.isSafeInteger(version) && version >= 1) {
    return { id: schemaId, version: asVersion(version) }
  }
  throw malformedRequest(`The version ${JSON.stringify(version)} of the schema is not a whole number from 1.`)
}

/** Says whether the name still resolves to the same schema version. */
function stillNames(state: CatalogQueries, named: SchemaName, schema: Revision): boolean {
  if (named.version === undefined) return schemaOf(state, named).version === schema.version
  return state.owner(named.id)?.gone === false
}

/** The schema version with a name. @throws ProblemError `unprocessable` if there is none */
function schemaOf(state: CatalogQueries, named: SchemaName): Revision {
  const found = findSchemaVersion(state, named, true)
  if ('problem' in found) throw problemOf(found)
  return found
}

/** The stored form of a record. @throws ProblemError for a record that breaks a rule */
function toStoredRecord(
  { id, kind }: InterchangeItem,
  { record: sent }: ItemState,
  schema: StoredRecord['schema'],
): StoredRecord {
  const members = { ...sent, id: sent.id ?? id, ...(schema && { schema }) }
  const record = parseRecord(members)
  if (record.id !== id) throw malformedRequest(`The record has the id "${record.id}", and its line "${id}".`)
  if (kind === 'schema' && record.schema) throw malformedRequest(schemaMisplaced)
  refuse(findBlankIdentifier(record))
  refuse(findSearchDeclaration(record))
  refuse(findMisplacedCrosswalk(record))
  refuse(findStateByHand(record, ['GONE']))
  return record
}
