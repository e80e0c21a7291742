import type { Principal } from '../../core/access-control.js'
import { malformedRequest } from '../../core/problem.js'
import type { CatalogQueries } from '../../core/records/record-queries.js'
import type { Revision } from '../../core/records/revision.js'
import { openEventLoopPauses } from '../../core/scheduling/event-loop-pauses.js'
import { asVersion, type Id } from '../../core/value-types.js'
import { sameRecord } from '../../store/records/record-json.js'
import type { SchemaBundle, Validator } from '../../validation/validator.js'
import { findChangeable } from '../access/find-record.js'
import { isFaulty, nextVersion, refuseTakenClaims } from '../access/request-rules.js'
import { type ResolvedReference, stillResolves } from '../rules/assemble-schema-bundle.js'
import { contentOf, type RecordContent, sameContent } from '../rules/record-content.js'
import { refuse } from '../rules/record-rules.js'
import { findFileNames, findUpperCase, otherLanguage, refuseDocument } from '../rules/schema-rules.js'
import {
  type CheckedContent,
  languageOf,
  openSchemaContentChecker,
  ownNamesOf,
  type SchemaContentOptions,
} from './check-schema-content.js'
import { recordLabel, schemaSubject } from './commit-messages.js'
import { createRecord, editRecord, plannedUpdateOf } from './edited-record.js'
import type { NewSchemaContent, RecordPreparer } from './prepared-update.js'
import type { OwnBaseUrls, RecordEdit, RecordUpload } from './record-drafts.js'
import { type PlannedUpdate, StaleUpdateError } from './submit-update.js'
import { dryRunWork, updateWork } from './validation-request.js'

export interface SchemaPreparerOptions extends SchemaContentOptions {
  readonly validator: Validator
}

/** Prepares updates of schemas. */
export interface SchemaPreparer extends RecordPreparer {
  /** The checked schema that {@link RecordPreparer.revise} would make of a revision with this upload. */
  dryRun(
    caller: Principal,
    current: Revision,
    upload: RecordUpload,
    origins: OwnBaseUrls,
  ): Promise<SchemaBundle>
}

export function openSchemaPreparer(options: SchemaPreparerOptions): SchemaPreparer {
  const { committed, bundles } = options
  const { checkNew, checkRevised } = openSchemaContentChecker(options)

  return {
    async create(_on, caller, draft, upload, origins) {
      const id = newId(draft.id)
      const files = upload.files ?? new Map<string, Uint8Array>()
      refuse(findFileNames('schema', files.keys()))
      const type = languageOf(upload.document, draft.type)
      const source = { id, type, document: upload.document, files, ownNames: ownNamesOf(upload) }
      const content = await checkNew(source, { caller, ...origins }, updateWork(caller))
      return {
        kind: 'schema',
        id,
        ...newContentOf(content),
        async plan(state) {
          const pauses = openEventLoopPauses()
          const record = await createRecord(caller, draft.edit, { id }, pauses)
          refuseTakenClaims(state, caller, 'schema', record)
          throwIfStale(state, content.resolved)
          return plannedUpdateOf(
            'schema',
            record,
            content,
            asVersion(1),
            `Register ${recordLabel('schema', id)}`,
          )
        },
      }
    },

    async revise(on, caller, name, precondition, update, origins) {
      refuse(findFileNames('schema', update.files?.keys() ?? []))
      const current = await on.query(state => findChangeable(state, caller, 'schema', name, precondition))
      const { id } = current
      const type = update.draft?.type ?? current.documentType
      const content =
        update.document || update.files
          ? await checkRevised(current, update, type, { caller, ...origins }, updateWork(caller))
          : undefined
      return {
        kind: 'schema',
        id,
        ...(content && newContentOf(content)),
        async plan(state) {
          const now = findChangeable(state, caller, 'schema', id, precondition)
          if (content && !content.fits(now)) throw new StaleUpdateError()
          if (content) throwIfStale(state, content.resolved)
          else if (type !== now.documentType) refuseDocument(otherLanguage(type, now.documentType))
          return await planRevision(state, caller, now, update.draft?.edit, content ?? contentOf(now))
        },
      }
    },

    async dryRun(caller, current, upload, origins) {
      refuse(findFileNames('schema', upload.files?.keys() ?? []))
      const by = { caller, ...origins }
      const work = dryRunWork(caller)
      const { bundle } = await checkRevised(current, upload, current.documentType, by, work)
      return bundle ?? (await bundles.ofStored(committed, current, work))
    },
  }
}

function newContentOf({ bundle, resolved }: CheckedContent): { readonly content?: NewSchemaContent } {
  return bundle ? { content: { bundle, refersTo: resolved.map(({ name }) => name.id) } } : {}
}

async function planRevision(
  state: CatalogQueries,
  caller: Principal,
  now: Revision,
  edit: RecordEdit | undefined,
  content: RecordContent,
): Promise<PlannedUpdate> {
  const { kind, id } = now
  const pauses = openEventLoopPauses()
  const record = await editRecord(caller, now, edit, {}, pauses)
  await pauses.ifDue()
  refuseTakenClaims(state, caller, kind, record, now.record)
  await pauses.ifDue()
  const isKept = sameContent(content, contentOf(now))
  // If the newest revision breaks a rule, even an update without changes is written, to replace that revision.
  const isServed = !isFaulty(state, kind, id)
  if (isKept && isServed && sameRecord(record, now.record)) return { current: now }
  const version = nextVersion(state, now, !isKept)
  return plannedUpdateOf(kind, record, content, version, schemaSubject(id, !isKept, version))
}

/** Checks the id of a new schema. @throws ProblemError `malformed-request` @see docs/contract.md#ids */
function newId(id: Id | undefined): Id {
  if (id === undefined) throw malformedRequest('A schema needs an id of your choice.')
  refuse(findUpperCase(id))
  return id
}

/** Checks the references to registered schemas. @throws StaleUpdateError if one now resolves to another version */
function throwIfStale(state: CatalogQueries, resolved: readonly ResolvedReference[]): void {
  if (!resolved.every(reference => stillResolves(state, reference))) throw new StaleUpdateError()
}
