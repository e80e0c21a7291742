// test-schedule: first
import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { templateFiles } from '../../../src/cli/create-from-template.js'
import { decodeRecord, encodeRecord } from '../../../src/store/records/record-json.js'
import { recordFile } from '../../../src/store/records/repository-layout.js'
import {
  programScript,
  runMetastore,
  runProgram,
  stopProcesses,
  temporaryFolder,
} from '../../support/program/run-program.js'
import { copyRodWithTwoVersions, recordFolder, rodId } from '../../support/repository/example-repository.js'

describe('the example repository', () => {
  afterEach(stopProcesses)

  for (const options of [[], ['--bare'], ['--empty'], ['--empty', '--bare']]) {
    it(`has a clean git status and no complaint of verify: init ${options.join(' ')}`, async () => {
      const data = join(await temporaryFolder(), 'data')

      const made = await runMetastore(['init', data, ...options])

      expect(made.code, made.stderr).to.equal(0)
      const fsck = await runProgram('git', ['-C', data, 'fsck', '--strict'])
      expect(fsck.code, fsck.stderr).to.equal(0)
      if (!options.includes('--bare')) {
        expect((await runProgram('git', ['-C', data, 'status', '--porcelain', '--ignored'])).stdout).to.equal(
          '',
        )
      }
      const verified = await runMetastore(['verify', '--data', data, '--json'])
      expect(JSON.parse(verified.stdout)).to.have.property('complaints').that.deep.equals([])
      expect(verified.code).to.equal(0)
      const { total } = JSON.parse((await runMetastore(['list', '--data', data, '--json'])).stdout) as {
        total: number
      }
      expect(total).to.equal(options.includes('--empty') ? 0 : 2)
    })
  }

  it('has its records in canonical form', async () => {
    const records = [...(await templateFiles())].filter(([path]) => path.endsWith(`/${recordFile}`))

    expect(records).to.have.length(4)
    for (const [path, bytes] of records) {
      expect(encodeRecord(decodeRecord(bytes)).toString(), path).to.equal(Buffer.from(bytes).toString())
    }
  })
})

describe('the history commands', () => {
  let data: string

  beforeEach(async () => {
    data = join(await temporaryFolder(), 'data')
    await copyRodWithTwoVersions(data)
  })
  afterEach(stopProcesses)

  it('list every revision with its commit, author and subject', async () => {
    const { stdout } = await runMetastore(['log', rodId, '--data', data, '--json'])
    const head = (await runProgram('git', ['-C', data, 'rev-parse', 'HEAD'])).stdout.trim()

    const entries = JSON.parse(stdout) as Record<string, unknown>[]

    expect(entries.map(entry => entry.version)).to.deep.equal([2, 1])
    expect(entries[0]).to.include({ commit: head })
    expect(entries[0]?.author).to.include({ name: 'SELF' })
  })

  it('exit with 4 from verify for a commit that breaks a rule, and still read the record', async () => {
    await writeFile(
      join(data, recordFolder(rodId), 'document.xml'),
      '<sample xmlns="https://example.org/sample"/>\n',
    )
    await runProgram('git', ['-C', data, 'commit', '-qam', 'Break it'])

    const verified = await runMetastore(['verify', '--data', data])
    const read = await runMetastore(['get', rodId, '--data', data])

    expect(verified.code).to.equal(4)
    expect(verified.stdout).to.contain(rodId)
    expect(read.stdout).to.contain('48.20')
  })

  it('refuse --url, because they need the data folder', async () => {
    const { code, stderr } = await runMetastore(['log', rodId, '--url', 'http://localhost:1/'])

    expect(code).to.equal(2)
    expect(stderr).to.contain('--data')
  })
})

