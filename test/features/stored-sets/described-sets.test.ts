// test-schedule: waits

import { expect } from 'chai'
import fc from 'fast-check'
import { startService, type TestService } from '../../support/http/test-service.js'
import { askOai, harvestAll, idsOf, oaiOptions } from '../../support/oai-pmh/oai-client.js'
import {
  anyone,
  entriesOf,
  following,
  ownerOf,
  type State,
  startWithSets,
  told,
} from '../../support/oai-pmh/stored-set-service.js'
import { isLongForm } from '../../support/program/long-form.js'
import {
  removeRepositories,
  temporaryRepository,
  waitUntil,
} from '../../support/repository/test-repository.js'

/** Where documents have their values: in members with these endings. */
const crosswalkOf = (ending: 'A' | 'B') => ({
  titles: `title${ending}`,
  creators: `who${ending}`,
  publicationYear: `made${ending}`,
  subjects: `about${ending}`,
  rightsList: `terms${ending}`,
  language: `tongue${ending}`,
})
/** Searches by name of the set. */
const searches: Readonly<Record<string, string>> = {
  title: 'title:zirconia',
  creator: 'creator:"Doe, Jane"',
  year: 'year:1980..1989',
  subject: 'subject:ceramics',
  licence: 'licence:CC-BY-4.0',
  language: 'language:de',
  words: 'steward',
  not: 'NOT title:zirconia',
  'of-schema': 'schema:plain',
}
const sets = Object.entries(searches).map(([spec, q]) => ({ spec, name: spec, q }))
const values = {
  one: {
    title: 'Zirconia',
    who: 'Doe, Jane',
    made: '1987',
    about: 'ceramics',
    terms: 'CC-BY-4.0',
    tongue: 'de',
  },
  other: { title: 'Alumina', who: 'Roe, Max', made: '1999', about: 'metals', terms: 'CC0-1.0', tongue: 'en' },
}
type Values = keyof typeof values

/** A document that describes itself in two ways. */
function documentOf(a: Values, b: Values): string {
  const members = (of: Values, ending: string) =>
    Object.entries(values[of]).map(([name, value]) => [name + ending, value])
  return JSON.stringify(Object.fromEntries([...members(a, 'A'), ...members(b, 'B')]))
}

const title = { spec: 'title', name: 'Titles', q: 'title:zirconia' }
const listOf = (set: string) => `verb=ListRecords&metadataPrefix=oai_dc&set=${set}`

/** Waits until the clock shows another second, because datestamps have no fractions of it. */
async function nextSecond(): Promise<void> {
  const second = Math.floor(Date.now() / 1000)
  await waitUntil('another second', () => Math.floor(Date.now() / 1000) > second)
}

