import { hash } from 'node:crypto'
import {
  type DataCiteName,
  type DataCiteRights,
  unavailable,
} from '../../../core/records/datacite-document.js'
import { identifierIri } from '../../../core/text/iri.js'
import { affiliationAddress, agentAddress, publisherAddress } from '../datacite/agent-addresses.js'
import { type DescribedRecord, subjectIri, summaryOf } from '../datacite/export-context.js'
import { isAccessRight } from '../datacite/rights.js'
import { defined } from '../defined-members.js'
import { followedSchema } from './dcat.js'

/*
 * Entities of an RO-Crate: files with the schema they conform to, people, institutions and licences.
 * @see https://w3id.org/ro/crate/1.1
 */

export const crateFile = 'ro-crate-metadata.json'
export const crateContext = 'https://w3id.org/ro/crate/1.1/context'
export const crateProfile = 'https://w3id.org/ro/crate'

export type CrateEntity = { readonly '@id': string; readonly '@type': string | readonly string[] } & Readonly<
  Record<string, unknown>
>

interface CrateReference {
  readonly '@id': string
}

/** The metadata file itself, which comes first. */
export const crateDescriptor: CrateEntity = {
  '@id': crateFile,
  '@type': 'CreativeWork',
  conformsTo: { '@id': 'https://w3id.org/ro/crate/1.1' },
  about: { '@id': './' },
}

/** A file in a crate, or on the web. */
export interface CrateFile {
  /** A path below the root of the crate, as a URI reference, or an absolute address. */
  readonly id: string
  readonly size?: number
  readonly mediaType?: string
}

/** The file with the document of a record, and the entities to which the file refers. */
export function documentEntities(
  described: DescribedRecord,
  file: CrateFile,
  more: { readonly conformsTo?: string | undefined; readonly hasPart?: readonly CrateFile[] } = {},
): readonly [document: CrateEntity, ...others: CrateEntity[]] {
  const { kind, document, lastUpdate } = described
  const agents = document.creators.flatMap(agentEntities)
  const creators = document.creators.flatMap(creator => agentEntities(creator).slice(0, 1))
  const { publisher: named } = document
  const publisher = named.name === unavailable ? [] : [organization(named.name, publisherAddress(named))]
  const licences = licencesOf(described)
  const resources = resourcesOf(described)
  const conformsTo = more.conformsTo ?? followedSchema(document)
  const entity: CrateEntity = defined({
    '@id': file.id,
    '@type': kind === 'schema' ? ['File', 'CreativeWork'] : 'File',
    name: document.titles[0].title,
    description: summaryOf(described),
    identifier: identifiersOf(described),
    version: document.version,
    encodingFormat: document.formats[0],
    contentSize: file.size?.toString(),
    inLanguage: document.language,
    datePublished: publicationDate(described),
    dateModified: lastUpdate,
    creator: references(creators),
    publisher: references(publisher)?.[0],
    license: references(licences),
    keywords: document.subjects?.map(({ subject }) => subject),
    conformsTo: conformsTo === undefined ? undefined : { '@id': conformsTo },
    about: references(resources),
    hasPart: references((more.hasPart ?? []).map(({ id }) => ({ '@id': id }))),
  })
  return [entity, ...agents, ...publisher, ...licences, ...resources.filter(isEntity)]
}

/** The resources that the document is about: an address on the web, or an entity for another identifier. */
function resourcesOf({ document }: DescribedRecord): readonly (CrateEntity | CrateReference)[] {
  return (document.relatedIdentifiers ?? [])
    .filter(({ relationType }) => relationType === 'IsMetadataFor')
    .map(({ relatedIdentifier: identifier, relatedIdentifierType }) => {
      const address = identifierIri(identifier, relatedIdentifierType)
      if (address !== undefined) return { '@id': address }
      const id = `#resource-${encodeURIComponent(identifier)}`
      return { '@id': id, '@type': 'Thing', name: identifier, identifier }
    })
}

function isEntity(value: CrateEntity | CrateReference): value is CrateEntity {
  return '@type' in value
}

/** A file that comes with a schema. */
export function furtherFileEntity({ id, size, mediaType }: CrateFile, name: string): CrateEntity {
  return defined({
    '@id': id,
    '@type': 'File',
    name,
    encodingFormat: mediaType,
    contentSize: size?.toString(),
  })
}

/** The media type for the ending of a path: `.xsd` is XML, `.json` is JSON; undefined for unknown endings. */
export function mediaTypeOfPath(path: string): string | undefined {
  if (/\.(?:xsd|xml|xslt?|rng)$/i.test(path)) return 'application/xml'
  if (/\.json$/i.test(path)) return 'application/json'
  return /\.(?:txt|md)$/i.test(path) ? 'text/plain' : undefined
}

