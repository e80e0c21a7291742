import { type ApiVersion, type Client, formFile, type Json, type Refusal } from '../http/api-versions.js'
import { base, noteXml } from '../http/test-service.js'
import { wrongMembers } from './schema-refusals.js'

/*
 * Requests about metadata that the contract refuses. The service has the schemas `json` (version 1 requires `title`,
 * version 2 `date` too), `xml`, `revoked` and `gone`. It has the metadata records `document` about `http://x/1`, which
 * follows version 1 of `json`, `other` about `http://x/2`, `revoked-document` about `http://x/3`, and `gone-document`.
 * @see docs/contract.md#order-of-checks
 */

const good = '{"title":"a","date":"b"}'
const url = (identifier: string | null) => ({ schema: { identifier, identifierType: 'URL' } })
const nobody = { acl: [{ sid: null, permission: 'READ' }] }

type Sent = Parameters<Client['send']>[2]

export function postRefusals({ version, metadata }: ApiVersion): readonly Refusal[] {
  const record = (more?: Json, resource = 'http://x/9', schema = 'json') =>
    formFile('record', metadata(resource, schema, more))
  const document = formFile('document', good)
  const post =
    (...parts: Sent) =>
    (client: Client) =>
      client.send('post', '/metadata', parts)
  const recordOf = (json: unknown) => post(formFile('record', json), document)
  const documentOf = (content: string | Buffer, schema = 'json') =>
    post(record({}, 'http://x/9', schema), formFile('document', content))
  return [
    ['no part record', 400, post(document), 'record'],
    ['no part document', 400, post(record()), 'document'],
    ['an empty part record', 400, post(formFile('record', ''), document), 'record'],
    ['an empty part document', 400, post(record(), formFile('document', '')), 'document'],
    ['the part record twice', 400, post(record(), record(), document)],
    ['the part document twice', 400, post(record(), document, document)],
    ['a record that is not JSON', 400, recordOf('{')],
    ['a record that is no object', 400, recordOf('"x"')],
    [
      'a record of another type',
      415,
      post(formFile('record', metadata('http://x/9', 'json'), 'text/plain'), document),
    ],
    [
      'no form',
      415,
      client => client.send('post', '/metadata', [], { 'Content-Type': 'application/json' }),
      'multipart/form-data',
    ],
    [
      'an Accept without JSON',
      406,
      client => client.send('post', '/metadata', [record(), document], { Accept: 'text/html' }),
    ],
    ['an id with a slash', 400, post(record({ id: 'http://localhost:8080/d1' }), document), 'd1'],
    ['an id of dots only', 400, post(record({ id: '.' }), document)],
    ['an id of 201 characters', 400, post(record({ id: 'x'.repeat(201) }), document)],
    ['an unknown schema', 422, post(record({}, 'http://x/9', 'unknown'), document), 'unknown'],
    ['a revoked schema', 422, post(record({}, 'http://x/9', 'revoked'), document)],
    ['a gone schema', 422, post(record({}, 'http://x/9', 'gone'), document)],
    ['a metadata record for a schema', 422, post(record({}, 'http://x/9', 'document'), document)],
    ...(version === 1 ? postRefusals1(recordOf, metadata('http://x/9', 'json')) : postRefusals2(recordOf)),
    ['an invalid JSON document', 422, documentOf('{"title":"a"}')],
    ['an ill-formed JSON document', 422, documentOf('{"title":')],
    ['an XML document after a JSON Schema', 422, documentOf(noteXml)],
    ['an invalid XML document', 422, documentOf(noteXml.replaceAll('text', 'other'), 'xml')],
    ['an ill-formed XML document', 422, documentOf('<>', 'xml')],
    [
      'an XML document of another name space',
      422,
      documentOf(noteXml.replace('example.org', 'example.com'), 'xml'),
    ],
    ['a JSON document after an XML Schema', 422, documentOf(good, 'xml')],
    ['a DOCTYPE', 422, documentOf(`<!DOCTYPE note>${noteXml}`, 'xml')],
    [
      'a DOCTYPE in UTF-16',
      422,
      documentOf(Buffer.from(`\ufeff<!DOCTYPE note>${noteXml}`, 'utf16le'), 'xml'),
    ],
    [
      'a resource that has a document after the schema',
      409,
      post(record({}, 'http://x/1'), document),
      'json',
    ],
    ['a resource whose document is revoked', 409, post(record({}, 'http://x/3'), document)],
    ['an id that is taken, of another resource', 409, post(record({ id: 'document' }), document), 'document'],
    ['an id that is revoked', 409, post(record({ id: 'revoked-document' }), document)],
    ['an id of a schema', 409, post(record({ id: 'json' }), document)],
    ['an id that is gone', 410, post(record({ id: 'gone-document' }), document), 'gone-document'],
    ['an id of a gone schema', 410, post(record({ id: 'gone' }), document)],
  ]
}

