import type {
  DataCiteContributor,
  DataCiteDocument,
  DataCiteFundingReference,
  DataCiteGeoLocation,
  DataCiteName,
  DataCitePoint,
  DataCiteRelatedItem,
  DataCiteTitle,
} from '../../../core/records/datacite-document.js'
import { escapeXml, type XmlAttributes, xmlElement } from '../../../core/text/xml-text.js'

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
      creatorElements(document.creators),
      titleElements(document.titles),
      text('publisher', publisher.name, {
        'xml:lang': publisher.lang,
        publisherIdentifier: publisher.publisherIdentifier,
        publisherIdentifierScheme: publisher.publisherIdentifierScheme,
        schemeURI: publisher.schemeUri,
      }),
      text('publicationYear', document.publicationYear),
      text('resourceType', types.resourceType, { resourceTypeGeneral: types.resourceTypeGeneral }),
      wrapped('subjects', document.subjects, ({ subject, ...scheme }) =>
        text('subject', subject, {
          subjectScheme: scheme.subjectScheme,
          schemeURI: scheme.schemeUri,
          valueURI: scheme.valueUri,
          classificationCode: scheme.classificationCode,
          'xml:lang': scheme.lang,
        }),
      ),
      contributorElements(document.contributors),
      wrapped('dates', document.dates, ({ date, dateType, dateInformation }) =>
        text('date', date, { dateType, dateInformation }),
      ),
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
          resourceTypeGeneral: related.resourceTypeGeneral,
          relatedMetadataScheme: related.relatedMetadataScheme,
          schemeURI: related.schemeUri,
          schemeType: related.schemeType,
        }),
      ),
      wrapped('relatedItems', document.relatedItems, relatedItemElement),
      wrapped('sizes', document.sizes, size => text('size', size)),
      wrapped('formats', document.formats, format => text('format', format)),
      text('version', document.version),
      wrapped('rightsList', document.rightsList, licence =>
        text('rights', licence.rights, {
          rightsURI: licence.rightsUri,
          rightsIdentifier: licence.rightsIdentifier,
          rightsIdentifierScheme: licence.rightsIdentifierScheme,
          schemeURI: licence.schemeUri,
          'xml:lang': licence.lang,
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

function creatorElements(creators: readonly DataCiteName[] | undefined): string {
  return wrapped('creators', creators, creator =>
    xmlElement('creator', {}, nameElements('creatorName', creator)),
  )
}

function contributorElements(contributors: readonly DataCiteContributor[] | undefined): string {
  return wrapped('contributors', contributors, ({ contributorType, ...name }) =>
    xmlElement('contributor', { contributorType }, nameElements('contributorName', name)),
  )
}

function titleElements(titles: readonly DataCiteTitle[]): string {
  return wrapped('titles', titles, ({ title, titleType, lang }) =>
    text('title', title, { titleType, 'xml:lang': lang }),
  )
}

function nameElements(element: string, { name, nameType, lang, ...parts }: DataCiteName): string {
  const identifiers = (parts.nameIdentifiers ?? []).map(
    ({ nameIdentifier, nameIdentifierScheme, schemeUri }) =>
      text('nameIdentifier', nameIdentifier, { nameIdentifierScheme, schemeURI: schemeUri }),
  )
  const affiliations = (parts.affiliation ?? []).map(({ name: of, schemeUri, ...identifier }) =>
    text('affiliation', of, {
      affiliationIdentifier: identifier.affiliationIdentifier,
      affiliationIdentifierScheme: identifier.affiliationIdentifierScheme,
      schemeURI: schemeUri,
    }),
  )
  return [
    text(element, name, { nameType, 'xml:lang': lang }),
    text('givenName', parts.givenName),
    text('familyName', parts.familyName),
    ...identifiers,
    ...affiliations,
  ].join('')
}

function relatedItemElement(item: DataCiteRelatedItem): string {
  const { relatedItemType, relationType, relatedItemIdentifier: identifier, titles } = item
  return xmlElement(
    'relatedItem',
    { relatedItemType, relationType },
    [
      text('relatedItemIdentifier', identifier?.relatedItemIdentifier, {
        relatedItemIdentifierType: identifier?.relatedItemIdentifierType,
        relatedMetadataScheme: identifier?.relatedMetadataScheme,
        schemeURI: identifier?.schemeUri,
        schemeType: identifier?.schemeType,
      }),
      creatorElements(item.creators),
      titleElements(titles),
      text('publicationYear', item.publicationYear),
      text('volume', item.volume),
      text('issue', item.issue),
      text('number', item.number, { numberType: item.numberType }),
      text('firstPage', item.firstPage),
      text('lastPage', item.lastPage),
      text('publisher', item.publisher),
      text('edition', item.edition),
      contributorElements(item.contributors),
    ].join(''),
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
      wrapped('geoLocationPolygon', polygon, entry =>
        'polygonPoint' in entry
          ? pointElement('polygonPoint', entry.polygonPoint)
          : pointElement('inPolygonPoint', entry.inPolygonPoint),
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
      text('funderIdentifier', grant.funderIdentifier, {
        funderIdentifierType: grant.funderIdentifierType,
        schemeURI: grant.schemeUri,
      }) +
      text('awardNumber', grant.awardNumber, { awardURI: grant.awardUri }) +
      text('awardTitle', grant.awardTitle),
  )
}
