// test-schedule: quick
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect } from 'chai'
import { openWorkerThread } from '../../../src/store/workers/worker-thread.js'
import { keepThreads } from '../../support/program/kept-threads.js'

/** A job: what the thread does before it answers with its number. */
type Job = 'answer' | 'fail' | 'answer and end'

describe('threads that are kept', () => {
  const folder = mkdtempSync(join(tmpdir(), 'git-metastore-thread-'))
  let scripts = 0

  before(keepThreads)
  after(() => rmSync(folder, { recursive: true, force: true }))

  /** Another script for each test, of which no thread is kept. */
  function newScript(): URL {
    const script = join(folder, `${++scripts}.mjs`)
    writeFileSync(
      script,
      `import { parentPort, threadId } from 'node:worker_threads'
       parentPort.on('message', job => {
         if (job === 'fail') parentPort.postMessage({ error: { message: 'no', code: undefined } })
         else parentPort.postMessage({ result: threadId })
         if (job === 'answer and end') process.exit()
       })`,
    )
    return pathToFileURL(script)
  }

  const open = (script: URL) => openWorkerThread<Job, number>(script)

  it('do the jobs of the next that is opened', async () => {
    const script = newScript()
    const first = open(script)
    const number = await first.run('answer')
    await first.close()

    const second = open(script)
    expect(await second.run('answer')).to.equal(number)
    await second.close()
    const third = open(script)
    expect(await third.run('answer')).to.equal(number)
    await third.close()
  })

  it('are not shared by two that are open', async () => {
    const script = newScript()
    const [first, second] = [open(script), open(script)]

    const numbers = await Promise.all([first.run('answer'), second.run('answer')])

    expect(new Set(numbers)).to.have.lengthOf(2)
    await Promise.all([first.close(), second.close()])
  })

  it('are ended if their last job failed', async () => {
    const script = newScript()
    const first = open(script)
    const number = await first.run('answer')
    const refused = await first.run('fail').catch((error: unknown) => error)
    expect(refused).to.be.an('error').with.property('message', 'no')
    await first.close()

    const second = open(script)
    expect(await second.run('answer')).not.to.equal(number)
    await second.close()
  })

  it('are replaced if they have ended', async () => {
    const script = newScript()
    const first = open(script)
    const number = await first.run('answer and end')
    await first.close()
    const second = open(script)
    let answer = await second.run('answer').catch(() => undefined)
    // The end of the thread may not have been noticed before the job.
    answer ??= await second.run('answer')

    expect(answer).not.to.equal(number)
    await second.close()
  })
})
