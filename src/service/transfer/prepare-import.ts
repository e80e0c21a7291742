import { LRUCache } from 'lru-cache'
import { type Principal, selfPrincipal } from '../../core/access-control.js'
import { malformedRequest, ProblemError } from '../../core/problem.js'
import type { StoredRecord } from '../../core/records/record.js'
import type { CatalogQueries } from '../../core/records/record-queries.js'
import type { Revision } from '../../core/records/revision.js'
import { schemaMisplaced } from '../../core/records/schema-reference-texts.js'
import { asVersion, isId, type Version } from '../../core/value-types.js'
import { blobId } from '../../store/objects/blob-cache.js'
import { parseRecord } from '../../store/records/record-json.js'
import type { Change } from '../../store/write/writer.js'
import type { Validator } from '../../validation/validator.js'
import { type BundleAssembler, stillResolves } from '../rules/assemble-schema-bundle.js'
import { findDeletable } from '../rules/find-record.js'
import { contentOf, sameContent } from '../rules/record-content.js'
import {
  findBlankIdentifier,
  findMissingResource,
  findSchemaVersion,
  findSearchDeclaration,
  findStateByHand,
  noSchemaNamed,
  problemOf,
  refuse,
  type SchemaName,
} from '../rules/record-rules.js'
import { nextVersion, refuseTakenClaims } from '../rules/request-rules.js'
import {
  findFileNames,
  findSchemaLanguage,
  findUpperCase,
  refuseInvalidDocument,
  refuseUnusableSchema,
} from '../rules/schema-rules.js'
import { metadataSubject, recordLabel, recordTrailers, schemaSubject } from '../updates/commit-messages.js'
import { StaleUpdateError, type Transactions } from '../updates/submit-update.js'
import { type IncomingState, isStoredAlready } from './compare-with-stored.js'
import type { InterchangeItem, ItemState } from './interchange-format.js'

/** What became of an item. */
export type ImportOutcome = 'created' | 'revised' | 'removed' | 'there'

/** An item that has been checked as far as other writers cannot change the outcome. */
export interface PreparedItem {
  readonly item: InterchangeItem
  /** Who the commit says has written it. */
  readonly caller: Principal
  /**
   * Pure, run on the newest state inside the writer.
   * @throws ProblemError; Outdated where it has to be prepared again
   */
  plan(state: CatalogQueries): Planned
}

export interface Planned {
  readonly fate: ImportOutcome
  readonly change?: Change
  /** The version that the change makes, where it is known; undefined where the record is removed. */
  readonly version?: Version | undefined
}

export interface PrepareOptions {
  readonly transactions: Transactions
  readonly bundles: BundleAssembler
  readonly validator: Validator
}

/** The trailer that carries the time of a revision where it comes from; its `Recorded-At` is when it came here. */
export const originalTimeTrailer = 'Original-Time'

/** Schema versions that are remembered. */
const mostSchemas = 1000

/**
 * Items are held to the rules of a POST or PUT, with two exceptions, without which a repository could not be moved:
 * a record may be REVOKED from the start, and a document may follow a REVOKED schema.
 */
