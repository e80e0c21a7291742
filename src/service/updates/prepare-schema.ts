import type { Caller } from '../../core/access-control.js'
import type { Precondition } from '../../core/precondition.js'
import { type Finding, ProblemError, refuseFindings } from '../../core/problem.js'
import { newRecord } from '../../core/records/record-defaults.js'
import type { DocumentType } from '../../core/records/record-kind.js'
import type { Queries } from '../../core/records/record-queries.js'
import type { Revision } from '../../core/records/revision.js'
import { openPauses } from '../../core/scheduling/event-loop-pauses.js'
import { type Id, type Oid, toVersion } from '../../core/value-types.js'
import { blobOf, type Documents } from '../../store/objects/blob-cache.js'
import { sameRecord } from '../../store/records/record-json.js'
import { clashOf, faultOfFilePath } from '../../store/records/repository-layout.js'
import type { FileContent } from '../../store/write/writer.js'
import { sniffType } from '../../validation/detect-document-type.js'
import type { SchemaBundle, Validator, Work } from '../../validation/validator.js'
import {
  type Bundles,
  furtherFiles,
  type Meaning,
  type Registrar,
  readFiles,
  type SchemaSource,
  stillMeans,
} from '../rules/assemble-schema-bundle.js'
import {
  changeable,
  isFaulty,
  nextVersion,
  refuseForeignNames,
  refuseTakenNames,
  refuseUnauthorised,
  storable,
} from '../rules/request-rules.js'
import { ownedBy } from './caller-as-administrator.js'
import { shortName, trailers } from './commit-messages.js'
import { prepareRemoval } from './prepare-deletion.js'
import type { NewContent, Prospect, Update } from './prepared-update.js'
import type { Edit, Origins, SchemaDraft, SchemaUpload } from './record-drafts.js'
import { type Decision, Outdated } from './submit-update.js'
import { dryRunWork, updateWork } from './validation-request.js'

export interface SchemaUpdatesOptions {
  /** What references to other schemas are looked up in. */
  readonly committed: Queries
  readonly documents: Documents
  readonly bundles: Bundles
  readonly validator: Validator
  /** The current year. */
  readonly year: () => number
}

/** What can be done to schemas, prepared up to the point where it is written. */
export interface SchemaUpdates {
  register(
    caller: Caller,
    draft: SchemaDraft,
    upload: SchemaUpload & { readonly document: Uint8Array },
    origins: Origins,
  ): Promise<Update>
  revise(
    on: Prospect,
    caller: Caller,
    name: string,
    precondition: Precondition,
    change: SchemaUpload & { readonly draft?: SchemaDraft },
    origins: Origins,
  ): Promise<Update>
  remove(on: Prospect, caller: Caller, name: string, precondition: Precondition): Promise<Update>
  /** The schema that {@link SchemaUpdates.revise} would make of a revision with this upload, found good. */
  successor(caller: Caller, current: Revision, upload: SchemaUpload, origins: Origins): Promise<SchemaBundle>
}

/** What the directory of a schema holds beside the record. */
interface Content {
  readonly type: DocumentType
  readonly document: FileContent
  readonly files: ReadonlyMap<string, FileContent>
}

/** Content that was found good, and as long as what. */
interface Checked extends Content {
  /** What its references to registered schemas meant. */
  readonly meanings: readonly Meaning[]
  /** Undefined: it is the content the schema has. */
  readonly bundle?: SchemaBundle
}

interface Revised extends Checked {
  /** Says whether the content is still what the request makes of the newest revision. */
  fits(now: Revision): boolean
}

