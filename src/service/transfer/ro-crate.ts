import { createHash } from 'node:crypto'
import type { Agent, StoredRecord } from '../../core/records/record.js'
import type { Revision } from '../../core/records/revision.js'
import { formatInstant, formatSecond, type Id, type Instant, type Version } from '../../core/value-types.js'
import { documentFileName, recordDirectory } from '../../store/records/repository-layout.js'
import { versionsFolder } from './read-folder.js'

/*
 * Entities of an RO-Crate: one File for each document, with the schema it conforms to, its creators and licence.
 * @see https://w3id.org/ro/crate/1.1
 */

export const crateFile = 'ro-crate-metadata.json'
export const crateContext = 'https://w3id.org/ro/crate/1.1/context'

export type CrateEntity = { readonly '@id': string; readonly '@type': string | readonly string[] } & Readonly<
  Record<string, unknown>
>

export interface RepositoryDescription {
  readonly name?: string | undefined
  readonly description?: string | undefined
}

/** The metadata file itself, which comes first. */
export const descriptor: CrateEntity = {
  '@id': crateFile,
  '@type': 'CreativeWork',
  conformsTo: { '@id': 'https://w3id.org/ro/crate/1.1' },
  about: { '@id': './' },
}

/** Gives the entities of one revision after the other, and of the whole at the end. */
export interface Crate {
  schema(revision: Revision, number: number, size: number): void
  metadata(revision: Revision, size: number): readonly CrateEntity[]
  /** @param now time of the export */
  end(about: RepositoryDescription, now: Instant): readonly CrateEntity[]
}

export function openCrate(): Crate {
  const parts: string[] = []
  /** People and licences that have an entity already. */
  const known = new Set<string>()
  /** Schema revisions by id: where each lies is known when all have come. */
  const schemas = new Map<Id, { revision: Revision; number: number; size: number }[]>()

  function schemaPath(id: Id, version: Version): string | undefined {
    const all = schemas.get(id) ?? []
    const found = all.findLast(({ revision }) => revision.version === version)
    if (!found) return undefined
    const aside = found === all.at(-1) ? '' : `${versionsFolder}/${found.number}/`
    return encodePath(
      `${recordDirectory('schema', id)}/${aside}${documentFileName('schema', found.revision.documentType)}`,
    )
  }

  /** Entities that are not there yet. */
  function fresh(entities: readonly CrateEntity[]): readonly CrateEntity[] {
    return entities.filter(entity => {
      const isNew = !known.has(entity['@id'])
      known.add(entity['@id'])
      return isNew
    })
  }

  function described(revision: Revision, path: string, size: number, more: object): readonly CrateEntity[] {
    const { record } = revision
    parts.push(path)
    const people = (record.creators ?? []).map(person)
    const licences = (record.rights ?? []).flatMap(({ schemeUri, schemeId }) =>
      schemeUri === undefined || !URL.canParse(schemeUri)
        ? []
        : [{ '@id': schemeUri, '@type': 'CreativeWork', name: schemeId ?? schemeUri }],
    )
    const [description] = record.descriptions ?? []
    const file: CrateEntity = {
      '@id': path,
      '@type': 'File',
      name: record.titles?.[0]?.value ?? record.id,
      ...(description && { description: description.description }),
      identifier: record.id,
      version: String(revision.version),
      encodingFormat: revision.documentType === 'JSON' ? 'application/json' : 'application/xml',
      contentSize: String(size),
      datePublished: publishedAt(revision),
      dateModified: formatInstant(revision.time),
      ...(people.length > 0 && { creator: people.map(reference) }),
      ...(record.publisher !== undefined && { publisher: record.publisher }),
      ...(licences.length > 0 && { license: licences.map(reference) }),
      ...more,
    }
    return [file, ...fresh([...people, ...licences])]
  }

  return {
    schema(revision, number, size) {
      const all = schemas.get(revision.id) ?? []
      schemas.set(revision.id, all)
      all.push({ revision, number, size })
    },

    metadata(revision, size) {
      const { id, record, documentType } = revision
      const path = encodePath(
        `${recordDirectory('metadata', id)}/${documentFileName('metadata', documentType)}`,
      )
      const follows = record.schema && schemaPath(record.schema.schemaId, record.schema.version)
      const resources = (record.relatedIdentifiers ?? []).filter(
        related => related.relationType === 'IS_METADATA_FOR',
      )
      return described(revision, path, size, {
        ...(follows !== undefined && { conformsTo: { '@id': follows } }),
        ...(resources.length > 0 && { about: resources.map(({ value }) => ({ '@id': resourceUrl(value) })) }),
      })
    },

    end(about, now) {
      const entities: CrateEntity[] = []
      for (const [id, all] of schemas) {
        for (const { revision, size } of all) {
          const path = schemaPath(id, revision.version)
          // Revisions of one version differ in the record alone; the newest stands for it.
          if (path === undefined || parts.includes(path)) continue
          const newest = all.findLast(other => other.revision.version === revision.version)?.revision
          entities.push(...described(newest ?? revision, path, size, { '@type': ['File', 'CreativeWork'] }))
        }
      }
      const root: CrateEntity = {
        '@id': './',
        '@type': 'Dataset',
        name: about.name || 'A metadata repository',
        description: about.description || 'Schemas, and metadata documents that conform to them.',
        datePublished: formatSecond(now),
        license: 'Each file names its own, where it has one.',
        hasPart: parts.map(path => ({ '@id': path })),
      }
      return [...entities, root]
    },
  }
}

const reference = (entity: CrateEntity) => ({ '@id': entity['@id'] })

function person({ givenName, familyName, affiliations = [] }: Agent): CrateEntity {
  const name = [givenName, familyName].filter(part => part !== undefined && part !== '').join(' ')
  const key = createHash('sha1')
    .update(JSON.stringify([name, affiliations]))
    .digest('hex')
    .slice(0, 16)
  return {
    '@id': `#person-${key}`,
    '@type': 'Person',
    name,
    ...(givenName !== undefined && { givenName }),
    ...(familyName !== undefined && { familyName }),
    ...(affiliations.length > 0 && { affiliation: affiliations.join('; ') }),
  }
}

/** A date of publication, the year of publication, or when it came to be. */
function publishedAt({ record, createdAt }: Revision): string {
  const issued = dateOf(record, 'ISSUED') ?? dateOf(record, 'AVAILABLE')
  return issued ?? record.publicationYear ?? dateOf(record, 'CREATED') ?? formatSecond(createdAt)
}

function dateOf(record: StoredRecord, type: string): string | undefined {
  return record.dates?.find(date => date.type === type)?.value
}

/** What a document describes, as something that can be linked to. */
function resourceUrl(value: string): string {
  if (/^10\.\d+\//.test(value)) return `https://doi.org/${encodeURI(value)}`
  return URL.canParse(value) ? value : `#resource-${encodeURIComponent(value)}`
}

/** A path as the URI reference it is in a crate. */
function encodePath(path: string): string {
  return path.split('/').map(encodeURIComponent).join('/')
}
