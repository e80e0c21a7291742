// test-schedule: waits
import { closeSync, openSync, rmSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { recordDirectory } from '../../../src/store/records/repository-layout.js'
import { jsonSchema, metadataRecordV1 } from '../../support/http/test-service.js'
import { isLongForm } from '../../support/program/long-form.js'
import {
  type RunningServer,
  runMetastore,
  runProgram,
  startServer,
  stopProcesses,
  temporaryFolder,
} from '../../support/program/run-program.js'
import { parseTestId } from '../../support/repository/sample-values.js'
import { waitUntil } from '../../support/repository/test-repository.js'
import { gitOutput, sendAcceptedForm, sendForm } from '../../support/servers/server-requests.js'

/*
 * A person who works with plain git in the data folder of servers under constant updates. The tests count attempts, ten
 * per second, instead of seconds, because a busy machine slows both sides.
 */

/** Number of attempts in five seconds. */
const maxTries = 50
/** Number of commits of a person, and number of checked heads. */
const [commits, maxHeads] = isLongForm ? [20, 6] : [3, 2]
/** Milliseconds between two attempts, and those in which a person reads that the branch has moved. */
const [pause, reading] = [100, 2000]
const clients = 24
/** A document of such a length that the update of the work tree takes a while. */
const text = 'some words '.repeat(2000)

interface Load {
  /** Ids of the records whose creation was answered with 201. */
  readonly created: readonly string[]
  /** Answers other than 201 and 503. */
  readonly wrong: readonly string[]
  stop(): Promise<void>
}

describe('git commands beside servers under constant updates', () => {
  let folder: string

  const git = (...args: readonly string[]) => gitOutput(folder, 'data', ...args)
  const tried = (...args: readonly string[]) => runProgram('git', ['-C', join(folder, 'data'), ...args])
  const fileOf = (name: string) => `${recordDirectory('metadata', parseTestId(name))}/document.json`

  async function started(count: number): Promise<readonly RunningServer[]> {
    folder = await temporaryFolder()
    expect((await runMetastore(['init', 'data'], { cwd: folder })).code).to.equal(0)
    const servers: RunningServer[] = []
    for (let index = 0; index < count; index++)
      servers.push(await startServer(['--data', 'data'], { cwd: folder }))
    const schema = { record: { schemaId: 'note' }, part: 'schema', bytes: jsonSchema('title') } as const
    await sendAcceptedForm(servers[0] as RunningServer, 'POST', 'api/v1/schemas', schema)
    return servers
  }

  /** Starts clients that create records without a pause, each on one of the servers. */
  async function loaded(servers: readonly RunningServer[]): Promise<Load> {
    const created: string[] = []
    const wrong: string[] = []
    let stopped = false
    async function client(server: RunningServer, number: number): Promise<void> {
      for (let at = 0; !stopped; at++) {
        const name = `note-${number}-${at}`
        const record = metadataRecordV1(`https://example.org/${name}`, 'note', { id: name })
        const form = { record, part: 'document', bytes: JSON.stringify({ title: name, text }) } as const
        const answer = await sendForm(server, 'POST', 'api/v1/metadata', form)
        if (answer.status === 201) created.push(name)
        else if (answer.status === 503) await sleep(pause)
        else wrong.push(`${answer.status} ${await answer.text()}`)
        await answer.arrayBuffer().catch(() => undefined)
      }
    }
    const running = Array.from({ length: clients }, (_, number) =>
      client(servers[number % servers.length] as RunningServer, number),
    )
    await sleep(isLongForm ? 2000 : 1000)
    return {
      created,
      wrong,
      async stop() {
        stopped = true
        await Promise.all(running)
      },
    }
  }

  /** Commits a file. @returns the number of attempts */
  async function triesToCommit(subject: string): Promise<number> {
    await writeFile(join(folder, 'data/notes.txt'), `${subject}\n`)
    for (let tries = 1; ; tries++) {
      const added = await tried('add', 'notes.txt')
      const { code, stderr } = added.code === 0 ? await tried('commit', '-q', '-m', subject) : added
      if (code === 0) return tries
      expect(stderr).to.match(/index\.lock|cannot lock ref/)
      if (tries >= 4 * maxTries) return tries
      // Git has read the index before updates, and has written it after them. A server puts them back, unless another
      // commit of that index comes first: a person reads the message before.
      await sleep(stderr.includes('cannot lock ref') ? reading : pause)
    }
  }

  /**
   * Expects that every acknowledged update and every commit of the person is in the history, and that nothing was
   * undone.
   */
  async function expectAllOf({ created, wrong }: Load, subjects: readonly string[]): Promise<void> {
    expect(wrong).to.deep.equal([])
    const files = new Set((await git('ls-tree', '-r', '--name-only', 'HEAD')).split('\n'))
    expect(created.filter(name => !files.has(fileOf(name)))).to.deep.equal([])
    expect(created.length).to.be.greaterThan(clients)
    const log = (await git('log', '--first-parent', '--format=%s')).split('\n')
    expect(subjects.filter(subject => !log.includes(subject))).to.deep.equal([])
    const removed = await git('log', '--first-parent', '-m', '--diff-filter=D', '--name-only', '--format=')
    expect(removed).to.equal('')
    expect(await git('status', '--porcelain')).to.equal('')
    expect(await git('fsck', '--strict', '--no-dangling', '--no-progress')).to.equal('')
  }

  for (const { count, named } of [
    { count: 1, named: 'one busy server' },
    { count: 2, named: 'two busy servers over one folder' },
  ])
    describe(`beside ${named}`, () => {
      const subjects = Array.from({ length: commits }, (_, index) => `Note ${index}`)
      let servers: readonly RunningServer[]
      let load: Load
      before(async () => {
        servers = await started(count)
        load = await loaded(servers)
      })
      after(async () => {
        await load.stop()
        await stopProcesses()
      })

      it('succeed in a commit within five seconds of attempts', async () => {
        const tries: number[] = []
        for (const [index, subject] of subjects.entries()) {
          // Each commit begins at another moment between two turns.
          await sleep(170 * index)
          tries.push(await triesToCommit(subject))
        }

        // On a busy machine, a person's command may be too slow for a turn and then uses the next one.
        const [median, longest] = [
          tries.toSorted((a, b) => a - b)[Math.floor(commits / 2)],
          Math.max(...tries),
        ]
        expect(median, `attempts: ${tries.join(', ')}`).to.be.at.most(maxTries)
        expect(longest, `attempts: ${tries.join(', ')}`).to.be.at.most(2 * maxTries)
      })

      it('find an index that equals the branch while the lock is free', async () => {
        const lock = join(folder, 'data/.git/index.lock')
        const heads = new Set<string>()
        while (heads.size < maxHeads) {
          const taken = await eventuallyLocked(lock)
          try {
            const head = await git('rev-parse', 'HEAD')
            // A commit of this index would contain the state of the branch.
            expect(await git('diff-index', '--cached', '--name-only', head)).to.equal('')
            await sleep(300)
            expect(await git('rev-parse', 'HEAD')).to.equal(head)
            heads.add(head)
          } finally {
            closeSync(taken)
            rmSync(lock)
          }
          const soFar = load.created.length
          await waitUntil('updates continue', () => load.created.length > soFar)
          if (heads.size < maxHeads) await sleep(1500)
        }
      })

      it('undo no update', async () => {
        await load.stop()
        for (const server of servers) expect((await server.stop()).code).to.equal(0)
        await expectAllOf(load, subjects)
      })
    })
})

/** Takes a lock like git, as soon as it is free. */
async function eventuallyLocked(lock: string): Promise<number> {
  for (let tries = 0; tries < 4 * maxTries; tries++) {
    try {
      return openSync(lock, 'wx')
    } catch (thrown) {
      if ((thrown as NodeJS.ErrnoException).code !== 'EEXIST') throw thrown
      await sleep(pause)
    }
  }
  throw new Error(`${lock} never became free.`)
}
