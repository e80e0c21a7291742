// test-schedule: quick
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import {
  programScript,
  runMetastore,
  runProgram,
  stopProcesses,
  temporaryFolder,
} from '../../support/program/run-program.js'

describe('an acknowledged update', () => {
  afterEach(stopProcesses)

  it('is synced in an order that survives a power cut: objects, their names, the branch', async function () {
    const folder = await temporaryFolder()
    const data = join(folder, 'data')
    const trace = join(folder, 'trace')
    await runMetastore(['init', '--empty', data])
    await mkdir(join(folder, 'in'))
    await writeFile(join(folder, 'in', 'note.json'), '{"type":"object"}')
    const calls = ['-f', '-y', '-s', '4096', '-o', trace, '-e', 'trace=fsync,rename,renameat,renameat2']
    const traced = await runProgram('strace', [
      ...calls,
      ...[
        process.execPath,
        programScript,
        'register',
        'note',
        join(folder, 'in', 'note.json'),
        '--data',
        data,
      ],
    ]).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined
      throw error
    })
    // strace is missing, or may not trace processes.
    if (traced === undefined || /ptrace/i.test(traced.stderr)) this.skip()
    expect(traced.code, traced.stderr).to.equal(0)

    const lines = (await readFile(trace, 'utf8')).split('\n')
    /** Place of the only matching call. For a call that was suspended in the trace: the place of its end. */
    const place = (call: RegExp): number => {
      const found = lines.flatMap((line, index) => (call.test(line) ? [index] : []))
      expect(found, `${call} in ${lines.filter(line => line.includes(data)).join('\n')}`).to.have.lengthOf(1)
      const [at = 0] = found
      if (!lines[at]?.includes('<unfinished ...>')) return at
      const thread = lines[at]?.split(' ')[0] ?? ''
      return lines.findIndex((line, later) => later > at && line.startsWith(`${thread} `))
    }
    const order = [
      place(/fsync\(\d+<.*\.pack>/),
      place(/rename\w*\(.*\.pack", .*objects\/pack\/pack-\w+\.pack"/),
      place(/fsync\(\d+<.*\/objects\/pack>/),
      place(/rename\w*\(.*refs\/heads\/main\.lock", .*refs\/heads\/main"/),
      place(/fsync\(\d+<.*\/refs\/heads>/),
    ]
    expect(order).to.deep.equal(order.toSorted((a, b) => a - b))
    const index = [
      place(/fsync\(\d+<.*\.idx>/),
      place(/rename\w*\(.*\.idx", .*objects\/pack\/pack-\w+\.idx"/),
      place(/fsync\(\d+<.*\/objects\/pack>/),
    ]
    expect(index).to.deep.equal(index.toSorted((a, b) => a - b))
    // Readers find a pack by its index.
    const names = [
      place(/rename\w*\(.*\.pack", .*objects\/pack\/pack-\w+\.pack"/),
      place(/rename\w*\(.*\.idx", .*objects\/pack\/pack-\w+\.idx"/),
    ]
    expect(names).to.deep.equal(names.toSorted((a, b) => a - b))
    const value = [
      place(/fsync\(\d+<.*locks\/refs%2Fheads%2Fmain.*>/),
      place(/rename\w*\(.*refs\/heads\/main\.lock", .*refs\/heads\/main"/),
    ]
    expect(value).to.deep.equal(value.toSorted((a, b) => a - b))
  })
})
