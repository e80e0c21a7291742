// npm test: installs and builds a fresh clone, then runs the tests, but for those of `onlyWithAll`.
// npm run test:all: runs every file.
// npm run test:quick: runs only the files that take a second or two each.
// npm run test:long: runs every file in its long form, with more rounds and larger inputs, for more than an hour.
// Further arguments go to mocha, which then gets every file: npm test -- --grep paging
import { fork } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statfsSync } from 'node:fs'
import { availableParallelism, constants, freemem, setPriority, tmpdir } from 'node:os'
import { join, relative, sep } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { root, setup } from './setup.js'

/*
 * Test files run in groups. Each group has its own mocha process and its own temporary folder. Starting a process and
 * loading the program takes more than a second of processor time, as long as many test files. The files of a group
 * share the processes of its commands and servers. Groups are short enough that all processors work until the end. A
 * comment in a file can set its schedule:
 *   test-schedule: first   The file takes long. It starts before the others.
 *   test-schedule: alone   The file measures time, load or priorities. It runs after the others, while nothing else runs.
 *   test-schedule: quick   The file takes a second or two. With --quick, only these files run.
 *   test-schedule: waits   The file waits for half of its time or more. A few of these files run beside the others.
 * Groups that run at the same time have the lowest priority. A server gives its search index and its searches a lower
 * priority than its requests: beside other groups of the usual priority, an index would get a hundredth of a processor,
 * and a test that waits for it would fail. With the lowest priority, all of them have the same one.
 * A group with a failed test runs once more at the end, while nothing else runs. The counts are those of the first run:
 * the second one only tells how the test ended then. A test that passes only then depends on load, on time, or on the
 * other groups, and must be mended. If many groups fail, none runs again.
 */
/**
 * Number of parallel groups, without those that wait: more than the processor cores, because tests wait for the
 * disk and for other processes.
 */
const groupsAtOnce = availableParallelism() + 3
/** Number of parallel groups of files that wait. */
const waitingAtOnce = 2
/**
 * Limits of the files of a group: of those that start first, of files without a schedule, quick ones, and those that
 * wait. Every other file is a group.
 */
const groupSizes = { first: 2, usual: 9, quick: 14, waits: 6 }
/**
 * The environment of the tests. Each start of Node.js reads all further certificates, which takes twice the processor time
 * of the rest of the start. Only a search cluster behind HTTPS can need them.
 */
const { NODE_EXTRA_CA_CERTS: certificates, ...environment } = process.env
if (environment.OPENSEARCH_URL?.startsWith('https:')) environment.NODE_EXTRA_CA_CERTS = certificates
/** The priority of groups that run at the same time. */
const lowest = constants.priority.PRIORITY_LOW
const schedules = ['first', 'alone', 'quick', 'waits']

await setup()
const mocha = join(root, 'node_modules', 'mocha', 'bin', 'mocha.js')
const options = ['--timeout', '300000', '--reporter', join(root, 'bin', 'reporter.cjs')]
const folder = join(root, 'dist', 'test')
const [isQuick, isAll, isLong] = ['--quick', '--all', '--long'].map(form => process.argv[2] === form)
const furtherArguments = process.argv.slice(isQuick || isAll || isLong ? 3 : 2)
/**
 * Beginnings of the paths of files that `npm test` leaves out, below `dist/test`: together they take longer than all
 * others. They attack, kill or overload the program, follow the documents line by line, run the program with browsers,
 * other servers or programs of others, or build copies of the project.
 */