export function openItemPreparer({ transactions, bundles, validator }: PrepareOptions) {
  const schemas = new LRUCache<string, Revision>({ max: mostSchemas })

  /** A schema version, remembered: what it says never changes. */
  function known(named: SchemaName): Revision {
    const key = `${named.id} ${named.version}`
    const found = schemas.get(key) ?? schemaOf(transactions.committed, named)
    if (named.version !== undefined) schemas.set(key, found)
    return found
  }

  return (item: InterchangeItem, update: boolean): Promise<PreparedItem> => {
    const { state } = item
    if (!state) return Promise.resolve(prepareRemoval(item, update))
    return item.kind === 'schema' ? prepareSchema(item, state, update) : prepareMetadata(item, state, update)
  }

  function prepareRemoval(item: InterchangeItem, update: boolean): PreparedItem {
    const { kind, id } = item
    return prepared(item, state => {
      if (isStoredAlready(state, item, undefined, update)) return { fate: 'there' }
      findDeletable(state, selfPrincipal, kind, id, { any: true })
      return { fate: 'removed', change: changeOf(item, `Delete ${recordLabel(kind, id)}`, undefined) }
    })
  }

  async function prepareMetadata(
    item: InterchangeItem,
    sent: ItemState,
    update: boolean,
  ): Promise<PreparedItem> {
    const { id } = item
    const named = schemaNamed(sent.record)
    const schema = known(named)
    const follows = { schemaId: schema.id, version: schema.version }
    const record = stored(item, sent, follows)
    refuse(findMissingResource(record))
    refuse(findFileNames('metadata', sent.files.keys()))
    const type = schema.documentType
    const wanted: IncomingState = { record, type, document: blobId(sent.document), files: new Map() }
    const isKnown = isKnownAlready(item, wanted, update)
    if (!isKnown) {
      const findings = await validator.validate(
        await bundles.ofStored(transactions.committed, schema),
        sent.document,
      )
      refuseInvalidDocument(findings, follows)
    }
    return prepared(item, state => {
      const current = state.newest('metadata', id)
      if (isStoredAlready(state, item, wanted, update)) return { fate: 'there' }
      if (isKnown || !stillNamed(state, named, schema)) throw new StaleUpdateError()
      refuseTakenClaims(state, selfPrincipal, 'metadata', record, current?.record)
      const version = current ? nextVersion(state, current, true) : asVersion(1)
      const subject = metadataSubject(id, follows, current && version)
      const after = {
        record,
        documentType: type,
        document: sent.document,
        files: new Map<string, Uint8Array>(),
      }
      return {
        fate: current ? 'revised' : 'created',
        version,
        change: changeOf(item, subject, version, after),
      }
    })
  }

  async function prepareSchema(
    item: InterchangeItem,
    sent: ItemState,
    update: boolean,
  ): Promise<PreparedItem> {
    const { id } = item
    refuse(findUpperCase(id))
    const record = stored(item, sent, undefined)
    refuse(findFileNames('schema', sent.files.keys()))
    const type = findSchemaLanguage(sent.document, undefined)
    if (typeof type !== 'string') throw problemOf(type)
    const wanted: IncomingState = { record, type, document: blobId(sent.document), files: sent.files }
    const isKnown = isKnownAlready(item, wanted, update)
    const { bundle, findings, meanings } = await bundles.ofNew(transactions.committed, { id, type, ...sent })
    refuseUnusableSchema(findings)
    if (!isKnown) refuseUnusableSchema(await validator.check(bundle))
    return prepared(item, state => {
      const current = state.newest('schema', id)
      if (isStoredAlready(state, item, wanted, update)) return { fate: 'there' }
      if (isKnown || !meanings.every(meaning => stillResolves(state, meaning))) throw new StaleUpdateError()
      refuseTakenClaims(state, selfPrincipal, 'schema', record, current?.record)
      const after = { record, documentType: type, document: sent.document, files: sent.files }
      if (!current) {
        const version = asVersion(1)
        const subject = `Register ${recordLabel('schema', id)}`
        return { fate: 'created', change: changeOf(item, subject, version, after) }
      }
      const filesChange = !sameContent(contentOf(current), wanted)
      const version = nextVersion(state, current, filesChange)
      const subject = schemaSubject(id, filesChange, version)
      return { fate: 'revised', change: changeOf(item, subject, version, after) }
    })
  }

  /** Says whether the item need not be validated, because it is there. What is in its way is said by the plan. */
  function isKnownAlready(item: InterchangeItem, wanted: IncomingState, update: boolean): boolean {
    try {
      return isStoredAlready(transactions.committed, item, wanted, update)
    } catch (error) {
      if (error instanceof ProblemError) return false
      throw error
    }
  }
}

function prepared(item: InterchangeItem, plan: PreparedItem['plan']): PreparedItem {
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

/** @throws ProblemError `malformed-request` */
function schemaNamed(record: ItemState['record']): SchemaName {
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

/** Says whether the newest state would name the same schema version. */
function stillNamed(state: CatalogQueries, named: SchemaName, schema: Revision): boolean {
  if (named.version === undefined) return schemaOf(state, named).version === schema.version
  return state.owner(named.id)?.gone === false
}

/** @throws ProblemError `unprocessable` */
function schemaOf(state: CatalogQueries, named: SchemaName): Revision {
  const found = findSchemaVersion(state, named, true)
  if ('problem' in found) throw problemOf(found)
  return found
}

/** The record in its stored form. @throws ProblemError where it is none */
function stored(
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
  refuse(findStateByHand(record, ['GONE']))
  return record
}
