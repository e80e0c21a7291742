import { type ApiVersion, type Client, formFile, type Json, type Refusal } from '../http/api-versions.js'
import { jsonSchema, noteXml, noteXsdText } from '../http/test-service.js'
import { xsd } from './schema-bundles.js'

/*
 * Requests about schemas that the contract refuses. The service has the schemas `json` and `xml`, `revoked` and `gone`
 * for the requests that need them, and a metadata record `document`.
 * @see docs/contract.md#order-of-checks
 */

type Sent = Parameters<Client['send']>[2]

const nobody = { acl: [{ sid: null, permission: 'READ' }] }

export function postRefusals({ schema, version }: ApiVersion): readonly Refusal[] {
  const record = formFile('record', schema('x'))
  const document = formFile('schema', jsonSchema())
  const post =
    (...parts: Sent) =>
    (client: Client) =>
      client.send('post', '/schemas', parts)
  const schemaOf = (content: string | Buffer) => post(record, formFile('schema', content))
  const recordOf = (json: unknown) => post(formFile('record', json), document)
  const doctype = `<!DOCTYPE x [<!ENTITY e SYSTEM "e">]>${xsd('<xs:element name="&e;"/>')}`
  return [
    ['no part record', 400, post(document), 'record'],
    ['no part schema', 400, post(record), 'schema'],
    ['an empty part record', 400, post(formFile('record', ''), document), 'record'],
    ['an empty part schema', 400, post(record, formFile('schema', '')), 'schema'],
    ['the part record twice', 400, post(record, record, document), 'record'],
    ['the part schema twice', 400, post(record, document, document), 'schema'],
    ['a record that is not JSON', 400, recordOf('{"schemaId":')],
    ['a record that is no object', 400, recordOf('[]')],
    ['a record of another type', 415, post(formFile('record', schema('x'), 'application/xml'), document)],
    [
      'no form',
      415,
      client => client.send('post', '/schemas', [], { 'Content-Type': 'application/json' }),
      'multipart/form-data',
    ],
    [
      'an Accept without JSON',
      406,
      client => client.send('post', '/schemas', [record, document], { Accept: 'application/xml' }),
    ],
    ['no id', 400, recordOf({ ...schema('x'), schemaId: undefined, id: undefined })],
    ['an id that is null', 400, recordOf(schema(null))],
    ['an id that is no text', 400, recordOf(schema(7))],
    ['an id with a slash', 400, recordOf(schema('invalid/my_dc')), 'invalid/my_dc'],
    ['an id with a space', 400, recordOf(schema('a b'))],
    ['an id with a percent sign', 400, recordOf(schema('a%20b'))],
    ['an id beyond ASCII', 400, recordOf(schema('schöma'))],
    ['an id of dots only', 400, recordOf(schema('..'))],
    ['an id of 201 characters', 400, recordOf(schema('x'.repeat(201)))],
    ...(version === 1
      ? ([
          ['an id in upper case', 400, recordOf(schema('myFirst')), 'lower case'],
          ['an id in upper case, its lower case taken', 400, recordOf(schema('myFirstTest'))],
          ['a type that is none', 400, recordOf(schema('x', { type: 'JASON' })), 'JSON, XML'],
          [
            'an ACL entry of nobody',
            400,
            recordOf(schema('x', nobody)),
            'Subject ID of ACL entry must not be null.',
          ],
          [
            'a pid without a type',
            400,
            recordOf(schema('x', { pid: { identifier: '10.1/x', identifierType: null } })),
          ],
          ['a createdAt that is no time', 400, recordOf(schema('x', { createdAt: 'yesterday' }))],
          [
            'type JSON of an XML Schema',
            422,
            post(formFile('record', schema('x', { type: 'JSON' })), formFile('schema', noteXsdText)),
          ],
          [
            'type XML of a JSON Schema',
            422,
            post(formFile('record', schema('x', { type: 'XML' })), document),
          ],
        ] as const)
      : postRefusals2(recordOf, post)),
    ['no schema at all', 422, schemaOf('<>')],
    ['a text', 422, schemaOf('hello')],
    ['ill-formed JSON', 422, schemaOf('{"type":')],
    ['an empty JSON object', 422, schemaOf('{}')],
    ['a JSON array', 422, schemaOf('[]')],
    ['a JSON Schema that is true', 422, schemaOf('true')],
    ['an unknown $schema', 422, schemaOf('{"$schema":"https://example.org/schema"}')],
    ['draft 03', 422, schemaOf('{"$schema":"http://json-schema.org/draft-03/schema#"}')],
    ['a JSON Schema against its meta schema', 422, schemaOf('{"type":"strange"}')],
    ['a JSON Schema that does not compile', 422, schemaOf('{"$ref":"#/$defs/none"}')],
    ['an XML document that is no schema', 422, schemaOf(noteXml)],
    ['an element schema of another name space', 422, schemaOf('<schema xmlns="http://example.org"/>')],
    ['an ill-formed XML Schema', 422, schemaOf(xsd('<xs:element'))],
    ['an XML Schema that does not compile', 422, schemaOf(xsd('<xs:element name="a" type="none"/>'))],
    ['an external entity', 422, schemaOf(doctype)],
    ['an external entity in UTF-16', 422, schemaOf(Buffer.from(`\ufeff${doctype}`, 'utf16le'))],
    ['an id that is taken', 409, recordOf(schema('json')), 'json'],
    ['an id that is revoked', 409, recordOf(schema('revoked')), 'revoked'],
    ['an id of a metadata record', 409, recordOf(schema('document'))],
    ['an id that is gone', 410, recordOf(schema('gone')), 'gone'],
    [
      'an id that is gone, and no schema',
      422,
      post(formFile('record', schema('gone')), formFile('schema', '<>')),
    ],
  ]
}

