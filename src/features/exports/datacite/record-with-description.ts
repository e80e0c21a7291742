import type {
  DataCiteDocument,
  DataCiteFundingReference,
  DataCiteGeoLocation,
  DataCiteName,
} from '../../../core/records/datacite-document.js'
import { cornersOf, unavailable } from '../../../core/records/datacite-document.js'
import type { Agent, StoredRecord } from '../../../core/records/record.js'
import type { SourcedDocument } from './record-to-datacite.js'
import { isAccessRight, partsOfRights, shortNameOfRight } from './rights.js'

/**
 * The record with what its document says about itself, where the record says nothing: for pages and for searches. What
 * the record says stays as it is.
 * @param described the DataCite document of the record and its document
 */
export function recordWithDescription(
  record: StoredRecord,
  { document, sources }: SourcedDocument,
): StoredRecord {
  /** Whether the values of the property are those of the document. */
  const has = (property: keyof DataCiteDocument) => {
    const source = sources[`/${property}`] ?? sources[`/${property}/0`]
    return source !== undefined && source.from !== 'record'
  }
  const { creators, publisher, types, titles, subjects, contributors, geoLocations } = document
  return {
    ...record,
    ...(has('titles') && {
      titles: titles.map(({ title, titleType, lang }) => ({
        value: title,
        ...(titleType && { titleType: constantOf(titleType) }),
        ...(lang && { lang }),
      })),
    }),
    ...(has('creators') && { creators: creators.filter(({ name }) => name !== unavailable).map(agentOf) }),
    ...(has('publisher') && { publisher: publisher.name }),
    ...(has('publicationYear') && { publicationYear: document.publicationYear }),
    ...(has('types') && {
      resourceType: { value: types.resourceType, typeGeneral: constantOf(types.resourceTypeGeneral) },
    }),
    ...(has('subjects') && {
      subjects: (subjects ?? []).map(({ subject, subjectScheme, schemeUri, valueUri }) => ({
        value: subject,
        ...(valueUri && { valueUri }),
        ...(subjectScheme && { scheme: { schemeId: subjectScheme, ...(schemeUri && { schemeUri }) } }),
      })),
    }),
    ...(has('contributors') && {
      contributors: (contributors ?? []).map(contributor => ({
        user: agentOf(contributor),
        contributionType: constantOf(contributor.contributorType),
      })),
    }),
    ...(has('rightsList') && {
      rights: partsOfRights(document)
        .stated.filter(right => !isAccessRight(right))
        .map(right => ({
          schemeId: shortNameOfRight(right),
          ...(right.rightsUri && { schemeUri: right.rightsUri }),
        })),
    }),
    ...(document.language && has('language') && { language: document.language }),
    ...(has('descriptions') && {
      descriptions: (document.descriptions ?? []).map(({ description: text, descriptionType, lang }) => ({
        description: text,
        type: constantOf(descriptionType),
        ...(lang && { lang }),
      })),
    }),
    ...(has('geoLocations') && { geoLocations: (geoLocations ?? []).map(placeOf) }),
    ...(has('fundingReferences') && { fundingReferences: (document.fundingReferences ?? []).map(grantOf) }),
  }
}

function grantOf(grant: DataCiteFundingReference): NonNullable<StoredRecord['fundingReferences']>[number] {
  return {
    funderName: grant.funderName,
    ...(grant.funderIdentifier && { funderIdentifier: { value: grant.funderIdentifier } }),
    ...(grant.awardNumber && { awardNumber: { schemeId: grant.awardNumber } }),
    ...(grant.awardUri && { awardUri: grant.awardUri }),
    ...(grant.awardTitle && { awardTitle: grant.awardTitle }),
  }
}

/** `ContactPerson` as the constant of records: `CONTACT_PERSON`. */
function constantOf(type: string): string {
  return type.replace(/(?<=[a-z])(?=[A-Z])/g, '_').toUpperCase()
}

function agentOf({ name, givenName, familyName, affiliation = [] }: DataCiteName): Agent {
  const parts = givenName && familyName ? { givenName, familyName } : { familyName: name }
  return { ...parts, ...(affiliation.length > 0 && { affiliations: affiliation.map(({ name: of }) => of) }) }
}

function placeOf({
  geoLocationPlace,
  geoLocationPoint: point,
  geoLocationBox: box,
  geoLocationPolygon: polygon,
}: DataCiteGeoLocation): NonNullable<StoredRecord['geoLocations']>[number] {
  return {
    ...(geoLocationPlace && { place: geoLocationPlace }),
    ...(point && { point: { longitude: point.pointLongitude, latitude: point.pointLatitude } }),
    ...(box && {
      box: {
        westLongitude: box.westBoundLongitude,
        eastLongitude: box.eastBoundLongitude,
        southLatitude: box.southBoundLatitude,
        northLatitude: box.northBoundLatitude,
      },
    }),
    ...(polygon && {
      polygon: {
        points: cornersOf(polygon).map(({ pointLongitude, pointLatitude }) => ({
          longitude: pointLongitude,
          latitude: pointLatitude,
        })),
      },
    }),
  }
}