/** Requests that only version 1 refuses, because of the form of its records. */
function postRefusals1(recordOf: (json: unknown) => Refusal[2], minimal: Json): readonly Refusal[] {
  const wrong = (more: Json) => recordOf({ ...minimal, ...more })
  const { relatedResource: _, ...noResource } = minimal
  const { schema: __, ...noSchema } = minimal
  const schema = (identifier: string | null, identifierType: string | null) =>
    wrong({ schema: { identifier, identifierType } })
  return [
    ['no relatedResource', 400, recordOf(noResource), 'relatedResource'],
    ['a relatedResource that is null', 400, wrong({ relatedResource: null })],
    ['a relatedResource that is a text', 400, wrong({ relatedResource: 'x' })],
    [
      'a relatedResource without an identifier',
      400,
      wrong({ relatedResource: { identifier: null, identifierType: 'URL' } }),
    ],
    ['a relatedResource without a type', 400, wrong({ relatedResource: { identifier: 'x' } })],
    [
      'a relatedResource of a type that is none',
      400,
      wrong({ relatedResource: { identifier: 'x', identifierType: 'PHONE' } }),
    ],
    ['no schema', 400, recordOf(noSchema), 'schema'],
    ['a schema that is null', 400, wrong({ schema: null })],
    ['a schema without an identifier', 400, schema(null, 'INTERNAL')],
    ['a schema without a type', 400, schema('json', null)],
    ['an URL without an identifier', 400, schema(null, 'URL')],
    ['a schema by another type than INTERNAL and URL', 422, schema('json', 'DOI')],
    ['an unknown version of a schema', 422, wrong({ schemaVersion: 13 })],
    ['version 0 of a schema', 422, wrong({ schemaVersion: 0 })],
    ['the largest number for a version', 422, wrong({ schemaVersion: '9223372036854775807' })],
    ['a schemaVersion that is no number', 400, wrong({ schemaVersion: 'new' })],
    ['an unknown schema by URL', 422, wrong(url(`${base}/api/v1/schemas/unknown?version=1`))],
    ['an unknown version by URL', 422, wrong(url(`${base}/api/v1/schemas/json?version=13`))],
    ['a gone schema by URL', 422, wrong(url(`${base}/api/v1/schemas/gone?version=1`))],
    ['an URL of another host', 422, wrong(url('http://localhost:1/api/v1/schemas/json?version=1'))],
    ['an URL of something else here', 422, wrong(url(`${base}/api/v1/metadata/document`))],
    ['a malformed URL', 422, wrong(url('http://')), 'http://'],
    ['a createdAt that is no time', 400, wrong({ createdAt: 'yesterday' })],
    ['a recordVersion that is no number', 400, wrong({ recordVersion: 'first' })],
    ['an ACL entry of nobody', 400, wrong(nobody), 'Subject ID of ACL entry must not be null.'],
    [
      'an ACL entry with a permission that is none',
      400,
      wrong({ acl: [{ sid: 'x', permission: 'OWN' }] }),
      'NONE, READ, WRITE, ADMINISTRATE',
    ],
    ['a pid of a type that is none', 400, wrong({ pid: { identifier: 'x', identifierType: 'PHONE' } })],
  ]
}

/**
 * Requests that only version 2 refuses, because of the form of its records.
 * @see docs/contract.md#order-of-checks-of-a-post
 */
