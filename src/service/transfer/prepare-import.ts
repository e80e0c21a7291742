import { LRUCache } from 'lru-cache'
import { type Principal, selfPrincipal } from '../../core/access-control.js'
import { malformedRequest, ProblemError, throwIfFindings } from '../../core/problem.js'
import { type StoredRecord, stateOf } from '../../core/records/record.js'
import type { CatalogQueries } from '../../core/records/record-queries.js'
import type { Revision } from '../../core/records/revision.js'
import { asVersion, type Id, isId, type Version } from '../../core/value-types.js'
import { blobId } from '../../store/objects/blob-cache.js'
import { parseRecord } from '../../store/records/record-json.js'
import { findCaseFoldClash, findFilePathFault } from '../../store/records/repository-layout.js'
import type { Change } from '../../store/write/writer.js'
import { detectDocumentType } from '../../validation/detect-document-type.js'
import type { Validator } from '../../validation/validator.js'
import { type BundleAssembler, stillResolves } from '../rules/assemble-schema-bundle.js'
import {
  findDeletable,
  nextVersion,
  refuseBlankIdentifier,
  refuseNamesOfOthers,
  refuseSecondDocument,
  refuseTakenClaims,
  refuseTakenNames,
  refuseWithoutResource,
} from '../rules/request-rules.js'
import { recordLabel, recordTrailers, versionLabel } from '../updates/commit-messages.js'
import { StaleUpdateError, type Transactions } from '../updates/submit-update.js'
import { hasSameFiles, type IncomingState, isStoredAlready, namesOfFiles } from './compare-with-stored.js'
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
}