const onlyWithAll = [
  'documentation/run/',
  'documentation/use/',
  'e2e/clients/',
  'e2e/git/git-commands-under-load',
  'e2e/niceness',
  'e2e/plain-path',
  'faults/',
  'features/feature-of-the-guide',
  'features/harvesting/harvesters',
  'features/remotes/',
  'features/search-cluster/',
  'features/search/find/long-searches',
  'features/take-a-feature-away',
  'features/web/',
  'fuzz/',
  'hostile/',
  'overload/',
  'project/automatic-answer-check',
  'project/comparison-with-commit',
  'project/developer-script-options',
  'project/fresh-clone',
  'project/generated-repository',
  'project/packed-package',
  'validation/workers/fairness',
  'validation/workers/time-and-memory-limits',
  'validation/xml/long-chains',
].map(path => path.replaceAll('/', sep))
/** Free bytes of memory that are required to put the temporary folders there. Tests use much less at once. */
const roomInMemory = 8 * 2 ** 30
/** Time limit of a group in milliseconds. A group that exceeds it is killed and counts as a failure. */
const longestGroup = (isLong ? 90 : 30) * 60_000
/**
 * Time limit in milliseconds from the last test of a group to the end of its process. If it is exceeded, the group is
 * killed and counts as a failure.
 */
const longestExit = 30_000
/** Limit of the failed groups that run again. If more fail, the cause is not a busy machine. */
const mostRunAgain = 3
/** How a test that failed ended in the second run. */
const outcomes = {
  failed: 'First run: failed. Second run, with nothing beside it: failed.',
  passed:
    'First run: failed. Second run, with nothing beside it: passed. The test depends on load, time or order: mend it.',
  missing: 'First run: failed. Second run, with nothing beside it: it was skipped or did not run.',
}
const found = readdirSync(folder, { recursive: true }).filter(name => name.endsWith('.test.js'))
const hasAll = isQuick || isAll || isLong || furtherArguments.length > 0
const files = found
  .filter(name => hasAll || !onlyWithAll.some(path => name.startsWith(path)))
  .sort()
  .map(name => ({ file: join(folder, name), schedule: scheduleOf(join(folder, name)) }))
  .filter(({ schedule }) => !isQuick || schedule === 'quick')
if (files.length === 0) {
  console.error(`There are no test files in ${folder}.`)
  process.exit(1)
}

/** Counts and failures of all groups. */
const results = []
const temporary = mkdtempSync(join(placeOfFolders(), 'git-metastore-test-'))
const started = performance.now()
let folders = 0
try {
  const usual = groupsOf(undefined, groupSizes.usual)
  const queue = [...groupsOf('first', groupSizes.first), ...usual, ...groupsOf('quick', groupSizes.quick)]
  const waits = groupsOf('waits', groupSizes.waits)
  await Promise.all([
    ...Array.from({ length: waitingAtOnce }, () => runAll(waits, lowest).then(() => runAll(queue, lowest))),
    ...Array.from({ length: groupsAtOnce }, () => runAll(queue, lowest)),
  ])
  await runAll(groupsOf('alone', 1))
  const failedGroups = results.filter(({ failed }) => failed > 0)
  if (failedGroups.length <= mostRunAgain)
    for (const first of failedGroups) compareRuns(first, await run(first.group))
} finally {
  rmSync(temporary, { recursive: true, force: true, maxRetries: 5 })
}
const total = kind => results.reduce((sum, result) => sum + result[kind], 0)
const counts = { passed: total('passed'), failed: total('failed'), skipped: total('skipped') }
const failures = results.flatMap(result => result.failures.map(({ report }) => report))
if (counts.passed + counts.failed === 0) failures.push('No test was run.')
if (failures.length > 0) console.log(`\nFailed:\n\n${failures.join('\n\n')}\n`)
const skipped = counts.skipped > 0 ? `, ${counts.skipped} skipped` : ''
const leftOut = hasAll ? '' : `; \`npm run test:all\` runs ${found.length - files.length} more`
console.log(
  `\n${files.length} files in ${((performance.now() - started) / 60_000).toFixed(1)} minutes${leftOut}`,
)
console.log(`${counts.passed} passed, ${counts.failed} failed${skipped}`)
process.exit(failures.length > 0 ? 1 : 0)

/**
 * Returns the parent of the temporary folders of groups. It is in memory if there is enough space, because tests create
 * and remove hundreds of thousands of files and wait for syncs. TMPDIR overrides it. The long form uses the disk.
 */
function placeOfFolders() {
  const inMemory = '/dev/shm'
  if (isLong || process.env.TMPDIR || !existsSync(inMemory)) return tmpdir()
  const { bavail, bsize } = statfsSync(inMemory)
  return Math.min(bavail * bsize, freemem()) >= roomInMemory ? inMemory : tmpdir()
}

