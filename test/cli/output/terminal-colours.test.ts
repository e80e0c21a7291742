import { PassThrough } from 'node:stream'
import type { WriteStream } from 'node:tty'
import { expect } from 'chai'
import { type Column, tableLines } from '../../../src/cli/output/table.js'
import { openTerminal } from '../../../src/cli/output/terminal.js'
import { programScript, runProgram, stopProcesses } from '../../support/program/run-program.js'
import {
  exampleRecordFolder,
  exampleRecordId,
  initExampleRepository,
} from '../../support/repository/example-repository.js'

/** A stream that keeps its output. With `isTTY` it is a terminal of 80 columns. */
function stream(isTTY: boolean) {
  const through = Object.assign(new PassThrough(), isTTY ? { isTTY, columns: 80 } : {})
  const written = () => String(through.read() ?? '')
  return { stream: through as unknown as WriteStream, written }
}

describe('the output of commands', () => {
  const kept = { NO_COLOR: process.env.NO_COLOR, TERM: process.env.TERM }
  beforeEach(() => {
    delete process.env.NO_COLOR
    process.env.TERM = 'xterm'
  })
  afterEach(() => {
    for (const [name, value] of Object.entries(kept)) {
      if (value === undefined) delete process.env[name]
      else process.env[name] = value
    }
  })

  it('has colours and a progress bar for people, and neither in a pipe', () => {
    const [out, err] = [stream(true), stream(true)]
    const person = openTerminal(out.stream, err.stream)
    const bar = person.progress('verify')
    bar.show(1, 2)
    bar.show(2, 2)
    bar.end()

    expect(person.paint('red', 'x')).to.equal('\u001b[31mx\u001b[39m')
    expect(person.paintNote('red', 'x')).to.equal('\u001b[31mx\u001b[39m')
    expect(person.columns).to.equal(80)
    const drawn = err.written()
    expect(drawn).to.match(/verify █+ 2\/2/)
    expect(drawn.endsWith('\r\u001b[K'), 'the bar is erased').to.equal(true)
    expect(out.written()).to.equal('')

    const piped = stream(false)
    const program = openTerminal(piped.stream, piped.stream)
    const none = program.progress('verify')
    none.show(2, 2)
    none.end()
    expect([program.paint('red', 'x'), program.paintNote('red', 'x')]).to.deep.equal(['x', 'x'])
    expect(program.columns).to.equal(undefined)
    expect(piped.written()).to.equal('')
  })

  it('shows whole tables on a terminal without a width, and never truncates the key of a row', () => {
    const unknown = Object.assign(stream(true).stream, { columns: 0 })
    expect(openTerminal(unknown, unknown).columns).to.equal(undefined)
    const columns: readonly Column<readonly [string, string]>[] = [
      { title: 'ID', value: ([id]) => id, identifies: true },
      { title: 'DESCRIBES', value: ([, text]) => text },
    ]
    const long = 'x'.repeat(100)
    expect(tableLines([['a', long]], columns)).to.deep.equal(['ID  DESCRIBES', `a   ${long}`])
    expect(tableLines([['a', long]], columns, 20)).to.deep.equal(['ID  DESCRIBES', `a   ${'x'.repeat(15)}…`])
    expect(tableLines([[long, 'text']], columns, 20)[1]).to.equal(`${long}…`)
  })

  it('has colours on the stream that is a terminal, if the other is redirected', () => {
    const terminal = openTerminal(stream(false).stream, stream(true).stream)

    expect(terminal.paint('red', 'x')).to.equal('x')
    expect(terminal.paintNote('red', 'x')).to.equal('\u001b[31mx\u001b[39m')
  })

  it('has no colours when the environment disables them', () => {
    process.env.NO_COLOR = '1'
    const terminal = openTerminal(stream(true).stream, stream(true).stream)

    expect(terminal.paint('red', 'x')).to.equal('x')
  })
})

describe('tables on a real terminal', () => {
  afterEach(stopProcesses)

  it('show the key of each row at any width, and all text without a width', async function () {
    if ((await runProgram('sh', ['-c', 'command -v script && command -v stty'])).code !== 0)
      return this.skip()
    const hand = await initExampleRepository()
    await hand.edit(`${exampleRecordFolder}/document.json`, text => text.replace('Ada', 'Eve'))
    const author = `An author with a name of many words ${'and more of them '.repeat(4)}at the end`
    await hand.git('commit', '-qam', 'Edit', `--author=${author} <a@example.org>`)
    const commits = (await hand.git('log', '--format=%h', '--abbrev=10', '--', exampleRecordFolder)).split(
      '\n',
    )
    const tables: readonly (readonly [command: string, identities: readonly string[]])[] = [
      ['list', [exampleRecordId]],
      ['list schemas', ['measurement', 'sample']],
      [`log ${exampleRecordId}`, commits],
      [`blame ${exampleRecordId}`, ['/instrument/name', '/date']],
    ]
    for (const [command, identities] of tables) {
      for (const columns of [0, 80, 30]) {
        const run = `stty cols ${columns}; '${process.execPath}' '${programScript}' ${command} --data '${hand.data}'`
        const { stdout } = await runProgram('script', ['-qec', run, '/dev/null'])
        for (const identity of identities) expect(stdout, `${command} ${columns}`).to.contain(identity)
        if (columns === 0) expect(stdout, command).to.not.contain('…')
      }
    }
  })
})
