import { expect } from 'chai'
import {
  jsonSchema,
  metadataRecordV1,
  noteXml,
  noteXsdText,
  startService,
  type TestService,
} from '../../support/http/test-service.js'
import { identifyWithTestSecret, signToken, userToken } from '../../support/http/test-tokens.js'
import { askOai, harvestAll, idsOf, oaiOptions } from '../../support/oai-pmh/oai-client.js'
import { removeRepositories } from '../../support/repository/test-repository.js'

type Acl = readonly { readonly sid: string; readonly permission: string }[]

describe('REVOKED records of OAI-PMH', () => {
  afterEach(removeRepositories)

  /** Requests of one caller, who creates the records. @param bearer undefined: without a token */
  function clientOf(service: TestService, bearer?: string) {
    const as = <T extends { set(name: string, value: string): T }>(sent: T) =>
      bearer === undefined ? sent : sent.set('Authorization', `Bearer ${bearer}`)
    return {
      async schema(schemaId: string, text: string) {
        await as(service.postSchema({ schemaId }, text)).expect(201)
      },
      async store(id: string, { schema = 'plain', document = '{}', acl }: Stored = {}) {
        const record = metadataRecordV1(`https://example.org/${id}`, schema, { id, ...(acl && { acl }) })
        await as(service.postMetadata(record, document)).expect(201)
      },
      async remove(path: string) {
        await as(service.http.delete(`/api/v1/${path}`).set('If-Match', '*')).expect(204)
      },
      async revive(id: string) {
        const type = 'application/vnd.datacite.org+json'
        const { body } = await as(service.http.get(`/api/v2/metadata/${id}`).set('Accept', type)).expect(200)
        const record = Buffer.from(JSON.stringify({ ...body, state: 'VOLATILE' }))
        const file = { filename: 'record.json', contentType: 'application/json' }
        const put = service.http.put(`/api/v2/metadata/${id}`).set('If-Match', '*')
        await as(put.attach('record', record, file)).expect(200)
      },
      told: async (query = 'metadataPrefix=oai_dc') =>
        idsOf(await harvestAll(service, `verb=ListIdentifiers&${query}`, { bearer })).toSorted(),
      /** Whether the header of a single record says that it is deleted. */
      async isDeleted(id: string, prefix = 'oai_dc') {
        const query = `verb=GetRecord&metadataPrefix=${prefix}&identifier=${id}`
        return (await askOai(service, query, { bearer })).records.map(({ isDeleted }) => isDeleted)
      },
    }
  }

  interface Stored {
    readonly schema?: string
    readonly document?: string
    readonly acl?: Acl
  }

  const readers: readonly (readonly [who: string, start: () => Promise<ReturnType<typeof clientOf>>])[] = [
    [
      'callers of a server without authentication',
      async () => clientOf(await startService({ features: oaiOptions })),
    ],
    ...(
      [
        ['an administrator', () => userToken('root', ['ADMINISTRATOR'])],
        [
          'a service that reads everything',
          () => signToken({ tokenType: 'SERVICE', servicename: 'robot', roles: '["ROLE_SERVICE_WRITE"]' }),
        ],
      ] as const
    ).map(
      ([who, token]) =>
        [
          who,
          async () =>
            clientOf(
              await startService({ features: oaiOptions, identify: identifyWithTestSecret }),
              await token(),
            ),
        ] as const,
    ),
  ]
  for (const [who, start] of readers) {
    it(`appear as deleted for ${who}, even if the caller created them`, async () => {
      const { schema, store, remove, revive, told, isDeleted } = await start()
      await schema('plain', jsonSchema())
      await schema('note', noteXsdText)
      await store('kept')
      await store('w1')
      await store('x1', { schema: 'note', document: noteXml })
      await store('anyone', { acl: [{ sid: 'anonymousUser', permission: 'ADMINISTRATE' }] })
      for (const id of ['w1', 'x1', 'anyone']) await remove(`metadata/${id}`)

      expect(await told()).to.deep.equal(['-anyone', '-w1', '-x1', 'kept'])
      for (const [id, prefix] of [
        ['w1', 'oai_dc'],
        ['w1', 'datacite'],
        ['x1', 'note'],
      ] as const)
        expect(await isDeleted(id, prefix)).to.deep.equal([true])
      expect(await told('metadataPrefix=note')).to.deep.equal(['-x1'])
      expect(await told('metadataPrefix=oai_dc&set=schema:plain')).to.deep.equal(['-anyone', '-w1', 'kept'])

      await revive('w1')
      expect(await told()).to.deep.equal(['-anyone', '-x1', 'kept', 'w1'])
      for (let time = 0; time < 2; time++) await remove('metadata/w1')
      expect(await told()).to.deep.equal(['-anyone', '-w1', '-x1', 'kept'])
    })
  }

  it('appear as deleted in the rest of an older list on a server without authentication', async () => {
    const service = await startService({ features: { ...oaiOptions, 'oai-page': 2 } })
    const { schema, store, remove } = clientOf(service)
    await schema('plain', jsonSchema())
    for (const id of ['a', 'b', 'c', 'd']) await store(id)
    const query = 'verb=ListRecords&metadataPrefix=oai_dc'
    const parts = await harvestAll(service, query, {}, () => remove('metadata/d'))
    expect(idsOf(parts)).to.deep.equal(['a', 'b', 'c', '-d'])
    const next = await harvestAll(service, `${query}&from=${parts[0]?.responseDate}`)
    expect(idsOf(next)).to.include('-d')
  })
})
