import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { positive, programArguments, whole } from '../../bench/support/command-options.js'

/** Programs for those who build the project, with what they are given before their options. */
const programs: readonly (readonly [script: string, ...before: string[]])[] = [
  ['../../bench/run-benchmarks.js', 'read'],
  ['../../bench/run-benchmarks.js', 'generate'],
  ['../../bench/run-benchmarks.js', 'soak'],
  ['../fuzz/run-fuzz.js'],
  ['../faults/rounds/run-faults.js'],
  ['../overload/run-overload.js'],
]

describe('arguments of the developer scripts', () => {
  for (const [script, ...before] of programs) {
    // What is taken though it is wrong would run for an hour.
    const run = (...args: readonly string[]) =>
      spawnSync(process.execPath, [fileURLToPath(new URL(script, import.meta.url)), ...before, ...args], {
        encoding: 'utf8',
        timeout: 30_000,
      })

    it(`are listed by --help, and an error is one line: ${[script, ...before].join(' ')}`, () => {
      const help = run('--help')
      expect(help.status, help.stderr).to.equal(0)
      expect(help.stdout).to.match(/^npm run [a-z]+/)
      const options = [...help.stdout.matchAll(/^ {2}--([a-z-]+) /gm)].map(([, name]) => name)
      expect(options.length).to.be.greaterThan(2)

      const unknown = run('--nope', '3')
      expect([unknown.status, unknown.stderr]).to.deep.equal([2, 'Unknown argument: nope\nSee --help.\n'])
      const [, number = ''] = /^ {2}--([a-z-]+) .*\[number\]/m.exec(help.stdout) ?? []
      const others = run(`--${number}=3`, 'one', '2')
      expect([others.status, others.stderr]).to.deep.equal([
        2,
        `Unexpected argument: ${before.includes('generate') ? '2' : 'one'}\nSee --help.\n`,
      ])

      const numbers = [...help.stdout.matchAll(/^ {2}--([a-z-]+) .*\[number\]/gm)].map(([, name]) => name)
      for (const [at, name] of numbers.entries()) {
        // To start a program takes long: what is no number and what is too small take turns.
        const value = at % 2 === 0 ? 'much' : '-1'
        const wrong = run(`--${name}=${value}`)
        expect(wrong.status, `--${name}=${value}`).to.equal(2)
        expect(wrong.stderr).to.match(
          new RegExp(`^(--${name} has to be |Not enough arguments).*\nSee --help\\.\n$`),
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
        { args, most: 2 },
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