/** Requests that only version 2 refuses. @see docs/contract.md#order-of-checks-of-a-post */
function postRefusals2(
  recordOf: (json: unknown) => Refusal[2],
  post: (...parts: Sent) => Refusal[2],
): readonly Refusal[] {
  const titles = [{ value: 'A title' }]
  const wrong = (more: Json) => recordOf({ id: 'x', titles, ...more })
  const ofType = (value: string, document: string) =>
    post(formFile('record', { id: 'x', titles, resourceType: { value } }), formFile('schema', document))
  return [
    ['no titles', 400, recordOf({ id: 'x' }), 'title'],
    ['an empty list of titles', 400, recordOf({ id: 'x', titles: [] }), 'title'],
    ['titles that are no list', 400, recordOf({ id: 'x', titles: 'A title' }), 'titles'],
    ['an id that differs in case from one that is taken', 409, recordOf({ id: 'JSON', titles }), 'json'],
    ['an ACL entry of nobody', 400, wrong({ acls: nobody.acl }), 'Subject ID of ACL entry must not be null.'],
    ['a resource type that is none', 400, ofType('PDF_Schema', jsonSchema()), 'JSON_Schema, XML_Schema'],
    ['JSON_Schema of an XML Schema', 422, ofType('JSON_Schema', noteXsdText)],
    ['XML_Schema of a JSON Schema', 422, ofType('XML_Schema', jsonSchema())],
    ['another identifier that is taken', 409, wrong({ alternateIdentifiers: [other('json')] }), 'json'],
    ['another identifier that is gone', 410, wrong({ alternateIdentifiers: [other('gone')] }), 'gone'],
    ['a persistent identifier that is taken', 409, wrong({ identifier: { value: 'json' } }), 'json'],
    ...wrongMembers.map(
      ([more, says]): Refusal => [`a record with ${JSON.stringify(more)}`, 400, wrong(more), says],
    ),
  ]
}

const other = (value: string) => ({ value, identifierType: 'OTHER' })

/** Invalid members of a version 2 record, and a part of the message about each. @see docs/contract.md#record-members */
export const wrongMembers: readonly (readonly [more: Json, says: string])[] = [
  [{ titles: [{ value: 'a' }, { value: 'b', titleType: 'MAIN' }] }, 'titles[1].titleType'],
  [{ titles: [{ titleType: 'OTHER' }] }, 'titles[0].value'],
  [{ creators: [{ affiliations: 'KIT' }] }, 'creators[0].affiliations'],
  [{ publisher: 7 }, 'publisher'],
  [{ publicationYear: '26' }, 'publicationYear'],
  [{ resourceType: { value: 'JSON_Schema', typeGeneral: 'THING' } }, 'resourceType.typeGeneral'],
  [{ subjects: 'physics' }, 'subjects'],
  [{ contributors: [{ contributionType: 'FRIEND' }] }, 'DATA_COLLECTOR'],
  [{ dates: [{ value: 'yesterday', type: 'VALID' }] }, 'dates[0].value'],
  [{ dates: [{ value: '2026', type: 'BORN' }] }, 'CREATED, ISSUED'],
  [{ relatedIdentifiers: [{ value: 'x', identifierType: 'URL', relationType: 'KNOWS' }] }, 'IS_CITED_BY'],
  [{ relatedIdentifiers: [{ value: 'x', identifierType: 'PHONE', relationType: 'CITES' }] }, 'AR_XIV'],
  [{ descriptions: [{ description: 'x', type: 'LONG' }] }, 'ABSTRACT'],
  [{ geoLocations: [{ point: { longitude: 'east', latitude: 1 } }] }, 'geoLocations[0].point.longitude'],
  [{ alternateIdentifiers: [{ value: 'x', identifierType: 'PHONE' }] }, 'alternateIdentifiers[0]'],
  [{ sizes: [7] }, 'sizes[0]'],
  [{ formats: 'JSON' }, 'formats'],
  [{ rights: [{ schemeUri: 7 }] }, 'rights[0].schemeUri'],
  [{ fundingReferences: [{ funderIdentifier: { value: 'x', type: 'BANK' } }] }, 'CROSSREF_FUNDER_ID'],
  [{ state: 'DONE' }, 'VOLATILE'],
  [{ state: 'REVOKED' }, 'REVOKED'],
  [{ state: 'GONE' }, 'GONE'],
  [{ embargoDate: 'soon' }, 'embargoDate'],
  [{ acls: [{ sid: 'x', permission: 'OWN' }] }, 'ADMINISTRATE'],
  [{ acls: [{ sid: 'x' }] }, 'permission'],
  [{ version: 'first' }, 'version'],
  [{ lastUpdate: 'now' }, 'lastUpdate'],
]

