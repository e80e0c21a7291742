import { expect } from 'chai'
import {
  metadataRecordV1,
  noteXml,
  noteXsdText,
  startService,
  type TestService,
} from '../../support/http/test-service.js'
import { identifyWithTestSecret, userToken } from '../../support/http/test-tokens.js'
import { askOai, harvestAll, idsOf, oaiOptions } from '../../support/oai-pmh/oai-client.js'
import { removeRepositories } from '../../support/repository/test-repository.js'

const anyone = [{ sid: 'anonymousUser', permission: 'READ' }]

describe('schemas that are REVOKED or GONE, in answers of OAI-PMH', () => {
  let service: TestService
  let owner: string
  beforeEach(async () => {
    service = await startService({
      features: { ...oaiOptions, 'oai-page': 2 },
      identify: identifyWithTestSecret,
    })
    owner = await userToken('owner')
  })
  afterEach(removeRepositories)

  const asOwner = <T extends { set(name: string, value: string): T }>(sent: T) =>
    sent.set('Authorization', `Bearer ${owner}`)

  async function schema(schemaId: string, acl: object): Promise<void> {
    await asOwner(service.postSchema({ schemaId, acl }, noteXsdText)).expect(201)
  }
  async function store(id: string, schemaId: string, acl: object = anyone): Promise<void> {
    const record = metadataRecordV1(`https://example.org/${id}`, schemaId, { id, acl })
    await asOwner(service.postMetadata(record, noteXml)).expect(201)
  }
  async function remove(path: string, times: number): Promise<void> {
    for (let time = 0; time < times; time++)
      await asOwner(service.http.delete(`/api/v1/${path}`).set('If-Match', '*')).expect(204)
  }

  const formats = async (of: TestService, bearer?: string, query = '') =>
    (await askOai(of, `verb=ListMetadataFormats${query}`, { bearer })).all('metadataPrefix')
  const sets = async (of: TestService, bearer?: string) =>
    (await askOai(of, 'verb=ListSets', { bearer })).all('setSpec').filter(spec => spec.startsWith('schema:'))
  const list = async (of: TestService, query: string, bearer?: string) =>
    idsOf(await harvestAll(of, `verb=ListRecords&${query}`, { bearer })).toSorted()

  it('stay formats and sets, with the deletions of the records that followed them', async () => {
    await schema('sx', anyone)
    for (const id of ['x1', 'x2', 'x3']) await store(id, 'sx')
    for (const id of ['x1', 'x2', 'x3']) await remove(`metadata/${id}`, 2)
    const open = await startService({ features: { ...oaiOptions, 'oai-page': 2 } }, {}, service.repository)
    const root = await userToken('root', ['ADMINISTRATOR'])
    const callers: readonly (readonly [of: TestService, bearer?: string])[] = [
      [service],
      [service, owner],
      [service, root],
      [open],
    ]
    for (const state of ['served', 'REVOKED', 'GONE']) {
      if (state !== 'served') await remove('schemas/sx', 1)
      if (state === 'GONE') await asOwner(service.http.get('/api/v1/schemas/sx')).expect(404)
      for (const [index, [of, bearer]] of callers.entries()) {
        const who = `${state}, caller ${index}`
        const deleted = ['-x1', '-x2', '-x3']
        expect(await list(of, 'metadataPrefix=sx', bearer), who).to.deep.equal(deleted)
        expect(await list(of, 'metadataPrefix=oai_dc&set=schema:sx', bearer), who).to.deep.equal(deleted)
        const single = await askOai(of, 'verb=GetRecord&metadataPrefix=sx&identifier=x1', { bearer })
        expect(single.records[0]?.isDeleted, who).to.equal(true)
        for (const query of ['', '&identifier=x1'])
          expect(await formats(of, bearer, query), who).to.deep.equal(['oai_dc', 'datacite', 'sx'])
        const { text } = await askOai(of, 'verb=ListMetadataFormats', { bearer })
        expect(text, who).to.contain('<metadataNamespace>http://example.org/note</metadataNamespace>')
        expect(await sets(of, bearer), who).to.deep.equal(['schema:sx'])
      }
    }
  })

  it('are not formats for callers who could not read them, and are sets only if headers name them', async () => {
    await schema('hidden', [])
    await schema('unused', anyone)
    await schema('secret', anyone)
    await store('h1', 'hidden')
    await store('s1', 'secret', [])
    for (const id of ['h1', 's1']) await remove(`metadata/${id}`, 2)
    for (const times of [1, 2]) {
      for (const id of ['hidden', 'unused', 'secret']) await remove(`schemas/${id}`, 1)
      expect(await formats(service)).to.deep.equal(['oai_dc', 'datacite'])
      expect(await formats(service, undefined, '&identifier=h1')).to.deep.equal(['oai_dc', 'datacite'])
      expect(await sets(service)).to.deep.equal(['schema:hidden'])
      expect(await list(service, 'metadataPrefix=oai_dc&set=schema:hidden')).to.deep.equal(['-h1'])
      for (const prefix of ['hidden', 'unused', 'secret', 'absent'])
        for (const rest of ['ListRecords', 'ListIdentifiers', 'GetRecord&identifier=h1'])
          expect(
            (await askOai(service, `verb=${rest}&metadataPrefix=${prefix}`)).errors,
            prefix,
          ).to.deep.equal(['cannotDisseminateFormat'])
      if (times === 2)
        expect(await formats(service, owner)).to.deep.equal(['oai_dc', 'datacite', 'hidden', 'secret'])
    }
  })

  it('and hidden ones are not formats of a token that another caller got', async () => {
    await schema('hid', [])
    for (const id of ['a', 'b', 'c', 'd']) await store(id, 'hid')
    const query = 'verb=ListRecords&metadataPrefix=hid'
    expect((await askOai(service, query)).errors).to.deep.equal(['cannotDisseminateFormat'])
    const { token } = await askOai(service, query, { bearer: owner })
    const rest = `verb=ListRecords&resumptionToken=${token?.text}`
    expect((await askOai(service, rest)).errors).to.deep.equal(['cannotDisseminateFormat'])
    expect(idsOf([await askOai(service, rest, { bearer: owner })])).to.deep.equal(['c', 'd'])
  })
})