/** The crate of one record: the root, its files, and what they refer to. */
export function recordCrate(
  described: DescribedRecord,
  file: CrateFile,
  others: readonly CrateEntity[],
  conformsTo?: string,
): readonly CrateEntity[] {
  const { document } = described
  const [entity, ...context] = documentEntities(described, file, { conformsTo })
  const { name, description, datePublished, creator, publisher, license, keywords } = entity
  const root: CrateEntity = defined({
    '@id': './',
    '@type': 'Dataset',
    name,
    description,
    identifier: subjectIri(document),
    url: document.url,
    datePublished,
    ...{ creator, publisher, license, keywords },
    mainEntity: { '@id': file.id },
    hasPart: references([entity, ...others].filter(isFile)),
  })
  return distinctEntities([crateDescriptor, root, entity, ...others, ...context])
}

function isFile(entity: CrateEntity): boolean {
  return [entity['@type']].flat().includes('File')
}

/** The entities without those that have the id of an earlier one. */
function distinctEntities(entities: readonly CrateEntity[]): readonly CrateEntity[] {
  return [...new Map(entities.toReversed().map(entity => [entity['@id'], entity])).values()].toReversed()
}

/** The metadata file of a crate. */
export function crateJson(entities: readonly CrateEntity[]): string {
  return JSON.stringify({ '@context': crateContext, '@graph': entities })
}

/** References to entities; undefined if there are none. */
function references(entities: readonly CrateReference[]): readonly CrateReference[] | undefined {
  return entities.length > 0 ? entities.map(({ '@id': id }) => ({ '@id': id })) : undefined
}

/** The persistent identifier or the address, and the id; only the id if there is no address. */
function identifiersOf({ id, document }: DescribedRecord): string | readonly string[] {
  const iri = subjectIri(document)
  return iri === '' || iri === id ? id : [iri, id]
}

/** A person or an institution, and the institutions that a person belongs to. */
function agentEntities(agent: DataCiteName): readonly CrateEntity[] {
  const { name, nameType, ...parts } = agent
  if (name === unavailable) return []
  const affiliations = (parts.affiliation ?? []).map(of => organization(of.name, affiliationAddress(of)))
  if (nameType !== 'Personal') return [organization(name, agentAddress(agent))]
  const person: CrateEntity = defined({
    '@id': agentAddress(agent) ?? `#person-${keyOf([name, ...affiliations.map(({ '@id': id }) => id)])}`,
    '@type': 'Person',
    name: [parts.givenName, parts.familyName].filter(part => part !== undefined).join(' '),
    givenName: parts.givenName,
    familyName: parts.familyName,
    affiliation: references(affiliations),
  })
  return [person, ...affiliations]
}

function organization(name: string, address: string | undefined): CrateEntity {
  return { '@id': address ?? `#organization-${keyOf([name])}`, '@type': 'Organization', name }
}

function keyOf(parts: readonly string[]): string {
  return hash('sha1', JSON.stringify(parts)).slice(0, 16)
}

function licenceEntity({
  rights,
  rightsUri,
  rightsIdentifier,
  rightsIdentifierScheme,
}: DataCiteRights): CrateEntity {
  const name = rightsIdentifier ?? rights
  return defined({
    '@id': rightsUri ?? `#licence-${keyOf([rights])}`,
    '@type': 'CreativeWork',
    name,
    description:
      rightsIdentifierScheme === 'SPDX'
        ? `The licence ${name} of the SPDX list.`
        : `The licence that the record names: ${rights}`,
    url: rightsUri,
    identifier: rightsIdentifier,
  })
}

/** The licences of the record. A crate must have a licence: without one, an entity for an unknown licence. */
function licencesOf({ document }: DescribedRecord): readonly CrateEntity[] {
  const named = document.rightsList.filter(right => !isAccessRight(right)).map(licenceEntity)
  return named.length > 0 ? named : [licenceNotStated]
}

const licenceNotStated: CrateEntity = {
  '@id': '#licence-not-stated',
  '@type': 'CreativeWork',
  name: 'No licence stated',
  description: 'The record names no licence. Ask its creators before you use the document.',
}

function publicationDate({ document }: DescribedRecord): string {
  const { dates, publicationYear } = document
  const issued = dates.find(({ dateType }) => dateType === 'Issued')
  // `Available` counts only in the publication year: another service may have published the document long before.
  const available = dates.find(({ dateType, date }) => {
    return dateType === 'Available' && date.startsWith(publicationYear)
  })
  return (issued ?? available)?.date ?? publicationYear
}
