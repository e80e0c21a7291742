// test-schedule: quick
import { chmod, link, lstat, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import {
  type FinishedProcess,
  programScript,
  runMetastore,
  runProgram,
  stopProcesses,
  temporaryFolder,
} from '../../support/program/run-program.js'
import { initialise } from '../../support/repository/example-repository.js'

describe('the output of an export', () => {
  let folder: string
  let data: string
  /** Output of an export without `--output`. */
  let expected: string
  before(async () => {
    folder = await temporaryFolder()
    data = join(folder, 'data')
    await initialise(data, [])
    expected = (await runMetastore(['export', '--data', data])).stdout
    expect(expected).to.include('"kind":"interchange"')
  })
  after(stopProcesses)

  const exportTo = (...output: readonly string[]): Promise<FinishedProcess> =>
    runMetastore(['export', '--data', data, ...output], { cwd: folder })

  /** Makes an empty folder for a test. */
  async function place(name: string): Promise<string> {
    const made = join(folder, name)
    await mkdir(made)
    return made
  }

  it('goes through a named pipe, and keeps the pipe', async () => {
    const pipe = join(folder, 'pipe')
    expect((await runProgram('mkfifo', [pipe])).code).to.equal(0)
    const reading = runProgram('timeout', ['30', 'cat', pipe])

    const { code, stderr } = await exportTo('--output', pipe)

    expect(code, stderr).to.equal(0)
    expect((await lstat(pipe)).isFIFO()).to.equal(true)
    expect((await reading).stdout).to.equal(expected)
  })

  for (const output of [['-o', '-'], ['--output', '-'], ['--output=-'], ['-o', '/dev/stdout']]) {
    it(`is standard output with ${output.join(' ')}`, async () => {
      const { code, stdout, stderr } = await exportTo(...output)

      expect(code, stderr).to.equal(0)
      expect(stdout).to.equal(expected)
    })
  }

  it('cannot be standard output for a format that is a folder', async () => {
    for (const format of ['tree', 'ro-crate']) {
      const { code, stdout, stderr } = await exportTo('--format', format, '-o', '-')

      expect(code).to.equal(2)
      expect(stdout).to.equal('')
      expect(stderr).to.include(`--format ${format} writes a folder, not standard output`)
    }
  })

  it('replaces the target file of a symbolic link', async () => {
    const inside = await place('links')
    await writeFile(join(inside, 'file'), 'old')
    await symlink('file', join(inside, 'link'))
    await symlink('missing', join(inside, 'new'))
    await symlink('circle', join(inside, 'circle'))

    expect((await exportTo('-o', 'links/link')).code).to.equal(0)
    expect((await exportTo('-o', 'links/new')).code).to.equal(0)
    const circle = await exportTo('-o', 'links/circle')

    expect((await lstat(join(inside, 'link'))).isSymbolicLink()).to.equal(true)
    expect((await lstat(join(inside, 'new'))).isSymbolicLink()).to.equal(true)
    expect(await readFile(join(inside, 'file'), 'utf8')).to.equal(expected)
    expect(await readFile(join(inside, 'missing'), 'utf8')).to.equal(expected)
    expect(circle.code).to.equal(2)
    expect(circle.stderr).to.include('links/circle cannot be written: its symbolic links lead in a circle.')
    expect(await readdir(inside)).to.have.members(['file', 'link', 'missing', 'new', 'circle'])
  })

  it('keeps the mode of the file that it replaces', async () => {
    const file = join(await place('modes'), 'file')
    await writeFile(file, 'old')
    for (const mode of [0o600, 0o664]) {
      await chmod(file, mode)

      expect((await exportTo('-o', file)).code).to.equal(0)

      expect(await readFile(file, 'utf8')).to.equal(expected)
      expect((await stat(file)).mode & 0o777).to.equal(mode)
    }
  })

  it('keeps an existing file with its own name and ".part"', async () => {
    const inside = await place('parts')
    await writeFile(join(inside, 'all.part'), 'mine')

    expect((await exportTo('-o', join(inside, 'all'))).code).to.equal(0)

    expect(await readFile(join(inside, 'all.part'), 'utf8')).to.equal('mine')
    expect(await readdir(inside)).to.have.members(['all', 'all.part'])
  })

  it('is named as on the command line in the error of a failed write', async () => {
    await place('folder')
    await writeFile(join(folder, 'plain'), '')
    for (const [output, reason] of [
      ['nowhere/x', 'there is no folder of that name for it'],
      ['plain/x', 'a part of its path is not a folder'],
      ['folder', 'it is a folder'],
    ] as const) {
      const { code, stderr } = await exportTo('-o', output)

      expect(code).to.equal(2)
      expect(stderr).to.equal(`git-metastore: ${output} cannot be written: ${reason}.\n`)
    }
  })

  it('leaves no unfinished file when a signal ends the export', async () => {
    const inside = await place('interrupted')
    await writeFile(join(inside, 'file'), 'old')
    // The process gets the signal when the new file is complete, just before it replaces the old one.
    const interrupt = join(folder, 'interrupt.mjs')
    await writeFile(
      interrupt,
      `import files from 'node:fs/promises'
      import { syncBuiltinESMExports } from 'node:module'
      const { rename } = files
      files.rename = async (from, to) => {
        if (!from.endsWith('.part')) return await rename(from, to)
        process.kill(process.pid, 'SIGTERM')
        await new Promise(resolve => setTimeout(resolve, 60_000))
      }
      syncBuiltinESMExports()`,
    )

    const { code } = await runProgram(
      process.execPath,
      ['--import', interrupt, programScript, 'export', '--data', data, '-o', 'file'],
      { cwd: inside },
    )

    expect(code).to.equal(null)
    expect(await readFile(join(inside, 'file'), 'utf8')).to.equal('old')
    expect(await readdir(inside)).to.have.members(['file'])
  })

  it('replaces no file if the export fails', async () => {
    const inside = await place('failures')
    await writeFile(join(inside, 'file'), 'old')
    await link(join(inside, 'file'), join(inside, 'same'))
    // The limit is one block for each file. The export is longer.
    const limited = 'trap "" XFSZ; ulimit -f 1; exec "$0" "$@"'

    const { code, stderr } = await runProgram(
      'sh',
      ['-c', limited, process.execPath, programScript, 'export', '--data', data, '-o', 'file'],
      { cwd: inside },
    )

    expect(code, stderr).to.equal(1)
    expect(stderr).to.include('file cannot be written: file too large.')
    expect(await readFile(join(inside, 'file'), 'utf8')).to.equal('old')
    expect(await readdir(inside)).to.have.members(['file', 'same'])
  })
})
