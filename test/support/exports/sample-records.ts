import type fc from 'fast-check'
import type { StoredRecord } from '../../../src/core/records/record.js'
import { asVersion, type Id, parseSecond, toInstant, toOid, toSha1 } from '../../../src/core/value-types.js'
import type {
  DescribedRecord,
  ExportContext,
  ExportedRevision,
} from '../../../src/features/exports/datacite/export-context.js'
import { describeRecord } from '../../../src/features/exports/datacite/record-to-datacite.js'
import { arbitraryVersion2Record } from '../data/arbitrary-records.js'
import { dataCiteExamples } from './datacite-examples.js'

/** Makes a revision with the record, and the data that a repository would add. */
export function revisionOf(
  record: Omit<StoredRecord, 'id'>,
  more: Partial<ExportedRevision> = {},
): ExportedRevision {
  const id = (more.id ?? 'sample') as Id
  return {
    record: { id, ...record },
    kind: 'metadata',
    id,
    version: asVersion(3),
    previous: asVersion(2),
    time: toInstant(Date.UTC(2026, 10, 21, 5, 12)),
    createdAt: toInstant(Date.UTC(2025, 0, 2)),
    documentType: 'JSON',
    documentHash: toSha1('3f786850e387550fdab836ed7e6dc881de23001b'),
    commit: toOid('5f2a1c0d9b8e7f6a5b4c3d2e1f0a9b8c7d6e5f4a'),
    ...more,
  }
}

const site = 'https://metastore.example.org'

export const sampleContext: ExportContext = {
  urls: {
    page(kind, id, version) {
      const name = kind === 'schema' ? 'schema-landing-page?schemaId' : 'metadata-landing-page?id'
      return `${site}/${name}=${id}${version === undefined ? '' : `&version=${version}`}`
    },
    document: (kind, id, version) =>
      `${site}/download/${kind === 'schema' ? 'schemas' : 'metadata'}/${id}?version=${version}`,
  },
  isPinned: false,
  isPublic: true,
  documentSize: 1234,
  internalPage: name => (name === 'known' ? `${site}/metadata-landing-page?id=known` : undefined),
}

export function describedSample(
  record: Omit<StoredRecord, 'id'>,
  more: Partial<ExportedRevision> = {},
  context: Partial<ExportContext> = {},
): DescribedRecord {
  return describeRecord(revisionOf(record, more), { ...sampleContext, ...context })
}

/** A record with every member. */
export const fullRecord: Omit<StoredRecord, 'id'> = {
  schema: { schemaId: 'measurement' as Id, version: asVersion(2) },
  identifier: { value: '10.5072/Steel-Rod_7', identifierType: 'DOI' },
  creators: [
    {
      givenName: 'Ada King',
      familyName: 'Lovelace',
      affiliations: ['University of London', 'Royal Society'],
    },
    { familyName: 'Institute of Steel & Iron' },
    { givenName: 'Jean-Paul', familyName: 'Müller and Söhne, jr.' },
  ],
  titles: [
    { value: 'Fracture surface of a “steel” rod {7} 100 % & more_\\', lang: 'en' },
    { value: 'Bruchfläche', titleType: 'TRANSLATED_TITLE', lang: 'de' },
    { value: 'A detail', titleType: 'SUBTITLE' },
  ],
  publisher: 'Example Press',
  publicationYear: '2026',
  resourceType: { value: 'SEM image', typeGeneral: 'DATASET' },
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
  ],
  dates: [
    { value: '2026-03-14T00:00:00Z', type: 'ISSUED' },
    { value: '2025-12-24T10:00:00Z', type: 'COLLECTED' },
  ],
  relatedIdentifiers: [
    { value: 'https://example.org/images/7', identifierType: 'URL', relationType: 'IS_METADATA_FOR' },
    { value: '10.5072/abc', identifierType: 'DOI', relationType: 'CITES' },
    { value: 'arXiv:2601.00001', identifierType: 'AR_XIV', relationType: 'REFERENCES' },
    { value: 'known', identifierType: 'INTERNAL', relationType: 'IS_PART_OF' },
    { value: 'unknown', identifierType: 'INTERNAL', relationType: 'IS_PART_OF' },
    { value: '9783161484100', identifierType: 'EAN_13', relationType: 'ISDERIVEDFROM' },
  ],
  descriptions: [
    { description: 'How it was made.', type: 'METHODS' },
    { description: 'A rod of steel\nthat broke: "badly" <&>.', type: 'ABSTRACT', lang: 'en' },
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
  language: 'en',
  alternateIdentifiers: [{ value: 'ark:/12345/x7', identifierType: 'ARK' }],
  sizes: ['3 pages'],
  formats: ['image/tiff'],
  rights: [{ schemeId: 'CC-BY-4.0', schemeUri: 'https://creativecommons.org/licenses/by/4.0/legalcode' }],
  fundingReferences: [
    {
      funderName: 'Research Council',
      funderIdentifier: { value: '501100000780', identifierType: 'Crossref', type: 'CROSSREF_FUNDER_ID' },
      awardNumber: { schemeId: '12345', schemeUri: 'https://example.org/grants/12345' },
      awardTitle: 'Steel',
    },
  ],
}