export const getRefusals: readonly Refusal[] = [
  [
    'the record of an unknown id',
    404,
    client => client.record('/schemas/cd'),
    "ocument with ID 'cd' doesn't exist!",
  ],
  ['the document of an unknown id', 404, client => client.get('/schemas/cd')],
  [
    'the record of an unknown version',
    404,
    client => client.record('/schemas/json?version=13'),
    "Version '13' of ID 'json' doesn't exist!",
  ],
  ['the document of an unknown version', 404, client => client.get('/schemas/json?version=3')],
  [
    'a version too large for any number',
    404,
    client => client.record('/schemas/json?version=9223372036854775807'),
  ],
  ['version 0', 400, client => client.record('/schemas/json?version=0')],
  ['a version that is no number', 400, client => client.get('/schemas/json?version=new')],
  ['the record of a metadata id', 404, client => client.record('/schemas/document')],
  ['the document of a metadata id', 404, client => client.get('/schemas/document')],
  ['the record of a gone id', 404, client => client.record('/schemas/gone')],
  ['a version of a gone id', 404, client => client.get('/schemas/gone?version=1')],
  ['an item with a slash at its end', 404, client => client.get('/schemas/json/')],
  ['a path below an item', 404, client => client.get('/schemas/json/more')],
  ['broken percent-encoding', 400, client => client.get('/schemas/%zz')],
]

export function putRefusals({ schema, version }: ApiVersion): readonly Refusal[] {
  const put =
    (id: string, etag: string | undefined, ...parts: Sent) =>
    (client: Client) =>
      client.send('put', `/schemas/${id}`, parts, etag === undefined ? {} : { 'If-Match': etag })
  const plain = (id: string, headers: Readonly<Record<string, string>>) => (client: Client) =>
    client.send('put', `/schemas/${id}`, [], { 'Content-Type': 'application/json', ...headers })
  const record = (id: string, more = {}) => formFile('record', schema(id, more))
  const broken = formFile('record', '{')
  const noSchema = formFile('schema', '<>')
  return [
    ['no If-Match', 428, put('json', undefined, record('json'))],
    ['no If-Match, no form, unknown id', 428, plain('unknown', {})],
    ['no form', 415, plain('json', { 'If-Match': '*' })],
    ['no form, unknown id', 415, plain('unknown', { 'If-Match': '"x"' })],
    ['neither part', 400, put('json', '*')],
    ['neither part, unknown id', 400, put('unknown', '"x"')],
    ['another part only', 400, put('json', '*', { name: 'other', content: 'x' })],
    ['an empty part record', 400, put('json', '*', formFile('record', ''))],
    ['an empty part schema', 400, put('json', '*', formFile('schema', ''))],
    ['a record that is not JSON', 400, put('json', '*', broken)],
    ['a record that is not JSON, unknown id', 400, put('unknown', '"x"', broken)],
    ['an unknown id', 404, put('unknown', '*', record('unknown'))],
    ['an unknown id, wrong tag, no schema', 404, put('unknown', '"x"', noSchema)],
    ['a metadata id', 404, put('document', '*', record('document'))],
    ['a gone id', 404, put('gone', '*', record('gone'))],
    ['a wrong tag', 412, put('json', '"x"', record('json'))],
    ['a weak tag', 412, put('json', 'W/"x"', record('json'))],
    ['a wrong tag, no schema', 412, put('json', '"x"', noSchema)],
    ['no schema', 422, put('json', '*', noSchema)],
    [
      'an ?version= that is no number',
      400,
      client => client.send('put', '/schemas/json?version=x', [record('json')], { 'If-Match': '*' }),
    ],
    [
      'an Accept without JSON',
      406,
      client =>
        client.send('put', '/schemas/json', [record('json')], { 'If-Match': '*', Accept: 'text/html' }),
    ],
    ...(version === 1
      ? ([
          [
            'an ACL entry of nobody',
            400,
            put('json', '*', record('json', nobody)),
            'Subject ID of ACL entry must not be null.',
          ],
          ['a type that is none', 400, put('json', '*', record('json', { type: 'JASON' }))],
          ['the stored document against the new type', 422, put('xml', '*', record('xml', { type: 'JSON' }))],
          [
            'a document of the other language',
            422,
            put('json', '*', record('json', { type: 'JSON' }), formFile('schema', noteXsdText)),
          ],
        ] as const)
      : putRefusals2((more, ...parts) => put('json', '*', record('json', more), ...parts))),
  ]
}

