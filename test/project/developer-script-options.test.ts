import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { positive, programArguments, whole } from '../../bench/support/command-options.js'
import { isLongForm } from '../support/program/long-form.js'

/** Scripts for developers, the argument before their options, and the module that reads the options. */
const programs: readonly { readonly script: string; readonly before?: string; readonly reads?: string }[] = [
  { script: '../../bench/run-benchmarks.js', before: 'read' },
  {
    script: '../../bench/run-benchmarks.js',
    before: 'generate',
    reads: '../../bench/programs/generate-data.js',
  },
  {
    script: '../../bench/run-benchmarks.js',
    before: 'against',
    reads: '../../bench/programs/against-commit.js',
  },
  { script: '../../bench/run-benchmarks.js', before: 'soak', reads: '../../bench/programs/soak-test.js' },
  { script: '../fuzz/run-fuzz.js' },
  { script: '../faults/rounds/run-faults.js' },
  { script: '../overload/run-overload.js' },
]

const pathOf = (script: string) => fileURLToPath(new URL(script, import.meta.url))
// Limits the time: a wrong argument that a script accepts would start a run of an hour.
const runScript = (script: string, ...args: readonly string[]) =>
  spawnSync(process.execPath, [pathOf(script), ...args], { encoding: 'utf8', timeout: 30_000 })

describe('arguments of the developer scripts', () => {
  for (const { script, before = '', reads } of programs) {
    const command = before === '' ? [] : [before]

    it(`are listed by --help, and an error is one line: ${[script, ...command].join(' ')}`, () => {
      const help = runScript(script, ...command, '--help')
      expect(help.status, help.stderr).to.equal(0)
      expect(help.stdout).to.match(/^npm run [a-z]+/)
      const options = [...help.stdout.matchAll(/^ {2}--([a-z-]+) /gm)].map(([, name]) => name)
      expect(options.length).to.be.greaterThan(2)
      const unknown = ['--nope', '3']
      const refusal = { status: 2, stderr: 'Unknown argument: nope\nSee --help.\n' }
      // A benchmark script first finds the program that reads the arguments. The lists below are passed directly to
      // that program.
      if (reads !== undefined || isLongForm)
        expect(runScript(script, ...command, ...unknown)).to.include(refusal)

      // A program starts slowly, so one process tries all other lists of arguments.
      const numbers = [...help.stdout.matchAll(/^ {2}--([a-z-]+) .*\[number\]/gm)].map(
        ([, name = '']) => name,
      )
      const wrong = numbers.flatMap(name => [`--${name}=much`, `--${name}=-1`])
      const lists = [unknown, [`--${numbers[0]}=3`, 'one', '2'], ...wrong.map(option => [option])]
      const given = reads === undefined ? lists.map(list => [...command, ...list]) : lists
      const entry = './refused-arguments-entry.js'
      const refused = runScript(entry, new URL(reads ?? script, import.meta.url).href, JSON.stringify(given))
      expect(refused.status, refused.stderr).to.equal(0)
      const [ofUnknown, others, ...said] = JSON.parse(refused.stdout) as { status: number; stderr: string }[]
      expect(ofUnknown).to.deep.equal(refusal)
      expect(others).to.deep.equal({
        status: 2,
        stderr: `Unexpected argument: ${['generate', 'against'].includes(before) ? '2' : 'one'}\nSee --help.\n`,
      })
      for (const [index, option] of wrong.entries()) {
        expect(said[index]?.status, option).to.equal(2)
        expect(said[index]?.stderr, option).to.match(
          new RegExp(`^(${option.split('=')[0]} has to be |Not enough arguments).*\nSee --help\\.\n$`),
        )
      }
    })
  }
})

describe('parsed arguments', () => {
  it('keep their text, use the last of several, and check the range of numbers', () => {
    const read = (...args: readonly string[]) =>
      programArguments(
        'usage',
        {
          keep: { type: 'string' },
          clients: { ...whole('Connections'), default: 64 },
          restart: positive('Minutes'),
        },
        { args, max: 2 },
      )

    expect(read('0123', '--keep', 'a', '1e3', '--keep', '007')).to.deep.include({
      _: ['0123', '1e3'],
      keep: '007',
    })
    expect(read()).to.deep.include({ _: [], clients: 64 }).and.not.have.property('restart')
    expect(read('--clients', '3', '--clients=4', '--restart', '0.5')).to.deep.include({
      clients: 4,
      restart: 0.5,
    })
    const { fits } = whole('').has
    expect([0, 0.5, 1, 2 ** 32 - 1, 2 ** 32, Number.NaN].filter(fits)).to.deep.equal([1, 2 ** 32 - 1])
  })
})
