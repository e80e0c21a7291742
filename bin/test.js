// npm test: a fresh clone is installed and built first. Further arguments go to mocha: npm test -- --grep paging
// npm run test:quick: only the files that take a second or two each.
import { fork } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { root, setup } from './setup.js'

/*
 * Each test file runs in a mocha process of its own, with a temporary folder of its own. A process stays small that way:
 * a large one starts git slowly, because the system copies its page tables. A file says in a comment when it runs:
 *   test-schedule: first   it takes long: it starts before the others
 *   test-schedule: alone   it measures time or load: it runs after the others, with nothing beside it
 *   test-schedule: quick   it takes a second or two: with --quick only these run
 *   test-schedule: waits   it waits for half of its time or more: these run one after the other, beside the others
 */
const filesAtOnce = availableParallelism()
const schedules = ['first', 'alone', 'quick', 'waits']
/** Milliseconds after which a file that still runs is ended and counted as a failure. */
const longestFile = 15 * 60_000

setup()
const mocha = join(root, 'node_modules', 'mocha', 'bin', 'mocha.js')
const options = ['--timeout', '120000', '--reporter', join(root, 'bin', 'reporter.cjs')]
const folder = join(root, 'dist', 'test')
const isQuick = process.argv[2] === '--quick'
const furtherArguments = process.argv.slice(isQuick ? 3 : 2)
const files = readdirSync(folder, { recursive: true })
  .filter(name => name.endsWith('.test.js'))
  .sort()
  .map(name => ({ file: join(folder, name), schedule: scheduleOf(join(folder, name)) }))
  .filter(({ schedule }) => !isQuick || schedule === 'quick')
if (files.length === 0) {
  console.error(`There are no test files in ${folder}.`)
  process.exit(1)
}

const counts = { passed: 0, failed: 0, skipped: 0 }
const failures = []
const temporary = mkdtempSync(join(tmpdir(), 'git-metastore-test-'))
const started = performance.now()
let folders = 0
try {
  const queue = [...filesOf('first'), ...filesOf(undefined), ...filesOf('quick')]
  const alone = filesOf('alone')
  await Promise.all([runAll(filesOf('waits')), ...Array.from({ length: filesAtOnce }, () => runAll(queue))])
  await runAll(alone)
} finally {
  rmSync(temporary, { recursive: true, force: true, maxRetries: 5 })
}
if (counts.passed + counts.failed === 0) failures.push('No test was run.')
if (failures.length > 0) console.log(`\nFailed:\n\n${failures.join('\n\n')}\n`)
const skipped = counts.skipped > 0 ? `, ${counts.skipped} skipped` : ''
console.log(`\n${files.length} files in ${((performance.now() - started) / 60_000).toFixed(1)} minutes`)
console.log(`${counts.passed} passed, ${counts.failed} failed${skipped}`)
process.exit(failures.length > 0 ? 1 : 0)

/** @returns one of {@link schedules} or undefined @throws Error for any other word */
function scheduleOf(file) {
  const word = /\btest-schedule: (\w+)/.exec(readFileSync(file, 'utf8'))?.[1]
  if (word === undefined || schedules.includes(word)) return word
  throw new Error(`${file} says test-schedule: ${word}; known are ${schedules.join(', ')}.`)
}

function filesOf(schedule) {
  return files.filter(entry => entry.schedule === schedule).map(({ file }) => file)
}

/** Runs the files of a queue, one after the other, until it is empty. */
async function runAll(queue) {
  for (let file = queue.shift(); file !== undefined; file = queue.shift()) await run(file)
}

/** Runs mocha on a file, prints what it says when it ends, and adds up what its reporter counts. */
async function run(file) {
  const name = relative(folder, file)
  // Sockets have short paths: 107 bytes. @see unix(7)
  const ownTemporary = join(temporary, String(++folders))
  mkdirSync(ownTemporary)
  const began = performance.now()
  const child = fork(mocha, [...options, file, ...furtherArguments], {
    cwd: root,
    env: { ...process.env, TMPDIR: ownTemporary },
    silent: true,
  })
  const output = []
  for (const stream of [child.stdout, child.stderr]) stream.on('data', bytes => output.push(bytes))
  let said
  child.on('message', message => {
    said = message
  })
  const late = globalThis.setTimeout(() => child.kill('SIGKILL'), longestFile)
  const closed = new Promise(resolve => child.once('close', resolve))
  const [code, signal] = await new Promise(resolve => child.once('exit', (...how) => resolve(how)))
  clearTimeout(late)
  // A process that the file left behind may hold the pipe open for ever.
  await Promise.race([closed, setTimeout(5000, undefined, { ref: false })])
  for (const stream of [child.stdout, child.stderr]) stream.destroy()
  rmSync(ownTemporary, { recursive: true, force: true, maxRetries: 5 })
  const seconds = ((performance.now() - began) / 1000).toFixed(1)
  process.stdout.write(`\n== ${name} (${seconds} s)\n${Buffer.concat(output)}`)
  if (said) {
    for (const kind of Object.keys(counts)) counts[kind] += said[kind]
    failures.push(...said.failures)
  }
  if (said?.failures.length > 0 || (said && code === 0)) return
  counts.failed++
  failures.push(`mocha ended ${signal ? `by ${signal}` : `with code ${code}`} while it ran ${name}`)
}