export function openSchemaUpdates(options: SchemaUpdatesOptions): SchemaUpdates {
  const { committed, documents, bundles, validator, year } = options

  /** @throws ProblemError `unprocessable` where the schema does not compile */
  async function check(source: SchemaSource, by: Registrar, work: Work): Promise<Checked> {
    const { bundle, findings, meanings } = await reading(bundles.assemble(committed, source, by, work))
    refuseSchema(findings)
    refuseSchema(await validator.check(bundle, work))
    const { type, document, files } = source
    return { type, document, files, meanings, bundle }
  }

  /** What an upload makes of the current content. */
  async function revised(
    current: Revision,
    upload: SchemaUpload,
    type: DocumentType | undefined,
    by: Registrar,
    work: Work,
  ): Promise<Revised> {
    const kept = furtherFiles(current.files)
    const document = upload.document ?? (await documents.read(current.document))
    const language = languageOf(document, type)
    const all = new Map<string, Uint8Array>([...(await readFiles(documents, kept)), ...(upload.files ?? [])])
    const { used } = await reading(validator.references(language, document, all, work))
    const files = new Map([...all].filter(([path]) => upload.files?.has(path) || used.has(path)))
    refuseClashes(files.keys())
    const content = { type: language, document, files }
    const asItWas = (now: Revision) => sameContent(contentOf(now), current)
    if (sameContent(content, current)) return { ...content, meanings: [], fits: asItWas }
    const checked = await check({ id: current.id, ...content }, by, work)
    // A document that is replaced matters no more; the files it came with may have been carried over.
    const fits = (now: Revision) => sameNames(furtherFiles(now.files), kept)
    return { ...checked, fits: upload.document ? fits : asItWas }
  }

  return {
    async register(caller, draft, upload, origins) {
      const id = newId(draft.id)
      const files = upload.files ?? new Map<string, Uint8Array>()
      refusePaths(files.keys())
      const type = languageOf(upload.document, draft.type)
      const source = { id, type, document: upload.document, files }
      const content = await check(source, { caller, ...origins }, updateWork(caller))
      return {
        kind: 'schema',
        id,
        ...newContentOf(content),
        async plan(state) {
          const pauses = openPauses()
          const edited = draft.edit(newRecord(id, caller, year()))
          await pauses.ifDue()
          const record = await storable(ownedBy(caller, { ...edited, id }), pauses)
          await pauses.ifDue()
          refuseUnauthorised(caller, undefined, record)
          refuseTakenNames(state, caller, 'schema', record)
          refuseOutdated(state, content.meanings)
          const version = toVersion(1)
          return {
            version,
            change: {
              kind: 'schema',
              id,
              state: { record, documentType: type, document: content.document, files: content.files },
              subject: `Register ${shortName('schema', id)}`,
              trailers: trailers('schema', id, version),
            },
          }
        },
      }
    },

    async revise(on, caller, name, precondition, change, origins) {
      refusePaths(change.files?.keys() ?? [])
      const current = await on.ask(state => changeable(state, caller, 'schema', name, precondition))
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
          const now = changeable(state, caller, 'schema', id, precondition)
          if (content && !content.fits(now)) throw new Outdated()
          if (content) refuseOutdated(state, content.meanings)
          else refuseMismatch(type, now.documentType)
          return await revision(state, caller, now, change.draft?.edit, content ?? contentOf(now))
        },
      }
    },

    remove: (on, caller, name, precondition) => prepareRemoval(on, caller, 'schema', name, precondition),

    async successor(caller, current, upload, origins) {
      refusePaths(upload.files?.keys() ?? [])
      const by = { caller, ...origins }
      const work = dryRunWork(caller)
      const { bundle } = await revised(current, upload, current.documentType, by, work)
      return bundle ?? (await bundles.of(committed, current, work))
    },
  }
}

function newContentOf({ bundle, meanings }: Checked): { readonly content?: NewContent } {
  return bundle ? { content: { bundle, refersTo: meanings.map(({ name }) => name.id) } } : {}
}