function postRefusals2(recordOf: (json: unknown) => Refusal[2]): readonly Refusal[] {
  const titles = [{ value: 'A title' }]
  const about = { identifierType: 'URL', value: 'http://x/9', relationType: 'IS_METADATA_FOR' }
  const after = (value: string | null, identifierType: string | null = 'INTERNAL') => ({
    identifierType,
    value,
    relationType: 'HAS_METADATA',
  })
  const related = (...relatedIdentifiers: readonly unknown[]) => recordOf({ titles, relatedIdentifiers })
  const wrong = (more: Json) => recordOf({ titles, relatedIdentifiers: [about, after('json')], ...more })
  const otherName = (value: string) => ({ alternateIdentifiers: [{ value, identifierType: 'OTHER' }] })
  const root = `${base}/repository/api/v2`
  return [
    ['no titles', 400, wrong({ titles: null }), 'title'],
    ['an empty list of titles', 400, wrong({ titles: [] }), 'title'],
    ['no related identifiers', 400, recordOf({ titles })],
    ['no HAS_METADATA', 400, related(about), 'HAS_METADATA'],
    ['two HAS_METADATA', 400, related(about, after('json'), after('xml')), 'HAS_METADATA'],
    ['no IS_METADATA_FOR', 400, related(after('json')), 'IS_METADATA_FOR'],
    ['a schema without a value', 422, related(about, after(null))],
    ['a schema of another type than INTERNAL and URL', 422, related(about, after('json', 'DOI'))],
    ['an unknown version of a schema', 422, related(about, after('json/13')), '13'],
    ['version 0 of a schema', 422, related(about, after('json/0'))],
    ['a version that is no number', 422, related(about, after('json/new'))],
    ['an unknown schema by URL', 422, related(about, after(`${root}/schemas/unknown?version=1`, 'URL'))],
    ['an unknown version by URL', 422, related(about, after(`${root}/schemas/json?version=13`, 'URL'))],
    ['a gone schema by URL', 422, related(about, after(`${root}/schemas/gone?version=1`, 'URL'))],
    ['an URL of another host', 422, related(about, after('http://localhost:1/api/v2/schemas/json', 'URL'))],
    ['an URL of something else here', 422, related(about, after(`${root}/metadata/document`, 'URL'))],
    ['a malformed URL', 422, related(about, after('http://', 'URL'))],
    ['an URL without a value', 422, related(about, after(null, 'URL'))],
    [
      'one of several resources that has a document after the schema',
      409,
      related(about, { ...about, value: 'http://x/1' }, after('json/1')),
      'http://x/1',
    ],
    ['an ACL entry of nobody', 400, wrong({ acls: nobody.acl }), 'Subject ID of ACL entry must not be null.'],
    ['another identifier that is taken', 409, wrong(otherName('document'))],
    ['another identifier that is a schema', 409, wrong(otherName('json'))],
    ['another identifier that is gone', 410, wrong(otherName('gone-document'))],
    ...wrongMembers.map(
      ([more, says]): Refusal => [`a record with ${JSON.stringify(more)}`, 400, wrong(more), says],
    ),
  ]
}

export const getRefusals: readonly Refusal[] = [
  [
    'the record of an unknown id',
    404,
    client => client.record('/metadata/cd'),
    "ocument with ID 'cd' doesn't exist!",
  ],
  ['the document of an unknown id', 404, client => client.get('/metadata/cd')],
  [
    'the record of an unknown version',
    404,
    client => client.record('/metadata/document?version=13'),
    "Version '13' of ID 'document' doesn't exist!",
  ],
  ['the document of an unknown version', 404, client => client.get('/metadata/document?version=13')],
  [
    'a version too large for any number',
    404,
    client => client.record('/metadata/document?version=9223372036854775807'),
  ],
  ['version 0', 400, client => client.record('/metadata/document?version=0')],
  ['a version that is no number', 400, client => client.get('/metadata/document?version=new')],
  ['the record of a schema id', 404, client => client.record('/metadata/json')],
  ['the document of a schema id', 404, client => client.get('/metadata/json')],
  ['the record of a gone id', 404, client => client.record('/metadata/gone-document')],
  ['a version of a gone id', 404, client => client.get('/metadata/gone-document?version=1')],
  ['an item with a slash at its end', 404, client => client.get('/metadata/document/')],
  ['all versions of an unknown id', 404, client => client.get('/metadata?id=unknown')],
  ['all versions of a gone id', 404, client => client.get('/metadata?id=gone-document')],
]

