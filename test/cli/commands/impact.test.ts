// test-schedule: waits
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { runMetastore, startServer, stopProcesses } from '../../support/program/run-program.js'
import {
  type ExampleRepository,
  exampleRecordId,
  goodDocument,
  initExampleRepository,
} from '../../support/repository/example-repository.js'

describe('git-metastore impact', () => {
  let repository: ExampleRepository
  const at = (name: string) => join(repository.folder, name)
  const schema = (required: string) =>
    JSON.stringify({
      type: 'object',
      properties: { title: { $ref: 'parts/title.json' } },
      required: [required],
    })

  beforeEach(async () => {
    repository = await initExampleRepository()
    await writeFile(at('doc.json'), goodDocument('Mine'))
    const added = await repository.run('add', 'measurement', 'http://x/1', at('doc.json'), '--id', 'mine')
    expect(added.code, added.stderr).to.equal(0)
    await repository.write('../parts/title.json', '{"type":"string"}')
    await writeFile(at('wide.json'), schema('title'))
    await writeFile(at('narrow.json'), schema('voltage'))
  })
  afterEach(stopProcesses)

  for (const where of ['a data folder', 'a server']) {
    it(`lists the documents that a new schema would break, and exits with 4: ${where}`, async () => {
      const server = where === 'a server' ? await startServer(['--data', repository.data]) : undefined
      const target = server ? ['--url', server.url] : ['--data', repository.data]
      const head = await repository.git('rev-parse', 'HEAD')

      const good = await runMetastore(['impact', 'measurement', at('wide.json'), ...target])
      const bad = await runMetastore(['impact', 'measurement', at('narrow.json'), ...target])
      const json = await runMetastore([
        'impact',
        'measurement',
        at('narrow.json'),
        '--limit',
        '1',
        '--json',
        ...target,
      ])
      const broken = await runMetastore(['impact', 'measurement', at('doc.json'), ...target])
      const unknown = await runMetastore(['impact', 'none', at('wide.json'), ...target])

      expect([good.code, bad.code, json.code, unknown.code], good.stderr).to.deep.equal([0, 4, 4, 3])
      expect(good.stdout).to.equal(
        'Of 2 documents that follow measurement, the new version would break none.\n',
      )
      const lines = bad.stdout.split('\n')
      expect(lines[0]).to.match(/^ID +VERSION +FOLLOWS +NOW +WOULD BE WRONG$/)
      expect(lines[1]).to.match(new RegExp(`^${exampleRecordId} +1 +version 1 +valid +.*voltage`))
      expect(lines[2]).to.match(/^mine +1 +version 1 +valid +.*voltage/)
      expect(lines[3]).to.equal('Of 2 documents that follow measurement, the new version would break 2.')
      const told = JSON.parse(json.stdout)
      expect(told).to.deep.include({
        ...{ schema: { id: 'measurement', version: 1 }, commit: head },
        ...{ checked: 2, breaking: 2, invalidBefore: 0, more: true },
      })
      expect(told.documents).to.have.length(1)
      expect(told.documents[0]).to.include({ id: exampleRecordId, validBefore: true })
      // A JSON document without keywords is a schema that accepts every document. An invalid schema is refused as by
      // update.
      expect(broken.code).to.equal(0)
      await writeFile(at('wrong.json'), '{"type":"strange"}')
      const wrong = await runMetastore(['impact', 'measurement', at('wrong.json'), ...target])
      expect(wrong.code).to.equal(4)
      expect(wrong.stderr).to.contain('/type')
      expect(await repository.git('rev-parse', 'HEAD')).to.equal(head)
    })
  }

  it('refuses a wrong command line', async () => {
    const run = (...args: string[]) => repository.run('impact', 'measurement', ...args)

    expect((await run(at('wide.json'), '--limit', '-1')).code).to.equal(2)
    expect((await run(at('nothing.json'))).code).to.equal(2)
    expect((await run()).code).to.equal(2)
  })
})
