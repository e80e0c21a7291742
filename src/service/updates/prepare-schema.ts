import type { Principal } from '../../core/access-control.js'
import { malformedRequest, ProblemError } from '../../core/problem.js'
import type { DocumentType } from '../../core/records/collection.js'
import type { StoredRecord } from '../../core/records/record.js'
import type { CatalogQueries } from '../../core/records/record-queries.js'
import type { Revision } from '../../core/records/revision.js'
import { openEventLoopPauses } from '../../core/scheduling/event-loop-pauses.js'
import { asVersion, type Id } from '../../core/value-types.js'
import type { BlobReader } from '../../store/blobs/blob-reader.js'
import { sameRecord } from '../../store/records/record-json.js'
import type { SchemaBundle, Validator, Work } from '../../validation/validator.js'
import { findChangeable } from '../access/find-record.js'
import { isFaulty, nextVersion, refuseTakenClaims } from '../access/request-rules.js'
import {
  type BundleAssembler,
  type RegistrationContext,
  type ResolvedReference,
  readFiles,
  stillResolves,
} from '../rules/assemble-schema-bundle.js'
import { contentOf, type RecordContent, sameContent, sameFiles } from '../rules/record-content.js'
import { type RecordHooks, refuseByFeatures } from '../rules/record-hooks.js'
import {
  findFileNames,
  findSchemaLanguage,
  findUpperCase,
  otherLanguage,
  refuse,
  refuseDocument,
  refuseUnusableSchema,
} from '../rules/record-rules.js'
import { attachedFiles, followReferences, type SchemaSource } from '../rules/schema-source.js'
import { newSchemaSubject, schemaSubject } from './commit-messages.js'
import {
  createRecord,
  dryRunWork,
  editRecord,
  type NewSchemaContent,
  plannedUpdateOf,
  type RecordPreparer,
  updateWork,
} from './prepared-update.js'
import type { OwnBaseUrls, RecordEdit, RecordUpload } from './record-drafts.js'
import { type PlannedUpdate, StaleUpdateError } from './submit-update.js'

export interface SchemaPreparerOptions extends SchemaContentOptions {
  readonly validator: Validator
  /** The open features. The list may grow after the call. */
  readonly features?: readonly RecordHooks[]
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
  const { committed, bundles, features = [] } = options
  const { checkNew, checkRevised } = openSchemaContentChecker(options)

