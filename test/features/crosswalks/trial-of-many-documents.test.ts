import { expect } from 'chai'
import {
  jsonSchema,
  metadataRecordV1,
  startService,
  type TestService,
} from '../../support/http/test-service.js'
import { identifyWithTestSecret, userToken } from '../../support/http/test-tokens.js'
import { removeRepositories } from '../../support/repository/test-repository.js'

interface Trial {
  readonly checked: number
  readonly more: boolean
  readonly next?: string
  readonly without: Readonly<Record<string, number>>
  readonly empty: readonly string[]
  readonly incomplete: readonly { readonly id: string; readonly without: readonly string[] }[]
  readonly documents: readonly {
    readonly id?: string
    readonly description: Readonly<Record<string, readonly { readonly value: unknown }[]>>
  }[]
}

const crosswalk = { titles: 'heading', subjects: 'words', creators: 'maker', sizes: 'size' }
const count = 45
const long = 'long text '.repeat(20_000)

describe('The trial of a crosswalk with many documents', () => {
  let service: TestService
  before(async () => {
    service = await startService()
    await service.postSchema({ schemaId: 'note' }, jsonSchema()).expect(201)
    const changes = Array.from({ length: count }, (_, number) => ({
      kind: 'metadata',
      action: 'create',
      record: {
        id: `n${number}`,
        titles: [{ value: `Note ${number}` }],
        relatedIdentifiers: [
          { value: `https://example.org/${number}`, identifierType: 'URL', relationType: 'IS_METADATA_FOR' },
          { value: 'note', identifierType: 'INTERNAL', relationType: 'HAS_METADATA' },
        ],
      },
      document: `d${number}`,
    }))
    const sent = service.http.post('/api/changesets').field('changeset', JSON.stringify({ changes }))
    for (let number = 0; number < count; number++) {
      const words = Array.from({ length: 3000 }, (_, word) => `${word} ${long.slice(0, 200)}`)
      const document = {
        ...(number % 9 !== 0 && { heading: `${number}. ${long.slice(0, 1000)}` }),
        ...(number === 1 && { words }),
        maker: 'Ada Example',
      }
      sent.attach(`d${number}`, Buffer.from(JSON.stringify(document)), `d${number}`)
    }
    await sent.expect(200)
  })
  after(removeRepositories)

  async function trial(query: Readonly<Record<string, string | number>>): Promise<Trial> {
    const { body } = await service.http
      .post('/api/v1/schemas/note/crosswalk')
      .query(query)
      .attach('crosswalk', Buffer.from(JSON.stringify(crosswalk)), {
        filename: 'crosswalk.json',
        contentType: 'application/json',
      })
      .expect(200)
    return body as Trial
  }

  it('goes on after the last document of the one before, until all were described', async () => {
    const all: Trial[] = []
    for (let next: string | undefined = ''; next !== undefined; ) {
      const one: Trial = await trial({ limit: 20, ...(next && { after: next }) })
      expect(one.more).to.equal(one.next !== undefined)
      all.push(one)
      next = one.next
    }
    expect(all.map(({ checked }) => checked)).to.deep.equal([20, 20, 5])
    const ids = all.flatMap(({ documents }) => documents.map(({ id }) => id))
    expect(new Set(ids).size).to.equal(count)
    const incomplete = all.flatMap(each =>
      each.incomplete.filter(({ without }) => without.includes('titles')),
    )
    expect(incomplete.map(({ id }) => id).sort()).to.deep.equal(['n0', 'n18', 'n27', 'n36', 'n9'])
    expect(all.reduce((sum, { without }) => sum + (without.titles ?? 0), 0)).to.equal(5)
  })

  it('has the beginning of the descriptions of 20 documents', async () => {
    const one = await trial({ limit: 1000 })
    expect(one).to.deep.include({ checked: count, more: false, empty: ['sizes'] })
    expect(one.without).to.deep.equal({ titles: 5, creators: 0, publicationYear: count })
    expect(one.incomplete).to.have.length(count)
    expect(one.documents).to.have.length(20)
    expect(JSON.stringify(one).length).to.be.below(200_000)
    const { titles = [], subjects } = one.documents.find(({ id }) => id === 'n1')?.description ?? {}
    expect(JSON.stringify(titles[0]?.value)).to.match(/^\{"title":"1. long text .*…"\}$/)
    expect(subjects).to.have.length(10)
  })

  it('refuses a cursor that is none', async () => {
    const sent = service.http.post('/api/v1/schemas/note/crosswalk').query({ after: 'a,b,c' })
    const { body } = await sent.field('x', 'y').expect(400)
    expect(body.detail).to.contain('not a cursor')
  })
})

