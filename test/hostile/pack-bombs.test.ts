// test-schedule: first
import { readFileSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { childrenOf } from '../support/program/child-processes.js'
import { isLongForm } from '../support/program/long-form.js'
import { stopProcesses } from '../support/program/run-program.js'
import {
  blobOfZeros,
  type PackEntry,
  type PackedObject,
  packBytes,
  packEntryOf,
  repeatingDelta,
} from '../support/repository/handmade-packs.js'
import { plainRepositoryAt, removePlainRepositories } from '../support/repository/plain-git-repository.js'
import {
  type MonitoredResponse,
  type MonitoredServer,
  startMonitoredServer,
  stopCanaryServers,
} from '../support/servers/monitored-server.js'

const mebibyte = 2 ** 20
/** Memory limit in mebibytes of a git process for a push: a gibibyte plus eight times the largest document. */
const max = 1024 + 8 * 4

const line = (text: string) => `${(Buffer.byteLength(text) + 4).toString(16).padStart(4, '0')}${text}`

describe('packs that exhaust git', () => {
  let watched: MonitoredServer
  let head: string
  before(async function () {
    if (process.platform !== 'linux') this.skip()
    watched = await startMonitoredServer('--allow-push', '--max-document', '4')
    head = served().git('rev-parse', 'main')
  })
  after(async () => {
    stopCanaryServers()
    removePlainRepositories()
    await stopProcesses()
  })

  const served = () => plainRepositoryAt(watched.data)
  /** Makes a commit on the served commit. @param tree of the commit */
  function commit(tree: string): PackedObject {
    const who = 'A <a@example.org> 1700000000 +0000'
    return packEntryOf('commit', `tree ${tree}\nparent ${head}\nauthor ${who}\ncommitter ${who}\n\nMore\n`)
  }
  const sameTree = () => commit(served().git('rev-parse', 'main^{tree}'))

  let count = 0
  /** Pushes a pack to a branch and measures the processes of the server meanwhile. */
  async function push(
    tip: string,
    bytes: Buffer,
    ref = `refs/heads/aside-${++count}`,
  ): Promise<{ readonly answer: MonitoredResponse; readonly largest: number }> {
    const from = ref === 'refs/heads/main' ? head : '0'.repeat(40)
    const body = Buffer.concat([Buffer.from(`${line(`${from} ${tip} ${ref}\0 report-status`)}0000`), bytes])
    return await observed('receive-pack', body)
  }
  async function observed(
    service: string,
    body: Buffer,
  ): Promise<{ readonly answer: MonitoredResponse; readonly largest: number }> {
    let largest = 0
    const looking = setInterval(() => {
      for (const { pid } of childrenOf(watched.server, 'git')) largest = Math.max(largest, peakOf(pid))
    }, 40)
    try {
      const headers = { 'Content-Type': `application/x-git-${service}-request` }
      const answer = await watched.stands(
        () => watched.ask('POST', `/repository.git/git-${service}`, { headers, body }),
        { memory: 256 + max },
      )
      return { answer, largest }
    } finally {
      clearInterval(looking)
    }
  }
  /** The peak memory of a process in mebibytes; 0 if it has ended. */
  function peakOf(pid: number): number {
    try {
      const found = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))
      return Number(found?.[1] ?? 0) / 1024
    } catch {
      return 0
    }
  }
  async function leavesNothing(): Promise<void> {
    expect(served().git('rev-parse', 'main')).to.equal(head)
    expect(served().git('for-each-ref', '--format=%(refname)')).to.equal('refs/heads/main')
    const left = await readdir(join(watched.data, '.git/objects'), { recursive: true })
    expect(left.filter(name => /tmp_/.test(name))).to.deep.equal([])
  }

  it('are refused if a file expands a thousandfold, on any branch', async () => {
    const [first, second] = [201, 202].map(size => blobOfZeros(size * mebibyte)) as [
      PackedObject,
      PackedObject,
    ]
    const huge = isLongForm ? blobOfZeros(1200 * mebibyte) : first
    for (const ref of ['refs/heads/main', 'refs/heads/aside']) {
      const tree = packEntryOf(
        'tree',
        Buffer.concat([Buffer.from('100644 huge\0'), Buffer.from(huge.oid, 'hex')]),
      )
      const tip = commit(tree.oid)
      const { answer, largest } = await push(tip.oid, packBytes([tip, tree, huge]), ref)
      expect(answer.text).to.include(`ng ${ref}`)
      // Git does not even unpack the whole file.
      expect(largest, 'mebibytes').to.be.below(200)
      await leavesNothing()
    }
    // Several large files that no commit refers to.
    const tip = sameTree()
    const { answer, largest } = await push(tip.oid, packBytes([tip, first, second]))
    expect(answer.text).to.include('ng refs/heads/aside')
    expect(largest, 'mebibytes').to.be.below(200)
    await leavesNothing()
  })

  it('are refused if deltas of a few kilobytes expand to gigabytes', async () => {
    const base = packEntryOf('blob', Buffer.alloc(65_536, 'x'))
    const sixteen = { size: base.size * 256 }
    const tip = sameTree()
    for (const [entries, what, refusal] of [
      // One file larger than the memory limit of a process.
      [
        [tip, base, repeatingDelta(256, base), repeatingDelta(600, sixteen)],
        'ten gigabytes',
        /unpack index-pack abnormal exit/,
      ],
      // Several files below that limit, but larger than a file may be.
      [
        [
          tip,
          base,
          repeatingDelta(256, base),
          ...Array.from({ length: isLongForm ? 6 : 2 }, (_, index) =>
            repeatingDelta(20 + index, sixteen, 1 + index),
          ),
        ],
        'hundreds of mebibytes each',
        /unpack ok[\s\S]*ng refs\/heads\/\S+ pre-receive hook declined/,
      ],
    ] as const) {
      const bytes = packBytes(entries as readonly PackEntry[])
      expect(bytes.length).to.be.below(10_000)
      const { answer, largest } = await push(tip.oid, bytes)
      expect(answer.text, what).to.match(refusal)
      expect(largest, what).to.be.below(max)
      await leavesNothing()
    }
  })

  it('are refused if a folder has a million entries', async () => {
    const text = packEntryOf('blob', 'x')
    const oid = Buffer.from(text.oid, 'hex')
    const entry = (at: number) =>
      Buffer.concat([Buffer.from(`100644 f${String(at).padStart(7, '0')}\0`), oid])
    const tree = packEntryOf(
      'tree',
      Buffer.concat(Array.from({ length: 1_000_000 }, (_, index) => entry(index))),
    )
    const tip = commit(tree.oid)
    for (const ref of ['refs/heads/main', undefined]) {
      const { answer, largest } = await push(tip.oid, packBytes([tip, tree, text]), ref)
      expect(answer.text).to.match(/ng refs/)
      expect(largest).to.be.below(max)
      await leavesNothing()
    }
  })

  it('are refused if they state a wrong number of objects, and accepted if it is only large', async () => {
    const tip = sameTree()
    for (const [entries, said] of [
      [[tip], 0x7fffffff],
      [[tip], 2],
      [[tip], 0],
      [[tip, packEntryOf('blob', 'x')], 1],
    ] as const) {
      const { answer, largest } = await push(tip.oid, packBytes(entries, said))
      expect(answer.text, `${said}`).to.match(/unpack (?!ok)|ng refs/)
      expect(largest).to.be.below(max)
      await leavesNothing()
    }
    const lie = { ...packEntryOf('blob', 'x'.repeat(1000)), size: 2 ** 40 }
    const { answer } = await push(tip.oid, packBytes([tip, lie]))
    expect(answer.text).to.match(/unpack (?!ok)|ng refs/)
    await leavesNothing()

    const many = Array.from({ length: isLongForm ? 30_000 : 10_000 }, (_, index) =>
      packEntryOf('blob', `${index}`),
    )
    const taken = await push(tip.oid, packBytes([tip, ...many]), 'refs/heads/many')
    expect(taken.answer.text).to.include('ok refs/heads/many')
    expect(taken.largest).to.be.below(256)
    served().git('branch', '-q', '-D', 'many')
  })

  it('are not amplified by a hundred thousand requests for the same object', async () => {
    const capable = line(`want ${head} side-band-64k ofs-delta\n`)
    const wants = line(`want ${head}\n`).repeat(100_000)
    const haves = Array.from({ length: 100_000 }, (_, index) =>
      line(`have ${index.toString(16).padStart(40, '0')}\n`),
    ).join('')
    const { answer, largest } = await observed(
      'upload-pack',
      Buffer.from(`${capable}${wants}0000${haves}${line('done\n')}`),
    )
    expect(answer.status).to.equal(200)
    expect(largest).to.be.below(256)
  })

  it('leave a sound repository', async () => {
    expect(served().git('fsck', '--strict', '--no-dangling')).to.equal('')
    expect(served().git('status', '--porcelain')).to.equal('')
    expect((await watched.ask('GET', '/health')).status).to.equal(200)
  })
})
