import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { watchBranch } from '../../../src/catalog/follow/branch-watcher.js'

/** Limit of the time until a change is seen, in milliseconds. */
const patience = 10_000

describe('following the branch', () => {
  let dir: string
  let gitDir: string
  let follower: { close(): Promise<void> } | undefined
  const reports: string[] = []

  beforeEach(() => {
    dir = mkdtempSync(path.join(tmpdir(), 'git-metastore-follow-'))
    gitDir = path.join(dir, '.git')
    git('init', '-q', '-b', 'main')
    git('config', 'user.name', 'Jane')
    git('config', 'user.email', 'jane@example.org')
    commit('first')
    reports.length = 0
  })

  afterEach(async () => {
    await follower?.close()
    follower = undefined
    rmSync(dir, { recursive: true, force: true })
  })

  function git(...args: readonly string[]): string {
    return execFileSync('git', args, {
      cwd: dir,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim()
  }
  function commit(text: string): void {
    writeFileSync(path.join(dir, 'file'), text)
    git('add', 'file')
    git('commit', '-q', '-m', text)
  }
  const head = () => git('rev-parse', 'refs/heads/main')

  /** Follows the branch with an interval of an hour, so that only events report changes. */
  async function follow(branch = 'refs/heads/main', interval = 3_600_000) {
    const seen: string[] = []
    follower = await watchBranch({
      gitDir,
      branch,
      interval,
      report: line => reports.push(line),
      onChange: async () => {
        seen.push(git('rev-parse', branch))
        await Promise.resolve()
      },
    })
    return seen
  }

  async function until(what: string, met: () => boolean): Promise<void> {
    for (let waited = 0; !met(); waited += 10) {
      if (waited > patience) throw new Error(`Not seen: ${what}`)
      await sleep(10)
    }
  }

  /** Moves the branch between two commits from another process, without a pause. */
  async function whileMoving(first: string, second: string, job: () => Promise<void>): Promise<void> {
    const script =
      'while :; do git update-ref refs/heads/main "$1"; git update-ref refs/heads/main "$2"; done'
    const moving = spawn('sh', ['-c', script, 'sh', first, second], { cwd: dir, stdio: 'ignore' })
    const ended = once(moving, 'exit')
    try {
      await job()
    } finally {
      moving.kill()
      await ended
    }
  }

  /** Number of files and folders that the system watches for this process. @see proc_pid_fdinfo(5), inotify */
  function watches(): number {
    return readdirSync('/proc/self/fdinfo')
      .flatMap(descriptor => {
        try {
          return readFileSync(`/proc/self/fdinfo/${descriptor}`, 'latin1').split('\n')
        } catch {
          return [] // The descriptor that reads this folder.
        }
      })
      .filter(line => line.startsWith('inotify ')).length
  }

  it('sees a commit, a commit after packing the refs, a moved ref, a merge and a reset', async () => {
    const seen = await follow()

    commit('second')
    await until('the commit', () => seen.at(-1) === head())
    git('pack-refs', '--all', '--prune')
    commit('third')
    await until('the commit after pack-refs', () => seen.at(-1) === head())
    git('update-ref', 'refs/heads/main', 'HEAD~1')
    await until('the moved ref', () => seen.at(-1) === head())
    git('reset', '-q', '--hard')
    git('checkout', '-q', '-b', 'side', 'HEAD~1')
    writeFileSync(path.join(dir, 'other'), 'on the side')
    git('add', 'other')
    git('commit', '-q', '-m', 'on the side')
    git('checkout', '-q', 'main')
    git('merge', '-q', '--no-edit', 'side')
    await until('the merge', () => seen.at(-1) === head())
    git('reset', '-q', '--hard', 'HEAD~1')
    await until('the reset', () => seen.at(-1) === head())

    expect(reports).to.deep.equal([])
  })

  it('sees a push into a bare repository, and a branch whose ref is only packed', async () => {
    const bare = path.join(dir, 'bare.git')
    git('clone', '-q', '--bare', '.', bare)
    gitDir = bare
    const seen = await follow()

    commit('second')
    git('push', '-q', bare, 'main')
    await until('the push', () => seen.at(-1) === head())
  })

  it('sees a branch in a folder of branches that does not exist yet', async () => {
    git('checkout', '-q', '-b', 'team/a/data')
    commit('second')
    git('pack-refs', '--all', '--prune')
    const seen = await follow('refs/heads/team/a/data')

    commit('third')
    await until('the commit', () => seen.at(-1) === git('rev-parse', 'HEAD'))
  })

  it('falls back to polling the refs', async () => {
    const seen = await follow('refs/heads/main', 20)

    commit('second')
    await until('the commit', () => seen.at(-1) === head())
  })

  it('never runs two callbacks at a time, and calls again for changes meanwhile', async () => {
    let calls = 0
    let running = 0
    let max = 0
    let seen = ''
    follower = await watchBranch({
      gitDir,
      branch: 'refs/heads/main',
      report: line => reports.push(line),
      onChange: async () => {
        calls++
        max = Math.max(max, ++running)
        seen = head()
        await sleep(50)
        running--
        if (calls === 1) throw new Error('the first callback fails')
      },
    })

    for (let number = 0; number < 10; number++) commit(`commit ${number}`)
    await until('the last commit', () => seen === head() && running === 0)

    expect(max).to.equal(1)
    expect(reports).to.have.length(1)
    expect(reports[0]).to.include('the first callback fails')
  })

  it('stops watching while the branch moves continuously, still sees the commits, and watches again afterwards', async function () {
    if (!existsSync('/proc/self/fdinfo')) this.skip()
    commit('second')
    const [first, second] = [git('rev-parse', 'HEAD~1'), head()]
    const unwatched = watches()
    const seen = await follow()
    expect(watches()).to.be.above(unwatched)

    await whileMoving(first, second, async () => {
      await until('the end of the watches', () => watches() <= unwatched)
      // Each check sees one of the two commits. Several checks in a row may see the same one.
      const before = seen.length
      await until('moves while nothing is watched', () => seen.length > before)
    })

    await until('the watches', () => watches() > unwatched)
    commit('third')
    await until('a commit after it', () => seen.at(-1) === head())
    expect(reports).to.deep.equal([])
  })

  it('watches again after a failed callback, without more frequent retries', async function () {
    if (!existsSync('/proc/self/fdinfo')) this.skip()
    commit('second')
    const [first, second] = [git('rev-parse', 'HEAD~1'), head()]
    const unwatched = watches()
    let calls = 0
    follower = await watchBranch({
      gitDir,
      branch: 'refs/heads/main',
      interval: 3_600_000,
      report: line => reports.push(line),
      onChange: () => {
        calls++
        return Promise.reject(new Error('it always fails'))
      },
    })

    await whileMoving(first, second, () => until('the end of the watches', () => watches() <= unwatched))
    let polled = calls
    await until('the watches', () => {
      if (watches() > unwatched) return true
      polled = calls
      return false
    })
    // Watches begin with a check, which repeats the failed call.
    await until('the call of the first check', () => calls > polled)
    const before = calls
    await sleep(1_000)

    expect(calls).to.equal(before)
    expect(reports).to.have.length(1)
  })

  it('watches neither the objects nor the work tree', async () => {
    let calls = 0
    follower = await watchBranch({
      gitDir,
      branch: 'refs/heads/main',
      interval: 3_600_000,
      onChange: () => Promise.resolve(void calls++),
    })

    writeFileSync(path.join(dir, 'file'), 'edited')
    execFileSync('git', ['hash-object', '-w', '--stdin'], { cwd: dir, input: 'a blob' })
    git('branch', 'another')
    await sleep(300)

    expect(calls).to.equal(0)
  })
})
