// test-schedule: quick
import { mkdir, readdir, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { stopProcesses } from '../../support/program/run-program.js'
import { initExampleRepository } from '../../support/repository/example-repository.js'

describe('a command that cleans up after a kill', () => {
  afterEach(stopProcesses)

  it('removes files that belong to its own lock, and old files', async () => {
    const hand = await initExampleRepository()
    const own = join(hand.data, '.git', 'git-metastore')
    expect((await hand.run('list')).code).to.equal(0)
    for (const name of ['new-000000000000', 'info-000000000000', 'info-111111111111', 'hook-111111111111']) {
      await writeFile(join(own, name), '')
    }
    await mkdir(join(own, 'checkout-000000000000'))
    await writeFile(join(own, 'checkout-000000000000', 'record.json'), '{}')
    for (const name of ['info', 'hook']) await utimes(join(own, `${name}-111111111111`), 0, 0)

    expect((await hand.run('list')).code).to.equal(0)

    const left = (await readdir(own)).filter(name => /^(new|checkout|info|hook)-/.test(name))
    expect(left).to.deep.equal(['info-000000000000'])
  })
})
