import type { Context } from 'koa'
import type { Collection, DocumentType } from '../../../core/records/collection.js'
import type { Revision } from '../../../core/records/revision.js'
import type { CrateJob, ExportInput } from '../../../exports/export-job.js'
import { type CrateFile, crateFile, mediaTypeOfPath } from '../../../exports/formats/crate-entities.js'
import { writeZip, type ZipEntry } from '../../../service/exports/zip-writer.js'
import { attachedFiles } from '../../../service/rules/assemble-schema-bundle.js'
import { readRequestedRevision } from '../../request/at-parameter.js'
import { found } from './adjacent-versions.js'
import { type ExportSite, inputOf, type RequestedExport } from './described-record.js'

/*
 * The crate of one record: the document, its schema, and the further files of the schema.
 */

/** The addresses of the files of a crate. */
interface CratePlaces {
  document(revision: Revision): string
  /** A further file of a schema. */
  file(schema: Revision, path: string): string
}

/** The metadata file of a crate whose files are at their addresses on the web. */
export async function crateOnTheWeb(ctx: Context, site: ExportSite, asked: RequestedExport): Promise<string> {
  const { addresses } = asked
  const schema = await schemaOf(ctx, site, asked)
  const job = await crateJob(ctx, site, asked, schema, {
    document: ({ kind, id, version }) => addresses.download(kind, id, version),
    file: ({ id, version }, path) => addresses.file(id, path, version),
  })
  return await site.services.exports.write(job, site.callerOf(ctx).client)
}

/** A crate as a file. */
export interface CrateArchive {
  /** Bytes of the document. */
  readonly documentSize: number
  readonly pieces: AsyncGenerator<Uint8Array, void>
}

/** The crate with its files, as a ZIP file that is written while it is sent. */
export async function crateArchive(
  ctx: Context,
  site: ExportSite,
  asked: RequestedExport,
): Promise<CrateArchive> {
  const { services } = site
  const { revision } = asked
  const schema = await schemaOf(ctx, site, asked)
  const job = await crateJob(ctx, site, asked, schema, {
    document: each => pathOf(each),
    file: (_, path) => encodePath(`${schemaFolder}/${path}`),
  })
  const text = await services.exports.write(job, site.callerOf(ctx).client)
  const schemaWithFiles = revision.kind === 'schema' ? revision : schema
  const entries: readonly ZipEntry[] = [
    { path: crateFile, read: async () => Buffer.from(text) },
    ...[revision, ...(schema ? [schema] : [])].map(each => ({
      path: pathOf(each),
      read: () => services.readDocument(each),
    })),
    ...(schemaWithFiles
      ? [...attachedFiles(schemaWithFiles.files).keys()].map(path => ({
          path: `${schemaFolder}/${path}`,
          read: () => services.collections.schema.file(schemaWithFiles, path),
        }))
      : []),
  ]
  return { documentSize: job.document.size ?? 0, pieces: writeZip(entries, revision.time) }
}

const schemaFolder = 'schema'

const fileNames: Readonly<Record<Collection, Readonly<Record<DocumentType, string>>>> = {
  schema: { JSON: `${schemaFolder}/schema.json`, XML: `${schemaFolder}/schema.xsd` },
  metadata: { JSON: 'document.json', XML: 'document.xml' },
}

function pathOf({ kind, documentType }: Revision): string {
  return fileNames[kind][documentType]
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
  return await found(() =>
    readRequestedRevision(ctx, site, 'schema', schema.schemaId, { version: schema.version, at: undefined }),
  )
}

async function crateJob(
  ctx: Context,
  site: ExportSite,
  asked: RequestedExport,
  schema: Revision | undefined,
  places: CratePlaces,
): Promise<CrateJob> {
  const { revision, addresses } = asked
  const withFiles = revision.kind === 'schema' ? revision : schema
  const paths = withFiles ? [...attachedFiles(withFiles.files).keys()] : []
  const record = await inputOf(ctx, site, asked)
  const ofSchema = schema && (await inputOf(ctx, site, { revision: schema, addresses, isPinned: true }))
  return {
    write: 'crate',
    record,
    document: fileOf(places.document(revision), record),
    ...(schema &&
      ofSchema && { schema: { record: ofSchema, document: fileOf(places.document(schema), ofSchema) } }),
    furtherFiles: paths.map(path => {
      const mediaType = mediaTypeOfPath(path)
      const id = withFiles ? places.file(withFiles, path) : path
      return [path, { id, ...(mediaType !== undefined && { mediaType }) }]
    }),
  }
}

function fileOf(id: string, { documentSize }: ExportInput): CrateFile {
  return { id, ...(documentSize !== undefined && { size: documentSize }) }
}
