import type { Random } from '../../bench/support/random.js'
import type { Kind, Model } from './model.js'
import { filePart, type Part, type Request } from './request.js'

/*
 * Requests as clients really send them, valid when they are made: what a repository is filled with, and what mutations
 * start from.
 */

const mounts = {
  1: ['/api/v1', '/metastore/api/v1'],
  2: ['/api/v2', '/repository/api/v2', '/metastore/api/v2'],
}

const jsonSchemas = [
  '{"type":"object"}',
  '{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","properties":{"title":{"type":"string"}}}',
  '{"$schema":"https://json-schema.org/draft/2019-09/schema","type":["object","array"],"maxItems":100}',
  '{"$schema":"http://json-schema.org/draft-04/schema#","id":"http://example.org/s","properties":{"a":{"$ref":"#"}}}',
  '{"$defs":{"a":{"pattern":"^[a-z]*$"}},"properties":{"text":{"$ref":"#/$defs/a"}},"additionalProperties":true}',
]
const xmlSchemas = [
  '<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"><xs:element name="a" type="xs:string"/></xs:schema>',
  '<?xml version="1.0" encoding="UTF-8"?>\n<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" targetNamespace="urn:n" elementFormDefault="qualified"><xs:element name="a"><xs:complexType><xs:sequence><xs:element name="b" type="xs:string" minOccurs="0"/></xs:sequence></xs:complexType></xs:element></xs:schema>',
]
const documents = [
  '{}',
  '{"title": "x"}',
  '{"title":"é€😀","a":{"b":[1,2.5,-3e10,null,true]}}',
  '{"text":"abc","__proto__":{"a":1}}',
  '<a>text</a>',
  '<a xmlns="urn:n"><b>é</b></a>',
]

export interface Recorder {
  /** Any request, valid as far as the model knows. */
  record(): Request
  id(kind: Kind): string
  schema(): string
  document(): string
}

