// test-schedule: waits
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { expect } from 'chai'
import type { Response } from 'supertest'
import { recordDirectory } from '../../../src/store/records/repository-layout.js'
import {
  base,
  etagOf,
  jsonSchema,
  metadataRecordV1,
  metadataType,
  schemaType,
  startServiceWithWorkTree,
  type TestService,
} from '../../support/http/test-service.js'
import { parseTestId } from '../../support/repository/sample-values.js'
import { removeRepositories, waitUntil } from '../../support/repository/test-repository.js'

/** The text of a `record.json` that a person writes. */
function recordFile(name: string, resource: string, relationType = 'IS_METADATA_FOR'): string {
  const relatedIdentifiers = [{ identifierType: 'URL', value: resource, relationType }]
  return JSON.stringify({ id: name, schema: { schemaId: 'note', version: 1 }, relatedIdentifiers })
}

let service: TestService
/** Starts a service with the schema `note` and the document `first`. */
async function start(): Promise<void> {
  service = await startServiceWithWorkTree()
  await service.postSchema({ schemaId: 'note' }, jsonSchema('title')).expect(201)
  const record = metadataRecordV1('https://example.org/1', 'note', { id: 'first' })
  await service.postMetadata(record, '{"title":"first"}').expect(201)
  await service.services.workTreeUpToDate()
}

const place = (name: string) => recordDirectory('metadata', parseTestId(name))
const document = (name: string, title: string) => ({
  [`${place(name)}/record.json`]: recordFile(name, `https://example.org/${name}`),
  [`${place(name)}/document.json`]: JSON.stringify({ title }),
})
async function listed(query = ''): Promise<readonly string[]> {
  const { body } = await service.http.get(`/api/v1/metadata${query}`).expect(200)
  return (body as { id: string }[]).map(record => record.id).toSorted((a, b) => (a < b ? -1 : 1))
}
/** Waits until the server serves a record of this commit. */
const served = (name: string, commit: string) =>
  waitUntil(`${name} at ${commit}`, async () => {
    const answer = await service.http.get(`/api/v1/metadata/${name}`).set('Accept', metadataType)
    return answer.headers.etag === `"${commit}"` && answer
  })

