import { setTimeout } from 'node:timers/promises'
import { expect } from 'chai'
import type { Id } from '../../../src/core/value-types.js'
import { documentFileName, recordDirectory } from '../../../src/store/records/repository-layout.js'
import {
  etagOf,
  jsonSchema,
  metadataRecordV1,
  noteXml,
  noteXsdText,
  startService,
  startServiceWithWorkTree,
  type TestService,
} from '../../support/http/test-service.js'
import { identifyWithTestSecret, userToken } from '../../support/http/test-tokens.js'
import { askOai, harvestAll, idsOf, oaiOptions } from '../../support/oai-pmh/oai-client.js'
import { isLongForm } from '../../support/program/long-form.js'
import { commitAsServer } from '../../support/repository/commit-as-server.js'
import {
  removeRepositories,
  temporaryRepository,
  waitUntil,
} from '../../support/repository/test-repository.js'

type Acl = readonly { readonly sid: string; readonly permission: string }[]

const anyone: Acl = [{ sid: 'anonymousUser', permission: 'READ' }]
const team: Acl = [{ sid: 'team', permission: 'READ' }]

/** Ids of documents of which a list has several parts. */
const ids = ['a', 'b', 'c', 'd', 'e', 'f']

describe('deleted records of OAI-PMH', () => {
  let service: TestService
  let owner: string
  let member: string
  let root: string

  beforeEach(async () => {
    service = await startService({
      identify: identifyWithTestSecret,
      features: { ...oaiOptions, 'oai-page': 2 },
    })
    owner = await userToken('owner')
    member = await userToken('mia', ['USER'], { groups: ['team'] })
    root = await userToken('root', ['ADMINISTRATOR'])
    const schema = (id: string, text: string) =>
      service.postSchema({ schemaId: id, acl: anyone }, text).auth(owner, { type: 'bearer' }).expect(201)
    await schema('note', noteXsdText)
    await schema('memo', noteXsdText)
    await schema('plain', jsonSchema())
  })
  afterEach(removeRepositories)

  async function store(id: string, acl: Acl, schema = 'plain', document = '{}'): Promise<void> {
    const record = metadataRecordV1(`https://example.org/${id}`, schema, { id, acl })
    await service.postMetadata(record, document).auth(owner, { type: 'bearer' }).expect(201)
  }

  /** Changes the record in the form of version 2. */
  async function change(id: string, edit: (record: Record<string, unknown>) => object): Promise<void> {
    const { body } = await service.http
      .get(`/api/v2/metadata/${id}`)
      .set('Accept', 'application/vnd.datacite.org+json')
      .auth(owner, { type: 'bearer' })
      .expect(200)
    await service.http
      .put(`/api/v2/metadata/${id}`)
      .auth(owner, { type: 'bearer' })
      .set('If-Match', '*')
      .attach('record', Buffer.from(JSON.stringify(edit(body))), {
        filename: 'record.json',
        contentType: 'application/json',
      })
      .expect(200)
  }
  const share = (id: string, acl: Acl) =>
    change(id, record => ({ ...record, acls: [{ sid: 'owner', permission: 'ADMINISTRATE' }, ...acl] }))

  const remove = (id: string) =>
    service.http
      .delete(`/api/v1/metadata/${id}`)
      .auth(owner, { type: 'bearer' })
      .set('If-Match', '*')
      .expect(204)

  /** The ids that a caller gets, sorted; deleted ones with a minus in front. */
  async function told(bearer?: string, query = 'metadataPrefix=oai_dc'): Promise<readonly string[]> {
    const parts = await harvestAll(service, `verb=ListIdentifiers&${query}`, { bearer })
    return idsOf(parts).toSorted()
  }

  it('and hidden ones do not affect the earliest datestamp', async () => {
    const earliest = async (bearer?: string) =>
      (await askOai(service, 'verb=Identify', { bearer })).all('earliestDatestamp')[0]
    await store('secret', [])
    expect(await earliest()).to.equal('1970-01-01T00:00:00Z')
    await setTimeout(1100)
    await store('open', anyone)
    const [first] = (await askOai(service, 'verb=ListIdentifiers&metadataPrefix=oai_dc')).records
    expect(await earliest()).to.equal(first?.datestamp)
    expect(String(await earliest(owner)) < String(first?.datestamp)).to.equal(true)
  })

  it('are records that the caller could read before: revoked, deleted, and made private', async () => {
    for (const id of ['kept', 'revoked', 'gone', 'hidden']) await store(id, anyone)
    for (const id of ['own', 'own-revoked', 'own-gone']) await store(id, [])
    await remove('revoked')
    await remove('gone')
    await remove('gone')
    await share('hidden', [])
    await remove('own-revoked')
    await remove('own-gone')
    await remove('own-gone')

    expect(await told()).to.deep.equal(['-gone', '-hidden', '-revoked', 'kept'])
    // The owner could read the other records, and still sees REVOKED ones.
    expect(await told(owner)).to.deep.equal(
      ['-gone', '-own-gone', 'hidden', 'kept', 'own', 'own-revoked', 'revoked'].toSorted(),
    )
    expect(await told(member)).to.deep.equal(['-gone', '-hidden', '-revoked', 'kept'])
  })

  it('include every REVOKED or deleted record, for administrators and without authentication', async () => {
    for (const id of ['kept', 'revoked', 'gone', 'own']) await store(id, id === 'own' ? [] : anyone)
    await remove('revoked')
    await remove('gone')
    await remove('gone')
    const open = await startService({ features: { ...oaiOptions, 'oai-page': 2 } }, {}, service.repository)

    const expected = ['-gone', '-revoked', 'kept', 'own']
    expect(await told(root)).to.deep.equal(expected)
    expect(
      idsOf(await harvestAll(open, 'verb=ListIdentifiers&metadataPrefix=oai_dc')).toSorted(),
    ).to.deep.equal(expected)
    const single = await askOai(open, 'verb=GetRecord&metadataPrefix=oai_dc&identifier=revoked')
    expect(single.records.map(({ isDeleted }) => isDeleted)).to.deep.equal([true])
  })

  it('have the time of the last revision that the caller lost, and appear once', async () => {
    await store('a', anyone)
    await share('a', [])
    const first = (await askOai(service, 'verb=ListIdentifiers&metadataPrefix=oai_dc')).records[0]
    await share('a', anyone)
    expect(await told()).to.deep.equal(['a'])
    await setTimeout(1100)
    await share('a', [])
    const { records } = await askOai(service, 'verb=ListIdentifiers&metadataPrefix=oai_dc')
    expect(records).to.have.lengthOf(1)
    expect(records[0]?.isDeleted).to.equal(true)
    expect((records[0]?.datestamp ?? '') > (first?.datestamp ?? '')).to.equal(true)
    const single = await askOai(service, 'verb=GetRecord&metadataPrefix=oai_dc&identifier=a')
    expect(single.records).to.deep.equal(records)
    // Later changes of the hidden record do not appear to other callers.
    await remove('a')
    await remove('a')
    expect((await askOai(service, 'verb=ListIdentifiers&metadataPrefix=oai_dc')).records).to.deep.equal(
      records,
    )
  })

  it('appear to the members of a group that could read them', async () => {
    await store('a', team)
    await share('a', [])
    expect(await told(member)).to.deep.equal(['-a'])
    expect(await told()).to.deep.equal([])
    expect(await told(await userToken('eve'))).to.deep.equal([])
    expect(await told(root)).to.deep.equal(['a'])
  })

  it('appear in the format and the set of the schema that the document followed before', async () => {
    await store('a', anyone, 'note', noteXml)
    await store('b', anyone, 'note', noteXml)
    const { headers } = await service.http.get('/api/v1/metadata/a').expect(200)
    await service
      .putMetadata(
        'a',
        etagOf({ headers } as never),
        metadataRecordV1('https://example.org/a', 'memo', { id: 'a' }),
        noteXml,
      )
      .auth(owner, { type: 'bearer' })
      .expect(200)

    expect(await told(undefined, 'metadataPrefix=note')).to.deep.equal(['-a', 'b'])
    expect(await told(undefined, 'metadataPrefix=memo')).to.deep.equal(['a'])
    expect(await told()).to.deep.equal(['a', 'b'])
    expect(await told(undefined, 'metadataPrefix=oai_dc&set=schema:note')).to.deep.equal(['-a', 'b'])
    expect(await told(undefined, 'metadataPrefix=oai_dc&set=schema:memo')).to.deep.equal(['a'])
    const former = await askOai(service, 'verb=GetRecord&metadataPrefix=note&identifier=a')
    expect(former.records[0]?.isDeleted).to.equal(true)
    expect(former.records[0]?.sets).to.include('schema:note')
  })

  it('appear also after a commit made with plain git', async () => {
    const open = await startServiceWithWorkTree({ features: oaiOptions })
    await open.postSchema({ schemaId: 'plain' }, jsonSchema()).expect(201)
    const record = metadataRecordV1('https://example.org/a', 'plain', { id: 'a' })
    await open.postMetadata(record, '{}').expect(201)
    await open.services.workTreeUpToDate()
    const directory = recordDirectory('metadata', 'a' as Id)
    await open.repository.commit('Remove a record', {
      [`${directory}/record.json`]: null,
      [`${directory}/${documentFileName('metadata', 'JSON')}`]: null,
    })
    const list = 'verb=ListIdentifiers&metadataPrefix=oai_dc'
    await waitUntil('the deletion', async () => idsOf([await askOai(open, list)])[0] === '-a')
  })
})