export function putRefusals({ version, metadata }: ApiVersion): readonly Refusal[] {
  const put =
    (id: string, etag: string | undefined, ...parts: Sent) =>
    (client: Client) =>
      client.send('put', `/metadata/${id}`, parts, etag === undefined ? {} : { 'If-Match': etag })
  const plain = (id: string, headers: Readonly<Record<string, string>>) => (client: Client) =>
    client.send('put', `/metadata/${id}`, [], { 'Content-Type': 'application/json', ...headers })
  const record = (more: Json = {}, resource = 'http://x/1', schema = 'json') =>
    formFile('record', metadata(resource, schema, more))
  const invalid = formFile('document', '{}')
  const describes = { identifierType: 'URL', value: 'http://x/1', relationType: 'IS_METADATA_FOR' }
  const follows = { identifierType: 'INTERNAL', value: 'json', relationType: 'HAS_METADATA' }
  return [
    ['no If-Match', 428, put('document', undefined, record())],
    ['an empty If-Match', 428, put('document', '', record())],
    ['no If-Match, no form, unknown id', 428, plain('unknown', {})],
    ['no form', 415, plain('document', { 'If-Match': '*' })],
    ['no form, unknown id', 415, plain('unknown', { 'If-Match': '"x"' })],
    ['neither part', 400, put('document', '*')],
    ['neither part, unknown id', 400, put('unknown', '"x"')],
    ['a text part version only', 400, put('document', '*', { name: 'version', content: '1' })],
    ['an empty part record', 400, put('document', '*', formFile('record', ''))],
    ['an empty part document', 400, put('document', '*', formFile('document', ''))],
    ['a record that is not JSON, unknown id', 400, put('unknown', '"x"', formFile('record', '{'))],
    ['an unknown id', 404, put('unknown', '*', record())],
    ['an unknown id, wrong tag, invalid document', 404, put('unknown', '"x"', invalid)],
    ['a schema id', 404, put('json', '*', record())],
    ['a gone id', 404, put('gone-document', '*', record())],
    ['a wrong tag', 412, put('document', '"x"', record())],
    ['a weak tag', 412, put('document', 'W/"x"', record())],
    ['a wrong tag, invalid document', 412, put('document', '"x"', invalid)],
    ['an unknown schema', 422, put('document', '*', record({}, 'http://x/1', 'unknown'))],
    ['a revoked schema', 422, put('document', '*', record({}, 'http://x/1', 'revoked'))],
    ['a gone schema', 422, put('document', '*', record({}, 'http://x/1', 'gone'))],
    ['an invalid document', 422, put('document', '*', invalid)],
    ['the stored document after another schema', 422, put('document', '*', record({}, 'http://x/1', 'xml'))],
    ['the resource of another document of the schema', 409, put('other', '*', record({}, 'http://x/1'))],
    [
      'a ?version= that is no number',
      400,
      client => client.send('put', '/metadata/document?version=x', [record()], { 'If-Match': '*' }),
    ],
    [
      'an Accept without JSON',
      406,
      client =>
        client.send('put', '/metadata/document', [record()], { 'If-Match': '*', Accept: 'application/xml' }),
    ],
    ...(version === 1
      ? ([
          ['an unknown version of the schema', 422, put('document', '*', record({ schemaVersion: 13 }))],
          [
            'the largest number for a version',
            422,
            put('document', '*', record({ schemaVersion: '9223372036854775807' })),
          ],
          [
            'the stored document after another version of its schema',
            422,
            put('document', '*', formFile('record', { schemaVersion: 2 })),
          ],
          [
            'an ACL entry of nobody',
            400,
            put('document', '*', record(nobody)),
            'Subject ID of ACL entry must not be null.',
          ],
          ['a relatedResource that is a text', 400, put('document', '*', record({ relatedResource: 'x' }))],
        ] as const)
      : [
          ...[{ titles: [] }, { titles: null }].map(
            (more): Refusal => [JSON.stringify(more), 400, put('document', '*', record(more)), 'title'],
          ),
          ...[null, [], [follows], [follows, { ...describes, relationType: 'REFERENCES' }]].map(
            (relatedIdentifiers): Refusal => [
              `no resource that it describes: ${JSON.stringify(relatedIdentifiers)}`,
              400,
              put('document', '*', record({ relatedIdentifiers })),
              'resource that it describes',
            ],
          ),
          ...[[describes, follows, follows]].map(
            (relatedIdentifiers): Refusal => [
              'two schemas to follow',
              400,
              put('document', '*', record({ relatedIdentifiers })),
              'several',
            ],
          ),
          ...['other', 'json', 'gone-document'].map(
            (value): Refusal => [
              `the name ${value} of another record`,
              409,
              put('document', '*', record({ alternateIdentifiers: [{ value, identifierType: 'OTHER' }] })),
              value,
            ],
          ),
          ...['REVOKED', 'GONE'].map(
            (state): Refusal => [
              `the state ${state}`,
              400,
              put('document', '*', record({ state })),
              'by DELETE only',
            ],
          ),
          ...wrongMembers.map(
            ([more, says]): Refusal => [
              `a record with ${JSON.stringify(more)}`,
              400,
              put('document', '*', record(more)),
              says,
            ],
          ),
        ]),
  ]
}
