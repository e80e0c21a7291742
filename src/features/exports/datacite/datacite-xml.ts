import { escapeXml, type XmlAttributes, xmlElement } from '../../../core/text/xml-text.js'
import type {
  DataCiteDocument,
  DataCiteFundingReference,
  DataCiteGeoLocation,
  DataCiteName,
  DataCitePoint,
} from './datacite-document.js'

/*
 * DataCite's XML, version 4 ("kernel 4"). The elements of the root may come in any order.
 * @see https://schema.datacite.org/meta/kernel-4.6/
 */

export const dataCiteNamespace = 'http://datacite.org/schema/kernel-4'
export const dataCiteSchemaUrl = 'https://schema.datacite.org/meta/kernel-4.6/metadata.xsd'

/** The element `resource` without an XML declaration, so that it can stand in another document. */
export function dataCiteXml(document: DataCiteDocument): string {
  const { identifiers, types, publisher } = document
  const [{ identifier, identifierType }] = identifiers
  return xmlElement(
    'resource',
    {
      xmlns: dataCiteNamespace,
      'xmlns:xsi': 'http://www.w3.org/2001/XMLSchema-instance',
      'xsi:schemaLocation': `${dataCiteNamespace} ${dataCiteSchemaUrl}`,
    },
    [
      text('identifier', identifier, { identifierType }),
      wrapped('creators', document.creators, creator =>
        xmlElement('creator', {}, nameElements('creatorName', creator)),
      ),
      wrapped('titles', document.titles, ({ title, titleType, lang }) =>
        text('title', title, { titleType, 'xml:lang': lang }),
      ),
      text('publisher', publisher.name),
      text('publicationYear', document.publicationYear),
      text('resourceType', types.resourceType, { resourceTypeGeneral: types.resourceTypeGeneral }),
      wrapped('subjects', document.subjects, ({ subject, subjectScheme, schemeUri, valueUri, lang }) =>
        text('subject', subject, {
          subjectScheme,
          schemeURI: schemeUri,
          valueURI: valueUri,
          'xml:lang': lang,
        }),
      ),
      wrapped('contributors', document.contributors, ({ contributorType, ...name }) =>
        xmlElement('contributor', { contributorType }, nameElements('contributorName', name)),
      ),
      wrapped('dates', document.dates, ({ date, dateType }) => text('date', date, { dateType })),
      text('language', document.language),
      wrapped(
        'alternateIdentifiers',
        document.alternateIdentifiers,
        ({ alternateIdentifier, alternateIdentifierType }) =>
          text('alternateIdentifier', alternateIdentifier, { alternateIdentifierType }),
      ),
      wrapped('relatedIdentifiers', document.relatedIdentifiers, related =>
        text('relatedIdentifier', related.relatedIdentifier, {
          relatedIdentifierType: related.relatedIdentifierType,
          relationType: related.relationType,
          relatedMetadataScheme: related.relatedMetadataScheme,
          schemeURI: related.schemeUri,
          schemeType: related.schemeType,
        }),
      ),
      wrapped('sizes', document.sizes, size => text('size', size)),
      wrapped('formats', document.formats, format => text('format', format)),
      text('version', document.version),
      wrapped('rightsList', document.rightsList, licence =>
        text('rights', licence.rights, {
          rightsURI: licence.rightsUri,
          rightsIdentifier: licence.rightsIdentifier,
          rightsIdentifierScheme: licence.rightsIdentifierScheme,
          schemeURI: licence.schemeUri,
        }),
      ),
      wrapped('descriptions', document.descriptions, ({ description, descriptionType, lang }) =>
        text('description', description, { descriptionType, 'xml:lang': lang }),
      ),
      wrapped('geoLocations', document.geoLocations, placeElement),
      wrapped('fundingReferences', document.fundingReferences, grantElement),
    ].join(''),
  )
}

function text(name: string, value: string | undefined, attributes: XmlAttributes = {}): string {
  return value === undefined ? '' : xmlElement(name, attributes, escapeXml(value))
}

function wrapped<T>(name: string, entries: readonly T[] | undefined, element: (entry: T) => string): string {
  return entries === undefined ? '' : xmlElement(name, {}, entries.map(element).join(''))
}

function nameElements(element: string, { name, nameType, ...parts }: DataCiteName): string {
  const affiliations = (parts.affiliation ?? []).map(({ name: of }) => text('affiliation', of)).join('')
  return (
    text(element, name, { nameType }) +
    text('givenName', parts.givenName) +
    text('familyName', parts.familyName) +
    affiliations
  )
}

function placeElement({
  geoLocationPlace,
  geoLocationPoint: point,
  geoLocationBox: box,
  geoLocationPolygon: polygon,
}: DataCiteGeoLocation): string {
  return xmlElement(
    'geoLocation',
    {},
    text('geoLocationPlace', geoLocationPlace) +
      (point ? pointElement('geoLocationPoint', point) : '') +
      (box
        ? xmlElement(
            'geoLocationBox',
            {},
            text('westBoundLongitude', String(box.westBoundLongitude)) +
              text('eastBoundLongitude', String(box.eastBoundLongitude)) +
              text('southBoundLatitude', String(box.southBoundLatitude)) +
              text('northBoundLatitude', String(box.northBoundLatitude)),
          )
        : '') +
      wrapped('geoLocationPolygon', polygon, ({ polygonPoint }) =>
        pointElement('polygonPoint', polygonPoint),
      ),
  )
}

function pointElement(name: string, { pointLongitude, pointLatitude }: DataCitePoint): string {
  return xmlElement(
    name,
    {},
    text('pointLongitude', String(pointLongitude)) + text('pointLatitude', String(pointLatitude)),
  )
}

function grantElement(grant: DataCiteFundingReference): string {
  return xmlElement(
    'fundingReference',
    {},
    text('funderName', grant.funderName) +
      text('funderIdentifier', grant.funderIdentifier, { funderIdentifierType: grant.funderIdentifierType }) +
      text('awardNumber', grant.awardNumber, { awardURI: grant.awardUri }) +
      text('awardTitle', grant.awardTitle),
  )
}