describe('a commit made with git while the server runs', () => {
  beforeEach(start)
  afterEach(removeRepositories)

  it('adds a document to lists and reads', async () => {
    const commit = await service.repository.commit('Add a note', document('mine', 'by hand'))

    const { body } = await served('mine', commit)

    expect(body).to.include({ id: 'mine', recordVersion: 1, schemaVersion: 1 })
    expect(await listed()).to.deep.equal(['first', 'mine'])
    expect(await listed('?resourceId=https://example.org/mine')).to.deep.equal(['mine'])
    expect((await service.http.get('/api/v1/metadata/mine').expect(200)).text).to.equal('{"title":"by hand"}')
  })

  it('makes the next version of a changed record, with any spelling of a relation', async () => {
    const commit = await service.repository.commit('Describe another image', {
      [`${place('first')}/record.json`]: recordFile('first', 'https://example.org/2', 'ISMETADATAFOR'),
    })

    const { body } = await served('first', commit)

    expect(body).to.include({ recordVersion: 2 })
    expect(body.relatedResource).to.deep.equal({ identifier: 'https://example.org/2', identifierType: 'URL' })
    expect(await listed('?resourceId=https://example.org/1')).to.deep.equal([])
    expect(await listed('?resourceId=https://example.org/2')).to.deep.equal(['first'])
    // A resource has only one document of a schema, in any spelling of the relation and by any author.
    await service.postMetadata(metadataRecordV1('https://example.org/2', 'note'), '{"title":"x"}').expect(409)
    const changed = await service.putMetadata('first', `"${commit}"`, undefined, '{"title":"y"}').expect(200)
    expect(changed.body).to.include({ recordVersion: 3 })
  })

  it('is not a predecessor of the next version if the server cannot serve it', async () => {
    const read = (path: string, accept: string) => service.http.get(path).set('Accept', accept).expect(200)
    await service.repository.commit('Break it', { [`${place('first')}/record.json`]: '{' })
    await waitUntil('the fault is reported', async () => {
      const { body } = await service.http.get('/health')
      return (body as { faults: readonly unknown[] }).faults.length === 1
    })

    const { body } = await service.putMetadata('first', '*', undefined, '{"title":"healed"}').expect(200)

    expect(body).to.include({ recordVersion: 3 })
    const healed = await read('/api/v2/metadata/first', 'application/vnd.datacite.org+json')
    const relations = healed.body.relatedIdentifiers as { relationType: string; value: string }[]
    const before = relations.filter(({ relationType }) => relationType === 'IS_NEW_VERSION_OF')
    expect(before.map(({ value }) => value)).to.deep.equal([`${base}/api/v2/metadata/first?version=1`])
    await service.http.get('/api/v2/metadata/first?version=2').expect(404)
    const page = await read('/metadata-landing-page?id=first', 'text/html')
    expect(page.headers.link).to.match(/<[^>]*&version=1>; rel="predecessor-version"/)
    const old = await read('/metadata-landing-page?id=first&version=1', 'text/html')
    expect(old.headers.link).to.match(/<[^>]*&version=3>; rel="successor-version"/)
  })

  it('makes a new version of a schema, which then validates documents', async () => {
    const commit = await service.repository.commit('Ask for a date', {
      'schemas/note/schema.json': jsonSchema('title', 'date'),
    })

    await waitUntil('the server has the schema', async () => {
      const answer = await service.http.get('/api/v1/schemas/note').set('Accept', schemaType)
      return answer.headers.etag === `"${commit}"` && answer.body.schemaVersion === 2
    })
    await service.postMetadata(metadataRecordV1('https://example.org/9', 'note'), '{"title":"x"}').expect(422)
  })

  it('removes a deleted directory from lists and reads', async () => {
    await service.repository.commit('Remove it', { [place('first')]: null })

    await waitUntil('the record is removed', async () => (await listed()).length === 0)

    await service.http.get('/api/v1/metadata/first').expect(404)
    await service.http.get('/api/v1/metadata/first?version=1').expect(404)
    const again = metadataRecordV1('https://example.org/1', 'note', { id: 'first' })
    await service.postMetadata(again, '{"title":"x"}').expect(410)
  })

  it('shows the changes of a merge during updates', async () => {
    const { git, commit } = service.repository
    await git('checkout', '-q', '-b', 'side')
    await commit('Add one', document('one', '1'))
    await commit('Add another', document('another', '2'))
    await git('checkout', '-q', 'main')
    const meanwhile = metadataRecordV1('https://example.org/3', 'note', { id: 'third' })
    await service.postMetadata(meanwhile, '{"title":"third"}').expect(201)
    await service.services.workTreeUpToDate()
    await git('merge', '-q', '--no-edit', 'side')

    await served('one', await service.head())

    expect(await listed()).to.deep.equal(['another', 'first', 'one', 'third'])
    expect((await service.http.get('/api/v1/metadata/another').expect(200)).text).to.equal('{"title":"2"}')
  })

  it('can be undone by git revert, with and without a fault', async () => {
    const { git } = service.repository
    const document = `${place('first')}/document.json`
    const good = await service.repository.commit('Change it', { [document]: '{"title":"second"}' })
    await served('first', good)
    await git('revert', '--no-edit', 'HEAD')
    const back = await served('first', await service.head())
    expect(back.body).to.include({ recordVersion: 3 })
    expect((await service.http.get('/api/v1/metadata/first').expect(200)).text).to.equal('{"title":"first"}')

    await service.repository.commit('Break it', { [document]: '{"name":"no title"}' })
    const faults = async () => (await service.http.get('/health')).body.faults as readonly unknown[]
    await waitUntil('the fault is reported', async () => (await faults()).length === 1)
    await git('revert', '--no-edit', 'HEAD')
    await waitUntil('the fault is gone', async () => (await faults()).length === 0)
    expect((await service.http.get('/api/v1/metadata/first').expect(200)).text).to.equal('{"title":"first"}')
    expect(await git('status', '--porcelain')).to.equal('')
  })

  it('shows the commits of git pull, merged with updates made in the meantime', async () => {
    const { git, dir } = service.repository
    const elsewhere = join(dirname(dir), 'elsewhere')
    const there = (...args: string[]) => git('-C', elsewhere, ...args)
    await git('clone', '-q', dir, elsewhere)
    for (const [path, content] of Object.entries(document('mine', 'pulled'))) {
      await mkdir(dirname(join(elsewhere, path)), { recursive: true })
      await writeFile(join(elsewhere, path), content)
    }
    await there('add', '-A')
    await there('commit', '-q', '-m', 'Add one elsewhere')
    await service.putMetadata('first', '*', undefined, '{"title":"meanwhile"}').expect(200)
    await service.services.workTreeUpToDate()
    const kept = await service.http.get('/api/v1/metadata/first').set('Accept', metadataType).expect(200)

    await git('pull', '-q', '--no-rebase', '--no-edit', elsewhere, 'main')

    await served('mine', await service.head())
    expect(await listed()).to.deep.equal(['first', 'mine'])
    const first = await service.http.get('/api/v1/metadata/first').set('Accept', metadataType).expect(200)
    expect([first.body, etagOf(first)]).to.deep.equal([kept.body, etagOf(kept)])
    expect((await service.http.get('/health').expect(200)).body.faults).to.deep.equal([])
  })

  it('succeeds during constant updates after a git add that succeeded', async () => {
    const { git } = service.repository
    let stopped = false
    let created = 0
    async function client(): Promise<void> {
      while (!stopped) {
        const number = created++
        const record = metadataRecordV1(`https://example.org/many/${number}`, 'note', {
          id: `many-${number}`,
        })
        await service.postMetadata(record, '{"title":"one of many"}').expect(201)
      }
    }
    const clients = Array.from({ length: 8 }, client)
    try {
      for (const [path, text] of Object.entries(document('mine', 'in between'))) {
        await mkdir(dirname(join(service.repository.dir, path)), { recursive: true })
        await writeFile(join(service.repository.dir, path), text)
      }
      // Waits until the server gives git regular turns.
      await setTimeout(3500)
      // On a busy machine, git may need more time to start than a turn has.
      await waitUntil('git gets two turns', async () => {
        if (!(await git('add', '--', place('mine')).then(always, busy))) return false
        return git('commit', '-q', '-m', 'In between', '--', place('mine')).then(always, busy)
      })
      await served('mine', await git('log', '-1', '--format=%H', '--', place('mine')))
    } finally {
      stopped = true
      await Promise.all(clients)
    }
    await service.services.workTreeUpToDate()
    expect(await git('status', '--porcelain')).to.equal('')
    expect((await service.http.get('/health').expect(200)).body.faults).to.deep.equal([])
  })
})

