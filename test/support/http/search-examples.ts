import { expect } from 'chai'
import { metadataRecordV1, type ServiceOptions, startService, type TestService } from './test-service.js'

/** A JSON Schema that accepts any object. */
const anyObject = JSON.stringify({ $schema: 'https://json-schema.org/draft/2020-12/schema', type: 'object' })

const resourceXsd = `<?xml version="1.0" encoding="UTF-8"?>
<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" targetNamespace="http://example.org/r" elementFormDefault="qualified">
  <xs:element name="resource"><xs:complexType><xs:sequence>
    <xs:element name="creatorName" type="xs:string"/>
    <xs:element name="instrument"><xs:complexType><xs:sequence>
      <xs:element name="name" type="xs:string"/>
    </xs:sequence><xs:attribute name="maker" type="xs:string"/></xs:complexType></xs:element>
  </xs:sequence></xs:complexType></xs:element>
</xs:schema>
`

/** Documents by id, with their schema and the members of their version 2 record. */
const documents: readonly (readonly [id: string, schema: string, document: string, record: object])[] = [
  [
    'rod-7',
    'measurement',
    JSON.stringify({
      title: 'Fracture surface of steel rod 7',
      instrument: { name: 'SEM', voltage: 20 },
      remark: 'A <b>brittle</b> fracture & a crack',
    }),
    {
      titles: [{ value: 'Steel rod 7' }],
      publicationYear: '2022',
      language: 'en',
      creators: [{ givenName: 'Ada', familyName: 'Lovelace' }],
      publisher: 'Karlsruhe Press',
      identifier: { value: '10.5072/rod-7', identifierType: 'DOI' },
      descriptions: [{ description: 'Pulled until failure', type: 'ABSTRACT' }],
      rights: [{ schemeId: 'CC-BY-4.0', schemeUri: 'https://creativecommons.org/licenses/by/4.0/' }],
    },
  ],
  [
    'rod-8',
    'measurement',
    JSON.stringify({ title: 'Steel rod 8', instrument: { name: 'TEM' }, draft: true, note: 'a draft' }),
    {
      titles: [{ value: 'Steel rod 8' }],
      publicationYear: '2024',
      language: 'de',
      creators: [{ givenName: 'Emmy', familyName: 'Noether' }],
    },
  ],
  [
    'bar-1',
    'sample',
    '<r:resource xmlns:r="http://example.org/r"><r:creatorName>Curie</r:creatorName><r:instrument maker="Zeiss"><r:name>SEM</r:name></r:instrument></r:resource>',
    { titles: [{ value: 'Iron bar' }], publicationYear: '2024', language: 'en' },
  ],
  [
    'grain',
    'measurement',
    JSON.stringify({ title: 'Grain boundaries', material: 'steel S235', größe: 'Überstruktur' }),
    {
      titles: [{ value: 'Korngröße' }],
      publicationYear: '2019',
      language: 'de',
      rights: [{ schemeUri: 'https://example.org/licence' }],
    },
  ],
]

/** Ids of the documents, in the order of their creation. */
export const exampleIds = documents.map(([id]) => id)

/** Starts a service with two schemas, one of each type, and some documents. */
export async function startSearchExamples(options: ServiceOptions = {}): Promise<TestService> {
  const service = await startService(options)
  await service.postSchema({ schemaId: 'measurement', label: 'Measurement of steel' }, anyObject).expect(201)
  await service.postSchema({ schemaId: 'sample', label: 'Sample', type: 'XML' }, resourceXsd).expect(201)
  for (const [id, schema, document, record] of documents)
    await storeExample(service, id, schema, document, record)
  await searchHasAll(service)
  return service
}

async function storeExample(
  service: TestService,
  id: string,
  schema: string,
  document: string,
  record: object,
): Promise<void> {
  const whole = {
    id,
    relatedIdentifiers: [
      { value: `https://example.org/${id}`, identifierType: 'URL', relationType: 'IS_METADATA_FOR' },
      { value: schema, identifierType: 'INTERNAL', relationType: 'HAS_METADATA' },
    ],
    ...record,
  }
  await service.http
    .post('/api/v2/metadata')
    .attach('record', Buffer.from(JSON.stringify(whole)), {
      filename: 'r.json',
      contentType: 'application/json',
    })
    .attach('document', Buffer.from(document), 'document')
    .expect(201)
}

/**
 * Waits until searches find all stored records: for ten minutes, because the thread that indexes has a low priority, so
 * that other programs may leave it little time.
 * @param headers of a caller who may search
 */
export async function searchHasAll(
  service: TestService,
  headers: Readonly<Record<string, string>> = {},
): Promise<void> {
  const since = await service.head()
  const wait = () => service.http.get(`/api/v1/search?size=1&since=${since}&wait=60`).set(headers)
  let answer = await wait()
  for (let tries = 1; answer.status === 503 && tries < 10; tries++) answer = await wait()
  expect(answer.status, answer.text).to.equal(200)
}

/** Stores another document with a version 1 record. @returns its ETag */
export async function storeDocument(service: TestService, id: string, document: unknown): Promise<string> {
  const answer = await service
    .postMetadata(
      metadataRecordV1(`https://example.org/${id}`, 'measurement', { id }),
      JSON.stringify(document),
    )
    .expect(201)
  return answer.headers.etag as string
}
