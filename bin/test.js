// npm test: a fresh clone is installed and built first. Further arguments go to mocha: npm test -- --grep paging
// npm run test:quick: only the files that take a second or two each.
// npm run test:long: every file in its long form, with more rounds and larger inputs, which takes more than an hour.
import { fork } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statfsSync } from 'node:fs'
import { availableParallelism, freemem, tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { root, setup } from './setup.js'

/*
 * Test files run in groups, each group in a mocha process of its own with a temporary folder of its own. To start a process
 * and to load the program takes more than a second of processor time, as long as many a file, and a group shares the
 * processes of its commands and servers. Groups are small, because a large process starts git slowly: the system copies its
 * page tables. A file says in a comment when it runs:
 *   test-schedule: first   it takes long: it starts before the others
 *   test-schedule: alone   it measures time or load: it runs after the others, with nothing beside it
 *   test-schedule: quick   it takes a second or two: with --quick only these run
 *   test-schedule: waits   it waits for half of its time or more: these run one after the other, beside the others
 * A group in which a test fails runs once more at the end, with nothing beside it. If it passes then, the failure is
 * reported and does not count: a busy machine delays what a test waits for. If many groups fail, none runs again.
 */
/** One more than there are cores, beside those that wait: tests wait for the disk and for other processes. */
const groupsAtOnce = availableParallelism() + 1
/** Files of a group: of those without a schedule, of quick ones, and of those that wait. All others run each by itself. */
const groupSizes = { usual: 6, quick: 10, waits: 3 }
const schedules = ['first', 'alone', 'quick', 'waits']

setup()
const mocha = join(root, 'node_modules', 'mocha', 'bin', 'mocha.js')
const options = ['--timeout', '120000', '--reporter', join(root, 'bin', 'reporter.cjs')]
const folder = join(root, 'dist', 'test')
const isQuick = process.argv[2] === '--quick'
const isLong = process.argv[2] === '--long'
const furtherArguments = process.argv.slice(isQuick || isLong ? 3 : 2)
/** Bytes that must be free in memory for the temporary folders to be there: several times what tests write at once. */
const roomInMemory = 8 * 2 ** 30
/** Milliseconds after which a group that still runs is ended and counted as a failure. */
const longestGroup = (isLong ? 90 : 15) * 60_000
/** Milliseconds after the last test after which a group that has not ended is ended, and counted as a failure. */
const longestExit = 30_000
/** If more groups fail, something is broken: none runs once more. */
const mostRunAgain = 3
const files = readdirSync(folder, { recursive: true })
  .filter(name => name.endsWith('.test.js'))
  .sort()
  .map(name => ({ file: join(folder, name), schedule: scheduleOf(join(folder, name)) }))
  .filter(({ schedule }) => !isQuick || schedule === 'quick')
if (files.length === 0) {
  console.error(`There are no test files in ${folder}.`)
  process.exit(1)
}

/** By the name of a group: its counts and failures. */
const results = new Map()
const temporary = mkdtempSync(join(placeOfFolders(), 'git-metastore-test-'))
const started = performance.now()
let folders = 0
let failedBefore = []
try {
  const usual = groupsOf(undefined, groupSizes.usual)
  const queue = [...groupsOf('first', 1), ...usual, ...groupsOf('quick', groupSizes.quick)]
  const waits = groupsOf('waits', groupSizes.waits)
  await Promise.all([
    runAll(waits).then(() => runAll(queue)),
    ...Array.from({ length: groupsAtOnce }, () => runAll(queue)),
  ])
  await runAll(groupsOf('alone', 1))
  failedBefore = failedResults()
  if (failedBefore.length <= mostRunAgain) {
    await runAll(failedBefore.map(({ group }) => group))
    for (const before of failedBefore) checkAgain(before, results.get(before.name))
  }
} finally {
  rmSync(temporary, { recursive: true, force: true, maxRetries: 5 })
}
const total = kind => [...results.values()].reduce((sum, result) => sum + result[kind], 0)
const counts = { passed: total('passed'), failed: total('failed'), skipped: total('skipped') }
const failures = failedResults().flatMap(result => result.failures)
if (counts.passed + counts.failed === 0) failures.push('No test was run.')
const passedAgain = failedBefore.filter(({ name }) => results.get(name).failed === 0)
if (passedAgain.length > 0) {
  const reported = passedAgain.flatMap(result => result.failures).join('\n\n')
  console.log(`\nFailed once, passed when it ran again with nothing beside it:\n\n${reported}`)
}
if (failures.length > 0) console.log(`\nFailed:\n\n${failures.join('\n\n')}\n`)
const skipped = counts.skipped > 0 ? `, ${counts.skipped} skipped` : ''
console.log(`\n${files.length} files in ${((performance.now() - started) / 60_000).toFixed(1)} minutes`)
console.log(`${counts.passed} passed, ${counts.failed} failed${skipped}`)
process.exit(failures.length > 0 ? 1 : 0)

/**
 * Where the temporary folders of groups are: in memory where there is room, as tests make and remove hundreds of thousands
 * of files and wait for each to be on the disk. TMPDIR names another place. The long form is on the disk.
 */
function placeOfFolders() {
  const inMemory = '/dev/shm'
  if (isLong || process.env.TMPDIR || !existsSync(inMemory)) return tmpdir()
  const { bavail, bsize } = statfsSync(inMemory)
  return Math.min(bavail * bsize, freemem()) >= roomInMemory ? inMemory : tmpdir()
}

/** @returns one of {@link schedules} or undefined @throws Error for any other word */
function scheduleOf(file) {
  const word = /\btest-schedule: (\w+)/.exec(readFileSync(file, 'utf8'))?.[1]
  if (word === undefined || schedules.includes(word)) return word
  throw new Error(`${file} says test-schedule: ${word}; known are ${schedules.join(', ')}.`)
}

/** The files of a schedule in groups of at most `size`. */
function groupsOf(schedule, size) {
  const found = files.filter(entry => entry.schedule === schedule).map(({ file }) => file)
  return Array.from({ length: Math.ceil(found.length / size) }, (_, at) =>
    found.slice(at * size, (at + 1) * size),
  )
}

/** Runs the groups of a queue, one after the other, until it is empty. */
async function runAll(queue) {
  for (let group = queue.shift(); group !== undefined; group = queue.shift()) await run(group)
}

/** Runs mocha on a group of files, prints what it says when it ends, and adds up what its reporter counts. */
async function run(group) {
  const name = group.map(file => relative(folder, file)).join(', ')
  // Sockets have short paths: 107 bytes. @see unix(7)
  const ownTemporary = join(temporary, String(++folders))
  mkdirSync(ownTemporary)
  const began = performance.now()
  const child = fork(mocha, [...options, ...group, ...furtherArguments], {
    cwd: root,
    env: { ...process.env, TMPDIR: ownTemporary, ...(isLong && { TEST_LENGTH: 'long' }) },
    silent: true,
  })
  const output = []
  for (const stream of [child.stdout, child.stderr]) stream.on('data', bytes => output.push(bytes))
  let said
  let idle
  child.on('message', message => {
    said = message
    // An open timer or socket of a test would keep the process alive without a limit.
    idle = globalThis.setTimeout(() => child.kill('SIGKILL'), longestExit)
  })
  const late = globalThis.setTimeout(() => child.kill('SIGKILL'), longestGroup)
  const closed = new Promise(resolve => child.once('close', resolve))
  const [code, signal] = await new Promise(resolve => child.once('exit', (...how) => resolve(how)))
  clearTimeout(late)
  clearTimeout(idle)
  // A process that the group left behind may hold the pipe open for ever.
  await Promise.race([closed, setTimeout(5000, undefined, { ref: false })])
  for (const stream of [child.stdout, child.stderr]) stream.destroy()
  rmSync(ownTemporary, { recursive: true, force: true, maxRetries: 5 })
  const seconds = ((performance.now() - began) / 1000).toFixed(1)
  process.stdout.write(`\n== ${name} (${seconds} s)\n${Buffer.concat(output)}`)
  const result = { passed: 0, failed: 0, skipped: 0, failures: [], ...said, name, group }
  const isWhole = said && !signal && (code === 0 || said.failures.length > 0)
  if (!isWhole) {
    result.failed++
    result.failures = [
      ...result.failures,
      `mocha ended ${signal ? `by ${signal}` : `with code ${code}`} while it ran ${name}`,
    ]
  }
  results.set(name, result)
}

/** Counts a failure if a group passed with fewer tests than the time before. */
function checkAgain(before, again) {
  if (again.passed >= before.passed && again.skipped <= before.skipped) return
  again.failed++
  again.failures = [...before.failures, ...again.failures, `Fewer tests ran the second time: ${again.name}`]
}

function failedResults() {
  return [...results.values()].filter(({ failed }) => failed > 0)
}
