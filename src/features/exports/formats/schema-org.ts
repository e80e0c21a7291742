import {
  cornersOf,
  type DataCiteDocument,
  type DataCiteFundingReference,
  type DataCiteGeoLocation,
  type DataCiteName,
  unavailable,
} from '../../../core/records/datacite-document.js'
import { cleanText } from '../../../core/text/clean-text.js'
import { identifierIri } from '../../../core/text/iri.js'
import { affiliationAddress, agentAddress, publisherAddress } from '../datacite/agent-addresses.js'
import { type DescribedRecord, subjectIri, summaryOf } from '../datacite/export-context.js'
import { isAccessRight, isOpenAccess } from '../datacite/rights.js'
import { followedSchema } from './dcat.js'

/*
 * schema.org, as search engines read it. A record describes a document about a resource: the resource is `about`.
 * @see https://developers.google.com/search/docs/appearance/structured-data/dataset
 */

type Thing = Readonly<Record<string, unknown>>

/** Limit of the characters of a description that search engines read. */
const maxDescriptionLength = 5000

/** The record as JSON-LD, which refers to schema.org's context. This program does not read that context. */
export function schemaOrg(described: DescribedRecord): Thing {
  const { kind, document } = described
  const [main, ...otherTitles] = document.titles
  const related = relationsBy(document)
  const schema = followedSchema(document)
  const licences = document.rightsList.filter(right => !isAccessRight(right))
  return present({
    '@context': 'https://schema.org/',
    '@type': kind === 'schema' ? ['CreativeWork', 'DigitalDocument'] : 'Dataset',
    '@id': subjectIri(document),
    url: document.url,
    name: main.title,
    alternateName: otherTitles.map(({ title }) => title),
    description: cleanText(summaryOf(described).slice(0, maxDescriptionLength)),
    identifier: identifiers(document),
    version: document.version,
    creator: document.creators.flatMap(agent),
    publisher:
      document.publisher.name === unavailable
        ? undefined
        : organization(document.publisher.name, publisherAddress(document.publisher)),
    contributor: (document.contributors ?? []).flatMap(contributor =>
      agent(contributor).map(person => ({
        '@type': 'Role',
        roleName: contributor.contributorType,
        contributor: person,
      })),
    ),
    datePublished: dateOf(document, 'Issued') ?? document.publicationYear,
    dateCreated: dateOf(document, 'Created'),
    dateModified: described.lastUpdate,
    inLanguage: document.language,
    additionalType: document.types.resourceType,
    keywords: (document.subjects ?? []).map(({ subject, subjectScheme, valueUri }) =>
      valueUri === undefined
        ? subject
        : present({ '@type': 'DefinedTerm', name: subject, inDefinedTermSet: subjectScheme, url: valueUri }),
    ),
    license: licences.map(({ rights, rightsUri }) => rightsUri ?? { '@type': 'CreativeWork', name: rights }),
    isAccessibleForFree: isOpenAccess(document),
    about: related('IsMetadataFor').map(reference),
    isPartOf: related('IsPartOf').map(reference),
    citation: [...related('Cites'), ...related('References')],
    isBasedOn: related('IsDerivedFrom'),
    // schema.org has no such property. The full IRI of Dublin Core needs no context.
    'http://purl.org/dc/terms/conformsTo': schema === undefined ? undefined : reference(schema),
    spatialCoverage: (document.geoLocations ?? []).map(place),
    funding: (document.fundingReferences ?? []).map(grant),
    distribution: document.contentUrl.map(contentUrl =>
      present({
        '@type': 'DataDownload',
        contentUrl,
        encodingFormat: document.formats[0],
        contentSize: described.documentSize === undefined ? undefined : `${described.documentSize} B`,
      }),
    ),
  })
}

/** The members with a value. Empty lists are left out, and a list of one entry becomes the entry. */
function present(members: Thing): Thing {
  const entries = Object.entries(members).flatMap(([name, value]) => {
    if (value === undefined || (Array.isArray(value) && value.length === 0)) return []
    return [[name, Array.isArray(value) && value.length === 1 ? value[0] : value] as const]
  })
  return Object.fromEntries(entries)
}

function reference(iri: string): Thing {
  return { '@id': iri }
}

function identifiers(document: DataCiteDocument): readonly Thing[] {
  return [
    ...document.identifiers.map(({ identifier, identifierType }) =>
      property(identifierType, identifier, identifierIri(identifier, identifierType)),
    ),
    ...document.alternateIdentifiers.map(({ alternateIdentifier, alternateIdentifierType }) =>
      property(alternateIdentifierType, alternateIdentifier),
    ),
  ]
}

function property(propertyID: string, value: string, url?: string): Thing {
  return present({ '@type': 'PropertyValue', propertyID, value, url })
}

/** The person or institution of a name; empty if unknown. Names without two parts count as institutions. */
function agent(named: DataCiteName): readonly Thing[] {
  const { name, nameType, givenName, familyName, affiliation } = named
  if (name === unavailable) return []
  const address = agentAddress(named)
  if (nameType !== 'Personal') return [organization(name, address)]
  return [
    present({
      '@type': 'Person',
      '@id': address,
      name: [givenName, familyName].filter(part => part !== undefined).join(' '),
      givenName,
      familyName,
      affiliation: affiliation?.map(of => organization(of.name, affiliationAddress(of))),
    }),
  ]
}

function organization(name: string, address: string | undefined): Thing {
  return present({ '@type': 'Organization', '@id': address, name })
}

function dateOf({ dates }: DataCiteDocument, wanted: string): string | undefined {
  return dates.find(({ dateType }) => dateType === wanted)?.date
}

/** Returns a function from a relation to the addresses of the related resources. */
function relationsBy({ relatedIdentifiers = [] }: DataCiteDocument): (relation: string) => readonly string[] {
  const byRelation = new Map<string, string[]>()
  for (const { relationType, relatedIdentifier, relatedIdentifierType } of relatedIdentifiers) {
    const iri = identifierIri(relatedIdentifier, relatedIdentifierType)
    if (iri === undefined) continue
    const known = byRelation.get(relationType)
    if (known) known.push(iri)
    else byRelation.set(relationType, [iri])
  }
  return relation => byRelation.get(relation) ?? []
}

function place({
  geoLocationPlace,
  geoLocationPoint: point,
  geoLocationBox: box,
  geoLocationPolygon: polygon,
}: DataCiteGeoLocation): Thing {
  const geo = [
    point && { '@type': 'GeoCoordinates', latitude: point.pointLatitude, longitude: point.pointLongitude },
    box && {
      '@type': 'GeoShape',
      box: `${box.southBoundLatitude} ${box.westBoundLongitude} ${box.northBoundLatitude} ${box.eastBoundLongitude}`,
    },
    polygon && {
      '@type': 'GeoShape',
      polygon: cornersOf(polygon)
        .map(({ pointLatitude, pointLongitude }) => `${pointLatitude} ${pointLongitude}`)
        .join(' '),
    },
  ].filter(shape => shape !== undefined)
  return present({ '@type': 'Place', name: geoLocationPlace, geo })
}

function grant({
  funderName,
  funderIdentifier,
  awardNumber,
  awardTitle,
  awardUri,
}: DataCiteFundingReference): Thing {
  const funder =
    funderName === unavailable && funderIdentifier === undefined
      ? undefined
      : present({
          '@type': 'Organization',
          name: funderName === unavailable ? undefined : funderName,
          identifier: funderIdentifier,
        })
  return present({ '@type': 'Grant', funder, identifier: awardNumber, name: awardTitle, url: awardUri })
}
