import type { DocumentDescription } from '../../core/records/document-description.js'
import type { Revision } from '../../core/records/revision.js'
import { cleanText } from '../../core/text/clean-text.js'
import { formatSecond, type Id, type Instant, type Version } from '../../core/value-types.js'
import { documentFileName, recordDirectory } from '../../store/records/repository-layout.js'
import { withoutAddresses } from '../exports/datacite/export-context.js'
import { describeRecord } from '../exports/datacite/record-to-datacite.js'
import {
  type CrateEntity,
  type CrateFile,
  documentEntities,
  furtherFileEntity,
  mediaTypeOfPath,
} from '../exports/formats/crate-entities.js'
import { versionsFolder } from './read-folder.js'

/*
 * Entities of an RO-Crate of the repository: a File for each document, with the schema it conforms to, its creators and
 * licence, and one for each further file of a schema.
 * @see https://w3id.org/ro/crate/1.1
 */

export interface RepositoryDescription {
  readonly name?: string | undefined
  readonly description?: string | undefined
}

/** A file that comes with a schema. */
export interface FurtherFile {
  /** Path in the directory of the schema. */
  readonly path: string
  /** Size in bytes. */
  readonly size: number
}

/** Makes entities: of each metadata record when it comes, of all schemas and of the whole crate at the end. */
export interface Crate {
  schema(revision: Revision, number: number, size: number, files: readonly FurtherFile[]): void
  /** @param description what the document says about itself */
  metadata(
    revision: Revision,
    size: number,
    description: DocumentDescription | undefined,
  ): readonly CrateEntity[]
  /** The entities of all schemas and of the whole crate. @param now time of the export */
  end(about: RepositoryDescription, now: Instant): readonly CrateEntity[]
}

interface CrateSchema {
  readonly revision: Revision
  readonly number: number
  readonly size: number
  readonly files: readonly FurtherFile[]
}

export function openCrate(): Crate {
  const parts: string[] = []
  /** Ids of entities that the crate has already: several files can have the same people, institutions and licences. */
  const known = new Set<string>()
  const licences = new Set<string>()
  /** Schema revisions by id. The path of a revision is known when all revisions of the schema have come. */
  const schemas = new Map<Id, CrateSchema[]>()

  function schemaAt(id: Id, version: Version): { schema: CrateSchema; folder: string } | undefined {
    const all = schemas.get(id) ?? []
    const schema = all.findLast(({ revision }) => revision.version === version)
    if (!schema) return undefined
    const past = schema === all.at(-1) ? '' : `${versionsFolder}/${schema.number}/`
    return { schema, folder: `${recordDirectory('schema', id)}/${past}` }
  }

  function schemaPath(id: Id, version: Version): string | undefined {
    const found = schemaAt(id, version)
    return (
      found && encodePath(`${found.folder}${documentFileName('schema', found.schema.revision.documentType)}`)
    )
  }

  function newEntities(entities: readonly CrateEntity[]): readonly CrateEntity[] {
    return entities.filter(entity => {
      const isNew = !known.has(entity['@id'])
      known.add(entity['@id'])
      return isNew
    })
  }

  function describeFile(
    revision: Revision,
    file: CrateFile,
    more: Parameters<typeof documentEntities>[2],
    description?: DocumentDescription,
  ): readonly CrateEntity[] {
    parts.push(file.id)
    const described = describeRecord(revision, { ...withoutAddresses, ...(description && { description }) })
    const entities = documentEntities(described, file, more)
    for (const { '@id': id } of entities[0].license as readonly CrateEntity[]) licences.add(id)
    return newEntities(entities)
  }

  return {
    schema(revision, number, size, files) {
      const all = schemas.get(revision.id) ?? []
      schemas.set(revision.id, all)
      all.push({ revision, number, size, files })
    },

    metadata(revision, size, description) {
      const { id, record, documentType } = revision
      const path = encodePath(
        `${recordDirectory('metadata', id)}/${documentFileName('metadata', documentType)}`,
      )
      const follows = record.schema && schemaPath(record.schema.schemaId, record.schema.version)
      const more = follows === undefined ? {} : { conformsTo: follows }
      return describeFile(revision, { id: path, size }, more, description)
    },

    end(about, now) {
      const entities: CrateEntity[] = []
      for (const [id, all] of schemas) {
        // Revisions of one version differ in the record alone; the newest stands for the version.
        for (const version of new Set(all.map(({ revision }) => revision.version))) {
          const found = schemaAt(id, version)
          const path = schemaPath(id, version)
          if (!found || path === undefined) continue
          const { schema, folder } = found
          const files = schema.files.map(file => furtherFile(folder, file))
          entities.push(...describeFile(schema.revision, { id: path, size: schema.size }, { hasPart: files }))
          parts.push(...files.map(({ id: file }) => file))
          entities.push(
            ...newEntities(
              files.map((file, index) => furtherFileEntity(file, schema.files[index]?.path ?? '')),
            ),
          )
        }
      }
      return [...entities, rootEntity(about, now, parts, licences)]
    },
  }
}

function furtherFile(folder: string, { path, size }: FurtherFile): CrateFile {
  const mediaType = mediaTypeOfPath(path)
  return { id: encodePath(`${folder}${path}`), size, ...(mediaType !== undefined && { mediaType }) }
}

/** The entity of the whole crate, with the licences of all files. */
function rootEntity(
  { name, description }: RepositoryDescription,
  now: Instant,
  parts: readonly string[],
  licences: ReadonlySet<string>,
): CrateEntity {
  return {
    '@id': './',
    '@type': 'Dataset',
    name: cleanText(name || 'A metadata repository'),
    description: cleanText(description || 'Schemas, and metadata documents that conform to them.'),
    datePublished: formatSecond(now),
    license: [...licences].map(id => ({ '@id': id })),
    hasPart: parts.map(path => ({ '@id': path })),
  }
}

/** Encodes a path as a URI reference, as crates have it. */
function encodePath(path: string): string {
  return path.split('/').map(encodeURIComponent).join('/')
}
