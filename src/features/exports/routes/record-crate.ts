import type { Context } from 'koa'
import { documentFileNames } from '../../../core/records/collection.js'
import type { Revision } from '../../../core/records/revision.js'
import { readRequestedRevision } from '../../../http/request/read-requested.js'
import { attachedFiles } from '../../../service/rules/schema-source.js'
import type { CrateJob, ExportInput } from '../export-job.js'
import { type CrateFile, crateFile, mediaTypeOfPath } from '../formats/crate-entities.js'
import { writeZip, type ZipEntry } from '../zip-writer.js'
import { readableOrUndefined } from './adjacent-versions.js'
import {
  contextOf,
  type ExportSite,
  inputOf,
  type RecordContext,
  type RequestedExport,
} from './described-record.js'

/*
 * The RO-Crate of one record: the document, its schema, and the further files of the schema.
 */

/** The addresses of files in the metadata of a crate: paths in a ZIP file, or URLs on the web. */
interface CratePlaces {
  document(revision: Revision): string
  /** A further file of a schema. */
  file(schema: Revision, path: string): string
}

/** What a crate contains in addition to the revision. */
export interface CrateParts {
  readonly context: RecordContext
  /** The schema that the document follows, if the caller may read it. */
  readonly schema?: { readonly revision: Revision; readonly context: RecordContext }
}

/** Finds the parts of a crate, without reading a file. */
export async function crateParts(
  ctx: Context,
  site: ExportSite,
  asked: RequestedExport,
): Promise<CrateParts> {
  const context = await contextOf(ctx, site, asked)
  const revision = await schemaOf(ctx, site, asked)
  if (!revision) return { context }
  const named = { revision, addresses: asked.addresses, isPinned: true }
  return { context, schema: { revision, context: await contextOf(ctx, site, named) } }
}

/** The metadata file of a crate whose files are at their addresses on the web. */
export async function crateOnTheWeb(
  ctx: Context,
  site: ExportSite,
  asked: RequestedExport,
  parts: CrateParts,
): Promise<string> {
  const { addresses } = asked
  const job = await crateJob(site, asked, parts, {
    document: ({ kind, id, version }) => addresses.download(kind, id, version),
    file: ({ id, version }, path) => addresses.file(id, path, version),
  })
  return await site.feature.exports.write(job, site.callerOf(ctx).client)
}

/** A crate as a ZIP file. */
export interface CrateArchive {
  /** Bytes of the largest file, which is in memory while it is sent. */
  readonly largestFileBytes: number
  readonly pieces: AsyncGenerator<Uint8Array, void>
}

/** The crate with its files, as a ZIP file that is written while it is sent. */
export async function crateArchive(
  ctx: Context,
  site: ExportSite,
  asked: RequestedExport,
  parts: CrateParts,
): Promise<CrateArchive> {
  const { services } = site
  const { revision } = asked
  const schema = parts.schema?.revision
  const job = await crateJob(site, asked, parts, {
    document: each => pathOf(each),
    file: (_, path) => encodePath(`${schemaFolder}/${path}`),
  })
  const text = Buffer.from(await site.feature.exports.write(job, site.callerOf(ctx).client))
  const files = furtherFilesOf(revision, schema)
  const entries: readonly ZipEntry[] = [
    { path: crateFile, read: async () => text },
    ...[revision, ...(schema ? [schema] : [])].map(each => ({
      path: pathOf(each),
      read: () => services.readDocument(each),
    })),
    ...files.map(({ owner, path }) => ({
      path: `${schemaFolder}/${path}`,
      read: () => services.collections.schema.file(owner, path),
    })),
  ]
  const blobs = [revision.document, ...(schema ? [schema.document] : []), ...files.map(({ blob }) => blob)]
  const sizes = await Promise.all(blobs.map(services.blobSize))
  const largestFileBytes = sizes.reduce((max, size) => Math.max(max, size), text.length)
  return { largestFileBytes, pieces: writeZip(entries, revision.time) }
}

const schemaFolder = 'schema'

const folders = { schema: `${schemaFolder}/`, metadata: '' }

function pathOf({ kind, documentType }: Revision): string {
  return folders[kind] + documentFileNames[kind][documentType]
}

/** A path as a URI reference. */
function encodePath(path: string): string {
  return path.split('/').map(encodeURIComponent).join('/')
}

/** The schema version of a document; undefined if the caller may not read it. */
async function schemaOf(
  ctx: Context,
  site: ExportSite,
  { revision }: RequestedExport,
): Promise<Revision | undefined> {
  const { schema } = revision.record
  if (!schema) return undefined
  return await readableOrUndefined(() =>
    readRequestedRevision(ctx, site, 'schema', schema.schemaId, { version: schema.version, at: undefined }),
  )
}

/** The further files in the crate: of the revision itself, or of the schema of the document if it is readable. */
function furtherFilesOf(revision: Revision, schema: Revision | undefined) {
  const owner = revision.kind === 'schema' ? revision : schema
  if (!owner) return []
  return [...attachedFiles(owner)].map(([path, blob]) => ({ owner, path, blob }))
}

async function crateJob(
  site: ExportSite,
  asked: RequestedExport,
  { context, schema }: CrateParts,
  places: CratePlaces,
): Promise<CrateJob> {
  const { revision, addresses } = asked
  const record = await inputOf(site, asked, context)
  const ofSchema =
    schema && (await inputOf(site, { revision: schema.revision, addresses, isPinned: true }, schema.context))
  return {
    write: 'crate',
    record,
    document: fileOf(places.document(revision), record),
    ...(schema &&
      ofSchema && {
        schema: { record: ofSchema, document: fileOf(places.document(schema.revision), ofSchema) },
      }),
    furtherFiles: furtherFilesOf(revision, schema?.revision).map(({ owner, path }) => {
      const mediaType = mediaTypeOfPath(path)
      return [path, { id: places.file(owner, path), ...(mediaType !== undefined && { mediaType }) }]
    }),
  }
}

function fileOf(id: string, { documentSize }: ExportInput): CrateFile {
  return { id, ...(documentSize !== undefined && { size: documentSize }) }
}