export function openRecorder(random: Random, model: Model): Recorder {
  let count = 0
  const version = () => random.pick([1, 2] as const)
  const id = (kind: Kind) => {
    const ids = model.ids(kind)
    return ids.length === 0 ? 'none' : random.pick(ids)
  }
  const schema = () => random.pick(random.oneIn(3) ? xmlSchemas : jsonSchemas)
  const document = () => random.pick(documents)
  const request = (
    method: string,
    path: string,
    query: readonly string[] = [],
    headers: Request['headers'] = [],
    parts?: readonly Part[],
  ): Request => ({ method, path, query, headers, ...(parts ? { parts } : {}) })
  const record = (json: unknown) => filePart('record', JSON.stringify(json))
  const ifMatch = (kind: Kind, id: string): Request['headers'] => [
    ['If-Match', random.oneIn(10) ? '*' : (model.etag(kind, id) ?? '"none"')],
  ]
  const acl = () => (random.oneIn(3) ? { acl: [{ sid: 'SELF', permission: 'ADMINISTRATE' }] } : {})

  function newSchema(): Request {
    const number = version()
    const name = `schema-${++count}`
    const json =
      number === 1 ? { schemaId: name, label: 'l', ...acl() } : { id: name, titles: [{ value: name }] }
    const files = random.oneIn(5)
      ? [
          filePart('schema', '{"$ref":"part/a.json"}'),
          filePart('include', '{"type":"object"}', 'application/json', 'part/a.json'),
        ]
      : [filePart('schema', schema())]
    return request('POST', `${random.pick(mounts[number])}/schemas`, [], [], [record(json), ...files])
  }

  function metadata(number: 1 | 2, name: string | undefined, schemaId: string, resource: string): unknown {
    if (number === 1) {
      return {
        ...(name === undefined ? {} : { id: name }),
        relatedResource: { identifier: resource, identifierType: 'URL' },
        schema: { identifier: schemaId, identifierType: 'INTERNAL' },
        ...acl(),
      }
    }
    return {
      ...(name === undefined ? {} : { id: name }),
      titles: [{ value: resource }],
      relatedIdentifiers: [
        { identifierType: 'URL', value: resource, relationType: 'IS_METADATA_FOR' },
        { identifierType: 'INTERNAL', value: schemaId, relationType: 'HAS_METADATA' },
      ],
    }
  }

  function newMetadata(): Request {
    const number = version()
    const json = metadata(number, `document-${++count}`, id('schemas'), `http://example.org/${count}`)
    const parts = [record(json), filePart('document', document(), 'application/octet-stream')]
    return request('POST', `${random.pick(mounts[number])}/metadata`, [], [], parts)
  }

  function update(): Request {
    const kind = random.pick(['schemas', 'metadata', 'metadata'] as const)
    const number = version()
    const name = id(kind)
    const part =
      kind === 'schemas'
        ? filePart('schema', schema())
        : filePart('document', document(), 'application/octet-stream')
    const change =
      number === 1
        ? record({ label: `l${++count}`, ...acl() })
        : record({ titles: [{ value: `t${++count}` }] })
    const parts = random.pick([[part], [change], [change, part]])
    return request('PUT', `${random.pick(mounts[number])}/${kind}/${name}`, [], ifMatch(kind, name), parts)
  }

  function remove(): Request {
    const kind = random.pick(['schemas', 'metadata'] as const)
    const name = id(kind)
    return request('DELETE', `${random.pick(mounts[version()])}/${kind}/${name}`, [], ifMatch(kind, name))
  }

  function read(): Request {
    const kind = random.pick(['schemas', 'metadata'] as const)
    const name = id(kind)
    const number = version()
    const mount = random.pick(mounts[number])
    const at = random.oneIn(4) ? [`at=${random.pick(['main', 'HEAD', '2026-01-01', 'main~1', '2100'])}`] : []
    return random.pick([
      () =>
        request('GET', `${mount}/${kind}`, [
          `page=${random.below(3)}`,
          `size=${1 + random.below(20)}`,
          ...at,
        ]),
      () => request('GET', `${mount}/${kind}/${name}`, [...at, ...(random.oneIn(2) ? ['version=1'] : [])]),
      () =>
        request('GET', `${mount}/${kind}/${name}`, at, [
          [
            'Accept',
            'application/vnd.repository.schema-record+json, application/vnd.repository.metadata-record+json, application/vnd.citation.org+json',
          ],
        ]),
      () =>
        request('GET', `${mount}/${kind}/${name}`, [], [['If-None-Match', model.etag(kind, name) ?? '*']]),
      () => request('HEAD', `${mount}/${kind}/${name}`),
      () => request('OPTIONS', `${mount}/${kind}/${name}`),
      () => request('GET', `${mount}/${kind}/${name}/versions`),
      () => request('GET', `${mount}/${kind}/${name}/diff`, ['from=1', 'to=2']),
      () => request('GET', `${mount}/${kind}/${name}/blame`),
      () => request('GET', '/api/changes', ['limit=5', ...(random.oneIn(3) ? ['since=main~1'] : [])]),
      () => request('GET', '/api/changes', ['limit=5'], [['Accept', 'text/event-stream']]),
      () =>
        request(
          'POST',
          `${mount}/schemas/${id('schemas')}/validate`,
          [],
          [],
          [filePart('document', document())],
        ),
      () =>
        request('GET', `/${kind === 'schemas' ? 'schema-landing-page' : 'metadata-landing-page'}`, [
          `${kind === 'schemas' ? 'schemaId' : 'id'}=${name}`,
        ]),
      () =>
        request(
          'GET',
          '/repository.git/info/refs',
          ['service=git-upload-pack'],
          [['Git-Protocol', 'version=2']],
        ),
      () => ({
        ...request(
          'POST',
          '/repository.git/git-upload-pack',
          [],
          [
            ['Content-Type', 'application/x-git-upload-pack-request'],
            ['Git-Protocol', 'version=2'],
          ],
        ),
        body: Buffer.from('0014command=ls-refs\n00010009peel\n0000'),
      }),
      () => request('GET', '/health'),
    ])()
  }

  function changeSet(): Request {
    const name = `set-${++count}`
    const resource = `http://example.org/${name}`
    const changes = [
      { kind: 'schema', action: 'create', record: { id: name, titles: [{ value: name }] }, document: 's' },
      { kind: 'metadata', action: 'create', record: metadata(2, `${name}-d`, name, resource), document: 'd' },
    ]
    const known = id('metadata')
    const deletion =
      random.oneIn(3) && known !== 'none'
        ? [{ kind: 'metadata', action: 'delete', id: known, ifMatch: model.etag('metadata', known) ?? '*' }]
        : []
    return request(
      'POST',
      random.pick(['/api/changesets', '/metastore/api/changesets']),
      [],
      [],
      [
        filePart('changeset', JSON.stringify({ message: 'Together', changes: [...changes, ...deletion] })),
        filePart('s', '{"type":"object"}'),
        filePart('d', '{}'),
      ],
    )
  }

  return {
    record: () => {
      if (model.ids('schemas').length < 3) return newSchema()
      const kinds = [
        newSchema,
        newMetadata,
        newMetadata,
        newMetadata,
        update,
        update,
        update,
        read,
        read,
        read,
      ]
      return random.pick([...kinds, ...(random.oneIn(3) ? [remove, changeSet] : [])])()
    },
    id,
    schema,
    document,
  }
}
