const host = 'http://localhost:8040'

/*
 * Examples of records. Pages of the description offer those of requests to be sent: the metadata record follows the
 * schema, and neither is in the example repository.
 */

/** Examples of records of interface version 1, by the name of their schema. */
export const version1Examples = {
  SchemaRecord: {
    schemaId: 'measurement',
    schemaVersion: 1,
    label: 'Measurement',
    mimeType: 'application/json',
    type: 'JSON',
    createdAt: '2026-03-14T09:26:53Z',
    lastUpdate: '2026-03-14T09:26:53.59Z',
    acl: [{ id: 1, sid: 'SELF', permission: 'ADMINISTRATE' }],
    schemaDocumentUri: `${host}/api/v1/schemas/measurement?version=1`,
    schemaHash: 'sha1:400dd55bc0a4a2d10ab5dc1c3bf0af46a5ba8efa',
    doNotSync: true,
  },
  SentSchemaRecord: { schemaId: 'station-v1', label: 'Weather station' },
  MetadataRecord: {
    id: 'overview-7',
    relatedResource: { identifier: 'https://example.org/images/7', identifierType: 'URL' },
    createdAt: '2026-03-14T09:27:11Z',
    lastUpdate: '2026-03-14T09:27:11.2Z',
    schema: { identifier: `${host}/api/v1/schemas/measurement?version=1`, identifierType: 'URL' },
    schemaVersion: 1,
    recordVersion: 1,
    acl: [{ id: 1, sid: 'SELF', permission: 'ADMINISTRATE' }],
    metadataDocumentUri: `${host}/api/v1/metadata/overview-7?version=1`,
    documentHash: 'sha1:2fd4e1c67a2d28fced849ee1bb76e7391b93eb12',
  },
  SentMetadataRecord: {
    id: 'reading-v1',
    relatedResource: { identifier: 'https://example.org/readings/1', identifierType: 'URL' },
    schema: { identifier: 'station-v1', identifierType: 'INTERNAL' },
  },
}

const acls = [{ id: 1, sid: 'SELF', permission: 'ADMINISTRATE' }]

/** Examples of records of interface version 2. */
export const version2Examples = {
  schema: {
    id: 'measurement',
    identifier: { id: 1, value: '(:tba)', identifierType: 'DOI' },
    creators: [{ id: 1, givenName: 'SELF' }],
    titles: [{ id: 1, value: 'Measurement' }],
    publisher: 'SELF',
    publicationYear: '2026',
    resourceType: { id: 1, value: 'JSON_Schema', typeGeneral: 'MODEL' },
    dates: [{ id: 1, value: '2026-03-14T09:26:53Z', type: 'CREATED' }],
    alternateIdentifiers: [{ id: 1, value: 'measurement', identifierType: 'INTERNAL' }],
    formats: ['JSON'],
    version: '1',
    lastUpdate: '2026-03-14T09:26:53.59Z',
    state: 'VOLATILE',
    acls,
  },
  // As in version 1, under other ids.
  sentSchema: { id: 'station-v2', titles: [{ value: 'Weather station' }] },
  metadata: {
    id: 'overview-7',
    identifier: { id: 1, value: '(:tba)', identifierType: 'DOI' },
    creators: [{ id: 1, givenName: 'SELF' }],
    titles: [{ id: 1, value: 'Fracture surface' }],
    publisher: 'SELF',
    publicationYear: '2026',
    resourceType: { id: 1, value: 'JSON_Metadata', typeGeneral: 'MODEL' },
    dates: [{ id: 1, value: '2026-03-14T09:27:11Z', type: 'CREATED' }],
    relatedIdentifiers: [
      {
        id: 1,
        identifierType: 'URL',
        value: 'https://example.org/images/7',
        relationType: 'IS_METADATA_FOR',
      },
      {
        id: 2,
        identifierType: 'URL',
        value: `${host}/repository/api/v2/schemas/measurement?version=1`,
        relationType: 'HAS_METADATA',
      },
    ],
    alternateIdentifiers: [{ id: 1, value: 'overview-7', identifierType: 'INTERNAL' }],
    version: '1',
    lastUpdate: '2026-03-14T09:27:11.2Z',
    state: 'VOLATILE',
    acls,
  },
  sentMetadata: {
    id: 'reading-v2',
    titles: [{ value: 'Reading of a weather station' }],
    relatedIdentifiers: [
      { identifierType: 'URL', value: 'https://example.org/readings/2', relationType: 'IS_METADATA_FOR' },
      { identifierType: 'INTERNAL', value: 'station-v2', relationType: 'HAS_METADATA' },
    ],
  },
  content: {
    id: 1,
    parentResource: {
      id: 'overview-7',
      identifier: { id: 1, value: '(:tba)', identifierType: 'DOI' },
      alternateIdentifiers: [{ id: 1, value: 'overview-7', identifierType: 'INTERNAL' }],
    },
    version: 1,
    fileVersion: '1',
    depth: 1,
    contentUri: `${host}/repository/api/v2/metadata/overview-7?version=1`,
    uploader: 'SELF',
    mediaType: 'application/json',
    hash: 'sha1:2fd4e1c67a2d28fced849ee1bb76e7391b93eb12',
    size: 96,
    metadata: {},
    tags: [],
  },
}
