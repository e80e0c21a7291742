const host = 'http://localhost:8040'

/**
 * Examples of records of interface version 1, by the name of their schema. Pages of the description offer those of requests
 * to be sent: the metadata record follows the schema, and neither is in the example repository.
 */
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