describe('The trial of a crosswalk with documents that are not read', () => {
  after(removeRepositories)

  it('tells them apart from those that lack something', async () => {
    const service = await startService()
    await service.postSchema({ schemaId: 'note' }, jsonSchema()).expect(201)
    const documents = {
      small: '{"title":"A note"}',
      large: JSON.stringify({ title: 'A note', text: 'x'.repeat(5 * 2 ** 20) }),
    }
    for (const [id, document] of Object.entries(documents))
      await service
        .postMetadata(metadataRecordV1(`https://example.org/${id}`, 'note', { id }), document)
        .expect(201)
    const sent = service.http.post('/api/v1/schemas/note/crosswalk').query({ limit: 2 })
    const { body } = await sent.field('crosswalk', '{"titles":"title","sizes":"size"}').expect(200)
    expect(body).to.deep.include({
      ...{ checked: 2, more: false, empty: ['sizes'] },
      notRead: [{ id: 'large', version: 1, because: 'larger than 4194304 bytes' }],
      without: { titles: 0, creators: 1, publicationYear: 1 },
      incomplete: [{ id: 'small', version: 1, without: ['creators', 'publicationYear'] }],
    })
    expect(body.documents.map(({ id }: { id: string }) => id)).to.deep.equal(['small'])
  })
})

describe('A caller with few rights', () => {
  let service: TestService
  const as = async (name: string | undefined) =>
    name === undefined ? {} : { Authorization: `Bearer ${await userToken(name)}` }

  before(async () => {
    service = await startService({ identify: identifyWithTestSecret })
    const rights = { alice: 'ADMINISTRATE', carol: 'WRITE', bob: 'READ' }
    const acl = Object.entries(rights).map(([sid, permission]) => ({ sid, permission }))
    const stored = { titles: 'heading', publisher: { constant: 'Example Institute' } }
    await service
      .postSchema({ schemaId: 'closed', crosswalk: stored, acl }, jsonSchema())
      .set(await as('alice'))
      .expect(201)
    for (const id of ['hidden', 'public']) {
      const record = metadataRecordV1(`https://example.org/${id}`, 'closed', { id })
      const own = [{ sid: 'bob', permission: 'ADMINISTRATE' }]
      const all = [...own, { sid: 'anonymousUser', permission: 'READ' }]
      await service
        .postMetadata({ ...record, acl: id === 'public' ? all : own }, `{"heading":"A ${id} heading"}`)
        .set(await as('bob'))
        .expect(201)
    }
  })
  after(removeRepositories)

  it('tries a crosswalk with the documents that it may read, if it may change the schema', async () => {
    const statuses: Record<string, number> = {}
    for (const name of ['alice', 'carol', 'bob', 'dave', undefined]) {
      const { status, body, text } = await service.http
        .post('/api/v1/schemas/closed/crosswalk')
        .set(await as(name))
        .field('crosswalk', '{"titles":"heading","subjects":"none"}')
      statuses[String(name)] = status
      expect(text, name).to.not.contain('hidden')
      if (status === 200) expect(body, name).to.deep.include({ checked: 1, more: false })
    }
    expect(statuses).to.deep.equal({ alice: 200, carol: 200, bob: 403, dave: 403, undefined: 401 })
  })

  it('reads the descriptions of the documents that it may read, also by a schema that it may not read', async () => {
    const paths = ['description', 'export/datacite-json'].flatMap(path =>
      ['v1', 'v2'].map(version => [version, path] as const),
    )
    for (const name of ['alice', 'dave', undefined])
      for (const [version, path] of paths) {
        const from = `/api/${version}/metadata`
        await service.http
          .get(`${from}/hidden/${path}`)
          .set(await as(name))
          .expect(403)
        const { body } = await service.http
          .get(`${from}/public/${path}`)
          .set(await as(name))
          .expect(200)
        expect(body).to.deep.include({
          titles: [{ title: 'A public heading' }],
          publisher: { name: 'Example Institute' },
        })
      }
  })
})