/** @returns one of {@link schedules} or undefined @throws Error for an unknown word */
function scheduleOf(file) {
  const word = /^\/\/ test-schedule: (\w+)/m.exec(readFileSync(file, 'utf8'))?.[1]
  if (word === undefined || schedules.includes(word)) return word
  throw new Error(`${file} has the unknown test-schedule: ${word}; known are ${schedules.join(', ')}.`)
}

/** Returns the files of a schedule in groups of at most `size`. */
function groupsOf(schedule, size) {
  const found = files.filter(entry => entry.schedule === schedule).map(({ file }) => file)
  return Array.from({ length: Math.ceil(found.length / size) }, (_, at) =>
    found.slice(at * size, (at + 1) * size),
  )
}

/** Runs the groups of a queue in turn until it is empty. @param priority of their processes, if it is not the usual one */
async function runAll(queue, priority) {
  for (let group = queue.shift(); group !== undefined; group = queue.shift())
    results.push(await run(group, priority))
}

/**
 * Runs mocha on a group of files and prints its output at the end.
 * @param priority of its processes, if it is not the usual one
 * @returns its counts and failures
 */
async function run(group, priority) {
  const name = group.map(file => relative(folder, file)).join(', ')
  // The names of temporary folders are short, because the path of a socket has at most 107 bytes. @see unix(7)
  const ownTemporary = join(temporary, String(++folders))
  mkdirSync(ownTemporary)
  const began = performance.now()
  const child = fork(mocha, [...options, ...group, ...furtherArguments], {
    cwd: root,
    env: { ...environment, TMPDIR: ownTemporary, ...(isLong && { TEST_LENGTH: 'long' }) },
    silent: true,
  })
  if (priority !== undefined && child.pid !== undefined) setPriority(child.pid, priority)
  const output = []
  for (const stream of [child.stdout, child.stderr]) stream.on('data', bytes => output.push(bytes))
  let said
  let idle
  child.on('message', message => {
    said = message
    // An open timer or socket of a test could keep the process alive forever.
    idle = globalThis.setTimeout(() => child.kill('SIGKILL'), longestExit)
  })
  const late = globalThis.setTimeout(() => child.kill('SIGKILL'), longestGroup)
  const closed = new Promise(resolve => child.once('close', resolve))
  const [code, signal] = await new Promise(resolve => child.once('exit', (...how) => resolve(how)))
  clearTimeout(late)
  clearTimeout(idle)
  // A process that the group left behind can keep the pipe open.
  await Promise.race([closed, setTimeout(5000, undefined, { ref: false })])
  for (const stream of [child.stdout, child.stderr]) stream.destroy()
  rmSync(ownTemporary, { recursive: true, force: true, maxRetries: 5 })
  const seconds = ((performance.now() - began) / 1000).toFixed(1)
  process.stdout.write(`\n== ${name} (${seconds} s)\n${Buffer.concat(output)}`)
  const result = { passed: 0, failed: 0, skipped: 0, failures: [], passedTitles: [], ...said, group }
  const isWhole = said && !signal && (code === 0 || said.failures.length > 0)
  if (!isWhole) {
    result.failed++
    const title = `mocha ended ${signal ? `by ${signal}` : `with code ${code}`} while it ran ${name}`
    result.failures = [...result.failures, { title, report: title }]
  }
  return result
}

/** Adds to each failure of the first run of a group how the test ended in the second run. */
function compareRuns(first, second) {
  // A hook or a process has passed if nothing failed and as many tests ran.
  const isWhole = second.failed === 0 && second.passed >= first.passed && second.skipped <= first.skipped
  for (const failure of first.failures) {
    const hasFailed = second.failures.some(({ title }) => title === failure.title)
    const hasPassed = !hasFailed && (isWhole || second.passedTitles.includes(failure.title))
    const outcome = hasFailed ? outcomes.failed : hasPassed ? outcomes.passed : outcomes.missing
    failure.report += `\n  ${outcome}`
  }
}