describe('a command refuses a data folder', () => {
  afterEach(stopProcesses)

  /** Every path in a folder, with size and time of the last change. */
  async function stateOf(folder: string): Promise<readonly string[]> {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true })
    const states = entries.map(async entry => {
      const path = join(entry.parentPath, entry.name)
      const { size, mtimeMs } = await stat(path)
      return `${path} ${size} ${mtimeMs}`
    })
    return (await Promise.all(states)).toSorted()
  }

  /** The message of the commands. Checks that they do not change the folder. */
  async function refusal(data: string): Promise<string> {
    const before = await stateOf(data)
    const ended = await runMetastore(['list', '--data', data])
    const served = await runMetastore(['serve', '--data', data, '--port', '0'])
    expect([ended.code, served.code], ended.stderr + served.stderr).to.deep.equal([1, 1])
    for (const { stderr, stdout } of [ended, served]) {
      expect(stdout).to.equal('')
      expect(stderr).to.match(/^git-metastore: [^\n]+\n$/)
    }
    expect(await stateOf(data)).to.deep.equal(before)
    return ended.stderr
  }

  async function made(): Promise<string> {
    const data = join(await temporaryFolder(), 'data')
    await runMetastore(['init', data])
    return data
  }
  const git = (data: string, ...args: string[]) => runProgram('git', ['-C', data, ...args])

  it('that is another Git repository', async () => {
    const data = await temporaryFolder()
    await writeFile(join(data, 'letter.txt'), 'Dear Ada')

    expect(await refusal(data)).to.contain(data)
    expect((await runMetastore(['init', data])).code).to.equal(1)
    expect(await readFile(join(data, 'letter.txt'), 'utf8')).to.equal('Dear Ada')
  })

  it('that has a newer layout', async () => {
    const data = await made()
    await writeFile(join(data, 'metastore.json'), '{"layout": 99, "name": "From the future"}\n')
    await git(data, 'commit', '-qam', 'Move to a newer layout')

    expect(await refusal(data)).to.contain('99')
  })

  it('that has a detached HEAD', async () => {
    const data = await made()
    await git(data, 'checkout', '-q', '--detach')

    expect(await refusal(data)).to.match(/detached|branch/i)
  })

  it('whose branch has no commit', async () => {
    const data = await made()
    await git(data, 'checkout', '-q', '--orphan', 'fresh')

    expect(await refusal(data)).to.contain('fresh')
  })

  it('that is on a read-only disk', async function () {
    const root = await temporaryFolder()
    await runProgram('git', ['clone', '-q', await made(), 'data'], { cwd: root })
    // Only the script sees this mount. Afterwards the folder is the same.
    const readOnly = (args: string) =>
      runProgram('unshare', [
        ...(process.getuid?.() === 0 ? [] : ['--map-root-user']),
        ...['--mount', 'sh', '-c', 'mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" && exec "$@"'],
        ...[root, process.execPath, programScript, ...args.split(' ')],
      ]).catch(() => undefined)
    if (!/^git-metastore/.test((await readOnly('list --data none'))?.stderr ?? '')) this.skip()

    for (const args of [
      `list --data ${root}/data`,
      `serve --port 0 --data ${root}/data`,
      `init ${root}/a/new/one`,
      `serve --port 0 --data ${root}/another`,
    ]) {
      const ended = await readOnly(args)
      expect(ended?.code, args).to.equal(1)
      expect(ended?.stderr, args).to.match(
        /^(Making .+…\n)?git-metastore: [^\n]*the disk is read-only[^\n]*\n$/,
      )
    }
    for (const [args, folder] of [
      ['connector pause search', 'git-metastore'],
      ['connector rewind search --all', 'git-metastore'],
      ['hooks install', 'hooks'],
    ]) {
      await rm(`${root}/data/.git/${folder}`, { recursive: true, force: true })
      const ended = await readOnly(`${args} --data ${root}/data`)
      expect(ended?.stderr, args).to.equal(
        `git-metastore: The disk is read-only: ${root}/data/.git/${folder}\n`,
      )
      expect(ended?.code, args).to.equal(1)
    }
    expect(await readdir(root)).to.deep.equal(['data'])
  })

  it('that does not exist', async () => {
    const data = await made()
    await rm(data, { recursive: true })

    const { code, stderr } = await runMetastore(['list', '--data', data])

    expect(code).to.equal(1)
    expect(stderr).to.contain('init')
  })
})
