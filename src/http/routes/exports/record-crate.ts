import type { Context } from 'koa'
import type { Collection, DocumentType } from '../../../core/records/collection.js'
import type { Revision } from '../../../core/records/revision.js'
import type { DescribedRecord } from '../../../exports/datacite/export-context.js'
import {
  type CrateEntity,
  crateFile,
  crateJson,
  documentEntities,
  furtherFileEntity,
  mediaTypeOfPath,
  recordCrate,
} from '../../../exports/formats/crate-entities.js'
import { writeZip, type ZipEntry } from '../../../service/exports/zip-writer.js'
import { attachedFiles } from '../../../service/rules/assemble-schema-bundle.js'
import { readRequestedRevision } from '../../request/at-parameter.js'
import { found } from './adjacent-versions.js'
import { describedRecord, type ExportSite, type RequestedExport } from './described-record.js'

/*
 * The crate of one record: the document, the schema that it follows, and the files that the schema comes with.
 */

/** Where the files of a crate are. */
interface CratePlaces {
  document(revision: Revision): string
  /** A further file of a schema. */
  file(schema: Revision, path: string): string
}

/** The entities of a crate whose files are at their addresses on the web. */
export async function crateOnTheWeb(
  ctx: Context,
  site: ExportSite,
  asked: RequestedExport,
  described: DescribedRecord,
): Promise<readonly CrateEntity[]> {
  const { addresses } = asked
  const schema = await schemaOf(ctx, site, asked)
  return await entitiesOf(ctx, site, asked, described, schema, {
    document: ({ kind, id, version }) => addresses.download(kind, id, version),
    file: ({ id, version }, path) => addresses.file(id, path, version),
  })
}

/** A crate as a file. */
export interface CrateArchive {
  /** Bytes of the largest file, about. */
  readonly largest: number
  readonly pieces: AsyncGenerator<Uint8Array, void>
}

/** The crate with its files, as a ZIP file that is written while it is sent. */
export async function crateArchive(
  ctx: Context,
  site: ExportSite,
  asked: RequestedExport,
  described: DescribedRecord,
): Promise<CrateArchive> {
  const { services } = site
  const { revision } = asked
  const schema = await schemaOf(ctx, site, asked)
  const entities = await entitiesOf(ctx, site, asked, described, schema, {
    document: each => pathOf(each),
    file: (_, path) => encodePath(`${schemaFolder}/${path}`),
  })
  const schemaWithFiles = revision.kind === 'schema' ? revision : schema
  const entries: readonly ZipEntry[] = [
    { path: crateFile, read: async () => Buffer.from(crateJson(entities)) },
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
  return { largest: described.documentSize ?? 0, pieces: writeZip(entries, revision.time) }
}

const schemaFolder = 'schema'

const fileNames: Readonly<Record<Collection, Readonly<Record<DocumentType, string>>>> = {
  schema: { JSON: `${schemaFolder}/schema.json`, XML: `${schemaFolder}/schema.xsd` },
  metadata: { JSON: 'document.json', XML: 'document.xml' },
}

function pathOf({ kind, documentType }: Revision): string {
  return fileNames[kind][documentType]
}

/** A path as the URI reference that it is in a crate. */
function encodePath(path: string): string {
  return path.split('/').map(encodeURIComponent).join('/')
}

/** The schema version that a document follows, where the caller may read it. */
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

async function entitiesOf(
  ctx: Context,
  site: ExportSite,
  { revision, addresses }: RequestedExport,
  described: DescribedRecord,
  schema: Revision | undefined,
  places: CratePlaces,
): Promise<readonly CrateEntity[]> {
  const withFiles = revision.kind === 'schema' ? revision : schema
  const further = withFiles ? [...attachedFiles(withFiles.files).keys()] : []
  const files = withFiles
    ? further.map(path => {
        const mediaType = mediaTypeOfPath(path)
        return { path, file: { id: places.file(withFiles, path), ...(mediaType && { mediaType }) } }
      })
    : []
  const fileEntities = files.map(({ file, path }) => furtherFileEntity(file, path))
  const document = {
    id: places.document(revision),
    ...(described.documentSize !== undefined && { size: described.documentSize }),
  }
  if (!schema) return recordCrate(described, document, fileEntities)
  const ofSchema = await describedRecord(ctx, site, { revision: schema, addresses, isPinned: true })
  const schemaFile = {
    id: places.document(schema),
    ...(ofSchema.documentSize !== undefined && { size: ofSchema.documentSize }),
  }
  const schemaEntities = documentEntities(ofSchema, schemaFile, { hasPart: files.map(({ file }) => file) })
  return recordCrate(described, document, [...schemaEntities, ...fileEntities], schemaFile.id)
}
