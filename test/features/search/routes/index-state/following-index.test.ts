// test-schedule: waits
import { mkdirSync, readdirSync, rmdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import Database from 'libsql'
import { isSearchFile } from '../../../../../src/features/search/index/search-tables.js'
import { readHtml } from '../../../../support/http/strict-html.js'
import {
  type RunningServer,
  startServer,
  stopProcesses,
  temporaryFolder,
} from '../../../../support/program/run-program.js'
import { initialise } from '../../../../support/repository/example-repository.js'
import { copyPrepared } from '../../../../support/repository/prepared-folder.js'
import { waitUntil } from '../../../../support/repository/test-repository.js'

describe('the search of a running server', () => {
  let data: string
  let server: RunningServer
  before(async () => {
    data = join(await temporaryFolder(), 'data')
    await copyPrepared('examples', data, made => initialise(made, []))
    server = await startServer(['--data', data])
  })
  after(stopProcesses)

  const get = (path: string, headers: Readonly<Record<string, string>> = {}) =>
    fetch(new URL(path, server.url), { headers })

  const folder = () => join(data, '.git', 'git-metastore')

  /** Stores a record. @returns the ETag */
  async function store(number: number): Promise<string> {
    const body = new FormData()
    const record = {
      id: `own-${number}`,
      relatedResource: { identifier: `https://example.org/own/${number}`, identifierType: 'URL' },
      schema: { identifier: 'measurement', identifierType: 'INTERNAL' },
    }
    const document = { title: `zirconium${number}`, date: '2026-03-14', instrument: { name: 'SEM' } }
    body.append('record', new Blob([JSON.stringify(record)], { type: 'application/json' }), 'record.json')
    body.append('document', new Blob([JSON.stringify(document)]), 'document')
    const answer = await fetch(new URL('api/v1/metadata', server.url), { method: 'POST', body })
    expect(answer.status).to.equal(201)
    return (answer.headers.get('etag') ?? '').replaceAll('"', '')
  }

  /** The file of the index, once the server has made it. */
  const indexFile = () =>
    join(folder(), readdirSync(folder()).find(name => isSearchFile(name) && name.endsWith('.sqlite')) ?? '')

  it('reports with `since` and without `wait` that the index lacks a change, and finds it with `wait`', async () => {
    const first = await store(99)
    expect((await get(`api/v1/search?since=${first}&wait=30`)).status).to.equal(200)
    const database = new Database(indexFile(), { timeout: 30_000 })
    // While the test has the lock, the index gets no changes.
    database.exec('BEGIN IMMEDIATE')
    const etag = await store(100)
    const query = `api/v1/search?q=zirconium100&highlight=false&since=${etag}`

    const now = await get(query)

    database.close()
    expect(now.status).to.equal(503)
    expect(now.headers.get('retry-after')).to.equal('1')
    expect(((await now.json()) as { detail: string }).detail).to.contain(etag)
    expect(await (await get(`${query}&wait=30`)).json()).to.include({ total: 1, upToDate: true })
  })

  it('never answers with `since` without the change, and finds it with `wait`', async () => {
    for (let number = 0; number < 20; number++) {
      const etag = await store(number)
      const query = `api/v1/search?q=zirconium${number}&highlight=false&since=${etag}`
      const now = await get(query)
      const found = (await now.json()) as { total?: number }
      expect(now.status === 200 ? `${found.total} found` : now.status).to.be.oneOf(['1 found', 503])
      const waited = (await (await get(`${query}&wait=30`)).json()) as { total: number; upToDate: boolean }
      expect([waited.total, waited.upToDate]).to.deep.equal([1, true])
    }
  })

  it('finds the records of a commit with `at`, with totals, facets and pages of that commit', async () => {
    const etags = [await store(700), await store(701), await store(702)]
    await get(`api/v1/search?q=zirconium702&since=${etags[2]}&wait=30`)
    const query = `api/v1/search?q=zirconium70*&facets=schema&at=${etags[1]}&size=1`

    const first = await get(query)

    const { items, ...answer } = (await first.json()) as { items: { record: { id: string } }[] }
    expect(answer).to.deep.include({
      total: 2,
      commit: etags[1],
      upToDate: false,
      facets: { schema: [{ value: 'measurement', count: 2 }] },
    })
    expect(items.map(({ record }) => record.id)).to.deep.equal(['own-701'])
    const [, next = ''] = /<([^>]+)>; rel="next"/.exec(first.headers.get('link') ?? '') ?? []
    const second = (await (await get(next)).json()) as { items: { record: { id: string } }[] }
    expect(second.items.map(({ record }) => record.id)).to.deep.equal(['own-700'])
  })

  it('finds every record as soon as the server listens, if the index was up to date at the stop', async () => {
    const etag = await store(800)
    await get(`api/v1/search?q=zirconium800&since=${etag}&wait=30`)
    await server.stop()
    server = await startServer(['--data', data])

    const { items: _, ...answer } = (await (await get('api/v1/search?q=zirconium800')).json()) as {
      items: unknown
    }

    expect(answer).to.deep.include({ total: 1, commit: etag, upToDate: true })
  })

  describe('without its index', () => {
    let file: string
    const search = () => get('search?q=zirconium900', { accept: 'text/html' })
    before(async () => {
      await store(900)
      file = indexFile()
      await server.stop()
      for (const name of readdirSync(folder())) if (name.startsWith('search')) rmSync(join(folder(), name))
      // The server cannot make the file while a folder is in its place.
      mkdirSync(file)
      server = await startServer(['--data', data])
    })

    it('answers 503 with a page that says when to try again', async () => {
      const answer = await search()
      expect(answer.status).to.equal(503)
      expect(answer.headers.get('retry-after')).to.equal('2')
      expect(readHtml(await answer.text()).text).to.contain('Everything else works')
    })

    it('leaves everything else as it is', async () => {
      expect((await get('api/v1/metadata/own-900')).status).to.equal(200)
    })

    it('rebuilds the index, and finds the records then', async () => {
      rmdirSync(file)
      const found = await waitUntil('the search answers', async () => {
        const answer = await search()
        const { text } = readHtml(await answer.text())
        expect((await get('api/v1/metadata/own-900')).status).to.equal(200)
        if (answer.status === 200) return text
        expect([answer.status, answer.headers.get('retry-after')]).to.deep.equal([503, '2'])
        return undefined
      })
      expect(found).to.contain('1 record')
    })
  })
})
