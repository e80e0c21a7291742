import type { Principal } from '../../core/access-control.js'
import type { Precondition } from '../../core/precondition.js'
import { ProblemError } from '../../core/problem.js'
import type { DocumentType } from '../../core/records/collection.js'
import type { CatalogQueries } from '../../core/records/record-queries.js'
import type { Revision } from '../../core/records/revision.js'
import { openEventLoopPauses } from '../../core/scheduling/event-loop-pauses.js'
import { asVersion, type Id } from '../../core/value-types.js'
import type { BlobReader } from '../../store/objects/blob-cache.js'
import { sameRecord } from '../../store/records/record-json.js'
import type { SchemaBundle, Validator, Work } from '../../validation/validator.js'
import {
  attachedFiles,
  type BundleAssembler,
  type RegistrationContext,
  type ResolvedReference,
  readFiles,
  type SchemaSource,
  stillResolves,
} from '../rules/assemble-schema-bundle.js'
import { findChangeable } from '../rules/find-record.js'
import { contentOf, type RecordContent, sameContent, sameFiles } from '../rules/record-content.js'
import { refuse } from '../rules/record-rules.js'
import { isFaulty, nextVersion, refuseTakenClaims } from '../rules/request-rules.js'
import {
  findFileNames,
  findSchemaLanguage,
  findUpperCase,
  otherLanguage,
  refuseDocument,
  refuseUnusableSchema,
} from '../rules/schema-rules.js'
import { recordLabel, schemaSubject } from './commit-messages.js'
import { createRecord, editRecord, storing } from './edited-record.js'
import { prepareRemoval } from './prepare-deletion.js'
import type { NewSchemaContent, PreparedUpdate, UpdateBase } from './prepared-update.js'
import type { OwnBaseUrls, RecordEdit, SchemaDraft, SchemaUpload } from './record-drafts.js'
import { type PlannedUpdate, StaleUpdateError } from './submit-update.js'
import { dryRunWork, updateWork } from './validation-request.js'

export interface SchemaUpdatesOptions {
  /** What references to other schemas are looked up in. */
  readonly committed: CatalogQueries
  readonly documents: BlobReader
  readonly bundles: BundleAssembler
  readonly validator: Validator
  /** The current year. */
  readonly year: () => number
}

/** What can be done to schemas, prepared up to the point where it is written. */
export interface SchemaPreparer {
  register(
    caller: Principal,
    draft: SchemaDraft,
    upload: SchemaUpload & { readonly document: Uint8Array },
    origins: OwnBaseUrls,
  ): Promise<PreparedUpdate>
  revise(
    on: UpdateBase,
    caller: Principal,
    name: string,
    precondition: Precondition,
    change: SchemaUpload & { readonly draft?: SchemaDraft },
    origins: OwnBaseUrls,
  ): Promise<PreparedUpdate>
  remove(on: UpdateBase, caller: Principal, name: string, precondition: Precondition): Promise<PreparedUpdate>
  /** The schema that {@link SchemaPreparer.revise} would make of a revision with this upload, found good. */
  dryRun(
    caller: Principal,
    current: Revision,
    upload: SchemaUpload,
    origins: OwnBaseUrls,
  ): Promise<SchemaBundle>
}

/** Content that was found good, and as long as what. */
interface Checked extends RecordContent {
  /** What its references to registered schemas meant. */
  readonly meanings: readonly ResolvedReference[]
  /** Undefined: it is the content the schema has. */
  readonly bundle?: SchemaBundle
}

interface Revised extends Checked {
  /** Says whether the content is still what the request makes of the newest revision. */
  fits(now: Revision): boolean
}