describe('resumption tokens of OAI-PMH', () => {
  afterEach(removeRepositories)

  async function startWith(more: Parameters<typeof startService>[0] = {}): Promise<TestService> {
    const service = await startService({ features: { ...oaiOptions, 'oai-page': 2 }, ...more })
    await service.postSchema({ schemaId: 'plain' }, jsonSchema()).expect(201)
    for (const id of ids)
      await service
        .postMetadata(
          metadataRecordV1(`https://example.org/${id}`, 'plain', {
            id,
            licenseUri: 'https://example.org/before',
          }),
          '{}',
        )
        .expect(201)
    return service
  }

  it('show the list as it was, while others write', async () => {
    const service = await startWith()
    const put = (id: string) =>
      service
        .putMetadata(
          id,
          '*',
          metadataRecordV1(`https://example.org/${id}`, 'plain', {
            id,
            licenseUri: 'https://example.org/after',
          }),
        )
        .expect(200)

    const parts = await harvestAll(service, 'verb=ListRecords&metadataPrefix=oai_dc', {}, async part => {
      if (part > 1) return
      for (const id of ['a', 'd', 'f']) await put(id)
      await service
        .postMetadata(metadataRecordV1('https://example.org/new', 'plain', { id: 'new' }), '{}')
        .expect(201)
      await service.http.delete('/api/v1/metadata/e').set('If-Match', '*').expect(204)
      await service.http.delete('/api/v1/metadata/e').set('If-Match', '*').expect(204)
    })

    expect(idsOf(parts)).to.deep.equal(['a', 'b', 'c', 'd', '-e', 'f'])
    const texts = parts.flatMap(({ records }) => records.flatMap(({ metadata }) => metadata ?? []))
    expect(texts).to.have.length(5)
    for (const text of texts) expect(text).to.contain('https://example.org/before').and.not.contain('/after')
    const next = await harvestAll(
      service,
      `verb=ListRecords&metadataPrefix=oai_dc&from=${parts[0]?.responseDate}`,
    )
    expect(idsOf(next)).to.include.members(['a', 'd', 'f', 'new', '-e'])
  })

  const anyoneReads = { acl: anyone }
  const ownerAlone = { acl: [{ sid: 'owner', permission: 'ADMINISTRATE' }] }

  /** A server with records that everyone may read. @returns the server, and a function that changes access lists */
  async function startOpen() {
    const owner = await userToken('owner')
    const service = await startService({
      identify: identifyWithTestSecret,
      features: { ...oaiOptions, 'oai-page': 2 },
    })
    const recordOf = (id: string, more: object) =>
      metadataRecordV1(`https://example.org/${id}`, 'plain', { id, ...more })
    await service
      .postSchema({ schemaId: 'plain', ...anyoneReads }, jsonSchema())
      .auth(owner, { type: 'bearer' })
      .expect(201)
    for (const id of ids)
      await service.postMetadata(recordOf(id, anyoneReads), '{}').auth(owner, { type: 'bearer' }).expect(201)
    const put = (id: string, more: object) =>
      service.putMetadata(id, '*', recordOf(id, more)).auth(owner, { type: 'bearer' }).expect(200)
    return { service, owner, put }
  }

  it('show a record that became private meanwhile as deleted, at its place, with a time before the state of the list', async () => {
    const { service, put } = await startOpen()
    const parts = await harvestAll(service, 'verb=ListRecords&metadataPrefix=oai_dc', {}, async part => {
      if (part > 1) return
      await setTimeout(1100)
      await put('d', ownerAlone)
    })
    expect(idsOf(parts)).to.deep.equal(['a', 'b', 'c', '-d', 'e', 'f'])
    const single = await askOai(service, 'verb=GetRecord&metadataPrefix=oai_dc&identifier=d')
    expect(single.records[0]?.isDeleted).to.equal(true)
    const [lost, last] = [parts[1]?.records[1]?.datestamp, parts[2]?.records[1]?.datestamp]
    expect(String(lost) <= String(last)).to.equal(true)
    expect(String(single.records[0]?.datestamp) > String(last)).to.equal(true)
  })

  it('leave out a record that became readable meanwhile, if the list has already shown it as deleted', async () => {
    const { service, put } = await startOpen()
    const shown = { acl: [...ownerAlone.acl, ...anyone] }
    const licenseUri = 'https://example.org/after'
    await put('b', ownerAlone)
    await put('a', { ...shown, licenseUri })
    // In the list, its last state comes after its loss.
    await put('b', { ...ownerAlone, licenseUri })
    await put('c', { ...shown, licenseUri })
    const parts = await harvestAll(service, 'verb=ListRecords&metadataPrefix=oai_dc', {}, async part => {
      if (part === 2) await put('b', shown)
    })
    expect(idsOf(parts)).to.deep.equal(['d', 'e', 'f', '-b', 'a', 'c'])
    const next = await harvestAll(
      service,
      `verb=ListRecords&metadataPrefix=oai_dc&from=${parts[0]?.responseDate}`,
    )
    expect(idsOf(next)).to.include('b')
  })

  it('end a list whose rest became unreadable with deleted records, not with an error', async () => {
    const { service, owner, put } = await startOpen()
    const query = 'verb=ListRecords&metadataPrefix=oai_dc'
    const { token, responseDate } = await askOai(service, query)
    const rest = (bearer?: string) =>
      harvestAll(service, `verb=ListRecords&resumptionToken=${token?.text}`, { bearer })
    for (const id of ['c', 'd', 'e', 'f']) await put(id, ownerAlone)

    const parts = await rest()
    expect(idsOf(parts)).to.deep.equal(['-c', '-d', '-e', '-f'])
    expect(parts.map(part => part.token)).to.deep.equal([
      { text: parts[0]?.token?.text, cursor: '2', size: '6' },
      { text: '', cursor: '4', size: '6' },
    ])
    expect(idsOf(await rest(owner))).to.deep.equal(['c', 'd', 'e', 'f'])
    const next = await harvestAll(service, `${query}&from=${responseDate}`)
    expect(idsOf(next)).to.include.members(['-c', '-d', '-e', '-f'])

    // A record that becomes readable again appears as before.
    await put('e', { acl: [...ownerAlone.acl, ...anyone] })
    expect(idsOf(await rest())).to.deep.equal(['-c', '-d', 'e', '-f'])
  })

  it('work after many further commits, and give the same list', async () => {
    const service = await startWith()
    const query = 'verb=ListRecords&metadataPrefix=datacite'
    const first = await askOai(service, query)
    const rest = () => harvestAll(service, `verb=ListRecords&resumptionToken=${first.token?.text}`)
    const metadataOf = (parts: Awaited<ReturnType<typeof rest>>) =>
      parts.flatMap(({ records }) => records.map(({ identifier, metadata }) => `${identifier} ${metadata}`))
    const before = metadataOf(await rest())
    await commitAsServer(service.repository, 'd', furtherCommits)
    const count = async () => (await service.repository.git('rev-list', '--count', 'HEAD')).trim()
    const head = await service.head()
    await waitUntil('the commits', async () => {
      const { body } = await service.http.get('/api/changes?limit=1')
      return body.items.length === 1 && (await isServed(service, head))
    })
    expect(Number(await count())).to.be.greaterThan(furtherCommits)
    expect(metadataOf(await rest())).to.deep.equal(before)
  })

  it('work after a restart, in a clone, and not in another repository', async () => {
    const service = await startWith()
    const query = 'verb=ListRecords&metadataPrefix=oai_dc&set=type:json'
    const whole = idsOf(await harvestAll(service, query))
    const { token } = await askOai(service, query)
    const rest = (of: TestService) =>
      harvestAll(of, `verb=ListRecords&resumptionToken=${token?.text}`).then(idsOf)

    const again = await startService({ features: { ...oaiOptions, 'oai-page': 2 } }, {}, service.repository)
    expect(await rest(again)).to.deep.equal(whole.slice(2))

    const other = await startWith()
    await other.repository.git('fetch', '-q', service.repository.dir, 'main')
    expect((await askOai(other, `verb=ListRecords&resumptionToken=${token?.text}`)).errors).to.deep.equal([
      'badResumptionToken',
    ])
    const clone = await temporaryRepository({ bare: true })
    await clone.git('fetch', '-q', service.repository.dir, 'main')
    await clone.git('update-ref', 'refs/heads/main', 'FETCH_HEAD')
    const opened = await startService({ features: { ...oaiOptions, 'oai-page': 2 } }, {}, clone)
    expect(await rest(opened)).to.deep.equal(whole.slice(2))

    // The state after a purge: the history has the first commit, but not the commit of the list.
    const purged = await temporaryRepository({ bare: true })
    await purged.git('fetch', '-q', service.repository.dir, 'main')
    await purged.git('update-ref', 'refs/heads/main', 'FETCH_HEAD~2')
    const without = await startService({ features: { ...oaiOptions, 'oai-page': 2 } }, {}, purged)
    const { errors } = await askOai(without, `verb=ListRecords&resumptionToken=${token?.text}`)
    expect(errors).to.deep.equal(['badResumptionToken'])
  })
})

