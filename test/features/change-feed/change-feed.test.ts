import { createServer, type ServerResponse } from 'node:http'
import { Duplex } from 'node:stream'
import { expect } from 'chai'
import type { Identify } from '../../../src/http/auth/identify-caller.js'
import { listen, type RunningServer } from '../../../src/http/server/listen.js'
import { recordDirectory } from '../../../src/store/records/repository-layout.js'
import { closeEvents, readEvents } from '../../support/http/event-stream.js'
import {
  etagOf,
  jsonSchema,
  metadataRecordV1,
  metadataType,
  startService,
  startServiceWithWorkTree,
  type TestService,
} from '../../support/http/test-service.js'
import { parseTestId } from '../../support/repository/sample-values.js'
import { removeRepositories, waitUntil } from '../../support/repository/test-repository.js'

interface Item {
  readonly kind: string
  readonly id: string
  readonly commit: string
  readonly change: string
  readonly version?: number
}

describe('the change feed of a repository', () => {
  let service: TestService
  beforeEach(async () => {
    service = await startServiceWithWorkTree()
    await service.postSchema({ schemaId: 'note' }, jsonSchema('title')).expect(201)
    await create('first')
    const tag = await tagOf('first')
    await service.putMetadata('first', tag, undefined, '{"title":"again"}').expect(200)
  })
  afterEach(removeRepositories)

  const create = (name: string) =>
    service
      .postMetadata(metadataRecordV1(`https://example.org/${name}`, 'note', { id: name }), '{"title":"x"}')
      .expect(201)
  const tagOf = async (name: string) =>
    etagOf(await service.http.get(`/api/v1/metadata/${name}`).set('Accept', metadataType).expect(200))
  const remove = async (name: string) =>
    await service.http
      .delete(`/api/v1/metadata/${name}`)
      .set('If-Match', await tagOf(name))
      .expect(204)
  const changes = async (query = '') => (await service.http.get(`/api/changes${query}`).expect(200)).body
  const told = (items: readonly Item[]) =>
    items.map(item => `${item.change} ${item.id} ${item.version ?? '-'}`)
  const byHand = (name: string) => ({
    [`${recordDirectory('metadata', parseTestId(name))}/record.json`]: JSON.stringify({
      id: name,
      schema: { schemaId: 'note', version: 1 },
      relatedIdentifiers: [
        { identifierType: 'URL', value: `https://example.org/${name}`, relationType: 'IS_METADATA_FOR' },
      ],
    }),
    [`${recordDirectory('metadata', parseTestId(name))}/document.json`]: '{"title":"by hand"}',
  })

  it('begins with the oldest change, with author, time, kind and address of each', async () => {
    const { headers, body } = await service.http.get('/metastore/api/changes').expect(200)

    const root = 'http://metastore.test/metastore'
    const head = await service.head()
    expect(told(body.items)).to.deep.equal(['created note 1', 'created first 1', 'updated first 2'])
    expect(body.items[2]).to.deep.include({
      kind: 'metadata',
      commit: head,
      author: 'SELF',
      message: 'Update metadata first to version 2 (note, version 1)',
      schema: { id: 'note', version: 1 },
      links: {
        v1: `${root}/api/v1/metadata/first?version=2`,
        v2: `${root}/api/v2/metadata/first?version=2`,
      },
    })
    expect(body).to.include({ next: head, more: false })
    expect(headers.link).to.equal(`<${root}/api/changes?since=${head}>; rel="next"`)
    expect(headers['cache-control']).to.equal('no-store')
    await service.http.get(body.items[0].links.v2.replace('http://metastore.test', '')).expect(200)
  })

  it('continues after the end of a page', async () => {
    const first = await changes('?limit=2')
    const second = await changes(`?limit=2&since=${first.next}`)
    const third = await changes(`?limit=2&since=${second.next}`)

    expect(told(first.items)).to.deep.equal(['created note 1', 'created first 1'])
    expect(first.more).to.equal(true)
    expect(told(second.items)).to.deep.equal(['updated first 2'])
    expect(second.more).to.equal(false)
    expect(third).to.deep.equal({ items: [], next: second.next, more: false })
  })

  it('keeps the changes of one commit together, and omits commits and revisions without records', async () => {
    const since = await service.head()
    await service.services.workTreeUpToDate()
    const commit = await service.repository.commit('Three at once', {
      ...byHand('a'),
      ...byHand('b'),
      ...byHand('c'),
    })
    await service.repository.commit('A word about it', { 'NOTES.md': 'x' })
    await service.repository.commit('Break it', {
      [`${recordDirectory('metadata', parseTestId('a'))}/record.json`]: '{',
    })
    const last = await service.repository.commit('And again', { 'NOTES.md': 'y' })
    await waitUntil('the last commit', async () => (await changes()).next === last)

    const page = await changes(`?limit=1&since=${since}`)

    expect(told(page.items).sort()).to.deep.equal(['created a 1', 'created b 1', 'created c 1'])
    expect(new Set(page.items.map((item: Item) => item.commit))).to.deep.equal(new Set([commit]))
    expect(page.items[0].author).to.equal('Jane')
    const rest = await changes(`?since=${page.next}`)
    expect(rest).to.deep.equal({ items: [], next: last, more: false })
  })

  it('reports only that a deleted record existed', async () => {
    await remove('first')
    const revoked = await changes()
    await remove('first')

    const { items } = await changes()

    expect(told(revoked.items)).to.include('updated first 3')
    expect(told(items)).to.deep.equal([
      'created note 1',
      'created first -',
      'updated first -',
      'updated first -',
      'deleted first -',
    ])
    const facts = ['kind', 'id', 'commit', 'time', 'change']
    for (const item of items.slice(1, -1)) expect(item).to.have.all.keys(...facts)
    // Who has deleted it is told to those who could read it.
    expect(items.at(-1))
      .to.have.all.keys(...facts, 'author')
      .and.to.have.property('author', 'SELF')
  })

  it('refuses a cursor that is not a commit of the history', async () => {
    const unknown = await service.http.get(`/api/changes?since=${'1'.repeat(40)}`).expect(404)
    expect(unknown.body.detail).to.contain('Begin again')
    for (const query of ['since=HEAD', 'since=', 'limit=0', 'limit=x', 'wait=-1', 'since=1&since=2']) {
      await service.http.get(`/api/changes?${query}`).expect(400)
    }
  })

  describe('for a waiting client', () => {
    let server: RunningServer
    beforeEach(async () => {
      server = await listen(service.app, { port: 0 })
    })
    afterEach(async () => {
      closeEvents()
      await server.stop(100)
    })

    const get = async (query: string) => {
      const answer = await fetch(`${server.url}api/changes?${query}`)
      return { status: answer.status, body: (await answer.json()) as { items: Item[]; next: string } }
    }

    it('responds as soon as a change exists', async () => {
      const since = await service.head()
      const started = performance.now()
      const waiting = get(`since=${since}&wait=30`)
      await create('second')

      const { status, body } = await waiting

      expect(status).to.equal(200)
      expect(told(body.items)).to.deep.equal(['created second 1'])
      expect(performance.now() - started).to.be.below(20_000)
    })

    it('responds to a commit made with git beside the server', async () => {
      const since = await service.head()
      await service.services.workTreeUpToDate()
      const waiting = get(`since=${since}&wait=30`)
      await service.repository.commit('By hand', byHand('mine'))

      expect(told((await waiting).body.items)).to.deep.equal(['created mine 1'])
    })

    it('responds to a commit of another git-metastore process', async () => {
      const since = await service.head()
      const other = await startService({}, {}, service.repository)
      const waiting = get(`since=${since}&wait=30`)
      const record = metadataRecordV1('https://example.org/other', 'note', { id: 'other' })
      await other.postMetadata(record, '{"title":"x"}').expect(201)

      expect(told((await waiting).body.items)).to.deep.equal(['created other 1'])
    })

    it('responds with no changes and the same cursor when the time is over', async () => {
      const since = await service.head()
      const started = performance.now()

      const { body } = await get(`since=${since}&wait=1`)

      expect(body).to.deep.equal({ items: [], next: since, more: false })
      expect(performance.now() - started).to.be.within(900, 20_000)
    })

    it('responds with no changes when the server stops', async () => {
      const waiting = get(`since=${await service.head()}&wait=60`)
      await waitUntil('the request', () => connections(server))

      const stopped = server.stop(20_000)

      expect((await waiting).body.items).to.deep.equal([])
      await stopped
    })

    it('is an event stream that continues after a disconnect', async () => {
      const stream = await readEvents(`${server.url}api/changes`)
      const events = [await stream.next(), await stream.next(), await stream.next()]
      await create('second')
      const fourth = await stream.next()
      stream.close()

      expect(stream.headers.get('content-type')).to.equal('text/event-stream')
      expect(events.map(read => read?.event)).to.deep.equal(['created', 'created', 'updated'])
      const data = JSON.parse(fourth?.data ?? '') as Item
      expect(told([data])).to.deep.equal(['created second 1'])
      expect(fourth?.id).to.equal(data.commit)

      await create('third')
      const again = await readEvents(`${server.url}api/changes?since=${'1'.repeat(40)}`, {
        'Last-Event-ID': stream.lastId() ?? '',
      })
      expect(told([JSON.parse((await again.next())?.data ?? '')])).to.deep.equal(['created third 1'])
    })

    it('has the id of a commit only in its last event; other commits have ids without events', async () => {
      const since = await service.head()
      await service.services.workTreeUpToDate()
      const three = await service.repository.commit('Three', {
        ...byHand('a'),
        ...byHand('b'),
        ...byHand('c'),
      })
      const last = await service.repository.commit('A word', { 'NOTES.md': 'x' })
      await waitUntil('the last commit', async () => (await changes()).next === last)

      const stream = await readEvents(`${server.url}api/changes?since=${since}`)
      const ids = [await stream.next(), await stream.next(), await stream.next()].map(read => read?.id)
      await create('second')
      const before = stream.lastId()
      await stream.next()

      expect(ids).to.deep.equal([undefined, undefined, three])
      expect([three, last]).to.include(before)
      expect(stream.lastId()).to.equal(await service.head())
    })

    it('refuses a stream with an unknown cursor', async () => {
      const stream = await readEvents(`${server.url}api/changes?since=${'1'.repeat(40)}`)

      expect(stream.status).to.equal(404)
    })

    it('ends a stream when the server stops', async () => {
      const stream = await readEvents(`${server.url}api/changes?since=${await service.head()}`)

      const stopped = server.stop(20_000)

      expect(await stream.next()).to.equal(undefined)
      await stopped
    })
  })

  it('limits the number of waiting clients, and sends heartbeats in a silent stream', async () => {
    const small = await startService({ waiting: { answers: 2, heartbeat: 20 } }, {}, service.repository)
    const server = await listen(small.app, { port: 0 })
    try {
      const since = await small.head()
      const streams = [1, 2].map(() => readEvents(`${server.url}api/changes?since=${since}`))
      const [one] = await Promise.all(streams)

      const refused = await fetch(`${server.url}api/changes?wait=1&since=${since}`)
      expect(refused.status).to.equal(503)
      expect(refused.headers.get('retry-after')).to.match(/^\d+$/)
      expect((await fetch(`${server.url}api/changes?since=${since}`)).status).to.equal(200)

      one?.close()
      await waitUntil('a place', async () => {
        const { status } = await fetch(`${server.url}api/changes?wait=1&since=${since}`)
        return status === 200
      })
      const silent = await fetch(`${server.url}api/changes?since=${since}`, {
        headers: { Accept: 'text/event-stream' },
      })
      const reader = silent.body?.pipeThrough(new TextDecoderStream()).getReader()
      let text = ''
      while (!text.includes(': still here\n\n: still here\n\n')) text += (await reader?.read())?.value ?? ''
      await reader?.cancel()
    } finally {
      closeEvents()
      await server.stop(100)
    }
  })

  it('does not buffer events for a client that does not read them', async () => {
    const names = Array.from({ length: 300 }, (_, index) => `${'x'.repeat(180)}${index}`)
    await service.services.workTreeUpToDate()
    const last = await service.repository.commit('Many', Object.assign({}, ...names.map(byHand)))
    await waitUntil('them', async () => (await changes('?limit=1000')).next === last)
    let response: ServerResponse | undefined
    const handle = service.app.callback()
    const server = createServer((request, answer) => {
      response = answer
      void handle(request, answer)
    })
    const client = openSlowClient()
    try {
      server.emit('connection', client.socket)
      client.socket.push(
        'GET /api/changes HTTP/1.1\r\nHost: metastore.test\r\nAccept: text/event-stream\r\n\r\n',
      )
      await waitUntil('the answer', () => client.taken().includes('200 OK'))
      await new Promise(resolve => setTimeout(resolve, 300))

      expect(client.taken().length + (response?.writableLength ?? 0)).to.be.below(64 * 1024)
      client.takeAll()
      await waitUntil('the rest', () => client.taken().includes(`id: ${last}\n`))
      expect(client.taken().match(/^event: created$/gm)).to.have.length(302)
    } finally {
      client.socket.destroy()
    }
  })
})

