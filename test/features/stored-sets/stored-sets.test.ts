import { expect } from 'chai'
import fc from 'fast-check'
import { createRepository } from '../../../src/store/work-tree/create-repository.js'
import {
  jsonSchema,
  metadataRecordV1,
  noteXml,
  noteXsdText,
  startService,
  startServiceWithWorkTree,
} from '../../support/http/test-service.js'
import { askOai, harvestAll, idsOf, oaiOptions } from '../../support/oai-pmh/oai-client.js'
import {
  anyone,
  entriesOf,
  following,
  metastoreFile,
  ownerOf,
  recordOf,
  type State,
  sem,
  semDocument,
  startWithSets,
  temDocument,
  told,
} from '../../support/oai-pmh/stored-set-service.js'
import { isLongForm } from '../../support/program/long-form.js'
import { commitAsServer } from '../../support/repository/commit-as-server.js'
import {
  removeRepositories,
  temporaryRepository,
  waitUntil,
} from '../../support/repository/test-repository.js'

describe('sets of stored searches', () => {
  afterEach(removeRepositories)

  it('are listed with their names, and contain the records that the search finds', async () => {
    const started = await startWithSets()
    const { service } = started
    const { create } = ownerOf(started)
    for (const id of ['a', 'b', 'c']) await create(id, semDocument)
    await create('d', temDocument)

    const { text } = await askOai(service, 'verb=ListSets')
    expect(text).to.contain('<setSpec>sem</setSpec><setName>Scanning electron microscopy</setName>')
    const parts = await harvestAll(service, 'verb=ListRecords&metadataPrefix=oai_dc&set=sem')
    expect(idsOf(parts)).to.deep.equal(['a', 'b', 'c'])
    expect(parts[0]?.token?.size ?? '3').to.equal('3')
    for (const { sets } of parts.flatMap(({ records }) => records))
      expect(sets).to.include.members(['default', 'schema:plain', 'sem'])
    const all = await harvestAll(service, 'verb=ListIdentifiers&metadataPrefix=oai_dc')
    const setsOf = new Map(
      all.flatMap(({ records }) => records.map(({ identifier, sets }) => [identifier, sets])),
    )
    expect(setsOf.get('a')).to.include('sem')
    expect(setsOf.get('d')).not.to.include('sem')
    const one = await askOai(service, 'verb=GetRecord&metadataPrefix=oai_dc&identifier=b')
    expect(one.records[0]?.sets).to.include('sem')
  })

  it('contain each record once, even if a search names many paths', async () => {
    const started = await startWithSets([{ spec: 'deep', name: 'Deep', q: '*.deep:wanted' }])
    const { create } = ownerOf(started)
    for (const id of ['a', 'b', 'c', 'd']) {
      const members = Array.from({ length: 400 }, (_, index) => [`${id}${index}`, { deep: 'other' }])
      const last = id === 'b' || id === 'd' ? [[`${id}-last`, { deep: 'wanted' }]] : []
      await create(id, JSON.stringify(Object.fromEntries([...members, ...last])))
    }
    expect(await told(started.service, 'deep')).to.deep.equal(['b', 'd'])
  })

  it('show a record that left the set as deleted, with the time of its departure', async () => {
    const started = await startWithSets()
    const { service } = started
    const { create, update } = ownerOf(started)
    await create('a', semDocument)
    await create('b', semDocument)
    expect(await told(service)).to.deep.equal(['a', 'b'])
    await update('a', temDocument)
    const { body } = await service.http.get('/api/v1/metadata/a').set('Accept', 'application/json')
    expect(await told(service)).to.deep.equal(['-a', 'b'])
    const { records } = await askOai(service, 'verb=ListIdentifiers&metadataPrefix=oai_dc&set=sem')
    const left = records.find(({ identifier }) => identifier === 'a')
    expect(left?.sets).to.include('sem')
    if (typeof body.lastUpdate === 'string')
      expect(left?.datestamp).to.equal(`${body.lastUpdate.slice(0, 19)}Z`)
    expect(await told(service, 'default')).to.deep.equal(['a', 'b'])
    await update('a', semDocument)
    expect(await told(service)).to.deep.equal(['a', 'b'])
  })

  it('show removed and hidden records as deleted to callers who could read them in the set', async () => {
    const started = await startWithSets()
    const { service, owner } = started
    const { create, update, remove } = ownerOf(started)
    await create('open', semDocument)
    await create('hidden-later', semDocument)
    await create('hidden-always', semDocument, [])
    await create('left-while-hidden', semDocument, [])
    await create('removed', semDocument)
    await create('other', temDocument)
    await update('hidden-later', semDocument, [])
    await update('left-while-hidden', temDocument, [])
    await update('left-while-hidden', temDocument)
    for (let time = 0; time < 2; time++) {
      await remove('removed')
      await remove('other')
    }
    // Everyone may read the record now, so that its loss reveals nothing.
    expect(await told(service)).to.deep.equal(['-hidden-later', '-left-while-hidden', '-removed', 'open'])
    expect(await told(service, 'sem', 'oai_dc', owner)).to.deep.equal([
      '-left-while-hidden',
      '-removed',
      'hidden-always',
      'hidden-later',
      'open',
    ])
  })

  it('can be combined with a format, and exclude records of other schemas', async () => {
    const hello = { spec: 'hello', name: 'Greetings', q: 'hello' }
    const started = await startWithSets([hello])
    const { service, owner } = started
    const { create } = ownerOf(started)
    for (const schemaId of ['note', 'memo'])
      await service
        .postSchema({ schemaId, acl: anyone }, noteXsdText)
        .auth(owner, { type: 'bearer' })
        .expect(201)
    await create('a', noteXml, anyone, 'note')
    await create('b', noteXml, anyone, 'memo')
    await create('c', '{"text":"hello"}')
    expect(await told(service, 'hello')).to.deep.equal(['a', 'b', 'c'])
    expect(await told(service, 'hello', 'note')).to.deep.equal(['a'])
    await service
      .putMetadata('a', '*', recordOf('a', anyone, 'memo'), noteXml)
      .auth(owner, { type: 'bearer' })
      .expect(200)
    expect(await told(service, 'hello', 'note')).to.deep.equal(['-a'])
    expect(await told(service, 'hello', 'memo')).to.deep.equal(['a', 'b'])
  })

  it('show one state from the first part to the last, while others write', async () => {
    const started = await startWithSets()
    const { service } = started
    const { create, update } = ownerOf(started)
    for (const id of ['a', 'b', 'c', 'd', 'e', 'f']) await create(id, semDocument)
    await create('x', temDocument)
    const query = 'verb=ListRecords&metadataPrefix=oai_dc&set=sem'
    const parts = await harvestAll(service, query, {}, async part => {
      if (part > 1) return
      await update('d', temDocument)
      await update('x', semDocument)
      await create('new', semDocument)
    })
    expect(idsOf(parts)).to.deep.equal(['a', 'b', 'c', 'd', 'e', 'f'])
    const next = await harvestAll(service, `${query}&from=${parts[0]?.responseDate}`)
    expect(idsOf(next)).to.include.members(['-d', 'x', 'new'])
  })

  it('show hidden and removed records as deleted in the rest of a list', async () => {
    const started = await startWithSets()
    const { service } = started
    const { create, update, remove } = ownerOf(started)
    for (const id of ['a', 'b', 'hidden', 'left', 'left-and-hidden', 'removed']) await create(id, semDocument)
    await create('never', temDocument)
    const query = 'verb=ListRecords&metadataPrefix=oai_dc&set=sem'
    const parts = await harvestAll(service, query, {}, async part => {
      if (part > 1) return
      await update('hidden', semDocument, [])
      await update('left', temDocument)
      await update('left-and-hidden', temDocument)
      await update('left-and-hidden', temDocument, [])
      for (const id of ['removed', 'never']) for (let time = 0; time < 2; time++) await remove(id)
    })
    expect(idsOf(parts)).to.deep.equal(['a', 'b', '-hidden', 'left', '-left-and-hidden', '-removed'])
    for (const { isDeleted, sets } of parts.flatMap(({ records }) => records))
      if (isDeleted) expect(sets).to.include('sem')
  })

  it('are the same in a clone and after a restart without catalog', async () => {
    const started = await startWithSets()
    const { service } = started
    const { create, update, remove } = ownerOf(started)
    for (const id of ['a', 'b', 'c', 'd']) await create(id, semDocument)
    await update('b', temDocument)
    await update('c', temDocument)
    await update('c', semDocument)
    await remove('d')
    await remove('d')
    const before = await told(service)
    expect(before).to.deep.equal(['-b', '-d', 'a', 'c'])
    const { token } = await askOai(service, 'verb=ListRecords&metadataPrefix=oai_dc&set=sem')
    const clone = await temporaryRepository({ bare: true })
    await clone.git('fetch', '-q', service.repository.dir, 'main')
    await clone.git('update-ref', 'refs/heads/main', 'FETCH_HEAD')
    const opened = await startService({ features: { ...oaiOptions, 'oai-page': 2 } }, {}, clone)
    expect(await told(opened)).to.deep.equal(before)
    const rest = await harvestAll(opened, `verb=ListRecords&resumptionToken=${token?.text}`)
    expect(rest[0]?.errors).to.deep.equal([])
  })

  it('include a state that lasted for one commit among many', async () => {
    const started = await startWithSets([{ spec: 'once', name: 'Once', q: 'n:300' }])
    const { service } = started
    const { create } = ownerOf(started)
    await create('a', '{"n":1000}')
    await create('b', '{"n":300}')
    expect(await told(service, 'once')).to.deep.equal(['b'])
    await commitAsServer(service.repository, 'a', 450)
    await waitUntil('the commits', async () => (await told(service, 'once')).join() === '-a,b')
  })

  it('start again with another search, and end without one', async () => {
    const service = await startServiceWithWorkTree({ features: oaiOptions })
    await service.postSchema({ schemaId: 'plain' }, jsonSchema()).expect(201)
    const create = (id: string, document: string) =>
      service
        .postMetadata(metadataRecordV1(`https://example.org/${id}`, 'plain', { id }), document)
        .expect(201)
    await create('a', semDocument)
    await create('b', temDocument)
    const list = 'verb=ListIdentifiers&metadataPrefix=oai_dc&set=sem'
    expect((await askOai(service, list)).errors).to.deep.equal(['noRecordsMatch'])

    const define = async (...sets: readonly object[]) => {
      await service.services.workTreeUpToDate()
      await service.repository.commit('Define sets', { 'metastore.json': metastoreFile(...sets) })
    }
    const shows = (...ids: readonly string[]) =>
      waitUntil(`the set with ${ids.join(', ')}`, async () => {
        const answer = await askOai(service, list)
        return idsOf([answer]).join() === ids.join()
      })
    await define(sem)
    await shows('a')
    await define({ ...sem, q: 'instrument.name:TEM' })
    await shows('b')
    await define()
    await waitUntil('the end of the set', async () =>
      (await askOai(service, list)).errors.includes('noRecordsMatch'),
    )
  })

  it('require a declared field for a range, and follow the declaration', async () => {
    const warm = { spec: 'warm', name: 'Warm', q: 'temperature:20..' }
    const { service, owner } = await startWithSets([warm, sem])
    const { create } = ownerOf({ service, owner })
    await create('cold', '{"temperature":10}')
    await create('hot', '{"temperature":30}')
    expect((await askOai(service, 'verb=ListSets')).errors).to.deep.equal([])
    await waitUntil('the report', () => service.repository.reports.some(line => line.includes('"warm"')))
    const { text } = await askOai(service, 'verb=ListSets')
    expect(text).to.contain('<setSpec>sem</setSpec>').and.not.contain('<setSpec>warm</setSpec>')
    const list = 'verb=ListIdentifiers&metadataPrefix=oai_dc&set=warm'
    expect((await askOai(service, list)).errors).to.deep.equal(['noRecordsMatch'])

    const { body, headers } = await service.http
      .get('/api/v2/schemas/plain')
      .set('Accept', 'application/vnd.datacite.org+json')
      .auth(owner, { type: 'bearer' })
      .expect(200)
    const record = { ...body, search: { fields: [{ path: 'temperature', as: 'number' }] } }
    await service.http
      .put('/api/v2/schemas/plain')
      .auth(owner, { type: 'bearer' })
      .set('If-Match', headers.etag ?? '')
      .attach('record', Buffer.from(JSON.stringify(record)), {
        filename: 'record.json',
        contentType: 'application/json',
      })
      .expect(200)
    expect(await told(service, 'warm')).to.deep.equal(['hot'])
  })

  it('are switched off with the other sets', async () => {
    const files = new Map([['metastore.json', Buffer.from(metastoreFile(sem))]])
    const repository = await temporaryRepository({
      make: dir => createRepository(dir, { bare: true, files }),
    })
    const service = await startService({ features: { ...oaiOptions, 'oai-sets': 'none' } }, {}, repository)
    await service.postSchema({ schemaId: 'plain' }, jsonSchema()).expect(201)
    await service
      .postMetadata(metadataRecordV1('https://example.org/a', 'plain', { id: 'a' }), semDocument)
      .expect(201)
    const list = 'verb=ListIdentifiers&metadataPrefix=oai_dc'
    expect((await askOai(service, `${list}&set=sem`)).errors).to.deep.equal(['noSetHierarchy'])
    expect((await askOai(service, list)).records[0]?.sets).to.deep.equal([])
  })

  const wrong: readonly (readonly [what: string, sets: unknown, message: RegExp])[] = [
    ['a value that is not a list', { sem }, /"oaiSets" that are no list of at most 50 sets/],
    ['a colon in the name', [{ ...sem, spec: 'a:b' }], /at place 1 a set that has no "spec" of letters/],
    ['a reserved name of a set', [{ ...sem, spec: 'schema' }], /"spec" of another set/],
    ['a name twice', [sem, sem], /at place 2 a set that has the "spec" of another set, sem/],
    ['a set without a name for people', [{ spec: 'a', q: 'x' }], /has no "name"/],
    ['a set without a search', [{ spec: 'a', name: 'A', q: ' ' }], /has no search "q"/],
  ]
  for (const [what, oaiSets, message] of wrong)
    it(`are refused in metastore.json with ${what}`, async () => {
      const text = `${JSON.stringify({ layout: 1, oaiSets })}\n`
      const files = new Map([['metastore.json', Buffer.from(text)]])
      const repository = await temporaryRepository({
        make: dir => createRepository(dir, { bare: true, files }),
      })
      const refused = await repository.compose().then(
        () => undefined,
        (error: Error) => error,
      )
      expect(refused?.message).to.match(message)
    })

  it('equal the result of the whole history after any updates', async () => {
    const ids = ['a', 'b', 'c']
    const step = fc.record({
      id: fc.constantFrom(...ids),
      document: fc.constantFrom(semDocument, temDocument),
      isOpen: fc.boolean(),
      does: fc.constantFrom('put', 'put', 'put', 'remove', 'look'),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 14 }), async steps => {
        const started = await startWithSets()
        const { service } = started
        const { create, update, remove } = ownerOf(started)
        const states = new Map<string, State>()
        const expected = () => [...states].flatMap(([id, state]) => entriesOf(id, state)).toSorted()
        for (const { id, document, isOpen, does } of steps) {
          if (does === 'look') expect(await told(service)).to.deep.equal(expected())
          const before = states.get(id)
          if (does === 'look' || before?.isRevoked) continue
          if (does === 'remove') {
            if (!before) continue
            await remove(id)
            states.set(id, following(before, { ...before, isRevoked: true }))
          } else {
            await (before ? update : create)(id, document, isOpen ? anyone : [])
            const now = { isMember: document === semDocument, isOpen, isRevoked: false, departures: [] }
            states.set(id, before ? following(before, now) : now)
          }
        }
        expect(await told(service)).to.deep.equal(expected())
        await removeRepositories()
      }),
      { numRuns: isLongForm ? 30 : 5 },
    )
  })
})
