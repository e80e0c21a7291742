import type {
  DataCiteDocument,
  DataCiteGeoLocation,
  DataCiteName,
} from '../../../core/records/datacite-document.js'
import { cornersOf, unavailable } from '../../../core/records/datacite-document.js'
import type { DocumentDescription } from '../../../core/records/document-description.js'
import type { Agent, StoredRecord } from '../../../core/records/record.js'
import { isAccessRight } from './rights.js'

/**
 * The record with what its document says about itself, where the record says nothing: for pages and for searches.
 * @param document the DataCite document of the record and its document
 */
export function recordWithDescription(
  record: StoredRecord,
  document: DataCiteDocument,
  description: DocumentDescription,
): StoredRecord {
  const {
    creators,
    publisher,
    titles,
    contributors = [],
    subjects,
    geoLocations,
    fundingReferences,
  } = document
  const named = creators.filter(({ name }) => name !== unavailable)
  const hasYear = description.publicationYear !== undefined || description.dates !== undefined
  const kinds = description.types && document.types
  const shown = {
    ...record,
    titles: titles.map(({ title, titleType, lang }) => ({
      value: title,
      ...(titleType && { titleType: constantOf(titleType) }),
      ...(lang && { lang }),
    })),
    creators: named.length > 0 ? named.map(agentOf) : record.creators,
    publisher: publisher.name === unavailable ? record.publisher : publisher.name,
    publicationYear: hasYear ? document.publicationYear : record.publicationYear,
    ...(kinds && {
      resourceType: { value: kinds.resourceType, typeGeneral: constantOf(kinds.resourceTypeGeneral) },
    }),
    subjects: subjects?.map(({ subject, subjectScheme, schemeUri, valueUri }) => ({
      value: subject,
      ...(valueUri && { valueUri }),
      ...(subjectScheme && { scheme: { schemeId: subjectScheme, ...(schemeUri && { schemeUri }) } }),
    })),
    contributors: contributors.map(contributor => ({
      user: agentOf(contributor),
      contributionType: constantOf(contributor.contributorType),
    })),
    rights: document.rightsList
      .filter(right => !isAccessRight(right))
      .map(({ rights, rightsUri }) => ({ schemeId: rights, ...(rightsUri && { schemeUri: rightsUri }) })),
    language: document.language,
    descriptions: document.descriptions?.map(({ description: text, descriptionType, lang }) => ({
      description: text,
      type: constantOf(descriptionType),
      ...(lang && { lang }),
    })),
    geoLocations: geoLocations?.map(placeOf),
    fundingReferences: fundingReferences?.map(grant => ({
      funderName: grant.funderName,
      ...(grant.funderIdentifier && { funderIdentifier: { value: grant.funderIdentifier } }),
      ...(grant.awardNumber && { awardNumber: { schemeId: grant.awardNumber } }),
      ...(grant.awardUri && { awardUri: grant.awardUri }),
      ...(grant.awardTitle && { awardTitle: grant.awardTitle }),
    })),
  }
  return Object.fromEntries(
    Object.entries(shown).filter(([, value]) => value !== undefined),
  ) as unknown as StoredRecord
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
