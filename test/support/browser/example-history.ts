import { createRepository } from '../../../src/store/work-tree/create-repository.js'
import { base, type ServiceOptions, startService, type TestService } from '../http/test-service.js'
import { copyPrepared } from '../repository/prepared-folder.js'
import { temporaryRepository, withRepositoryAt } from '../repository/test-repository.js'

/** A service with records that have several versions, and the address at which browsers reach it. */
export interface ServiceWithHistory {
  readonly service: TestService
  readonly origin: string
  /** Stores the next version of the document `rod`. */
  revise(text: string): Promise<void>
}

/** The five versions of the document `rod`. */
export const rodTexts: readonly string[] = [1, 2, 3, 4, 5].map(
  version => `{
  "name": "Rod ${version < 3 ? 'A' : 'B'}",
  "serial": 12345678901234567890,
  "mass": { "value": ${version}.50, "unit": "kg" },
  "notes": ["first"${version > 3 ? ', "second"' : ''}]
}
`,
)

const schemas = [
  { type: 'object', properties: { name: { type: 'string' }, mass: { type: 'object' } } },
  {
    type: 'object',
    title: 'Rod',
    properties: { name: { type: ['string', 'null'] }, mass: { type: 'object' } },
  },
  {
    type: 'object',
    title: 'Rod',
    properties: { name: { type: 'string' }, mass: { type: 'object' } },
    required: ['name'],
  },
].map(schema => JSON.stringify(schema, null, 2))

/**
 * Serves the schema `rods` with three versions, the document `rod` with five, and the document `nameless`, whose first
 * version follows the first schema only.
 * @param token with which all requests of `http` are sent. Without one, the repository is a copy of one that is made once.
 */
export async function serviceWithHistory(
  options: ServiceOptions = {},
  token?: string,
): Promise<ServiceWithHistory> {
  const make = (to: string) => copyPrepared('example history', to, makeHistory)
  const repository = await temporaryRepository({ bare: true, ...(token === undefined && { make }) })
  const service = await startService(options, {}, repository)
  if (token !== undefined) {
    service.http.set('Authorization', `Bearer ${token}`)
    await storeHistory(service)
  }
  const revise = (text: string) => put(service, '/api/v1/metadata/rod', 'document', text)
  return { service, origin: `http://127.0.0.1:${service.port}`, revise }
}

async function makeHistory(folder: string): Promise<void> {
  await createRepository(folder, { bare: true })
  await withRepositoryAt(folder, async repository => storeHistory(await startService({}, {}, repository)))
}

async function storeHistory(service: TestService): Promise<void> {
  const { http } = service
  const post = async (id: string, title: string, text: string) => {
    const record = {
      id,
      titles: [{ value: title }],
      relatedIdentifiers: relations(`https://example.org/${id}`, 'rods'),
    }
    await http
      .post('/api/v2/metadata')
      .field('record', JSON.stringify(record))
      .attach('document', Buffer.from(text), 'document')
      .expect(201)
  }
  await service.postSchema({ schemaId: 'rods' }, schemas[0] ?? '').expect(201)
  await post('nameless', 'Nameless rod', '{ "mass": {} }')
  for (const schema of schemas.slice(1)) await put(service, '/api/v1/schemas/rods', 'schema', schema)
  await http
    .put('/api/v2/metadata/nameless')
    .set('If-Match', '*')
    .field(
      'record',
      JSON.stringify({
        titles: [{ value: 'Nameless rod' }],
        relatedIdentifiers: relations('https://example.org/nameless', 'rods', 3),
      }),
    )
    .attach('document', Buffer.from('{ "name": "Rod C" }'), 'document')
    .expect(200)
  await post('rod', 'Steel rod', rodTexts[0] ?? '')
  for (const text of rodTexts.slice(1)) await put(service, '/api/v1/metadata/rod', 'document', text)
}

async function put({ http }: TestService, path: string, part: string, text: string): Promise<void> {
  await http.put(path).set('If-Match', '*').attach(part, Buffer.from(text), part).expect(200)
}

/** What a document describes, and the schema that it follows. */
function relations(resource: string, schema: string, version?: number): readonly object[] {
  return [
    { value: resource, identifierType: 'URL', relationType: 'IS_METADATA_FOR' },
    {
      value: version === undefined ? schema : `${base}/api/v2/schemas/${schema}?version=${version}`,
      identifierType: version === undefined ? 'INTERNAL' : 'URL',
      relationType: 'HAS_METADATA',
    },
  ]
}
