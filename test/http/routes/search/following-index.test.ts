// test-schedule: waits
import { existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { readHtml } from '../../../support/http/strict-html.js'
import {
  type RunningServer,
  startServer,
  stopProcesses,
  temporaryFolder,
} from '../../../support/program/run-program.js'
import { initialise } from '../../../support/repository/example-repository.js'
import { copyPrepared } from '../../../support/repository/prepared-folder.js'

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

  it('finds a change with since and wait, and reports without wait that the index lacks it', async () => {
    const early: number[] = []
    for (let number = 0; number < 20; number++) {
      const etag = await store(number)
      const query = `api/v1/search?q=zirconium${number}&highlight=false&since=${etag}`
      const now = await get(query)
      early.push(now.status)
      if (now.status === 503) {
        expect(now.headers.get('retry-after')).to.equal('1')
        expect(((await now.json()) as { detail: string }).detail).to.contain(etag)
      } else expect(((await now.json()) as { total: number }).total).to.equal(1)
      const waited = (await (await get(`${query}&wait=30`)).json()) as { total: number; upToDate: boolean }
      expect([waited.total, waited.upToDate]).to.deep.equal([1, true])
    }
    expect(early.every(status => status === 200 || status === 503)).to.equal(true)
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

  it('rebuilds a deleted index, and only the search answers 503 meanwhile', async () => {
    await server.stop()
    const folder = join(data, '.git', 'git-metastore')
    expect(existsSync(folder)).to.equal(true)
    for (const name of readdirSync(folder)) if (name.startsWith('search')) rmSync(join(folder, name))
    server = await startServer(['--data', data])
    for (let missing = 0; ; missing++) {
      expect(missing).to.be.below(600)
      const answer = await get('search?q=zirconium7', { accept: 'text/html' })
      const { text } = readHtml(await answer.text())
      expect((await get('api/v1/metadata/own-7')).status).to.equal(200)
      if (answer.status === 200) {
        expect(text).to.contain('1 record')
        break
      }
      expect(answer.status).to.equal(503)
      expect(answer.headers.get('retry-after')).to.equal('2')
      expect(text).to.contain('Everything else works')
      await new Promise(resolve => setTimeout(resolve, 20))
    }
  })
})
