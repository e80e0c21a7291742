import type { StoredRecord } from '../../../src/core/records/record.js'
import { asVersion, type Id } from '../../../src/core/value-types.js'

/** A record with a different value in each member that a format may export, so that each value shows its source. */
export const mappedRecord: Omit<StoredRecord, 'id'> = {
  schema: { schemaId: 'measurement' as Id, version: asVersion(2) },
  identifier: { value: '10.5072/rod', identifierType: 'DOI' },
  creators: [
    { givenName: 'Ada', familyName: 'Lovelace', affiliations: ['Royal Society'] },
    { familyName: 'Steel Institute' },
  ],
  titles: [
    { value: 'Rod', lang: 'en' },
    { value: 'Specimen 7', titleType: 'ALTERNATIVE_TITLE', lang: 'en' },
    { value: 'after the test', titleType: 'SUBTITLE' },
    { value: 'Stab', titleType: 'TRANSLATED_TITLE', lang: 'de' },
    { value: 'R7', titleType: 'OTHER' },
  ],
  publisher: 'Example Press',
  publicationYear: '2026',
  resourceType: { value: 'SEM image', typeGeneral: 'INTERACTIVE_RESOURCE' },
  subjects: [
    { value: 'steel', lang: 'en' },
    {
      value: 'fracture',
      scheme: { schemeId: 'MAT', schemeUri: 'https://example.org/vocabulary' },
      valueUri: 'https://example.org/vocabulary/fracture',
    },
  ],
  contributors: [
    { user: { givenName: 'Grace', familyName: 'Hopper' }, contributionType: 'EDITOR' },
    { user: { givenName: 'Emmy', familyName: 'Noether' }, contributionType: 'CONTACT_PERSON' },
    { user: { familyName: 'Data Team' }, contributionType: 'WORK_PACKAGE_LEADER' },
  ],
  dates: [
    { value: '2026-03-14T00:00:00Z', type: 'ISSUED' },
    { value: '2025-12-24T10:00:00Z', type: 'CREATED' },
    { value: '2026-11-01T00:00:00Z', type: 'REVOKED' },
    { value: '2026-01-05T00:00:00Z', type: 'ACCEPTED' },
  ],
  relatedIdentifiers: [
    { value: 'https://example.org/images/7', identifierType: 'URL', relationType: 'IS_METADATA_FOR' },
    { value: '10.5072/whole', identifierType: 'DOI', relationType: 'IS_PART_OF' },
    { value: '10.5072/part', identifierType: 'DOI', relationType: 'HAS_PART' },
    { value: '10.5072/cited', identifierType: 'DOI', relationType: 'CITES' },
    { value: '10.5072/referred', identifierType: 'DOI', relationType: 'REFERENCES' },
    { value: '10.5072/citing', identifierType: 'DOI', relationType: 'ISCITEDBY' },
    { value: '10.5072/source', identifierType: 'DOI', relationType: 'IS_DERIVED_FROM' },
    { value: '21.T11981/work', identifierType: 'HANDLE', relationType: 'IS_VERSION_OF' },
    { value: '10.5072/review', identifierType: 'DOI', relationType: 'IS_REVIEWED_BY' },
    { value: '2018AGUFM.A24K..07S', identifierType: 'BIBCODE', relationType: 'IS_SUPPLEMENT_TO' },
  ],
  descriptions: [
    { description: 'Read this first.' },
    { description: 'As in the series.', type: 'SERIES_INFORMATION' },
    { description: 'A rod that broke.', type: 'ABSTRACT', lang: 'en' },
  ],
  geoLocations: [
    {
      place: 'Karlsruhe',
      point: { longitude: 8.4, latitude: 49 },
      box: { westLongitude: 8, eastLongitude: 9, southLatitude: 48.5, northLatitude: 49.5 },
      polygon: {
        points: [
          { longitude: 8, latitude: 48 },
          { longitude: 9, latitude: 48 },
          { longitude: 9, latitude: 49 },
        ],
      },
    },
  ],
  language: 'de',
  alternateIdentifiers: [{ value: 'ark:/12345/x7', identifierType: 'ARK' }],
  sizes: ['3 pages'],
  formats: ['image/tiff'],
  rights: [{ schemeId: 'CC-BY-4.0', schemeUri: 'https://creativecommons.org/licenses/by/4.0/' }],
  fundingReferences: [
    {
      funderName: 'Research Council',
      funderIdentifier: { value: '501100000780', type: 'CROSSREF_FUNDER_ID' },
      awardNumber: { schemeId: '12345', schemeUri: 'https://example.org/grants/12345' },
      awardTitle: 'Strong steel',
    },
  ],
}
