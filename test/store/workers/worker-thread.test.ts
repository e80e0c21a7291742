// test-schedule: quick
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect } from 'chai'
import { openWorkerThread } from '../../../src/store/workers/worker-thread.js'
import { keepThreads } from '../../support/program/kept-threads.js'

/** A job. The thread answers with its id, fails, or answers and ends. */
type Job = 'answer' | 'fail' | 'answer and end'

describe('kept threads', () => {
  const folder = mkdtempSync(join(tmpdir(), 'git-metastore-thread-'))
  let scripts = 0

  before(keepThreads)
  after(() => rmSync(folder, { recursive: true, force: true }))

  /** A new script for each test. No kept thread runs it. */
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

  it('run the jobs of the next opened one', async () => {
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

  it('are not shared by two open ones', async () => {
    const script = newScript()
    const [first, second] = [open(script), open(script)]

    const numbers = await Promise.all([first.run('answer'), second.run('answer')])

    expect(new Set(numbers)).to.have.lengthOf(2)
    await Promise.all([first.close(), second.close()])
  })

  it('end if their last job failed', async () => {
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

  it('are replaced after their end', async () => {
    const script = newScript()
    const first = open(script)
    const number = await first.run('answer and end')
    await first.close()
    const second = open(script)
    let answer = await second.run('answer').catch(() => undefined)
    // The main thread may not have noticed the end of the thread before the job.
    answer ??= await second.run('answer')

    expect(answer).not.to.equal(number)
    await second.close()
  })
})

describe('the job loop of a thread', () => {
  it('answers in the order of the jobs, also if the first one waits', async () => {
    const loop = new URL('../../../src/store/workers/job-loop.js', import.meta.url)
    const folder = mkdtempSync(join(tmpdir(), 'git-metastore-thread-'))
    try {
      const script = join(folder, 'waits.mjs')
      writeFileSync(
        script,
        `import { setTimeout } from 'node:timers/promises'
         import { runJobLoop } from '${loop}'
         runJobLoop(async milliseconds => {
           if (milliseconds > 0) await setTimeout(milliseconds)
           return milliseconds
         })`,
      )
      const thread = openWorkerThread<number, number>(pathToFileURL(script), 'ahead')
      expect(await Promise.all([50, 0].map(milliseconds => thread.run(milliseconds)))).to.deep.equal([50, 0])
      await thread.close()
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })
})
