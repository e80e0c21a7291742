import { ProblemError } from '../../core/problem.js'
import type { DocumentType } from '../../core/records/collection.js'
import type { CatalogQueries } from '../../core/records/record-queries.js'
import type { Revision } from '../../core/records/revision.js'
import type { BlobReader } from '../../store/blobs/blob-reader.js'
import type { SchemaBundle, Validator, Work } from '../../validation/validator.js'
import {
  type BundleAssembler,
  type RegistrationContext,
  type ResolvedReference,
  readFiles,
} from '../rules/assemble-schema-bundle.js'
import { contentOf, type RecordContent, sameContent, sameFiles } from '../rules/record-content.js'
import { refuse } from '../rules/record-rules.js'
import {
  findFileNames,
  findSchemaLanguage,
  refuseDocument,
  refuseUnusableSchema,
} from '../rules/schema-rules.js'
import { attachedFiles, followReferences, type SchemaSource } from '../rules/schema-source.js'
import type { RecordUpload } from './record-drafts.js'

export interface SchemaContentOptions {
  /** The records in which references to other schemas are resolved. */
  readonly committed: CatalogQueries
  readonly documents: BlobReader
  readonly bundles: BundleAssembler
  readonly validator: Pick<Validator, 'check' | 'references'>
}

/** The content of a schema that compiled. Before it is stored, `resolved` must still resolve to the same versions. */
export interface CheckedContent extends RecordContent {
  /** The references to registered schemas. */
  readonly resolved: readonly ResolvedReference[]
  /** The content with all that it refers to; undefined if it is stored already. */
  readonly bundle?: SchemaBundle
}

export interface RevisedContent extends CheckedContent {
  /** Whether the request would make the same content out of the newer revision `now`. */
  fits(now: Revision): boolean
}

/** Checks the content of new and revised schemas. */
export function openSchemaContentChecker(options: SchemaContentOptions) {
  const { committed, documents, bundles, validator } = options

  /** Checks a new schema. @throws ProblemError `unprocessable` for a schema that does not compile */
  async function checkNew(
    source: SchemaSource,
    by: RegistrationContext,
    work: Work,
  ): Promise<CheckedContent> {
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
export function languageOf(document: Uint8Array, wanted: DocumentType | undefined): DocumentType {
  const found = findSchemaLanguage(document, wanted)
  return typeof found === 'string' ? found : refuseDocument(found)
}

/** File names under which an upload, or formerly another one, has the document of a schema. */
export function ownNamesOf({ fileName }: RecordUpload, former: readonly string[] = []): readonly string[] {
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