export interface PrepareOptions {
  readonly desk: Transactions
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
export function openItemPreparer({ desk, bundles, validator }: PrepareOptions) {
  const schemas = new LRUCache<string, Revision>({ max: mostSchemas })

  /** A schema version, remembered: what it says never changes. */
  function known(named: SchemaNamed): Revision {
    const key = `${named.id} ${named.version}`
    const found = schemas.get(key) ?? schemaOf(desk.committed, named)
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
    const record = stored(item, sent, { schemaId: schema.id, version: schema.version })
    refuseWithoutResource(record)
    if (sent.files.size > 0) throw malformedRequest('Only schemas have further files.')
    const type = schema.documentType
    const wanted: IncomingState = { record, type, document: blobId(sent.document), files: new Map() }
    const isKnown = isKnownAlready(item, wanted, update)
    if (!isKnown) {
      const findings = await validator.validate(await bundles.ofStored(desk.committed, schema), sent.document)
      throwIfFindings(
        findings,
        `The document is not valid against the schema "${schema.id}", version ${schema.version}.`,
      )
    }
    return prepared(item, state => {
      const current = state.newest('metadata', id)
      if (isStoredAlready(state, item, wanted, update)) return { fate: 'there' }
      if (isKnown || !stillNamed(state, named, schema)) throw new StaleUpdateError()
      if (current) {
        refuseNamesOfOthers(state, selfPrincipal, 'metadata', record)
        refuseSecondDocument(state, selfPrincipal, record, current.record)
      } else refuseTakenClaims(state, selfPrincipal, 'metadata', record)
      const version = current ? nextVersion(state, current, true) : asVersion(1)
      const follows = versionLabel(schema.id, schema.version)
      const subject = current
        ? `Update ${recordLabel('metadata', id)} to version ${version} (${follows})`
        : `Create ${recordLabel('metadata', id)} (${follows})`
      const after = {
        record,
        documentType: type,
        document: sent.document,
        files: new Map<string, Uint8Array>(),
      }
      return {
        fate: current ? 'revised' : 'created',
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
    if (id !== id.toLowerCase()) {
      throw malformedRequest(`The schema id "${id}" has upper case letters. Use "${id.toLowerCase()}".`)
    }
    const record = stored(item, sent, undefined)
    refusePaths(sent.files)
    const type = detectDocumentType(sent.document)
    if (type === undefined) throw unprocessable('The schema document is neither JSON nor XML.')
    const files = namesOfFiles(sent.files)
    const wanted: IncomingState = { record, type, document: blobId(sent.document), files }
    const isKnown = isKnownAlready(item, wanted, update)
    const { bundle, findings, meanings } = await bundles.ofNew(desk.committed, { id, type, ...sent })
    throwIfFindings(findings, 'The schema document cannot be used.')
    if (!isKnown) throwIfFindings(await validator.check(bundle), 'The schema document cannot be used.')
    return prepared(item, state => {
      const current = state.newest('schema', id)
      if (isStoredAlready(state, item, wanted, update)) return { fate: 'there' }
      if (isKnown || !meanings.every(meaning => stillResolves(state, meaning))) throw new StaleUpdateError()
      if (current) refuseNamesOfOthers(state, selfPrincipal, 'schema', record)
      else refuseTakenNames(state, selfPrincipal, 'schema', record)
      const after = { record, documentType: type, document: sent.document, files: sent.files }
      if (!current) {
        const version = asVersion(1)
        const subject = `Register ${recordLabel('schema', id)}`
        return { fate: 'created', change: changeOf(item, subject, version, after) }
      }
      const filesChange = !hasSameFiles(current, wanted)
      const version = nextVersion(state, current, filesChange)
      const to = version === undefined ? '' : filesChange ? ` to version ${version}` : ` (version ${version})`
      const subject = `${filesChange ? 'Update' : 'Update the record of'} ${recordLabel('schema', id)}${to}`
      return { fate: 'revised', change: changeOf(item, subject, version, after) }
    })
  }

  /** Says whether the item need not be validated, because it is there. What is in its way is said by the plan. */
  function isKnownAlready(item: InterchangeItem, wanted: IncomingState, update: boolean): boolean {
    try {
      return isStoredAlready(desk.committed, item, wanted, update)
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

interface SchemaNamed {
  readonly id: Id
  /** Undefined: the newest. */
  readonly version: Version | undefined
}

/** @throws ProblemError `malformed-request` */
function schemaNamed(record: ItemState['record']): SchemaNamed {
  const { schemaId, version } = (record.schema ?? {}) as Readonly<Record<string, unknown>>
  if (typeof schemaId !== 'string' || !isId(schemaId)) {
    throw malformedRequest(
      'The record names no schema to follow: it needs "schema": {"schemaId": …, "version": …}.',
    )
  }
  if (version === undefined) return { id: schemaId, version: undefined }
  if (typeof version === 'number' && Number.isSafeInteger(version) && version >= 1) {
    return { id: schemaId, version: asVersion(version) }
  }
  throw malformedRequest(`The version ${JSON.stringify(version)} of the schema is not a whole number from 1.`)
}

/** Says whether the newest state would name the same schema version. */
function stillNamed(state: CatalogQueries, named: SchemaNamed, schema: Revision): boolean {
  if (named.version === undefined) return schemaOf(state, named).version === schema.version
  return state.owner(named.id)?.gone === false
}

/** @throws ProblemError `unprocessable` */
function schemaOf(state: CatalogQueries, { id, version }: SchemaNamed): Revision {
  const newest = state.newest('schema', id)
  const found = version === undefined ? newest : newest && state.atVersion('schema', id, version)
  if (found) return found
  throw unprocessable(
    newest
      ? `The schema "${id}" has no version ${version}.`
      : `There is no schema with the id "${id}" to follow.`,
  )
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
  if (kind === 'schema' && record.schema) throw malformedRequest('Only metadata records follow a schema.')
  refuseBlankIdentifier(record)
  if (stateOf(record) === 'GONE')
    throw malformedRequest('A record is GONE when it is deleted, not by its state.')
  return record
}

/** @throws ProblemError `malformed-request` */
function refusePaths(files: ReadonlyMap<string, unknown>): void {
  for (const path of files.keys()) {
    const fault = findFilePathFault(path)
    if (fault !== undefined)
      throw malformedRequest(`The file name ${JSON.stringify(path)} cannot be used: ${fault}.`)
  }
  const clash = findCaseFoldClash(files.keys())
  if (clash) throw malformedRequest(`The files "${clash[0]}" and "${clash[1]}" cannot lie in one folder.`)
}

function unprocessable(message: string): ProblemError {
  return new ProblemError('unprocessable', message)
}