describe('sets of stored searches for documents with a crosswalk', () => {
  afterEach(removeRepositories)

  const start = (ofSets: readonly object[] = [title], page = 2) =>
    startWithSets(ofSets, page, { crosswalk: crosswalkOf('A') })

  /** The ids of the records that a search finds. */
  async function found(service: TestService, q: string): Promise<readonly string[]> {
    const since = await service.head()
    const { body } = await service.http
      .get('/api/v1/search')
      .query({ q, since, wait: 60, size: 100 })
      .expect(200)
    return (body as { items: readonly { record: { id: string } }[] }).items
      .map(({ record }) => record.id)
      .toSorted()
  }

  const present = async (service: TestService, set: string) =>
    (await told(service, set)).filter(id => !id.startsWith('-'))

  it('contain what the search finds, also after a change of the crosswalk', async () => {
    const started = await start(sets)
    const { service } = started
    const { create, putCrosswalk } = ownerOf(started)
    await create('both', documentOf('one', 'one'))
    await create('first', documentOf('one', 'other'))
    await create('second', documentOf('other', 'one'))
    await create('neither', documentOf('other', 'other'))
    const constant = { ...crosswalkOf('B'), descriptions: { constant: 'steward' } }
    const expected = [
      [crosswalkOf('A'), ['both', 'first'], []],
      [constant, ['both', 'second'], ['both', 'first', 'neither', 'second']],
      [crosswalkOf('A'), ['both', 'first'], []],
    ] as const
    for (const [crosswalk, described, words] of expected) {
      await putCrosswalk(crosswalk)
      for (const [set, q] of Object.entries(searches))
        expect(await present(service, set), set).to.deep.equal(await found(service, q))
      for (const set of ['title', 'creator', 'year', 'subject', 'licence', 'language'])
        expect(await present(service, set), set).to.deep.equal(described)
      expect(await present(service, 'words')).to.deep.equal(words)
    }
  })

  it('tell an incremental harvest of the records that came and left with the crosswalk', async () => {
    const started = await start()
    const { service } = started
    const { create, update, putCrosswalk } = ownerOf(started)
    await create('stays', documentOf('one', 'one'))
    await create('leaves', documentOf('one', 'other'))
    await create('comes', documentOf('other', 'one'))
    await create('never', documentOf('other', 'other'))
    expect(await told(service, 'title')).to.deep.equal(['leaves', 'stays'])

    await nextSecond()
    await putCrosswalk(crosswalkOf('B'))
    const changed = await service.http
      .get('/api/v2/schemas/plain')
      .set('Accept', 'application/vnd.datacite.org+json')
      .expect(200)
    const time = `${String((changed.body as { lastUpdate: string }).lastUpdate).slice(0, 19)}Z`
    const { records } = await askOai(service, `${listOf('title')}&from=${time}`)
    expect(
      records.map(({ identifier, isDeleted, datestamp }) => [identifier, isDeleted, datestamp]),
    ).to.have.deep.members([
      ['leaves', true, time],
      ['comes', false, time],
    ])
    for (const { sets: own } of records) expect(own).to.include('title')
    expect(await told(service, 'title')).to.deep.equal(['-leaves', 'comes', 'stays'])
    const until = await harvestAll(service, `${listOf('title')}&until=${before(time)}`)
    expect(idsOf(until)).to.deep.equal(['stays'])

    const headers = await harvestAll(service, 'verb=ListIdentifiers&metadataPrefix=oai_dc')
    const setsOf = new Map(headers.flatMap(part => part.records.map(each => [each.identifier, each.sets])))
    expect(setsOf.get('comes')).to.include('title')
    expect(setsOf.get('leaves')).not.to.include('title')

    await nextSecond()
    await update('comes', documentOf('one', 'one'))
    const [updated] = (await askOai(service, `${listOf('title')}&from=${time}`)).records.slice(-1)
    expect(updated?.identifier).to.equal('comes')
    expect(updated?.datestamp).to.not.equal(time)
    await putCrosswalk(crosswalkOf('A'))
    expect(await told(service, 'title')).to.deep.equal(['comes', 'leaves', 'stays'])
  })

  it('show one state from the first part to the last, while the crosswalk changes', async () => {
    const started = await start()
    const { service } = started
    const { create, update, putCrosswalk } = ownerOf(started)
    for (const id of ['a', 'b', 'c', 'd', 'e']) await create(id, documentOf('other', 'one'))
    await create('left', documentOf('one', 'other'))
    await putCrosswalk(crosswalkOf('B'))
    const parts = await harvestAll(service, listOf('title'), {}, async part => {
      if (part > 1) return
      await putCrosswalk(crosswalkOf('A'))
      await update('d', documentOf('other', 'other'))
    })
    const ids = idsOf(parts)
    expect(ids.toSorted()).to.deep.equal(['-left', 'a', 'b', 'c', 'd', 'e'])
    expect(await told(service, 'title')).to.deep.equal(['-a', '-b', '-c', '-d', '-e', 'left'])
  })

  it('hide nothing and reveal nothing to callers who may not read a record', async () => {
    const started = await start()
    const { service, owner } = started
    const { create, putCrosswalk } = ownerOf(started)
    await create('open', documentOf('other', 'one'))
    await create('hidden', documentOf('other', 'one'), [])
    await create('hidden-before', documentOf('one', 'other'), [])
    await putCrosswalk(crosswalkOf('B'))
    expect(await told(service, 'title')).to.deep.equal(['open'])
    expect(await told(service, 'title', 'oai_dc', owner)).to.deep.equal(['-hidden-before', 'hidden', 'open'])
  })

  it('compare all documents of the schema, in several parts', async () => {
    const started = await start([title, { spec: 'all', name: 'All', q: 'schema:plain' }], 100)
    const { service } = started
    const { create, putCrosswalk } = ownerOf(started)
    const ids = Array.from({ length: 230 }, (_, number) => `d${String(number).padStart(3, '0')}`)
    await Promise.all(ids.map(id => create(id, documentOf('other', 'one'))))
    expect(await told(service, 'title')).to.deep.equal([])
    await putCrosswalk(crosswalkOf('B'))
    expect(await told(service, 'title')).to.deep.equal(ids)
    await putCrosswalk(crosswalkOf('A'))
    expect(await told(service, 'title')).to.deep.equal(ids.map(id => `-${id}`))
    expect(await told(service, 'all')).to.deep.equal(ids)
  })

  it('are the same in a clone, with the same times', async () => {
    const started = await start()
    const { service } = started
    const { create, update, putCrosswalk, remove } = ownerOf(started)
    for (const id of ['a', 'b', 'c']) await create(id, documentOf('one', 'other'))
    for (const id of ['d', 'e', 'f']) await create(id, documentOf('other', 'one'))
    await nextSecond()
    await putCrosswalk(crosswalkOf('B'))
    await update('a', documentOf('one', 'one'))
    await remove('e')
    await putCrosswalk(crosswalkOf('A'))
    await update('f', documentOf('one', 'other'))
    const headersOf = async (of: TestService) =>
      (await harvestAll(of, listOf('title'))).flatMap(({ records }) =>
        records.map(({ identifier, isDeleted, datestamp }) => [identifier, isDeleted, datestamp]),
      )
    const before = await headersOf(service)
    const clone = await temporaryRepository({ bare: true })
    await clone.git('fetch', '-q', service.repository.dir, 'main')
    await clone.git('update-ref', 'refs/heads/main', 'FETCH_HEAD')
    const opened = await startService({ features: { ...oaiOptions, 'oai-page': 2 } }, {}, clone)
    expect(await headersOf(opened)).to.deep.equal(before)
    expect(await told(opened, 'title')).to.deep.equal(['-d', '-e', 'a', 'b', 'c', 'f'])
  })

  it('equal the result of the whole history after any updates', async () => {
    const step = fc.record({
      id: fc.constantFrom('a', 'b', 'c'),
      first: fc.constantFrom<Values>('one', 'other'),
      second: fc.constantFrom<Values>('one', 'other'),
      isOpen: fc.boolean(),
      does: fc.constantFrom('put', 'put', 'put', 'crosswalk', 'crosswalk', 'remove', 'look'),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 14 }), async steps => {
        const started = await start()
        const { service } = started
        const { create, update, putCrosswalk, remove } = ownerOf(started)
        const states = new Map<string, State & { readonly said: readonly [Values, Values] }>()
        const expected = () => [...states].flatMap(([id, state]) => entriesOf(id, state)).toSorted()
        let described = 0
        for (const { id, first, second, isOpen, does } of steps) {
          const before = states.get(id)
          if (does === 'look') expect(await told(service, 'title')).to.deep.equal(expected())
          else if (does === 'crosswalk') {
            described = 1 - described
            await putCrosswalk(crosswalkOf(described === 0 ? 'A' : 'B'))
            for (const [each, { said, ...state }] of states) {
              const isMember = !state.isRevoked && said[described] === 'one'
              states.set(each, { said, ...following(state, { ...state, isMember }) })
            }
          } else if (before?.isRevoked) continue
          else if (does === 'remove') {
            if (!before) continue
            await remove(id)
            states.set(id, { said: before.said, ...following(before, { ...before, isRevoked: true }) })
          } else {
            await (before ? update : create)(id, documentOf(first, second), isOpen ? anyone : [])
            const said = [first, second] as const
            const now = { isMember: said[described] === 'one', isOpen, isRevoked: false, departures: [] }
            states.set(id, {
              said,
              ...(before ? following(before, { ...now, departures: before.departures }) : now),
            })
          }
        }
        expect(await told(service, 'title')).to.deep.equal(expected())
        await removeRepositories()
      }),
      { numRuns: isLongForm ? 30 : 5 },
    )
  })
})

/** The second before a time. */
function before(time: string): string {
  return `${new Date(Date.parse(time) - 1000).toISOString().slice(0, 19)}Z`
}