/** Records for which exports failed, or may fail. */
export const sampleRecords = {
  'an empty record': {},
  'a record with every member': fullRecord,
  'a record of a service without authentication': {
    creators: [{ givenName: 'SELF' }],
    publisher: 'SELF',
    publicationYear: '2026',
    identifier: { value: '(:tba)', identifierType: 'DOI' },
  },
  'a record with characters that formats forbid': {
    titles: [{ value: 'a\u0000b\ud800c\ufffe </script><!-- ]]>' }],
    descriptions: [{ description: '\u0001\u009f"""\\', type: 'ABSTRACT' }],
    creators: [{ givenName: '\u0000', familyName: '\ud800 and {' }],
    rights: [{ schemeUri: 'https://example.org/<licence>?"x"|y^`\\{}[ü]#a#b%zz' }],
    subjects: [
      { value: 'x', valueUri: 'javascript:alert(1)' },
      { value: 'dct:title', valueUri: 'dct:title' },
    ],
  },
  'a record with values that are none': {
    titles: [{ value: ' ' }, { value: '\u200b' }],
    creators: [{}, { familyName: ' ' }],
    publisher: ' ',
    publicationYear: 'soon',
    language: 'English, I think',
    rights: [{}, { schemeId: '/by', schemeUri: 'not a URL/by' }],
    subjects: [{}, { value: ' ' }],
    contributors: [{}, { contributionType: 'EDITOR' }],
    geoLocations: [
      {},
      { point: { longitude: 500, latitude: 0 } },
      { polygon: { points: [{ longitude: 0, latitude: 0 }] } },
    ],
    fundingReferences: [{}, { awardTitle: 'Only a title' }],
    descriptions: [{ description: '' }],
    relatedIdentifiers: [{ value: 'x', relationType: 'IS_PART_OF', identifierType: 'OTHER' }],
    sizes: ['', ' '],
    formats: [''],
  },
  'a record with equal entries': {
    titles: [{ value: 'same' }, { value: 'same' }, { value: 'same', titleType: 'OTHER' }],
    creators: [
      { familyName: 'A', givenName: 'B' },
      { familyName: 'A', givenName: 'B' },
    ],
    subjects: [{ value: 's' }, { value: 's' }],
    dates: [
      { value: '2026-01-01T00:00:00Z', type: 'UPDATED' },
      { value: '2026-01-01T00:00:00Z', type: 'UPDATED' },
    ],
  },
  'a record with a handle': {
    titles: [{ value: 'Handle' }],
    identifier: { value: '21.T11981/x', identifierType: 'HANDLE' },
  },
  'a record that is not public': {
    titles: [{ value: 'Closed' }],
    embargoDate: '2027-01-01T00:00:00Z',
  },
} satisfies Readonly<Record<string, Omit<StoredRecord, 'id'>>>

/** Described records by title: the samples, DataCite's examples, and records of all kinds and document types. */
export const describedSamples: readonly (readonly [title: string, described: DescribedRecord])[] = [
  ...Object.entries(sampleRecords).map(
    ([title, record]) =>
      [title, describedSample(record, {}, { isPublic: !('embargoDate' in record) })] as const,
  ),
  ...Object.entries(dataCiteExamples).map(
    ([title, record]) => [`DataCite's example: ${title}`, describedSample(record)] as const,
  ),
  ...(['JSON', 'XML'] as const).flatMap(documentType => [
    [`an ${documentType} document`, describedSample(fullRecord, { documentType })] as const,
    ...[{}, withoutSchema(fullRecord)].map(
      (record, index) =>
        [
          `an ${documentType} schema ${index === 0 ? 'without a member' : 'with every member'}`,
          describedSample(record, { documentType, kind: 'schema' }),
        ] as const,
    ),
  ]),
]

function withoutSchema({ schema: _, ...record }: Omit<StoredRecord, 'id'>): Omit<StoredRecord, 'id'> {
  return record
}

/** Generates stored records with any content. */
export function arbitraryStoredRecord(): fc.Arbitrary<Omit<StoredRecord, 'id'>> {
  return arbitraryVersion2Record().map(sent => {
    const { dates = [], embargoDate, acls, ...record } = sent as unknown as StoredRecord
    const seconds = dates.map(date => ({ ...date, value: parseSecond(date.value, 'date') }))
    return {
      ...record,
      dates: seconds,
      ...(embargoDate !== undefined && { embargoDate: parseSecond(embargoDate, 'date') }),
    }
  })
}