  return {
    async create(on, caller, draft, upload, origins) {
      const id = newId(draft.id)
      const files = upload.files ?? new Map<string, Uint8Array>()
      refuse(findFileNames('schema', files.keys()))
      const type = languageOf(upload.document, draft.type)
      const source = { id, type, document: upload.document, files, ownNames: ownNamesOf(upload) }
      const content = await checkNew(source, { caller, ...origins }, updateWork(caller, on))
      return {
        kind: 'schema',
        id,
        ...newContentOf(content),
        async plan(state) {
          const pauses = openEventLoopPauses()
          const record = await createRecord(caller, draft.edit, { id }, pauses)
          refuseTakenClaims(state, caller, 'schema', record)
          await refuseByFeatures(features, { record, before: undefined, bundle: async () => content.bundle })
          throwIfStale(state, content.resolved)
          return plannedUpdateOf('schema', record, content, asVersion(1), newSchemaSubject(id))
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
          ? await checkRevised(current, update, type, { caller, ...origins }, updateWork(caller, on))
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
          const bundle = async () => content?.bundle ?? (await bundles.ofStored(state, now))
          const check = (record: StoredRecord) =>
            refuseByFeatures(features, { record, before: now.record, bundle })
          return await planRevision(state, caller, now, update.draft?.edit, content ?? contentOf(now), check)
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
  check: (record: StoredRecord) => Promise<void>,
): Promise<PlannedUpdate> {
  const { kind, id } = now
  const pauses = openEventLoopPauses()
  const record = await editRecord(caller, now, edit, {}, pauses)
  await pauses.ifDue()
  refuseTakenClaims(state, caller, kind, record, now.record)
  await check(record)
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

interface SchemaContentOptions {
  /** The records in which references to other schemas are resolved. */
  readonly committed: CatalogQueries
  readonly documents: BlobReader
  readonly bundles: BundleAssembler
  readonly validator: Pick<Validator, 'check' | 'references'>
}

/** The content of a schema that compiled. Before it is stored, `resolved` must still resolve to the same versions. */
interface CheckedContent extends RecordContent {
  /** The references to registered schemas. */
  readonly resolved: readonly ResolvedReference[]
  /** The content with all that it refers to; undefined if it is stored already. */
  readonly bundle?: SchemaBundle
}

interface RevisedContent extends CheckedContent {
  /** Whether the request would make the same content out of the newer revision `now`. */
  fits(now: Revision): boolean
}

/** Checks the content of new and revised schemas. */
function openSchemaContentChecker(options: SchemaContentOptions) {
  const { committed, documents, bundles, validator } = options

  /** Checks a new schema. @throws ProblemError `unprocessable` for a schema that does not compile */
  async function checkNew(
    source: SchemaSource,
    by: RegistrationContext,
    work: Work,
  ): Promise<CheckedContent & { readonly bundle: SchemaBundle }> {
    const { bundle, findings, resolved } = await asSchemaFault(bundles.ofNew(committed, source, by, work))
    refuseUnusableSchema(findings)
    refuseUnusableSchema(await validator.check(bundle, work))
    const { type, document, files } = bundle
    return { type, document, files, resolved, bundle }
  }

  /**
   * The content that an upload makes of the current one. Files that the document still uses are kept, the others are
   * removed.
   * @throws ProblemError `unprocessable` for a schema that does not compile; `malformed-request` for names of files
   */
  async function checkRevised(
    current: Revision,
    upload: RecordUpload,
    type: DocumentType,
    by: RegistrationContext,
    work: Work,
  ): Promise<RevisedContent> {
    const { id } = current
    const kept = attachedFiles(current)
    const document = upload.document ?? (await documents.read(current.document))
    const language = languageOf(document, type)
    const copies = [...kept].filter(([, oid]) => oid === current.document).map(([path]) => path)
    const stays = new Map([...kept].filter(([path]) => !upload.document || !copies.includes(path)))
    const all = new Map([...(await readFiles(documents, stays)), ...(upload.files ?? [])])
    const ownNames = ownNamesOf(upload, copies)
    const { source, references } = await asSchemaFault(
      followReferences(validator, { id, type: language, document, files: all, ownNames }, work),
    )
    const { used } = references
    const files = new Map([...source.files].filter(([path]) => upload.files?.has(path) || used.has(path)))
    refuse(findFileNames('schema', files.keys()))
    const content = { type: language, document, files }
    const isUnchanged = (now: Revision) => sameContent(contentOf(now), contentOf(current))
    if (sameContent(content, contentOf(current))) return { ...content, resolved: [], fits: isUnchanged }
    const checked = await checkNew({ id, ...content, ownNames }, by, work)
    // The upload replaces the document, but files of the current version may have been kept.
    const hasKeptFiles = (now: Revision) => sameFiles(attachedFiles(now), kept)
    return { ...checked, fits: upload.document ? hasKeptFiles : isUnchanged }
  }

  return { checkNew, checkRevised }
}

/**
 * The type of a schema document.
 * @param wanted the type that the record states; undefined: none
 * @throws ProblemError `unprocessable` if it is neither JSON nor XML, or of another type than `wanted`
 * @see docs/contract.md#schema-documents
 */
function languageOf(document: Uint8Array, wanted: DocumentType | undefined): DocumentType {
  const found = findSchemaLanguage(document, wanted)
  return typeof found === 'string' ? found : refuseDocument(found)
}

/** File names under which an upload, or formerly another one, has the document of a schema. */
function ownNamesOf({ fileName }: RecordUpload, former: readonly string[] = []): readonly string[] {
  return fileName === undefined ? former : [fileName, ...former]
}

/** Turns findings of the parser into findings about the schema. */
async function asSchemaFault<T>(job: Promise<T>): Promise<T> {
  try {
    return await job
  } catch (error) {
    if (error instanceof ProblemError && error.kind === 'unprocessable')
      refuseUnusableSchema(error.extra.findings ?? [])
    throw error
  }
}
