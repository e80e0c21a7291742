import { LRUCache } from 'lru-cache'
import { type Caller, self } from '../../core/access-control.js'
import { malformed, ProblemError, refuseFindings } from '../../core/problem.js'
import { type StoredRecord, stateOf } from '../../core/records/record.js'
import type { Queries } from '../../core/records/record-queries.js'
import type { Revision } from '../../core/records/revision.js'
import { type Id, isId, toVersion, type Version } from '../../core/value-types.js'
import { blobOf } from '../../store/objects/blob-cache.js'
import { recordIn } from '../../store/records/record-json.js'
import { clashOf, faultOfFilePath } from '../../store/records/repository-layout.js'
import type { Change } from '../../store/write/writer.js'
import { sniffType } from '../../validation/detect-document-type.js'
import type { Validator } from '../../validation/validator.js'
import { type Bundles, stillMeans } from '../rules/assemble-schema-bundle.js'
import {
  nextVersion,
  refuseBlankIdentifier,
  refuseForeignNames,
  refuseSecondDocument,
  refuseTaken,
  refuseTakenNames,
  refuseWithoutResource,
  removable,
} from '../rules/request-rules.js'
import { shortName, trailers, versionOf } from '../updates/commit-messages.js'
import { type Desk, Outdated } from '../updates/submit-update.js'
import { hasSameFiles, isThere, namesOfFiles, type Wanted } from './compare-with-stored.js'
import type { Item, ItemState } from './interchange-format.js'

/** What became of an item. */
export type Fate = 'created' | 'revised' | 'removed' | 'there'

/** An item that has been checked as far as other writers cannot change the outcome. */
export interface Prepared {
  readonly item: Item
  /** Who the commit says has written it. */
  readonly caller: Caller
  /**
   * Pure, run on the newest state inside the writer.
   * @throws ProblemError; Outdated where it has to be prepared again
   */
  plan(state: Queries): Planned
}

export interface Planned {
  readonly fate: Fate
  readonly change?: Change
}

