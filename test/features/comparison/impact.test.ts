// test-schedule: waits
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import {
  type FinishedProcess,
  runMetastore,
  startServer,
  stopProcesses,
} from '../../support/program/run-program.js'
import {
  type ExampleRepository,
  exampleRecordId,
  goodDocument,
  initExampleRepository,
} from '../../support/repository/example-repository.js'

let repository: ExampleRepository
const at = (name: string) => join(repository.folder, name)
const schema = (required: string) =>
  JSON.stringify({
    type: 'object',
    properties: { title: { $ref: 'parts/title.json' } },
    required: [required],
  })

/** Makes a repository with two documents of a schema, and files of a wider and a narrower schema. */
async function start(): Promise<void> {
  repository = await initExampleRepository()
  await writeFile(at('doc.json'), goodDocument('Mine'))
  const added = await repository.run('add', 'measurement', 'http://x/1', at('doc.json'), '--id', 'mine')
  expect(added.code, added.stderr).to.equal(0)
  await repository.write('../parts/title.json', '{"type":"string"}')
  await writeFile(at('wide.json'), schema('title'))
  await writeFile(at('narrow.json'), schema('voltage'))
}

describe('git-metastore impact', () => {
  beforeEach(start)
  afterEach(stopProcesses)

  it('refuses a wrong command line', async () => {
    const run = (...args: string[]) => repository.run('impact', 'measurement', ...args)

    expect((await run(at('wide.json'), '--limit', '-1')).code).to.equal(2)
    expect((await run(at('nothing.json'))).code).to.equal(2)
    expect((await run()).code).to.equal(2)
  })
})

for (const where of ['a data folder', 'a server']) {
  describe(`git-metastore impact, of ${where}`, () => {
    let head: string
    const ended: Partial<Record<'good' | 'bad' | 'json' | 'broken' | 'wrong' | 'unknown', FinishedProcess>> =
      {}
    before(async () => {
      await start()
      await writeFile(at('wrong.json'), '{"type":"strange"}')
      const server = where === 'a server' ? await startServer(['--data', repository.data]) : undefined
      const target = server ? ['--url', server.url] : ['--data', repository.data]
      const run = (id: string, file: string, ...args: string[]) =>
        runMetastore(['impact', id, at(file), ...args, ...target])
      head = await repository.git('rev-parse', 'HEAD')
      ended.good = await run('measurement', 'wide.json')
      ended.bad = await run('measurement', 'narrow.json')
      ended.json = await run('measurement', 'narrow.json', '--limit', '1', '--json')
      ended.broken = await run('measurement', 'doc.json')
      ended.wrong = await run('measurement', 'wrong.json')
      ended.unknown = await run('none', 'wide.json')
    })
    after(stopProcesses)

    it('exits with 0 if the new version would break no document, and says so', () => {
      expect(ended.good?.code, ended.good?.stderr).to.equal(0)
      expect(ended.good?.stdout).to.equal(
        'Of 2 documents that follow measurement, the new version would break none.\n',
      )
    })

    it('lists the documents that the new version would break, and exits with 4', () => {
      const lines = ended.bad?.stdout.split('\n') ?? []
      expect(ended.bad?.code).to.equal(4)
      expect(lines[0]).to.match(/^ID +VERSION +FOLLOWS +NOW +WOULD BE WRONG$/)
      expect(lines[1]).to.match(new RegExp(`^${exampleRecordId} +1 +version 1 +valid +.*voltage`))
      expect(lines[2]).to.match(/^mine +1 +version 1 +valid +.*voltage/)
      expect(lines[3]).to.equal('Of 2 documents that follow measurement, the new version would break 2.')
    })

    it('prints as JSON as many of them as --limit allows, with the totals', () => {
      const told = JSON.parse(ended.json?.stdout ?? '')
      expect(ended.json?.code).to.equal(4)
      expect(told).to.deep.include({
        ...{ schema: { id: 'measurement', version: 1 }, commit: head },
        ...{ checked: 2, breaking: 2, invalidBefore: 0, more: true },
      })
      expect(told.documents).to.have.length(1)
      expect(told.documents[0]).to.include({ id: exampleRecordId, validBefore: true })
    })

    it('takes a JSON document without keywords as a schema that accepts every document', () => {
      expect(ended.broken?.code).to.equal(0)
    })

    it('refuses an invalid schema with 4, as update does', () => {
      expect(ended.wrong?.code).to.equal(4)
      expect(ended.wrong?.stderr).to.contain('/type')
    })

    it('exits with 3 for an unknown schema', () => {
      expect(ended.unknown?.code).to.equal(3)
    })

    it('leaves no commit', async () => {
      expect(await repository.git('rev-parse', 'HEAD')).to.equal(head)
    })
  })
}