describe('a resumption token of OAI-PMH that another caller got', () => {
  afterEach(removeRepositories)

  it('continues with the records that the caller may read', async () => {
    const service = await startService({
      features: { ...oaiOptions, 'oai-page': 2 },
      identify: identifyWithTestSecret,
    })
    const owner = await userToken('owner')
    const as = <T extends { set(name: string, value: string): T }>(sent: T) =>
      sent.set('Authorization', `Bearer ${owner}`)
    await as(service.postSchema({ schemaId: 'note', acl: anyone }, noteXsdText)).expect(201)
    for (const [id, acl] of [
      ['a', []],
      ['b', []],
      ['c', []],
      ['d', anyone],
      ['e', []],
      ['f', anyone],
    ] as const)
      await as(
        service.postMetadata(metadataRecordV1(`https://example.org/${id}`, 'note', { id, acl }), noteXml),
      ).expect(201)
    for (const prefix of ['oai_dc', 'note']) {
      const { token } = await askOai(service, `verb=ListRecords&metadataPrefix=${prefix}`, { bearer: owner })
      const rest = (bearer?: string) =>
        harvestAll(service, `verb=ListRecords&resumptionToken=${token?.text}`, { bearer })
      expect(idsOf(await rest())).to.deep.equal(['d', 'f'])
      expect(idsOf(await rest(await userToken('eve')))).to.deep.equal(['d', 'f'])
      expect(idsOf(await rest(owner))).to.deep.equal(['c', 'd', 'e', 'f'])
    }
  })
})
