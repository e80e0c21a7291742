import type { Queries, Revision } from '../catalog/catalog.js'
import type { Caller } from '../core/access.js'
import { newRecord } from '../core/defaults.js'
import { ProblemError, refuseFindings } from '../core/problem.js'
import type { SchemaReference, StoredRecord } from '../core/record.js'
import { type DocumentType, type Id, type Oid, toVersion } from '../core/values.js'
import { sameRecord } from '../store/codec.js'
import type { Validator } from '../validation/validator.js'
import { ownedBy } from './defaults.js'
import { type Desk, deletedMeanwhile, Outdated, untilUpToDate } from './desk.js'
import { blobOf, type Documents } from './documents.js'
import type { Bundles } from './references.js'
import { removal } from './removal.js'
import {
  changeable,
  isFaulty,
  named,
  namedSchema,
  nextVersion,
  readable,
  refuseForeignNames,
  refuseSecondDocument,
  refuseTakenNames,
  refuseUnauthorised,
  refuseWithoutResource,
  removable,
  seenBy,
  storable,
  unknownRecord,
  unknownVersion,
} from './rules.js'
import type { Metadata, MetadataDraft } from './services.js'
import { shortName, trailers, versionOf } from './wording.js'

export interface MetadataOptions {
  readonly desk: Desk
  readonly documents: Documents
  readonly bundles: Bundles
  readonly validator: Validator
  /** The current year. */
  readonly year: () => number
  /** A random UUID. */
  readonly newId: () => Id
}

/** Which document was found valid against which schema version. Neither ever changes. */
interface Verdict {
  readonly schema: SchemaReference
  readonly document: Oid
}

/** What a document is to be valid against. */
interface Target {
  readonly schema: SchemaReference
  readonly type: DocumentType
}

