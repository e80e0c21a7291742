// test-schedule: first
import { spawn } from 'node:child_process'
import { appendFileSync, chmodSync, readdirSync, readFileSync, truncateSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { maxForOneClient } from '../../src/core/scheduling/client-processes.js'
import { maxGitProcesses } from '../../src/features/git-http/git-conversations.js'
import { maxConcurrentReads } from '../../src/service/points/read-at-point.js'
import { addLargeBranch, branchAside, fetchAll } from '../support/http/git-requests.js'
import { openRawConnection, type RawConnection } from '../support/http/raw-connection.js'
import { type ChildProcessInfo, childrenOf } from '../support/program/child-processes.js'
import { stopProcesses, temporaryFolder } from '../support/program/run-program.js'
import { type PackEntry, packBytes, packEntryOf } from '../support/repository/handmade-packs.js'
import { plainRepositoryAt } from '../support/repository/plain-git-repository.js'
import { waitUntil } from '../support/repository/test-repository.js'
import {
  filePart,
  type MonitoredServer,
  startMonitoredServer,
  startWatchedIn,
  stopCanaryServers,
} from '../support/servers/monitored-server.js'

const mebibyte = 2 ** 20
/** Number of clients with the same address. */
const many = 24
const attacker = '127.0.1.1'
const other = '127.0.1.2'
const ofClones = /upload-pack|pack-objects/
const status = (answer: string) => /^HTTP\/1\.1 (\d+)/.exec(answer)?.[1]

/**
 * Sends a request and reads two kibibytes of the answer per second. The buffers and packets are so small that the
 * server notices each of them.
 */
const trickle = `
import socket, sys, time
address, port, request = sys.argv[1:]
client = socket.socket()
client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
client.setsockopt(socket.IPPROTO_TCP, socket.TCP_MAXSEG, 536)
client.bind((address, 0))
client.connect(('127.0.0.1', int(port)))
client.sendall(request.encode())
while True:
    client.recv(512)
    time.sleep(0.25)
`

describe('git processes of requests', () => {
  let watched: MonitoredServer
  before(function () {
    if (process.platform !== 'linux') this.skip()
  })
  async function stop(): Promise<void> {
    stopCanaryServers()
    await stopProcesses()
  }

  const running = (what: RegExp): readonly ChildProcessInfo[] =>
    childrenOf(watched.server).filter(({ command }) => what.test(command))
  const served = () => plainRepositoryAt(watched.data)
  const open = (asked: string, address: string): Promise<RawConnection> =>
    openRawConnection(watched.server.port, address).then(connection => {
      connection.send(asked)
      return connection
    })
  /** Makes a branch that is larger than the buffers of a connection. @returns a request that fetches the branch */
  const largeFetch = () => fetchAll(addLargeBranch(served(), 5))
  /**
   * Watches the processes.
   * @returns a function that stops that and returns the largest number and the commands without a limit
   */
  function watch(what: RegExp) {
    let max = 0
    const unlimited = new Set<string>()
    const looking = setInterval(() => {
      const found = running(what)
      max = Math.max(max, found.length)
      // A shell sets the limit and then becomes git.
      for (const process of found.filter(({ command }) => !command.startsWith('/bin/sh ')))
        if (!isLimited(process)) unlimited.add(process.command)
    }, 50)
    looking.unref()
    return () => {
      clearInterval(looking)
      return { max, unlimited: [...unlimited] }
    }
  }

  describe('of one server', () => {
    before(async () => {
      watched = await startMonitoredServer('--max-document', '4', '--allow-push')
    })
    after(stop)

    it('for unread clones are limited in number and memory, and end when their client disconnects', async () => {
      const wanted = largeFetch()
      await watched.stands(
        async () => {
          const looked = watch(ofClones)
          const deaf = await Promise.all(Array.from({ length: many }, () => open(wanted, attacker)))
          const heads = await Promise.all(deaf.map(connection => connection.until(/\r\n\r\n/)))
          for (const connection of deaf) connection.pause()
          const refused = heads.filter(head => status(head) === '503')
          expect(refused.length).to.be.at.least(many - maxForOneClient(maxGitProcesses))
          for (const head of refused) expect(head).to.match(/^retry-after: \d+\r$/im)
          const meanwhile = await open(wanted, other)
          expect((await meanwhile.ending('\r\n0\r\n\r\n')).length).to.be.above(12 * mebibyte)
          meanwhile.destroy()
          const { max, unlimited } = looked()
          // Each clone has a second process, which packs. So has the clone of the other client.
          expect(max).to.be.within(1, 2 * (maxForOneClient(maxGitProcesses) + 1))
          expect(unlimited).to.deep.equal([])
          for (const connection of deaf) connection.destroy()
          await waitUntil(
            'all git processes of these clients end',
            () => running(ofClones).length === 0,
            30_000,
          )
        },
        { memory: 640 },
      )
    })

    it('for pushes and their review are limited in memory', async () => {
      const head = served().git('rev-parse', 'main')
      const who = 'A <a@example.org> 1700000000 +0000'
      const tree = served().git('rev-parse', 'main^{tree}')
      const tip = packEntryOf(
        'commit',
        `tree ${tree}\nparent ${head}\nauthor ${who}\ncommitter ${who}\n\nMore\n`,
      )
      const blobs: PackEntry[] = Array.from({ length: 20_000 }, (_, n) => packEntryOf('blob', `${n}`))
      const looked = watch(/receive-pack|index-pack|batch-all-objects|rev-list|git log/)
      const line = `${'0'.repeat(40)} ${tip.oid} refs/heads/many\0report-status`
      const body = Buffer.concat([
        Buffer.from(`${(line.length + 4).toString(16).padStart(4, '0')}${line}0000`),
        packBytes([tip, ...blobs]),
      ])
      const type = 'application/x-git-receive-pack-request'
      const sent = { headers: { 'Content-Type': type }, body }
      const { text } = await watched.ask('POST', '/repository.git/git-receive-pack', sent)
      expect(text).to.include('ok refs/heads/many')
      const { max, unlimited } = looked()
      expect(max).to.be.above(0)
      expect(unlimited).to.deep.equal([])
    })

    it('for points outside the served history are limited in number, and end when their client disconnects', async () => {
      const head = served().git('rev-parse', 'main')
      served().feed(branchAside('aside', head, 6000), 'fast-import', '--quiet')
      const commits = served().git('rev-list', '--first-parent', 'aside').split('\n').slice(0, many)
      const searching = /rev-list|git .*log --first-parent/
      const reading = (commit: string) => {
        const path = `/api/v1/metadata/probe?at=${commit}`
        const client = request({
          host: '127.0.0.1',
          port: watched.server.port,
          path,
          agent: false,
          localAddress: attacker,
        })
        const answer = new Promise<string>(resolve => {
          client.on('error', () => resolve('gone'))
          client.on('response', response => {
            response.resume()
            resolve(`${response.statusCode} ${response.headers['retry-after'] ?? ''}`)
          })
        })
        client.end()
        return { client, answer }
      }
      await watched.stands(async () => {
        const looked = watch(searching)
        const clients = commits.map(reading)
        const refused = await Promise.any(
          clients.map(async ({ answer }) => {
            const said = await answer
            if (!said.startsWith('503 ')) throw new Error(said)
            return said
          }),
        )
        expect(refused).to.match(/^503 \d+$/)
        await sleep(1000)
        const { max, unlimited } = looked()
        expect(max).to.be.at.most(maxForOneClient(maxConcurrentReads))
        expect(unlimited).to.deep.equal([])
        for (const { client } of clients) client.destroy()
        await waitUntil('the end of all searches', () => running(searching).length === 0, 20_000)
        // A later client finds the commit, even if the client that began the search has disconnected.
        expect((await watched.ask('GET', `/api/v1/metadata/probe?at=${commits[0]}`)).status).to.equal(200)
      })
    })

    it('for a text difference do not use more memory with a large pack', async () => {
      const changed = await watched.send(
        'PUT',
        '/api/v1/metadata/probe',
        [filePart('document', 'd', 'application/json', '{"title": "changed"}')],
        { 'If-Match': '*' },
      )
      expect(changed.status, changed.text).to.equal(200)
      // The git process of a difference may take 512 MiB.
      const { git, dir } = served()
      git('repack', '-a', '-d', '-q')
      const packs = join(dir, '.git', 'objects', 'pack')
      const [pack = ''] = readdirSync(packs).filter(name => name.endsWith('.pack'))
      lengthenPack(join(packs, pack), 544 * mebibyte)
      const { status, text } = await watched.ask('GET', '/api/v1/metadata/probe/diff?from=1&to=2', {
        headers: { Accept: 'text/x-diff' },
      })
      expect(status, text).to.equal(200)
      expect(text).to.include('+{"title": "changed"}')
    })
  })

  describe('whose client disconnects', () => {
    before(async () => {
      const home = await temporaryFolder()
      await packWithoutEnd(home)
      watched = await startWatchedIn({ HOME: home })
    })
    after(stop)

    it('end even while git packs', async () => {
      await watched.stands(async () => {
        const client = await open(fetchAll(served().git('rev-parse', 'main')), attacker)
        await waitUntil('a git process packs', () => running(/sleep 599/).length > 0)
        client.destroy()
        await waitUntil('the git process ends', () => running(/sleep 599|upload-pack/).length === 0)
      })
    })
  })

  describe('that take too long', () => {
    const gitTime = 5
    let home: string
    before(async () => {
      home = await temporaryFolder()
      watched = await startWatchedIn({ HOME: home }, '--max-document', '4', '--git-time', `${gitTime}`)
    })
    after(stop)

    it('for a clone end if the client reads almost nothing for longer than --git-time, but not if it reads slowly', async () => {
      const wanted = largeFetch()
      await watched.stands(async () => {
        const began = performance.now()
        const slow = await open(wanted, other)
        let taken = 0
        const all = slow.ending('\r\n0\r\n\r\n', received => {
          if (received > taken + mebibyte) {
            taken = received
            slow.pause()
            setTimeout(slow.resume, 700)
          }
        })
        expect((await all).length, 'bytes that the slow client has received').to.be.above(12 * mebibyte)
        expect(performance.now() - began).to.be.above(gitTime * 1000)
        slow.destroy()
      })
      await watched.stands(async () => {
        const drops = spawn('python3', ['-c', trickle, attacker, `${watched.server.port}`, wanted])
        try {
          await waitUntil('the git process of the client starts', () => running(ofClones).length > 0)
          await waitUntil(
            'the git process of the client ends',
            () => running(ofClones).length === 0,
            6000 * gitTime,
          )
          expect(drops.exitCode, 'exit code of the client, which still runs').to.equal(null)
        } finally {
          drops.kill()
        }
      })
    })

    it('for a clone end if packing takes too long', async () => {
      await packWithoutEnd(home)
      const asked = fetchAll(served().git('rev-parse', 'main'))
      await watched.stands(async () => {
        const client = await open(asked, attacker)
        await waitUntil('a git process packs', () => running(/sleep 599/).length > 0)
        await waitUntil('the git process ends', () => running(/sleep 599|upload-pack/).length === 0, 20_000)
        expect(await client.closed()).to.not.match(/\r\n0\r\n\r\n$/)
      })
    })
  })
})

/**
 * Configures a program that packs nothing and does not end. Git writes nothing meanwhile, so that it does not notice by
 * itself that a client has disconnected.
 * @param home home folder of the user of the server
 * @see git-config(1), uploadpack.keepAlive
 */
async function packWithoutEnd(home: string): Promise<void> {
  const endless = join(home, 'endless')
  await writeFile(endless, '#!/bin/sh\nsleep 599\n', { mode: 0o755 })
  await writeFile(join(home, '.gitconfig'), `[uploadpack]\n\tkeepAlive = 0\n\tpackObjectsHook = ${endless}\n`)
}

/** Inserts unused bytes before the hash at the end of a pack. They take no space on the disk. */
function lengthenPack(path: string, bytes: number): void {
  const content = readFileSync(path)
  const hash = content.subarray(-20)
  chmodSync(path, 0o600)
  truncateSync(path, content.length - hash.length)
  truncateSync(path, content.length - hash.length + bytes)
  appendFileSync(path, hash)
}

/** Whether the address space of a process has a limit; also true if the process has ended. */
function isLimited({ pid }: ChildProcessInfo): boolean {
  try {
    return !/^Max address space +unlimited/m.test(readFileSync(`/proc/${pid}/limits`, 'latin1'))
  } catch {
    return true
  }
}
