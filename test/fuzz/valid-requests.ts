import type { Random } from '../../bench/data/seeded-random.js'
import { exportFormats } from '../../src/features/exports/export-formats.js'
import { assets } from '../../src/http/routes/api-docs/swagger-ui.js'
import { browserScript } from '../support/program/browser-script.js'
import type { Kind, Known, Model } from './expected-state.js'
import { branchPush, fetchLines, namesLines } from './git-protocol-bytes.js'
import { filePart, type Part, type Request } from './shrinkable-request.js'

/*
 * Requests as real clients send them, valid at the time of their creation. They fill the repository, and mutations
 * start from them. There is at least one for each operation of the description.
 */

type Version = 1 | 2

const mounts = {
  1: ['/api/v1', '/metastore/api/v1'],
  2: ['/api/v2', '/repository/api/v2', '/metastore/api/v2'],
}

/** A schema of several files. */
const bundle = { schema: '{"$ref":"part/a.json"}', file: 'part/a.json', content: '{"type":"object"}' }

/** Schemas, each with a valid document. */
const schemas: readonly (readonly [schema: string, document: string])[] = [
  ['{"type":"object"}', '{}'],
  [
    '{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","properties":{"title":{"type":"string"}}}',
    '{"title": "x"}',
  ],
  [
    '{"$schema":"https://json-schema.org/draft/2019-09/schema","type":["object","array"],"maxItems":100}',
    '{"title":"é€😀","a":{"b":[1,2.5,-3e10,null,true]}}',
  ],
  [
    '{"$schema":"http://json-schema.org/draft-04/schema#","id":"http://example.org/s","properties":{"a":{"$ref":"#"}}}',
    '{"a":{"a":{}}}',
  ],
  [
    '{"$defs":{"a":{"pattern":"^[a-z]*$"}},"properties":{"text":{"$ref":"#/$defs/a"}},"additionalProperties":true}',
    '{"text":"abc","__proto__":{"a":1}}',
  ],
  [bundle.schema, '{"of": "several files"}'],
  [
    '<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"><xs:element name="a" type="xs:string"/></xs:schema>',
    '<a>text</a>',
  ],
  [
    '<?xml version="1.0" encoding="UTF-8"?>\n<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" targetNamespace="urn:n" elementFormDefault="qualified"><xs:element name="a"><xs:complexType><xs:sequence><xs:element name="b" type="xs:string" minOccurs="0"/></xs:sequence></xs:complexType></xs:element></xs:schema>',
    '<a xmlns="urn:n"><b>é</b></a>',
  ],
]

const isXml = (text: string | Buffer) => text.toString().startsWith('<')

export interface Recorder {
  /** A random request that is valid according to the model. */
  record(): Request
  /**
   * A request of an operation that succeeds, or one that creates what the operation needs.
   * @throws Error if there is no such operation
   */
  recordOf(operationId: string): Request
  id(kind: Kind): string
  schema(): string
  document(): string
}

