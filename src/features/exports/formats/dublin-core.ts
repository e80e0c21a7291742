import {
  cornersOf,
  type DataCiteDocument,
  type DataCiteGeoLocation,
  type DataCitePoint,
  unavailable,
} from '../../../core/records/datacite-document.js'
import { identifierIri } from '../../../core/text/iri.js'
import { escapeXml, xmlElement } from '../../../core/text/xml-text.js'
import { partsOfRights } from '../datacite/rights.js'

/*
 * Simple Dublin Core, as OAI-PMH defines it.
 * @see http://www.openarchives.org/OAI/2.0/oai_dc.xsd
 */

export const oaiDcNamespace = 'http://www.openarchives.org/OAI/2.0/oai_dc/'
export const oaiDcSchemaUrl = 'http://www.openarchives.org/OAI/2.0/oai_dc.xsd'

/** Access rights in the vocabulary `info:eu-repo`, which harvesters of publications know. */
const euRepoAccess: Readonly<Record<string, string>> = {
  'open access': 'info:eu-repo/semantics/openAccess',
  'restricted access': 'info:eu-repo/semantics/restrictedAccess',
  'embargoed access': 'info:eu-repo/semantics/embargoedAccess',
}

/** The element `oai_dc:dc` without an XML declaration, so that it can stand in another document. */
export function oaiDcXml(document: DataCiteDocument): string {
  const elements = dublinCoreOf(document).map(([name, value]) =>
    xmlElement(`dc:${name}`, {}, escapeXml(value)),
  )
  return xmlElement(
    'oai_dc:dc',
    {
      'xmlns:oai_dc': oaiDcNamespace,
      'xmlns:dc': 'http://purl.org/dc/elements/1.1/',
      'xmlns:xsi': 'http://www.w3.org/2001/XMLSchema-instance',
      'xsi:schemaLocation': `${oaiDcNamespace} ${oaiDcSchemaUrl}`,
    },
    elements.join(''),
  )
}

/** Names and values of the 15 elements; each may occur several times. */
function dublinCoreOf(document: DataCiteDocument): readonly (readonly [name: string, value: string])[] {
  const { publisher, types } = document
  const { stated, access } = partsOfRights(document)
  const identifiers = document.identifiers.map(
    ({ identifier, identifierType }) => identifierIri(identifier, identifierType) ?? identifier,
  )
  const names = (entries: readonly { readonly name: string }[] = []) =>
    entries.map(({ name }) => name).filter(name => name !== unavailable)
  const dates = document.dates.map(({ date }) => date.slice(0, 10))
  const elements: Readonly<Record<string, readonly string[]>> = {
    title: document.titles.map(({ title }) => title),
    creator: names(document.creators),
    subject: (document.subjects ?? []).map(({ subject }) => subject),
    description: (document.descriptions ?? []).map(({ description }) => description),
    publisher: names([publisher]),
    contributor: names(document.contributors),
    date: [document.publicationYear, ...dates],
    type: [types.resourceTypeGeneral, types.resourceType],
    format: [...document.formats, ...(document.sizes ?? [])],
    identifier: [
      ...identifiers,
      document.url,
      ...document.alternateIdentifiers.map(({ alternateIdentifier }) => alternateIdentifier),
    ],
    language: document.language === undefined ? [] : [document.language],
    relation: (document.relatedIdentifiers ?? []).map(
      ({ relatedIdentifier, relatedIdentifierType }) =>
        identifierIri(relatedIdentifier, relatedIdentifierType) ?? relatedIdentifier,
    ),
    coverage: (document.geoLocations ?? []).flatMap(coverage),
    rights: [
      ...stated.flatMap(({ rights, rightsUri }) => [rightsUri, rights]),
      ...(access ? [euRepoAccess[access.rights], access.rightsUri] : []),
    ].filter(text => text !== undefined),
  }
  return Object.entries(elements).flatMap(([name, values]) =>
    [...new Set(values)].map(value => [name, value] as const),
  )
}

/** Names and coordinates of a place, latitude before longitude. A box is south, west, north, east. */
function coverage({
  geoLocationPlace: place,
  geoLocationPoint: point,
  geoLocationBox: box,
  geoLocationPolygon: polygon,
}: DataCiteGeoLocation): readonly string[] {
  return [
    ...(place === undefined ? [] : [place]),
    ...(point ? [coordinates(point)] : []),
    ...(box
      ? [
          `${box.southBoundLatitude} ${box.westBoundLongitude} ${box.northBoundLatitude} ${box.eastBoundLongitude}`,
        ]
      : []),
    ...(polygon ? [cornersOf(polygon).map(coordinates).join(', ')] : []),
  ]
}

function coordinates({ pointLatitude, pointLongitude }: DataCitePoint): string {
  return `${pointLatitude} ${pointLongitude}`
}
