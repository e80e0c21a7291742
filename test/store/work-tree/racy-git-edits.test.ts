// test-schedule: waits
import { stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { expect } from 'chai'
import { jsonSchema, metadataRecordV1, startServiceWithWorkTree } from '../../support/http/test-service.js'
import { stopProcesses } from '../../support/program/run-program.js'
import { exampleRecordFolder, initExampleRepository } from '../../support/repository/example-repository.js'
import { removeRepositories } from '../../support/repository/test-repository.js'

/**
 * Edits a file in the second in which git wrote its index, and keeps its size. The entry of the index still matches the
 * file. Only the age of the index makes git compare the content.
 */
async function editAtOnce(
  repository: { readonly dir: string; git(...args: string[]): Promise<string> },
  path: string,
  before: string,
  after: string,
): Promise<void> {
  const { dir, git } = repository
  expect(after.length).to.equal(before.length)
  const second = async (name: string) => Math.floor((await stat(join(dir, name))).ctimeMs / 1000)
  for (;;) {
    await setTimeout(1000 - (Date.now() % 1000))
    await writeFile(join(dir, path), before)
    await git('update-index', '--refresh')
    await writeFile(join(dir, path), after)
    if ((await second(path)) === (await second('.git/index'))) break
  }
  await setTimeout(1100)
}

describe('an edit in the second in which git wrote its index', () => {
  afterEach(async () => {
    await removeRepositories()
    await stopProcesses()
  })

  it('is checked and committed', async () => {
    const hand = await initExampleRepository()
    const document = `${exampleRecordFolder}/document.json`
    const text = await hand.git('show', `HEAD:${document}`)
    await editAtOnce(
      { dir: hand.data, git: hand.git },
      document,
      `${text}\n`,
      `${text.replace('Ada', 'Eve')}\n`,
    )

    expect((await hand.run('check')).stdout).to.contain('1 revision of records checked')
    expect((await hand.run('commit', '-m', 'Name Eve')).stdout).to.contain('Committed')
    expect(await hand.git('show', `HEAD:${document}`)).to.contain('Eve')
  })

  it('remains an edit after the server has updated another file', async () => {
    const service = await startServiceWithWorkTree()
    await service.postSchema({ schemaId: 'note' }, jsonSchema()).expect(201)
    await service.services.workTreeUpToDate()
    await service.repository.commit('Keep notes', { 'notes.txt': 'one' })
    await service.services.workTreeUpToDate()
    await editAtOnce(service.repository, 'notes.txt', 'one', 'two')

    await service
      .postMetadata(metadataRecordV1('https://example.org/a', 'note', { id: 'a' }), '{}')
      .expect(201)
    await service.services.workTreeUpToDate()

    expect(await service.repository.git('status', '--porcelain')).to.equal(' M notes.txt')
  })
})