/** @param head returns the served commit */
export function openRecorder(random: Random, model: Model, head: () => string): Recorder {
  let count = 0
  const version = () => random.pick([1, 2] as const)

  // ── existing records ───────────────────────────────────────────────────────────────────────────────────────────

  /** Records that fit and that were not deleted once. */
  const fitting = (kind: Kind, fits: (known: Known) => boolean = () => true) =>
    model.there(kind).filter(known => !known.revoked && fits(known))
  const id = (kind: Kind) => anyOf(model.there(kind))?.id ?? 'none'
  const anyOf = (some: readonly Known[]) => (some.length === 0 ? undefined : random.pick(some))
  const documentFor = ({ document }: Known) =>
    schemas.find(([schema]) => document?.equals(Buffer.from(schema)))?.[1]
  const schema = () => random.pick(schemas.filter(([text]) => text !== bundle.schema))[0]
  const document = () => random.pick(schemas)[1]
  const usableSchema = () => anyOf(fitting('schemas', known => documentFor(known) !== undefined))

  // ── formats ────────────────────────────────────────────────────────────────────────────────────────────────────

  const request = (
    method: string,
    path: string,
    query: readonly string[] = [],
    headers: Request['headers'] = [],
    parts?: readonly Part[],
  ): Request => ({ method, path, query, headers, ...(parts ? { parts } : {}) })
  const get = (path: string, query: readonly string[] = [], headers: Request['headers'] = []) =>
    request('GET', path, query, headers)
  const record = (json: unknown) => filePart('record', JSON.stringify(json))
  const documentPart = (text: string) => filePart('document', text, 'application/octet-stream')
  const collection = (kind: Kind, number: Version) => `${random.pick(mounts[number])}/${kind}`
  const item = (number: Version, { kind, id: name }: Known) => `${collection(kind, number)}/${name}`
  const ifMatch = ({ etag }: Known): Request['headers'] => [['If-Match', random.oneIn(10) ? '*' : etag]]
  const acl = () => (random.oneIn(3) ? { acl: [{ sid: 'SELF', permission: 'ADMINISTRATE' }] } : {})

  /** A request about a record that fits; without such a record, one that creates it. */
  function about(
    kind: Kind,
    make: (known: Known) => Request,
    fits?: (known: Known) => boolean,
    otherwise: () => Request = kind === 'schemas' ? newSchema : newMetadata,
  ): Request {
    const known = anyOf(fitting(kind, fits))
    return known ? make(known) : otherwise()
  }

  function trial(number: Version): Request {
    const [text, valid] = random.pick(schemas.filter(([schema]) => schema !== bundle.schema))
    const address = `${random.pick(mounts[number])}/trials`
    return request('POST', address, [], [], [filePart('schema', text), documentPart(valid)])
  }

  // ── changes ────────────────────────────────────────────────────────────────────────────────────────────────────

  function newSchema(number: Version = version(), files = random.oneIn(5)): Request {
    const name = `schema-${++count}`
    const json =
      number === 1 ? { schemaId: name, label: 'l', ...acl() } : { id: name, titles: [{ value: name }] }
    const parts = files
      ? [
          filePart('schema', bundle.schema),
          filePart('include', bundle.content, 'application/json', bundle.file),
        ]
      : [filePart('schema', schema())]
    return request('POST', collection('schemas', number), [], [], [record(json), ...parts])
  }

  function metadata(number: Version, name: string | undefined, schemaId: string, resource: string): unknown {
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

  function newMetadata(number: Version = version()): Request {
    const known = usableSchema()
    if (!known) return newSchema()
    const json = metadata(number, `document-${++count}`, known.id, `http://example.org/${count}`)
    const text = documentFor(known) ?? document()
    return request('POST', collection('metadata', number), [], [], [record(json), documentPart(text)])
  }

  function reviseSchema(number: Version = version()): Request {
    return about('schemas', known => {
      const others = schemas
        .map(([text]) => text)
        .filter(text => text !== bundle.schema && isXml(text) === isXml(known.document ?? ''))
      const part = filePart('schema', random.pick(others))
      const change = record(number === 1 ? { label: `l${++count}`, ...acl() } : titled(known, `t${++count}`))
      return request(
        'PUT',
        item(number, known),
        [],
        ifMatch(known),
        random.pick([[part], [change], [change, part]]),
      )
    })
  }

  function reviseMetadata(number: Version = version()): Request {
    return about('metadata', known => {
      const text = known.document?.toString() ?? ''
      const part = documentPart(text + (isXml(text) ? '<!-- x -->' : ' '))
      const uri = `http://example.org/${++count}`
      const change = record(
        number === 1
          ? { ...acl(), licenseUri: uri }
          : metadata(2, known.id, known.follows?.join('/') ?? '', uri),
      )
      const parts = random.pick([[part], [change], [change, part]])
      return request('PUT', item(number, known), [], ifMatch(known), parts)
    })
  }

  const titled = ({ id: name }: Known, title: string) => ({ id: name, titles: [{ value: title }] })

  /** The first or the second DELETE of a record. A schema with followers is not removed. */
  function remove(kind: Kind, number: Version = version()): Request {
    const followed = new Set(model.there('metadata').map(({ follows }) => follows?.[0]))
    const known = anyOf(model.there(kind).filter(each => !followed.has(each.id)))
    if (known) return request('DELETE', item(number, known), [], ifMatch(known))
    return kind === 'schemas' ? newSchema() : newMetadata()
  }

  function changeSet(): Request {
    const name = `set-${++count}`
    const resource = `http://example.org/${name}`
    const changes = [
      { kind: 'schema', action: 'create', record: { id: name, titles: [{ value: name }] }, document: 's' },
      { kind: 'metadata', action: 'create', record: metadata(2, `${name}-d`, name, resource), document: 'd' },
    ]
    const known = random.oneIn(3) ? anyOf(fitting('metadata')) : undefined
    const deletion = known ? [{ kind: 'metadata', action: 'delete', id: known.id, ifMatch: known.etag }] : []
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

  // ── other reads ────────────────────────────────────────────────────────────────────────────────────────────────

  const at = () => (random.oneIn(4) ? [`at=${random.pick(['main', head(), '2100'])}`] : [])

  function list(kind: Kind, number: Version): Request {
    const size = 1 + random.below(20)
    const pages = Math.max(1, Math.ceil(model.there(kind).length / size))
    return get(collection(kind, number), [`page=${random.below(pages)}`, `size=${size}`, ...at()])
  }

  function readAny(kind: Kind, number: Version): Request {
    return about(kind, known => {
      const path = item(number, known)
      const types =
        'application/vnd.repository.schema-record+json, application/vnd.repository.metadata-record+json, application/vnd.citation.org+json'
      return random.pick([
        () => get(path, [...at(), ...(random.oneIn(2) ? ['version=1'] : [])]),
        () => get(path, at(), [['Accept', types]]),
        () => get(path, [], [['If-None-Match', known.etag]]),
        () => request('HEAD', path),
        () => request('OPTIONS', path),
      ])()
    })
  }

  /** Compares versions of a record; without a record of several versions, makes a second version. */
  const diff = (kind: Kind, number: Version) =>
    about(
      kind,
      known => get(`${item(number, known)}/diff`, ['from=1', `to=${known.version}`]),
      known => known.version > 1,
      () => (kind === 'schemas' ? reviseSchema() : reviseMetadata()),
    )

  const check = (number: Version) =>
    about(
      'schemas',
      known =>
        request('POST', `${item(number, known)}/validate`, [], [], [documentPart(documentFor(known) ?? '')]),
      known => documentFor(known) !== undefined,
    )

  const impact = (number: Version) =>
    about('schemas', known =>
      request(
        'POST',
        `${item(number, known)}/impact`,
        ['limit=3'],
        [],
        [filePart('schema', known.document ?? '')],
      ),
    )

  const crosswalk = (number: Version) =>
    about('schemas', known =>
      request(
        'POST',
        `${item(number, known)}/crosswalk`,
        ['limit=3'],
        [],
        [filePart('crosswalk', '{"titles":"title","creators":{"each":"people","name":"name"}}')],
      ),
    )

  const file = (number: Version, folder: (version: number) => string = () => 'files') =>
    about(
      'schemas',
      known => get(`${item(number, known)}/${folder(known.version)}/${bundle.file}`),
      ({ document: bytes }) => bytes?.toString() === bundle.schema,
      () => newSchema(number, true),
    )

  const singleSchema = (number: Version) =>
    about(
      'schemas',
      known => get(`${item(number, known)}/bundle`),
      ({ document: bytes }) => bytes !== undefined && !isXml(bytes),
      () => newSchema(number, true),
    )

  const page = (kind: Kind, suffix: string) =>
    about(kind, known => {
      const [path, name] =
        kind === 'schemas' ? ['schema-landing-page', 'schemaId'] : ['metadata-landing-page', 'id']
      return get(`/${path}${suffix}`, [`${name}=${known.id}`])
    })

  const comparisonPage = (kind: Kind) =>
    about(kind, known => get(`/compare/${kind}/${known.id}`, ['from=1', `to=${known.version}`]))

  // ── search, harvesting, exports ────────────────────────────────────────────────────────────────────────────────

  const words = () =>
    random.pick([
      'x',
      'example',
      'title:x',
      '"example org" OR x*',
      '-none (a OR b)',
      'year:2000..2100',
      '*.b:*',
      'a:"b c" state:VOLATILE',
    ])
  const queryOf = (text: string) => `q=${encodeURIComponent(text)}`
  const search = (number: Version) =>
    get(`${random.pick(mounts[number])}/search`, [
      queryOf(words()),
      ...random.pick([[], ['facets=schema,year'], ['highlight=positions'], ['sort=lastUpdate', 'size=3']]),
    ])
  const suggest = (number: Version) => get(`${random.pick(mounts[number])}/search/suggest`, ['q=exa'])

  const withBody = (path: string, type: string, text: string): Request => ({
    ...request('POST', path, [], [['Content-Type', type]]),
    body: Buffer.from(text),
  })
  const elasticsearchQuery = () =>
    JSON.stringify(
      random.pick<unknown>([
        {},
        { query: { match_all: {} }, size: 5, sort: [{ lastUpdate: 'desc' }] },
        { query: { query_string: { query: words() } } },
        {
          query: {
            multi_match: { query: 'example', fields: ['metadataDocument.title^2'], type: 'bool_prefix' },
          },
          post_filter: { term: { 'metadataRecord.state': 'VOLATILE' } },
          aggs: { states: { terms: { field: 'metadataRecord.state' } } },
          highlight: { fields: { 'metadataDocument.title': {} } },
        },
      ]),
    )
  const searchDocuments = (number: Version) =>
    withBody(`${random.pick(mounts[number])}/metadata/search`, 'application/json', elasticsearchQuery())
  const searchOfSchema = (number: Version) =>
    about('schemas', ({ id: name }) => {
      const path = `${random.pick(mounts[number])}/metadata/metastore-${name}/search`
      return withBody(path, 'application/json', elasticsearchQuery())
    })

  const harvest = () =>
    random.pick([
      'verb=Identify',
      'verb=ListMetadataFormats',
      'verb=ListSets',
      'verb=ListRecords&metadataPrefix=oai_dc',
      'verb=ListRecords&metadataPrefix=datacite&from=2000-01-01&set=default',
      'verb=ListIdentifiers&metadataPrefix=oai_dc&until=2100-01-01',
      `verb=GetRecord&metadataPrefix=oai_dc&identifier=${id('metadata')}`,
    ])

  const exported = (kind: Kind, number: Version) =>
    about(kind, known => get(`${item(number, known)}/export/${random.pick(exportFormats).name}`))

  const changes = () =>
    random.pick([
      () => get('/api/changes', ['limit=5', ...(random.oneIn(3) ? [`since=${head()}`] : [])]),
      () => get('/api/changes', ['limit=5'], [['Accept', 'text/event-stream']]),
    ])()

  const toGit = (program: string, body: Buffer, headers: Request['headers'] = []): Request => ({
    ...request(
      'POST',
      `/repository.git/git-${program}`,
      [],
      [['Content-Type', `application/x-git-${program}-request`], ...headers],
    ),
    body,
  })
  const uploadPack = () =>
    toGit('upload-pack', Buffer.from(random.pick([namesLines, fetchLines(head())])), [
      ['Git-Protocol', 'version=2'],
    ])
  const receivePack = () => toGit('receive-pack', branchPush(head(), `refs/heads/aside-${++count}`))
  const refs = () =>
    get(
      '/repository.git/info/refs',
      [`service=git-${random.pick(['upload-pack', 'receive-pack'])}`],
      [['Git-Protocol', 'version=2']],
    )

  /** One request for each operation. */
  const operations: Readonly<Record<string, () => Request>> = {
    ...Object.fromEntries(
      ([1, 2] as const).flatMap(number =>
        Object.entries({
          listSchemas: () => list('schemas', number),
          registerSchema: () => newSchema(number),
          readSchema: () => readAny('schemas', number),
          reviseSchema: () => reviseSchema(number),
          deleteSchema: () => remove('schemas', number),
          validateDocument: () => check(number),
          listSchemaFiles: () => about('schemas', known => get(`${item(number, known)}/files`, at())),
          readSchemaFile: () => file(number),
          readSchemaFolder: () => about('schemas', known => get(`${item(number, known)}/versions/1/files/`)),
          readFileInSchemaFolder: () => file(number, version => `versions/${version}/files`),
          listMetadata: () => list('metadata', number),
          createMetadata: () => newMetadata(number),
          readMetadata: () => readAny('metadata', number),
          reviseMetadata: () => reviseMetadata(number),
          deleteMetadata: () => remove('metadata', number),
          versionsOfSchema: () => about('schemas', known => get(`${item(number, known)}/versions`)),
          versionsOfMetadata: () => about('metadata', known => get(`${item(number, known)}/versions`)),
          diffOfSchema: () => diff('schemas', number),
          diffOfMetadata: () => diff('metadata', number),
          blameOfSchema: () => about('schemas', known => get(`${item(number, known)}/blame`)),
          blameOfMetadata: () => about('metadata', known => get(`${item(number, known)}/blame`)),
          descriptionOfMetadata: () => about('metadata', known => get(`${item(number, known)}/description`)),
          tryCrosswalkOfSchema: () => crosswalk(number),
          impactOfSchema: () => impact(number),
          permissionsOnSchema: () => about('schemas', known => get(`${item(number, known)}/may`)),
          overviewOfSchema: () => about('schemas', known => get(`${item(number, known)}/overview`)),
          overviewOfMetadata: () => about('metadata', known => get(`${item(number, known)}/overview`)),
          permissionsOnMetadata: () => about('metadata', known => get(`${item(number, known)}/may`)),
          outlineOfSchema: () => about('schemas', known => get(`${item(number, known)}/outline`)),
          bundleOfSchema: () => singleSchema(number),
          tryDocument: () => trial(number),
          search: () => search(number),
          suggest: () => suggest(number),
          searchDocuments: () => searchDocuments(number),
          searchDocumentsOfSchema: () => searchOfSchema(number),
          exportSchema: () => exported('schemas', number),
          exportMetadata: () => exported('metadata', number),
          schemaLandingPage: () => page('schemas', number === 1 ? '' : '-v2'),
          metadataLandingPage: () => page('metadata', number === 1 ? '' : '-v2'),
        }).map(([name, make]) => [`${name}V${number}`, make] as const),
      ),
    ),
    whoami: () => get('/api/whoami'),
    login: () => get('/api/login'),
    stats: () => get('/api/stats', at()),
    namedPoints: () => get('/api/refs'),
    searchPage: () => get('/search', [queryOf(words())]),
    openSearchDescription: () => get('/opensearch.xml'),
    oaiPmh: () => get('/oaipmh', harvest().split('&')),
    oaiPmhForm: () => withBody('/oaipmh', 'application/x-www-form-urlencoded', harvest()),
    catalogTurtle: () => get('/catalog.ttl'),
    catalogJSONLD: () => get('/catalog.jsonld'),
    sitemap: () => get('/sitemap.xml'),
    robots: () => get('/robots.txt'),
    icon: () => get('/favicon.ico'),
    drawnIcon: () => get('/favicon.svg'),
    changes,
    applyChangeSet: changeSet,
    applicationRoot: () => get('/app'),
    application: () => get(`/app/${random.pick(['metadata', 'schemas'])}/x/versions`),
    applicationFile: () => get(`/assets/${browserScript()}`),
    entry: () => get('/', [], random.oneIn(2) ? [] : [['Accept', 'application/json']]),
    entryBelow: () => get('/metastore'),
    dashboard: () => get('/dashboard'),
    schemaManagement: () => get('/schema-management', at()),
    metadataManagement: () => get('/metadata-management', at()),
    schemaComparisonPage: () => comparisonPage('schemas'),
    metadataComparisonPage: () => comparisonPage('metadata'),
    schemaAsFile: () => about('schemas', ({ id: name }) => get(`/download/schemas/${name}`)),
    metadataAsFile: () => about('metadata', ({ id: name }) => get(`/download/metadata/${name}`)),
    tableOfSchemas: () => get('/api/v1/ui/schemas', ['page=1', 'size=5', ...at()]),
    tableOfMetadata: () => get('/api/v1/ui/metadata', ['page=1', 'size=5', ...at()]),
    refs,
    uploadPack,
    receivePack,
    health: () => get('/health'),
    live: () => get('/health/live'),
    ready: () => get('/health/ready'),
    metrics: () => get('/metrics'),
    monitoredHealth: () => get('/actuator/health'),
    info: () => get('/actuator/info'),
    description: () => get('/v3/api-docs'),
    descriptionPage: () => get('/swagger-ui.html'),
    descriptionPageElsewhere: () => get('/swagger-ui/index.html'),
    descriptionPageFile: () => get(`/swagger-ui/${random.pick([...assets.keys()])}`),
  }

  const writes = [
    ...[newSchema, newMetadata, newMetadata, newMetadata, reviseSchema, reviseMetadata, reviseMetadata],
    ...[changeSet, () => remove('schemas'), () => remove('metadata')],
  ]

  return {
    record() {
      if (model.there('schemas').length < 3) return newSchema()
      return random.oneIn(2) ? random.pick(writes)() : random.pick(Object.values(operations))()
    },
    recordOf(operationId) {
      const make = operations[operationId]
      if (!make) throw new Error(`There is no valid request for the operation ${operationId}.`)
      return make()
    },
    id,
    schema,
    document,
  }
}