export interface PrepareOptions {
  readonly desk: Desk
  readonly bundles: Bundles
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
export function openPrepare({ desk, bundles, validator }: PrepareOptions) {
  const schemas = new LRUCache<string, Revision>({ max: mostSchemas })

  /** A schema version, remembered: what it says never changes. */
  function known(named: SchemaNamed): Revision {
    const key = `${named.id} ${named.version}`
    const found = schemas.get(key) ?? schemaOf(desk.committed, named)
    if (named.version !== undefined) schemas.set(key, found)
    return found
  }

  return (item: Item, update: boolean): Promise<Prepared> => {
    const { state } = item
    if (!state) return Promise.resolve(prepareRemoval(item, update))
    return item.kind === 'schema' ? prepareSchema(item, state, update) : prepareMetadata(item, state, update)
  }

  function prepareRemoval(item: Item, update: boolean): Prepared {
    const { kind, id } = item
    return prepared(item, state => {
      if (isThere(state, item, undefined, update)) return { fate: 'there' }
      removable(state, self, kind, id, { any: true })
      return { fate: 'removed', change: changeOf(item, `Delete ${shortName(kind, id)}`, undefined) }
    })
  }

  async function prepareMetadata(item: Item, sent: ItemState, update: boolean): Promise<Prepared> {
    const { id } = item
    const named = schemaNamed(sent.record)
    const schema = known(named)
    const record = stored(item, sent, { schemaId: schema.id, version: schema.version })
    refuseWithoutResource(record)
    if (sent.files.size > 0) throw malformed('Only schemas have further files.')
    const type = schema.documentType
    const wanted: Wanted = { record, type, document: blobOf(sent.document), files: new Map() }
    const isKnown = isKnownAlready(item, wanted, update)
    if (!isKnown) {
      const findings = await validator.validate(await bundles.of(desk.committed, schema), sent.document)
      refuseFindings(
        findings,
        `The document is not valid against the schema "${schema.id}", version ${schema.version}.`,
      )
    }
    return prepared(item, state => {
      const current = state.newest('metadata', id)
      if (isThere(state, item, wanted, update)) return { fate: 'there' }
      if (isKnown || !stillNamed(state, named, schema)) throw new Outdated()
      if (current) {
        refuseForeignNames(state, self, 'metadata', record)
        refuseSecondDocument(state, self, record, current.record)
      } else refuseTaken(state, self, 'metadata', record)
      const version = current ? nextVersion(state, current, true) : toVersion(1)
      const follows = versionOf(schema.id, schema.version)
      const subject = current
        ? `Update ${shortName('metadata', id)} to version ${version} (${follows})`
        : `Create ${shortName('metadata', id)} (${follows})`
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

  async function prepareSchema(item: Item, sent: ItemState, update: boolean): Promise<Prepared> {
    const { id } = item
    if (id !== id.toLowerCase()) {
      throw malformed(`The schema id "${id}" has upper case letters. Use "${id.toLowerCase()}".`)
    }
    const record = stored(item, sent, undefined)
    refusePaths(sent.files)
    const type = sniffType(sent.document)
    if (type === undefined) throw unprocessable('The schema document is neither JSON nor XML.')
    const files = namesOfFiles(sent.files)
    const wanted: Wanted = { record, type, document: blobOf(sent.document), files }
    const isKnown = isKnownAlready(item, wanted, update)
    const { bundle, findings, meanings } = await bundles.assemble(desk.committed, { id, type, ...sent })
    refuseFindings(findings, 'The schema document cannot be used.')
    if (!isKnown) refuseFindings(await validator.check(bundle), 'The schema document cannot be used.')
    return prepared(item, state => {
      const current = state.newest('schema', id)
      if (isThere(state, item, wanted, update)) return { fate: 'there' }
      if (isKnown || !meanings.every(meaning => stillMeans(state, meaning))) throw new Outdated()
      if (current) refuseForeignNames(state, self, 'schema', record)
      else refuseTakenNames(state, self, 'schema', record)
      const after = { record, documentType: type, document: sent.document, files: sent.files }
      if (!current) {
        const version = toVersion(1)
        const subject = `Register ${shortName('schema', id)}`
        return { fate: 'created', change: changeOf(item, subject, version, after) }
      }
      const filesChange = !hasSameFiles(current, wanted)
      const version = nextVersion(state, current, filesChange)
      const to = version === undefined ? '' : filesChange ? ` to version ${version}` : ` (version ${version})`
      const subject = `${filesChange ? 'Update' : 'Update the record of'} ${shortName('schema', id)}${to}`
      return { fate: 'revised', change: changeOf(item, subject, version, after) }
    })
  }

  /** Says whether the item need not be validated, because it is there. What is in its way is said by the plan. */
  function isKnownAlready(item: Item, wanted: Wanted, update: boolean): boolean {
    try {
      return isThere(desk.committed, item, wanted, update)
    } catch (error) {
      if (error instanceof ProblemError) return false
      throw error
    }
  }
}

function prepared(item: Item, plan: Prepared['plan']): Prepared {
  return { item, caller: item.author ? { ...self, ...item.author } : self, plan }
}

function changeOf(
  { kind, id, time }: Item,
  subject: string,
  version: Version | undefined,
  state?: NonNullable<Change['state']>,
): Change {
  const own = trailers(kind, id, version)
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
    throw malformed('The record names no schema to follow: it needs "schema": {"schemaId": …, "version": …}.')
  }
  if (version === undefined) return { id: schemaId, version: undefined }
  if (typeof version === 'number' && Number.isSafeInteger(version) && version >= 1) {
    return { id: schemaId, version: toVersion(version) }
  }
  throw malformed(`The version ${JSON.stringify(version)} of the schema is not a whole number from 1.`)
}

/** Says whether the newest state would name the same schema version. */
function stillNamed(state: Queries, named: SchemaNamed, schema: Revision): boolean {
  if (named.version === undefined) return schemaOf(state, named).version === schema.version
  return state.owner(named.id)?.gone === false
}

/** @throws ProblemError `unprocessable` */
function schemaOf(state: Queries, { id, version }: SchemaNamed): Revision {
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
  { id, kind }: Item,
  { record: sent }: ItemState,
  schema: StoredRecord['schema'],
): StoredRecord {
  const members = { ...sent, id: sent.id ?? id, ...(schema && { schema }) }
  const record = recordIn(members)
  if (record.id !== id) throw malformed(`The record has the id "${record.id}", and its line "${id}".`)
  if (kind === 'schema' && record.schema) throw malformed('Only metadata records follow a schema.')
  refuseBlankIdentifier(record)
  if (stateOf(record) === 'GONE') throw malformed('A record is GONE when it is deleted, not by its state.')
  return record
}

/** @throws ProblemError `malformed-request` */
function refusePaths(files: ReadonlyMap<string, unknown>): void {
  for (const path of files.keys()) {
    const fault = faultOfFilePath(path)
    if (fault !== undefined)
      throw malformed(`The file name ${JSON.stringify(path)} cannot be used: ${fault}.`)
  }
  const clash = clashOf(files.keys())
  if (clash) throw malformed(`The files "${clash[0]}" and "${clash[1]}" cannot lie in one folder.`)
}

function unprocessable(message: string): ProblemError {
  return new ProblemError('unprocessable', message)
}