export function openSchemaUpdates(options: SchemaUpdatesOptions): SchemaPreparer {
  const { committed, documents, bundles, validator, year } = options

  /** @throws ProblemError `unprocessable` where the schema does not compile */
  async function check(source: SchemaSource, by: RegistrationContext, work: Work): Promise<Checked> {
    const { bundle, findings, meanings } = await reading(bundles.ofNew(committed, source, by, work))
    refuseUnusableSchema(findings)
    refuseUnusableSchema(await validator.check(bundle, work))
    const { type, document, files } = source
    return { type, document, files, meanings, bundle }
  }

  /** What an upload makes of the current content. */
  async function revised(
    current: Revision,
    upload: SchemaUpload,
    type: DocumentType | undefined,
    by: RegistrationContext,
    work: Work,
  ): Promise<Revised> {
    const kept = attachedFiles(current.files)
    const document = upload.document ?? (await documents.read(current.document))
    const language = languageOf(document, type)
    const all = new Map<string, Uint8Array>([...(await readFiles(documents, kept)), ...(upload.files ?? [])])
    const { used } = await reading(validator.references(language, document, all, work))
    const files = new Map([...all].filter(([path]) => upload.files?.has(path) || used.has(path)))
    refuse(findFileNames('schema', files.keys()))
    const content = { type: language, document, files }
    const asItWas = (now: Revision) => sameContent(contentOf(now), contentOf(current))
    if (sameContent(content, contentOf(current))) return { ...content, meanings: [], fits: asItWas }
    const checked = await check({ id: current.id, ...content }, by, work)
    // A document that is replaced matters no more; the files it came with may have been carried over.
    const fits = (now: Revision) => sameFiles(attachedFiles(now.files), kept)
    return { ...checked, fits: upload.document ? fits : asItWas }
  }

  return {
    async register(caller, draft, upload, origins) {
      const id = newId(draft.id)
      const files = upload.files ?? new Map<string, Uint8Array>()
      refuse(findFileNames('schema', files.keys()))
      const type = languageOf(upload.document, draft.type)
      const source = { id, type, document: upload.document, files }
      const content = await check(source, { caller, ...origins }, updateWork(caller))
      return {
        kind: 'schema',
        id,
        ...newContentOf(content),
        async plan(state) {
          const pauses = openEventLoopPauses()
          const record = await createRecord(caller, draft.edit, { id, year: year() }, pauses)
          refuseTakenClaims(state, caller, 'schema', record)
          refuseOutdated(state, content.meanings)
          return storing('schema', record, content, asVersion(1), `Register ${recordLabel('schema', id)}`)
        },
      }
    },

    async revise(on, caller, name, precondition, change, origins) {
      refuse(findFileNames('schema', change.files?.keys() ?? []))
      const current = await on.ask(state => findChangeable(state, caller, 'schema', name, precondition))
      const { id } = current
      const type = change.draft?.type ?? current.documentType
      const content =
        change.document || change.files
          ? await revised(current, change, type, { caller, ...origins }, updateWork(caller))
          : undefined
      return {
        kind: 'schema',
        id,
        ...(content && newContentOf(content)),
        async plan(state) {
          const now = findChangeable(state, caller, 'schema', id, precondition)
          if (content && !content.fits(now)) throw new StaleUpdateError()
          if (content) refuseOutdated(state, content.meanings)
          else if (type !== now.documentType) refuseDocument(otherLanguage(type, now.documentType))
          return await revision(state, caller, now, change.draft?.edit, content ?? contentOf(now))
        },
      }
    },

    remove: (on, caller, name, precondition) => prepareRemoval(on, caller, 'schema', name, precondition),

    async dryRun(caller, current, upload, origins) {
      refuse(findFileNames('schema', upload.files?.keys() ?? []))
      const by = { caller, ...origins }
      const work = dryRunWork(caller)
      const { bundle } = await revised(current, upload, current.documentType, by, work)
      return bundle ?? (await bundles.ofStored(committed, current, work))
    },
  }
}

function newContentOf({ bundle, meanings }: Checked): { readonly content?: NewSchemaContent } {
  return bundle ? { content: { bundle, refersTo: meanings.map(({ name }) => name.id) } } : {}
}

/** The next revision of a schema, or that nothing changes. */
async function revision(
  state: CatalogQueries,
  caller: Principal,
  now: Revision,
  edit: RecordEdit | undefined,
  content: RecordContent,
): Promise<PlannedUpdate> {
  const { kind, id } = now
  const pauses = openEventLoopPauses()
  const record = await editRecord(caller, now.record, edit, {}, pauses)
  await pauses.ifDue()
  refuseTakenClaims(state, caller, kind, record, now.record)
  await pauses.ifDue()
  const isKept = sameContent(content, contentOf(now))
  // A faulty revision is healed by what was served all along.
  const whole = !isFaulty(state, kind, id)
  if (isKept && whole && sameRecord(record, now.record)) return { current: now }
  const version = nextVersion(state, now, !isKept)
  return storing(kind, record, content, version, schemaSubject(id, !isKept, version))
}

/** @throws ProblemError `malformed-request` @see docs/contract.md#ids */
function newId(id: Id | undefined): Id {
  if (id === undefined) throw new ProblemError('malformed-request', 'A schema needs an id of your choice.')
  refuse(findUpperCase(id))
  return id
}

/** @throws ProblemError `unprocessable` @see docs/contract.md#schema-documents */
function languageOf(document: Uint8Array, wanted: DocumentType | undefined): DocumentType {
  const found = findSchemaLanguage(document, wanted)
  return typeof found === 'string' ? found : refuseDocument(found)
}

/** Says of whatever keeps a schema document from being read that it is the schema's fault. */
async function reading<T>(job: Promise<T>): Promise<T> {
  try {
    return await job
  } catch (error) {
    if (error instanceof ProblemError && error.kind === 'unprocessable')
      refuseUnusableSchema(error.extra.findings ?? [])
    throw error
  }
}

function refuseOutdated(state: CatalogQueries, meanings: readonly ResolvedReference[]): void {
  if (!meanings.every(meaning => stillResolves(state, meaning))) throw new StaleUpdateError()
}