/** Requests that only version 2 refuses. @see docs/contract.md#replacement-by-a-version-2-put */
function putRefusals2(put: (more: Json, ...parts: Sent) => Refusal[2]): readonly Refusal[] {
  return [
    ['no titles', 400, put({ titles: null }), 'title'],
    ['an empty list of titles', 400, put({ titles: [] }), 'Empty title list provided for update'],
    ['an ACL entry of nobody', 400, put({ acls: nobody.acl }), 'Subject ID of ACL entry must not be null.'],
    ['the stored document against the new type', 422, put({ resourceType: { value: 'XML_Schema' } })],
    [
      'a document of the other language',
      422,
      put({ resourceType: { value: 'JSON_Schema' } }, formFile('schema', noteXsdText)),
    ],
    ['another identifier that is taken', 409, put({ alternateIdentifiers: [other('document')] }), 'document'],
    ...wrongMembers.map(
      ([more, says]): Refusal => [`a record with ${JSON.stringify(more)}`, 400, put(more), says],
    ),
  ]
}

export const validateRefusals: readonly Refusal[] = [
  ['no part document', 400, client => client.send('post', '/schemas/json/validate', []), 'document'],
  ['no part document, unknown schema', 400, client => client.send('post', '/schemas/unknown/validate', [])],
  ['an empty part document', 400, client => client.validate('/schemas/json/validate', '')],
  ['a version that is no number', 400, client => client.validate('/schemas/json/validate?version=x', '{}')],
  [
    'a text part version that is no number',
    400,
    client =>
      client.send('post', '/schemas/json/validate', [
        formFile('document', '{}'),
        { name: 'version', content: 'x' },
      ]),
  ],
  [
    'no form',
    415,
    client => client.send('post', '/schemas/json/validate', [], { 'Content-Type': 'application/json' }),
  ],
  ['an unknown schema', 404, client => client.validate('/schemas/unknown/validate', '{}')],
  ['an unknown version', 404, client => client.validate('/schemas/json/validate?version=13', '{}'), '13'],
  ['a metadata id', 404, client => client.validate('/schemas/document/validate', '{}')],
  ['a revoked schema', 404, client => client.validate('/schemas/revoked/validate', '{}')],
  ['a gone schema', 404, client => client.validate('/schemas/gone/validate', '{}')],
  ['an id with a slash', 404, client => client.validate('/schemas/invalid/json/validate', '{}')],
  ['an invalid JSON document', 422, client => client.validate('/schemas/json/validate', '{}')],
  ['an ill-formed JSON document', 422, client => client.validate('/schemas/json/validate', '{')],
  [
    'an XML document against a JSON Schema',
    422,
    client => client.validate('/schemas/json/validate', noteXml),
  ],
  ['a member too many', 422, client => client.validate('/schemas/strict/validate', '{"a":1,"b":2}')],
  [
    'an invalid XML document',
    422,
    client => client.validate('/schemas/xml/validate', noteXml.replaceAll('text', 'other')),
  ],
  ['an ill-formed XML document', 422, client => client.validate('/schemas/xml/validate', '<note>')],
  [
    'an XML document of another name space',
    422,
    client => client.validate('/schemas/xml/validate', noteXml.replace('example.org', 'example.com')),
  ],
  ['a JSON document against an XML Schema', 422, client => client.validate('/schemas/xml/validate', '{}')],
  [
    'a document with a DOCTYPE',
    422,
    client => client.validate('/schemas/xml/validate', `<!DOCTYPE note>${noteXml}`),
  ],
  [
    'a document with a DOCTYPE in UTF-16',
    422,
    client =>
      client.validate('/schemas/xml/validate', Buffer.from(`\ufeff<!DOCTYPE note>${noteXml}`, 'utf16le')),
  ],
]
