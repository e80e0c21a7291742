import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The folder of the project. */
export const root = dirname(dirname(fileURLToPath(import.meta.url)))

const sources = ['src', 'test', 'bench']
const settings = ['tsconfig.json', 'package.json', 'package-lock.json', 'bin/bundle.js']
const stamp = join(root, 'dist', '.sources')

/**
 * Makes a checkout ready to run. Installs the dependencies if they are missing or older than the lock file. Builds if
 * `dist` was built from other sources. Prints a line for each step, and nothing if nothing is necessary. Ends the
 * process if a step fails.
 */
export function setup() {
  if (!isInstalled()) {
    say('Installing dependencies…')
    run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'])
  }
  const wanted = sourcesHash()
  if (read(stamp) !== wanted) {
    say('Building…')
    // Removes the old build, so that no output of a deleted source remains.
    rmSync(join(root, 'dist'), { recursive: true, force: true })
    run(process.execPath, [join(root, 'node_modules', 'typescript', 'bin', 'tsc'), '-p', 'tsconfig.json'])
    run(process.execPath, [join(root, 'bin', 'bundle.js')])
    writeFileSync(stamp, wanted)
  }
}

/** npm writes `node_modules/.package-lock.json` at the end of an installation. */
function isInstalled() {
  const installed = modified(join(root, 'node_modules', '.package-lock.json'))
  return installed !== undefined && installed >= (modified(join(root, 'package-lock.json')) ?? 0)
}

/**
 * Hashes names and contents instead of times, because a checkout, a copy and a restored backup have arbitrary times.
 */
function sourcesHash() {
  const hash = createHash('sha256')
  const files = sources.flatMap(folder =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter(entry => entry.isFile() && entry.name.endsWith('.ts'))
      .map(entry => join(entry.parentPath, entry.name)),
  )
  for (const file of [...files.sort(), ...settings.map(name => join(root, name))]) {
    hash
      .update(`${file.slice(root.length)}\0`)
      .update(readFileSync(file))
      .update('\0')
  }
  return hash.digest('hex')
}

function run(command, args) {
  const shell = process.platform === 'win32' && command === 'npm'
  // The output of a step goes to standard error, because standard output belongs to the program that follows.
  const { status, error } = spawnSync(command, args, { cwd: root, stdio: ['ignore', 2, 2], shell })
  if (error) say(`${command} could not be started: ${error.message}`)
  if (status !== 0) process.exit(status ?? 1)
}

function modified(file) {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs
}

function read(file) {
  return modified(file) === undefined ? undefined : readFileSync(file, 'utf8')
}

function say(line) {
  process.stderr.write(`${line}\n`)
}