export function openMetadata(options: MetadataOptions): Metadata {
  const { desk, documents, bundles, validator, year, newId } = options

  /** @throws ProblemError `unprocessable` with findings */
  async function validate({ schema }: Target, document: Uint8Array): Promise<Verdict> {
    const { schemaId, version } = schema
    const revision = desk.committed.atVersion('schema', schemaId, version)
    if (!revision)
      throw new ProblemError('unprocessable', `The schema "${schemaId}" has no version ${version}.`)
    const findings = await validator.validate(await bundles.of(desk.committed, revision), document)
    refuseFindings(
      findings,
      `The document is not valid against the schema "${schemaId}", version ${version}.`,
    )
    return { schema, document: blobOf(document) }
  }

  return {
    async create(caller, draft, document) {
      const id = draft.id ?? newId()
      return await untilUpToDate(async () => {
        const target = await desk.ask(state => targetOf(state, caller, draft.schema, undefined))
        const { schema } = await validate(target, document)
        const made = await desk.write(caller, 'metadata', id, state => {
          if (!sameSchema(targetOf(state, caller, draft.schema, undefined).schema, schema))
            throw new Outdated()
          const edited = draft.edit(newRecord(id, caller, year()), target.type)
          const record = storable(ownedBy(caller, { ...edited, id, schema }))
          refuseUnauthorised(caller, undefined, record)
          refuseWithoutResource(record)
          refuseTakenNames(state, caller, 'metadata', record)
          refuseSecondDocument(state, caller, record)
          const version = toVersion(1)
          return {
            version,
            change: {
              kind: 'metadata',
              id,
              state: { record, documentType: target.type, document, files: new Map() },
              subject: `Create ${shortName('metadata', id)} (${versionOf(schema.schemaId, schema.version)})`,
              trailers: trailers('metadata', id, version),
            },
          }
        })
        if (!made) throw deletedMeanwhile(id)
        return made
      })
    },

    async revise(caller, name, precondition, { draft, document }) {
      const uploaded = document && blobOf(document)
      return await untilUpToDate(async () => {
        const { current, target } = await desk.ask(state => {
          const newest = changeable(state, caller, 'metadata', name, precondition)
          return { current: newest, target: targetOf(state, caller, draft?.schema, newest) }
        })
        const { id } = current
        const verdict = isSettled(current, target, uploaded)
          ? undefined
          : await validate(target, document ?? (await documents.read(current.document)))
        const made = await desk.write(caller, 'metadata', id, state => {
          const now = changeable(state, caller, 'metadata', id, precondition)
          const { schema, type } = targetOf(state, caller, draft?.schema, now)
          const blob = uploaded ?? now.document
          const judged = verdict && verdict.document === blob && sameSchema(verdict.schema, schema)
          if (!judged && !isSettled(now, { schema, type }, uploaded)) throw new Outdated()
          const record = revisedRecord(now.record, draft, schema, type)
          refuseUnauthorised(caller, now.record, record)
          refuseWithoutResource(record)
          refuseForeignNames(state, caller, 'metadata', record)
          refuseSecondDocument(state, caller, record, now.record)
          const whole = !isFaulty(state, 'metadata', id)
          if (whole && blob === now.document && type === now.documentType && sameRecord(record, now.record)) {
            return { current: now }
          }
          const version = nextVersion(state, now, true)
          return {
            version,
            change: {
              kind: 'metadata',
              id,
              state: { record, documentType: type, document: document ?? now.document, files: new Map() },
              subject: `Update ${shortName('metadata', id)} to version ${version} (${versionOf(schema.schemaId, schema.version)})`,
              trailers: trailers('metadata', id, version),
            },
          }
        })
        if (!made) throw deletedMeanwhile(id)
        return made
      })
    },

    read(caller, name, version) {
      const newest = readable(desk.committed, caller, 'metadata', name)
      if (version === undefined) return newest
      const found = desk.committed.atVersion('metadata', newest.id, version)
      if (!found) throw unknownVersion(name, version)
      return found
    },

    list(caller, query, cut) {
      const schemaIds = query.schemaIds?.map(name => named(desk.committed, 'schema', name)?.id ?? name)
      return desk.committed.list(
        'metadata',
        seenBy(caller, { ...query, ...(schemaIds && { schemaIds }) }),
        cut,
      )
    },

    versions(caller, name, cut) {
      const { id } = readable(desk.committed, caller, 'metadata', name)
      const page = desk.committed.versions('metadata', id, cut)
      if (!page) throw unknownRecord('metadata', id)
      return page
    },

    async remove(caller, name, precondition) {
      const { id } = await desk.ask(state => removable(state, caller, 'metadata', name, precondition))
      await desk.write(caller, 'metadata', id, state => {
        return removal(removable(state, caller, 'metadata', id, precondition), state)
      })
    },
  }
}

/**
 * The schema version an update follows.
 * @param current the record as it is; undefined for a new one
 * @throws ProblemError `unprocessable`, `forbidden`
 * @see contract, "Which schema version"
 */
function targetOf(
  state: Queries,
  caller: Caller,
  wanted: MetadataDraft['schema'],
  current: Revision | undefined,
): Target {
  const stored = current?.record.schema
  if (!wanted) {
    if (!current || !stored)
      throw new ProblemError('malformed-request', 'The record names no schema to follow.')
    return { schema: stored, type: current.documentType }
  }
  const { id, version, documentType } = namedSchema(state, caller, wanted.schemaId, wanted.version, stored)
  return { schema: { schemaId: id, version }, type: documentType }
}

/** Says that there is nothing to validate: the document the record has, against the schema version it has. */
function isSettled(current: Revision, target: Target, uploaded: Oid | undefined): boolean {
  return (
    (uploaded === undefined || uploaded === current.document) &&
    current.record.schema !== undefined &&
    sameSchema(current.record.schema, target.schema)
  )
}

function sameSchema(a: SchemaReference, b: SchemaReference): boolean {
  return a.schemaId === b.schemaId && a.version === b.version
}

function revisedRecord(
  current: StoredRecord,
  draft: MetadataDraft | undefined,
  schema: SchemaReference,
  type: DocumentType,
): StoredRecord {
  const edited = draft ? draft.edit(current, type) : current
  const acls = edited.acls?.length ? edited.acls : current.acls
  return storable({ ...edited, id: current.id, schema, ...(acls ? { acls } : {}) })
}
