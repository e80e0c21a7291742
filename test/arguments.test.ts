import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'

/** Programs for those who build the project, with what they are given before their options. */
const programs: readonly (readonly [script: string, ...before: string[]])[] = [
  ['../bench/main.js', 'read'],
  ['../bench/main.js', 'generate'],
  ['../bench/main.js', 'soak'],
  ['./fuzz/main.js'],
  ['./faults/main.js'],
  ['./overload/main.js'],
]

describe('Arguments of the programs for those who build the project', () => {
  for (const [script, ...before] of programs) {
    // What is taken though it is wrong would run for an hour.
    const run = (...args: readonly string[]) =>
      spawnSync(process.execPath, [fileURLToPath(new URL(script, import.meta.url)), ...before, ...args], {
        encoding: 'utf8',
        timeout: 30_000,
      })

    it(`are told with --help, and what is wrong with them in a line: ${[script, ...before].join(' ')}`, () => {
      const help = run('--help')
      expect(help.status, help.stderr).to.equal(0)
      expect(help.stdout).to.match(/^npm run [a-z]+/)
      const options = [...help.stdout.matchAll(/^ {2}--([a-z-]+) /gm)].map(([, name]) => name)
      expect(options.length).to.be.greaterThan(2)

      const unknown = run('--nope', '3')
      expect([unknown.status, unknown.stderr]).to.deep.equal([2, 'Unknown argument: nope\nSee --help.\n'])

      for (const [, name] of help.stdout.matchAll(/^ {2}--([a-z-]+) .*\[number\]/gm)) {
        for (const value of ['much', '-1']) {
          const wrong = run(`--${name}=${value}`)
          expect(wrong.status, `--${name}=${value}`).to.equal(2)
          expect(wrong.stderr).to.match(
            new RegExp(`^(--${name} has to be |Not enough arguments).*\nSee --help\\.\n$`),
          )
        }
      }
    })
  }
})