/** The next revision of a schema, or that nothing changes. */
async function revision(
  state: Queries,
  caller: Caller,
  now: Revision,
  edit: Edit | undefined,
  content: Content,
): Promise<Decision> {
  const { kind, id } = now
  const pauses = openPauses()
  const edited = edit ? edit(now.record) : now.record
  await pauses.ifDue()
  const acls = edited.acls?.length ? edited.acls : now.record.acls
  const record = await storable({ ...edited, id, ...(acls ? { acls } : {}) }, pauses)
  await pauses.ifDue()
  refuseUnauthorised(caller, now.record, record)
  await pauses.ifDue()
  refuseForeignNames(state, caller, kind, record)
  await pauses.ifDue()
  const sameFiles = sameContent(content, now)
  // A faulty revision is healed by what was served all along.
  const whole = !isFaulty(state, kind, id)
  if (sameFiles && whole && sameRecord(record, now.record)) return { current: now }
  const version = nextVersion(state, now, !sameFiles)
  const to = version === undefined ? '' : sameFiles ? ` (version ${version})` : ` to version ${version}`
  return {
    version,
    change: {
      kind,
      id,
      state: { record, documentType: content.type, document: content.document, files: content.files },
      subject: `${sameFiles ? 'Update the record of' : 'Update'} ${shortName(kind, id)}${to}`,
      trailers: trailers(kind, id, version),
    },
  }
}

/** @throws ProblemError `malformed-request` @see contract, 3.1 */
function newId(id: Id | undefined): Id {
  if (id === undefined) throw new ProblemError('malformed-request', 'A schema needs an id of your choice.')
  if (id === id.toLowerCase()) return id
  throw new ProblemError(
    'malformed-request',
    `The schema id "${id}" has upper case letters. Use "${id.toLowerCase()}".`,
  )
}

/** @throws ProblemError `unprocessable` @see contract, "Schema documents" */
function languageOf(document: Uint8Array, wanted: DocumentType | undefined): DocumentType {
  const found = sniffType(document)
  if (found === undefined) {
    const message = 'The schema document is neither JSON nor XML.'
    throw new ProblemError('unprocessable', message, { findings: [{ message, path: '' }] })
  }
  refuseMismatch(wanted, found)
  return found
}

function refuseMismatch(wanted: DocumentType | undefined, found: DocumentType): void {
  if (wanted === undefined || wanted === found) return
  const message = `The record says that the schema document is ${wanted}, but it is ${found}.`
  throw new ProblemError('unprocessable', message, { findings: [{ message, path: '' }] })
}

/** Says of whatever keeps a schema document from being read that it is the schema's fault. */
async function reading<T>(job: Promise<T>): Promise<T> {
  try {
    return await job
  } catch (error) {
    if (error instanceof ProblemError && error.kind === 'unprocessable')
      refuseSchema(error.extra.findings ?? [])
    throw error
  }
}

function refuseSchema(findings: readonly Finding[]): void {
  refuseFindings(findings, 'The schema document cannot be used.')
}

/** @throws ProblemError `malformed-request` */
function refusePaths(paths: Iterable<string>): void {
  const all = [...paths]
  for (const path of all) {
    const fault = faultOfFilePath(path)
    if (fault !== undefined) {
      throw new ProblemError(
        'malformed-request',
        `The file name ${JSON.stringify(path)} cannot be used: ${fault}.`,
      )
    }
  }
  refuseClashes(all)
}

function refuseClashes(paths: Iterable<string>): void {
  const clash = clashOf(paths)
  if (!clash) return
  throw new ProblemError(
    'malformed-request',
    `The files "${clash[0]}" and "${clash[1]}" cannot lie in one folder where upper and lower case are the same.`,
  )
}

function refuseOutdated(state: Queries, meanings: readonly Meaning[]): void {
  if (!meanings.every(meaning => stillMeans(state, meaning))) throw new Outdated()
}

function contentOf({ documentType, document, files }: Revision): Content {
  return { type: documentType, document, files: furtherFiles(files) }
}

function sameContent(content: Content, revision: Revision): boolean {
  return (
    content.type === revision.documentType &&
    nameOf(content.document) === revision.document &&
    sameNames(content.files, furtherFiles(revision.files))
  )
}

function sameNames(files: ReadonlyMap<string, FileContent>, others: ReadonlyMap<string, Oid>): boolean {
  return files.size === others.size && [...files].every(([path, file]) => others.get(path) === nameOf(file))
}

function nameOf(content: FileContent): Oid {
  return typeof content === 'string' ? content : blobOf(content)
}
