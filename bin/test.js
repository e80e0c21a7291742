// npm test: a fresh clone is installed and built first. Further arguments go to mocha: npm test -- --grep paging
import { fork } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { root, setup } from './setup.js'

/*
 * A few files to a process. One process for all of them grows to two gigabytes, and every git that it starts then takes
 * twenty times as long to start, because the system copies what it knows of that memory.
 */
const filesAtOnce = 8

setup()
const mocha = join(root, 'node_modules', 'mocha', 'bin', 'mocha.js')
const options = ['--timeout', '120000', '--reporter', join(root, 'bin', 'reporter.cjs')]
const folder = join(root, 'dist', 'test')
const files = readdirSync(folder)
  .filter(name => name.endsWith('.test.js'))
  .sort()
  .map(name => join(folder, name))

const counts = { passed: 0, failed: 0, skipped: 0 }
const failures = []
for (let at = 0; at < files.length; at += filesAtOnce) await run(files.slice(at, at + filesAtOnce))
if (failures.length > 0) console.log(`\nFailed:\n\n${failures.join('\n\n')}\n`)
const skipped = counts.skipped > 0 ? `, ${counts.skipped} skipped` : ''
console.log(`\n${counts.passed} passed, ${counts.failed} failed${skipped}`)
process.exit(failures.length > 0 ? 1 : 0)

/** Runs mocha on some files, and adds up what its reporter says at the end. */
async function run(some) {
  const child = fork(mocha, [...options, ...some, ...process.argv.slice(2)], { cwd: root })
  let said
  child.on('message', message => {
    said = message
  })
  const [code, signal] = await new Promise(resolve => child.once('exit', (...how) => resolve(how)))
  if (said) {
    for (const name of Object.keys(counts)) counts[name] += said[name]
    failures.push(...said.failures)
  }
  if (said?.failures.length > 0 || (said && code === 0)) return
  counts.failed++
  failures.push(`mocha ended ${signal ? `by ${signal}` : `with code ${code}`} while it ran ${some.join(' ')}`)
}
