import type { Principal } from '../../core/access-control.js'
import type { DocumentType } from '../../core/records/collection.js'
import type { SchemaReference } from '../../core/records/record.js'
import type { CatalogQueries } from '../../core/records/record-queries.js'
import type { Revision } from '../../core/records/revision.js'
import { openEventLoopPauses } from '../../core/scheduling/event-loop-pauses.js'
import { asVersion, type Id, type Oid } from '../../core/value-types.js'
import type { BlobReader } from '../../store/blobs/blob-reader.js'
import { blobId } from '../../store/objects/hash-object.js'
import { sameRecord } from '../../store/records/record-json.js'
import type { Validator } from '../../validation/validator.js'
import { findChangeable } from '../access/find-record.js'
import { findSchemaToFollow, isFaulty, nextVersion, refuseTakenClaims } from '../access/request-rules.js'
import {
  findMissingResource,
  findSecondDocuments,
  findTakenNames,
  noSchemaNamed,
  problemOf,
  refuse,
  refuseInvalidDocument,
  sameSchema,
} from '../rules/record-rules.js'
import { metadataSubject } from './commit-messages.js'
import {
  createRecord,
  editRecord,
  plannedUpdateOf,
  type RecordPreparer,
  type UpdateBase,
  updateWork,
} from './prepared-update.js'
import type { RecordDraft, WantedSchema } from './record-drafts.js'
import { StaleUpdateError } from './submit-update.js'

export interface MetadataPreparerOptions {
  readonly documents: BlobReader
  readonly validator: Validator
}

/** Prepares updates of metadata. A new record has an id already. */
export type MetadataPreparer = RecordPreparer<RecordDraft & { readonly id: Id }>

/** A document that is valid against a schema version. Neither ever changes. */
interface ValidDocument {
  readonly schema: SchemaReference
  readonly document: Oid
}

/** The schema version against which a document must be valid. */
interface Target {
  readonly schema: SchemaReference
  readonly type: DocumentType
  /** The revision of the schema version; undefined if the record follows the version already. */
  readonly revision?: Revision
}

export function openMetadataPreparer(options: MetadataPreparerOptions): MetadataPreparer {
  const { documents, validator } = options

  /** Validates a document. @throws ProblemError `unprocessable` with findings */
  async function validate(
    on: UpdateBase,
    caller: Principal,
    { schema, revision }: Target,
    document: Uint8Array,
  ): Promise<ValidDocument> {
    const work = updateWork(caller, on)
    const findings = await validator.validate(await on.bundle(schema, work, revision), document, work)
    refuseInvalidDocument(findings, schema)
    return { schema, document: blobId(document) }
  }

  return {
    async create(on, caller, draft, { document }) {
      const { id } = draft
      const target = await on.query(state => targetOf(state, caller, draft.schema, undefined))
      const { schema } = await validate(on, caller, target, document)
      return {
        kind: 'metadata',
        id,
        async plan(state) {
          const pauses = openEventLoopPauses()
          if (!sameSchema(targetOf(state, caller, draft.schema, undefined).schema, schema))
            throw new StaleUpdateError()
          const record = await createRecord(caller, draft.edit, { id, schema }, pauses)
          refuse(findMissingResource(record))
          refuseTakenClaims(state, caller, 'metadata', record)
          const content = { type: target.type, document, files: new Map() }
          return plannedUpdateOf('metadata', record, content, asVersion(1), metadataSubject(id, schema))
        },
      }
    },

    async revise(on, caller, name, precondition, { draft, document }) {
      const uploaded = document && blobId(document)
      const { current, target } = await on.query(state => {
        const newest = findChangeable(state, caller, 'metadata', name, precondition)
        return { current: newest, target: targetOf(state, caller, draft?.schema, newest) }
      })
      const { id } = current
      const validated = isValidAlready(current, target, uploaded)
        ? undefined
        : await validate(on, caller, target, document ?? (await documents.read(current.document)))
      return {
        kind: 'metadata',
        id,
        async plan(state) {
          const pauses = openEventLoopPauses()
          const now = findChangeable(state, caller, 'metadata', id, precondition)
          const { schema, type } = targetOf(state, caller, draft?.schema, now)
          const blob = uploaded ?? now.document
          const isValidated = validated && validated.document === blob && sameSchema(validated.schema, schema)
          if (!isValidated && !isValidAlready(now, { schema, type }, uploaded)) throw new StaleUpdateError()
          await pauses.ifDue()
          const record = await editRecord(caller, now, draft?.edit, { schema }, pauses)
          refuse(findMissingResource(record))
          await pauses.ifDue()
          refuse(findTakenNames(state, caller, 'metadata', record))
          await pauses.ifDue()
          refuse(findSecondDocuments(state, caller, record, now.record))
          await pauses.ifDue()
          const isServed = !isFaulty(state, 'metadata', id)
          if (
            isServed &&
            blob === now.document &&
            type === now.documentType &&
            sameRecord(record, now.record)
          ) {
            return { current: now }
          }
          const version = nextVersion(state, now, true)
          const content = { type, document: document ?? now.document, files: new Map() }
          return plannedUpdateOf('metadata', record, content, version, metadataSubject(id, schema, version))
        },
      }
    },
  }
}

/**
 * The schema version that the record follows after an update.
 * @param current undefined for a new record
 * @throws ProblemError `unprocessable`, `forbidden`
 * @see docs/contract.md#which-schema-version-a-document-follows
 */
function targetOf(
  state: CatalogQueries,
  caller: Principal,
  wanted: WantedSchema | undefined,
  current: Revision | undefined,
): Target {
  const stored = current?.record.schema
  const schemaId = wanted?.schemaId ?? (wanted?.version && stored?.schemaId)
  if (schemaId === undefined) {
    if (!current || !stored) throw problemOf(noSchemaNamed())
    return { schema: stored, type: current.documentType }
  }
  const revision = findSchemaToFollow(state, caller, schemaId, wanted?.version, stored)
  return {
    schema: { schemaId: revision.id, version: revision.version },
    type: revision.documentType,
    revision,
  }
}

/** Says whether the record has the document and the schema version already, so that nothing is to be validated. */
function isValidAlready(current: Revision, target: Target, uploaded: Oid | undefined): boolean {
  return (
    (uploaded === undefined || uploaded === current.document) &&
    sameSchema(current.record.schema, target.schema)
  )
}
