import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import {
  compare,
  comparisonTable,
  isTooExpensive,
  losses,
  type Measure,
} from '../../bench/against/comparison.js'
import { canLook, processorTimeOfAll, processorTimeOfEnded } from '../../bench/support/process-memory.js'
import { packageFolder } from '../../src/cli/installed-package.js'

// test-schedule: first

const pairsOf = (measure: Measure, today: readonly number[], other: readonly number[]) => ({
  today: today.map(value => ({ [measure]: value })),
  other: other.map(value => ({ [measure]: value })),
})
const verdictOf = (measure: Measure, today: readonly number[], other: readonly number[]) =>
  compare(pairsOf(measure, today, other), measure)?.verdict

describe('the comparison of two builds', () => {
  it('compares the runs of each round, and gives the median ratio with the smallest and the largest', () => {
    const compared = compare(pairsOf('rate', [300, 50, 440], [200, 100, 400]), 'rate')

    expect(compared).to.include({ today: 300, other: 200, ratio: 1.1, min: 0.5, max: 1.5 })
  })

  it('marks a loss above a tenth: of a rate if it falls, of all else if it rises', () => {
    expect(verdictOf('rate', [89, 89, 89], [100, 100, 100])).to.equal('loss')
    expect(verdictOf('rate', [91, 91, 91], [100, 100, 100])).to.equal('kept')
    expect(verdictOf('rate', [300, 300, 300], [100, 100, 100])).to.equal('kept')
    for (const measure of ['p50', 'p99', 'cpu', 'memory'] as const) {
      expect(verdictOf(measure, [111, 111, 111], [100, 100, 100]), measure).to.equal('loss')
      expect(verdictOf(measure, [50, 109, 109], [100, 100, 100]), measure).to.equal('kept')
    }
  })

  it('only suspects a loss if a round shows none', () => {
    expect(verdictOf('cpu', [150, 150, 99], [100, 100, 100])).to.equal('perhaps')
    expect(losses(new Map([['a row', pairsOf('cpu', [150, 150, 99], [100, 100, 100])]]))).to.deep.equal([])
  })

  it('leaves out what a build does not have, and values that are too short to be counted', () => {
    expect(compare({ today: [{ rate: 3 }], other: [{}] }, 'rate')).to.equal(undefined)
    expect(verdictOf('cpu', [Number.NaN, 0, 5], [5, 5, 5])).to.equal('kept')
    expect(verdictOf('cpu', [0], [5])).to.equal(undefined)
  })

  it('finds a request too expensive only if every round needs more than 1.5 times the processor time', () => {
    expect(isTooExpensive(pairsOf('cpu', [1.6, 9, 1.7], [1, 1, 1]))).to.equal(true)
    expect(isTooExpensive(pairsOf('cpu', [1.4, 9, 9], [1, 1, 1]))).to.equal(false)
    expect(isTooExpensive(pairsOf('rate', [1, 1, 1], [9, 9, 9]))).to.equal(false)
    expect(isTooExpensive(pairsOf('cpu', [9], [1]))).to.equal(false)
    expect(isTooExpensive({ today: [], other: [] })).to.equal(false)
  })

  it('is a table in Markdown, and a line for each row with a loss', () => {
    const rows = new Map([
      ['creates', { today: [{ rate: 50, cpu: 4 }], other: [{ rate: 100, cpu: 2 }] }],
      ['reads', pairsOf('p50', [10, 20], [20, 20])],
    ])

    const lines = comparisonTable(rows).split('\n')
    expect(lines).to.have.lengthOf(5)
    expect(new Set(lines.slice(0, 4).map(line => line.length)).size).to.equal(1)
    expect(lines[2]).to.contain('| 50 : 100 = 0.50× **LOSS**').and.contain('| 4 : 2 = 2.00× **LOSS**')
    expect(lines[3]).to.contain('| 15 : 20 = 0.75× (0.50–1.00) |')
    expect(losses(rows)).to.deep.equal(['creates: rate, /s 0.50×; CPU, ms a request 2.00×'])
  })
})

describe('the processor time of a process', () => {
  before(function () {
    if (!canLook) this.skip()
  })

  it('has the time of its processes, of running and of ended ones', async () => {
    // The process and both below it, of which one ends, each use 300 ms.
    const work = 'const end = () => process.cpuUsage().user > 300000; while (!end());'
    const script = `const { spawn } = require('node:child_process')
      const below = more => spawn(process.execPath, ['-e', ${JSON.stringify(work)} + more])
      below('').on('exit', () => below('console.log(1);setInterval(() => {}, 1000)').stdout.on('data', () => console.log('done')))
      ${work}
      process.stdin.on('end', () => process.exit()).resume()`
    const child = spawn(process.execPath, ['-e', script], { stdio: ['pipe', 'pipe', 'inherit'] })
    await once(child.stdout, 'data')
    const pid = child.pid as number

    expect(processorTimeOfAll(pid)).to.be.at.least(850)
    expect(processorTimeOfEnded(pid)).to.be.within(250, processorTimeOfAll(pid) - 550)

    const ended = once(child, 'close')
    child.stdin.end()
    await ended
  })
})

describe('npm run bench -- against', () => {
  const script = fileURLToPath(new URL('../../bench/run-benchmarks.js', import.meta.url))
  const against = (...args: readonly string[]) =>
    spawnSync(process.execPath, [script, 'against', ...args], { encoding: 'utf8' })

  it('builds a commit and prints the table of its rows', function () {
    // A copy of the project without its history has no commits.
    if (!existsSync(join(packageFolder(), '.git'))) this.skip()

    const { status, stdout, stderr } = against('HEAD', '--rows', 'version', '--rounds', '1')

    expect(status, stderr).to.equal(0)
    const number = String.raw`\d[\d.]*`
    expect(stdout).to.match(
      new RegExp(`^\\| .git-metastore --version. +\\| +\\| ${number} : ${number} = ${number}×`, 'm'),
    )
  })

  it('reports a commit that the clone does not have; the short form goes on without it', () => {
    const missing = 'f'.repeat(40)

    expect(against(missing)).to.include({
      status: 2,
      stderr: `This repository has no commit ${missing}.\nSee --help.\n`,
    })
    const short = against(missing, '--short')
    expect(short.status).to.equal(0)
    expect(short.stderr).to.contain(`This clone does not have the commit ${missing}`)
  })

  it('takes its commit from bench/baseline if none is given', async () => {
    expect(await readFile(join(packageFolder(), 'bench', 'baseline'), 'utf8')).to.match(/^[0-9a-f]{40}\n$/)
  })

  it('lists its rows, and refuses a pattern that is not a regular expression', () => {
    const row = 'creates, 64 clients, bare, search off, warm'
    const refused = against('--rows', '(')

    expect(against('--list').stdout.split('\n')).to.include(row)
    expect(refused).to.include({ status: 2, stdout: '' })
    expect(refused.stderr).to.contain('--rows has to be a regular expression')
    expect(against('--rows', 'nothing is named so').stderr).to.contain('--rows matches no row')
  })
})
