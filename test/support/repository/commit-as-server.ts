import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect } from 'chai'
import type { Id } from '../../../src/core/value-types.js'
import { documentFileName, recordDirectory } from '../../../src/store/records/repository-layout.js'
import type { TestRepository } from './test-repository.js'

/**
 * Makes commits like those of a server. Each replaces the document of a metadata record by `{"n":0}`, `{"n":1}` and so
 * on.
 */
export async function commitAsServer(
  repository: Pick<TestRepository, 'dir'>,
  id: string,
  count: number,
): Promise<void> {
  const directory = recordDirectory('metadata', id as Id)
  const path = `${directory}/${documentFileName('metadata', 'JSON')}`
  const started = Date.now()
  const commits = Array.from({ length: count }, (_, index) => {
    const time = started + index
    const message = `Update metadata ${id}\n\nRecord: metadata ${id}\nRecorded-At: ${new Date(time).toISOString()}\n`
    const document = `{"n":${index}}`
    return (
      `commit refs/heads/main\ncommitter git-metastore <service@git-metastore> ${Math.floor(time / 1000)} +0000\n` +
      `data ${message.length}\n${message}\n${index === 0 ? 'from refs/heads/main^0\n' : ''}` +
      `M 100644 inline ${path}\ndata ${document.length}\n${document}\n`
    )
  })
  const child = spawn('git', ['fast-import', '--quiet'], {
    cwd: repository.dir,
    stdio: ['pipe', 'ignore', 'inherit'],
  })
  child.stdin.end(commits.join(''))
  const [code] = (await once(child, 'close')) as [number]
  expect(code).to.equal(0)
}