describe('a commit made with git that breaks a rule for one of two documents', () => {
  let kept: Response
  let broken: string
  before(async () => {
    await start()
    kept = await service.http.get('/api/v1/metadata/first').set('Accept', metadataType).expect(200)
    broken = await service.repository.commit('Break it', {
      [`${place('first')}/document.json`]: '{"name":"no title"}',
      ...document('mine', 'good'),
    })
    await served('mine', broken)
  })
  after(removeRepositories)

  it('leaves the last good revision served, with its ETag', async () => {
    const now = await service.http.get('/api/v1/metadata/first').set('Accept', metadataType).expect(200)
    expect([now.body, etagOf(now)]).to.deep.equal([kept.body, etagOf(kept)])
    expect((await service.http.get('/api/v1/metadata/first').expect(200)).text).to.equal('{"title":"first"}')
  })

  it('adds the other document to lists', async () => {
    expect(await listed()).to.deep.equal(['first', 'mine'])
  })

  it('is the head in /health, which is up', async () => {
    const { body } = await service.http.get('/health').expect(200)
    expect(body).to.include({ status: 'UP', head: broken, catalog: broken })
  })

  it('is a fault in /health', async () => {
    const { faults } = (await service.http.get('/health').expect(200)).body
    expect(faults).to.have.lengthOf(1)
    expect(faults[0]).to.deep.include({ kind: 'metadata', id: 'first', commit: broken })
    expect(faults[0].findings[0].message).to.include('title')
  })

  it('is reported once in the log, with the folder of the record', () => {
    const told = service.repository.reports.filter(line => line.includes(broken))
    expect(told).to.have.lengthOf(1)
    expect(told[0]).to.include(place('first'))
  })

  it('is followed by the next version, which ends the fault', async () => {
    const healed = await service.putMetadata('first', etagOf(kept), undefined, '{"title":"well"}').expect(200)
    expect(healed.body).to.include({ recordVersion: 3 })
    expect((await service.http.get('/health').expect(200)).body.faults).to.deep.equal([])
  })
})

const always = () => true
/** Whether git failed because the index is locked. Throws other errors. */
function busy(error: unknown): false {
  if (/index\.lock/.test(String(error))) return false
  throw error
}