/** A client that reads further bytes only after `takeAll`. */
function openSlowClient() {
  let taken = ''
  let eager = false
  let next: (() => void) | undefined
  const socket = new Duplex({
    read() {},
    write(chunk, _, done) {
      taken += String(chunk)
      if (eager) done()
      else next = done
    },
  })
  return {
    socket,
    taken: () => taken,
    takeAll() {
      eager = true
      next?.()
    },
  }
}

describe('the change feed of a caller', () => {
  const identify: Identify = ctx => {
    const sid = ctx.get('X-Caller')
    return { sid, name: sid, email: `${sid}@example.org`, administrator: sid === 'root', groups: [] }
  }
  let service: TestService
  beforeEach(async () => {
    service = await startServiceWithWorkTree({ identify })
  })
  afterEach(removeRepositories)

  const ids = async (caller: string) => {
    const { body } = await service.http.get('/api/changes').set('X-Caller', caller).expect(200)
    const items = body.items as Item[]
    // The cursor of a caller does not reveal commits of other records.
    const [last] = caller === 'root' ? [await service.head()] : items.slice(-1).map(item => item.commit)
    if (last !== undefined) expect(body.next).to.equal(last)
    return items.map(item => `${item.change} ${item.id}`)
  }
  const remove = (name: string) =>
    service.http.delete(`/api/v1/metadata/${name}`).set('X-Caller', 'root').set('If-Match', '*').expect(204)

  it('has the changes of records that the caller may read, or could read before their deletion', async () => {
    const acl = (...sids: string[]) => ({ acl: sids.map(sid => ({ sid, permission: 'READ' })) })
    await service
      .postSchema({ schemaId: 'note', ...acl('ann', 'bob') }, jsonSchema())
      .set('X-Caller', 'root')
      .expect(201)
    for (const [name, ...readers] of [['open', 'ann', 'bob'], ['hers', 'ann'], ['nobodys']] as const) {
      await service
        .postMetadata(metadataRecordV1(`http://x/${name}`, 'note', { id: name, ...acl(...readers) }), '{}')
        .set('X-Caller', 'root')
        .expect(201)
    }

    expect(await ids('root')).to.have.length(4)
    expect(await ids('ann')).to.deep.equal(['created note', 'created open', 'created hers'])
    expect(await ids('bob')).to.deep.equal(['created note', 'created open'])
    expect(await ids('eve')).to.deep.equal([])

    await remove('open')
    expect(await ids('ann')).to.deep.equal(['created note', 'created hers'])
    await remove('open')
    expect(await ids('ann')).to.deep.equal([
      'created note',
      'created open',
      'created hers',
      'updated open',
      'deleted open',
    ])
    expect(await ids('eve')).to.deep.equal([])
  })

  it('reveals nothing of other records: neither existence, nor number, nor time', async () => {
    const before = await service.http.get('/api/changes').set('X-Caller', 'eve').expect(200)
    for (const number of [1, 2, 3]) {
      await service
        .postSchema({ schemaId: `s${number}` }, jsonSchema())
        .set('X-Caller', 'root')
        .expect(201)
    }
    const after = await service.http.get('/api/changes?limit=2').set('X-Caller', 'eve').expect(200)

    expect(after.body).to.deep.equal({ ...before.body, items: [], more: false })
    const { next } = after.body
    const ask = () => service.http.get(`/api/changes?since=${next}`).set('X-Caller', 'eve').expect(200)
    expect((await ask()).body).to.deep.equal({ items: [], next, more: false })
    // Changes that the caller may not read do not end the wait.
    const begun = performance.now()
    const waiting = service.http.get(`/api/changes?since=${next}&wait=2`).set('X-Caller', 'eve').expect(200)
    const [{ body }] = await Promise.all([
      waiting,
      service.postSchema({ schemaId: 's4' }, jsonSchema()).set('X-Caller', 'root').expect(201),
    ])
    expect(body).to.deep.equal({ items: [], next, more: false })
    expect(performance.now() - begun).to.be.above(1900)
  })

  it('has full pages, regardless of hidden changes between', async () => {
    for (let number = 1; number <= 9; number++) {
      const acl = number % 3 === 0 ? { acl: [{ sid: 'ann', permission: 'READ' }] } : {}
      await service
        .postSchema({ schemaId: `s${number}`, ...acl }, jsonSchema())
        .set('X-Caller', 'root')
        .expect(201)
    }
    const page = async (query: string) => {
      const { body } = await service.http.get(`/api/changes?${query}`).set('X-Caller', 'ann').expect(200)
      return { ids: (body.items as Item[]).map(({ id }) => id), more: body.more, next: body.next }
    }

    const first = await page('limit=2')
    expect(first)
      .to.include({ more: true })
      .and.to.deep.include({ ids: ['s3', 's6'] })
    const second = await page(`limit=2&since=${first.next}`)
    expect(second)
      .to.include({ more: false })
      .and.to.deep.include({ ids: ['s9'] })
    expect(await page(`since=${second.next}`)).to.deep.equal({ ids: [], more: false, next: second.next })
  })
})

/** Whether the server answers a new connection. */
async function connections(server: RunningServer): Promise<boolean> {
  const { status } = await fetch(`${server.url}health`)
  return status === 200
}