describe('a list of OAI-PMH in parts', () => {
  let service: TestService
  /** Times of the first document that comes a second later than `early`, and of the one before `late`. */
  let from: string
  let until: string
  let afterFirst: string
  before(async () => {
    service = await startService({ features: { ...oaiOptions, 'oai-page': 2 } })
    await service.postSchema({ schemaId: 'note' }, noteXsdText).expect(201)
    await service.postSchema({ schemaId: 'plain' }, jsonSchema()).expect(201)
    for (const id of ['early', ...ids, 'late']) {
      if (id === 'a' || id === 'late') await setTimeout(1100)
      for (const [schema, text] of [
        ['note', noteXml],
        ['plain', '{}'],
      ] as const)
        await service
          .postMetadata(
            metadataRecordV1(`https://example.org/${id}`, schema, { id: `${schema}-${id}` }),
            text,
          )
          .expect(201)
    }
    from = await timeOf('note-a')
    until = await timeOf('note-f')
    // Four records: a list of three has one part only. The two documents of a may have different seconds.
    afterFirst = await timeOf('plain-a')
  })
  after(removeRepositories)

  async function timeOf(id: string): Promise<string> {
    const { records } = await askOai(service, `verb=GetRecord&metadataPrefix=oai_dc&identifier=${id}`)
    return records[0]?.datestamp ?? ''
  }

  for (const verb of ['ListRecords', 'ListIdentifiers']) {
    for (const what of ['metadataPrefix=note', 'metadataPrefix=datacite&set=schema:note'])
      it(`keeps its range, set and format in all parts: ${verb} with ${what}`, async () => {
        const query = `verb=${verb}&from=${from}&until=${until}&${what}`
        const parts = await harvestAll(service, query, {}, async part => {
          if (part > 1) return
          const changed = { id: 'note-late', licenseUri: `https://example.org/${query.length}/${verb}` }
          await service
            .putMetadata('note-late', '*', metadataRecordV1('https://example.org/late', 'note', changed))
            .expect(200)
        })
        expect(idsOf(parts)).to.deep.equal(ids.map(id => `note-${id}`))
        expect(parts.map(({ token }) => token?.size)).to.deep.equal(['6', '6', '6'])
      })

    it(`keeps the beginning of a range without an end in all parts: ${verb}`, async () => {
      const since = await harvestAll(service, `verb=${verb}&metadataPrefix=oai_dc&from=${until}`)
      expect(since.length, 'parts').to.be.greaterThan(1)
      expect(idsOf(since)).to.include.members(['note-f', 'note-late', 'plain-late'])
      expect(idsOf(since)).to.not.include('note-early')
    })

    it(`keeps the end of a range without a beginning in all parts: ${verb}`, async () => {
      const before = await harvestAll(service, `verb=${verb}&metadataPrefix=oai_dc&until=${afterFirst}`)
      expect(before.length, 'parts').to.be.greaterThan(1)
      expect(idsOf(before)).to.include.members(['note-early', 'plain-early', 'note-a'])
      expect(idsOf(before)).to.not.include('note-late')
    })
  }
})

const furtherCommits = isLongForm ? 10_000 : 500

async function isServed(service: TestService, commit: string): Promise<boolean> {
  return (await service.http.get(`/api/changes?since=${commit}`)).status === 200
}
