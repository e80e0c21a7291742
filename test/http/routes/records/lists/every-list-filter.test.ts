// test-schedule: quick
import { expect } from 'chai'
import { type ListFilters, listFilters } from '../../../../../src/core/records/list-filters.js'
import type { Id } from '../../../../../src/core/value-types.js'
import { recordDirectory } from '../../../../../src/store/records/repository-layout.js'
import {
  jsonSchema,
  metadataRecordV1,
  noteXsdText,
  startServiceWithWorkTree,
  type TestService,
} from '../../../../support/http/test-service.js'
import { removeRepositories } from '../../../../support/repository/test-repository.js'

/** A list, a query with one filter, and the ids that it finds at each point, in alphabetical order. */
interface FilterCase {
  readonly list: 'schemas' | 'metadata'
  readonly query: string
  /** At a commit in the history. */
  readonly earlier: string
  /** On a branch from that commit: `m-2` has another resource, `n-4` is new. */
  readonly branch: string
  /** Now: since that commit, `m-1` got another resource, `n-5` was created. */
  readonly now: string
}

/** The metadata `m-1` to `n-5` have the resources `about m-1` to `about n-5`. Those of `n-…` follow the schema `other`. */
const cases: { readonly [Name in keyof ListFilters]-?: FilterCase } = {
  documentTypes: {
    list: 'schemas',
    query: 'mimeType=application/xml',
    earlier: 'note',
    branch: 'note',
    now: 'note',
  },
  resources: {
    list: 'metadata',
    query: 'resourceId=about m-1,about m-2,changed',
    earlier: 'm-1 m-2',
    branch: 'm-1 m-2',
    now: 'm-1 m-2',
  },
  schemaIds: {
    list: 'metadata',
    query: 'schemaId=other',
    earlier: 'n-3',
    branch: 'n-3 n-4',
    now: 'n-3 n-5',
  },
  from: {
    list: 'metadata',
    query: 'from=2000',
    earlier: 'm-1 m-2 n-3',
    branch: 'm-1 m-2 n-3 n-4',
    now: 'm-1 m-2 n-3 n-5',
  },
  until: { list: 'schemas', query: 'until=2000', earlier: '', branch: '', now: '' },
}

describe('a filter of lists', () => {
  let service: TestService
  let earlier: string

  before(async () => {
    service = await startServiceWithWorkTree()
    for (const id of ['other', 'plain'])
      await service.postSchema({ schemaId: id }, jsonSchema('n')).expect(201)
    await service.postSchema({ schemaId: 'note', type: 'XML' }, noteXsdText).expect(201)
    const post = (id: string, schema: string) =>
      service.postMetadata(metadataRecordV1(`about ${id}`, schema, { id }), '{"n":1}').expect(201)
    await post('m-1', 'plain')
    await post('m-2', 'plain')
    await post('n-3', 'other')
    earlier = await service.head()
    await service.services.workTreeUpToDate()
    await service.repository.patiently('checkout', '-q', '-b', 'feature')
    await service.repository.commit('On a branch', {
      ...files('m-2', 'plain', 'changed'),
      ...files('n-4', 'other', 'about n-4'),
    })
    await service.repository.patiently('checkout', '-q', 'main')
    await service.putMetadata('m-1', '*', metadataRecordV1('changed', 'plain', { id: 'm-1' })).expect(200)
    await post('n-5', 'other')
  })
  after(removeRepositories)

  function files(id: string, schemaId: string, resource: string): Record<string, string> {
    const directory = recordDirectory('metadata', id as Id)
    const record = {
      id,
      schema: { schemaId, version: 1 },
      relatedIdentifiers: [{ value: resource, identifierType: 'URL', relationType: 'IS_METADATA_FOR' }],
    }
    return { [`${directory}/record.json`]: JSON.stringify(record), [`${directory}/document.json`]: '{"n":1}' }
  }

  async function found(list: string, query: string): Promise<string> {
    const { body, headers } = await service.http.get(`/api/v2/${list}?${encodeURI(query)}`).expect(200)
    const ids = (body as { id: string }[]).map(({ id }) => id)
    expect(headers['content-range']).to.equal(ids.length ? `0-${ids.length - 1}/${ids.length}` : '*/0')
    return ids.toSorted((a, b) => a.localeCompare(b)).join(' ')
  }

  for (const [name, { list, query, ...expected }] of Object.entries(cases)) {
    it(`finds the same records now, at a commit, and on a branch: ${name}`, async () => {
      expect(await found(list, query)).to.equal(expected.now)
      expect(await found(list, `${query}&at=${earlier}`)).to.equal(expected.earlier)
      expect(await found(list, `${query}&at=feature`)).to.equal(expected.branch)
    })

    it(`is described in the lists that have it: ${name}`, async () => {
      const { body } = await service.http.get('/v3/api-docs').expect(200)
      const { of, parameters } = listFilters[name as keyof ListFilters]
      for (const [kind, path] of [
        ['schema', '/api/v2/schemas'],
        ['metadata', '/api/v2/metadata'],
      ] as const) {
        const described = (body.paths[path].get.parameters as { $ref?: string }[]).map(({ $ref }) =>
          $ref?.replace('#/components/parameters/', ''),
        )
        const has = (of as readonly string[]).includes(kind)
        for (const component of Object.keys(parameters)) expect(described.includes(component)).to.equal(has)
      }
    })
  }
})
