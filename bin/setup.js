import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The project's folder. */
export const root = dirname(dirname(fileURLToPath(import.meta.url)))

const sources = ['src', 'test', 'bench']
const settings = ['tsconfig.json', 'package.json', 'package-lock.json', 'bin/bundle.js']
const stamp = join(root, 'dist', '.sources')

/**
 * Makes a checkout ready to run: installs the dependencies where they are missing or older than the lock file, and
 * builds where the sources are not the ones `dist` was built from. Says in one line what it does; silent where there
 * is nothing to do. Ends the process where a step fails.
 */
export function setup() {
  if (!isInstalled()) {
    say('Installing dependencies…')
    run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'])
  }
  const wanted = sourcesHash()
  if (read(stamp) !== wanted) {
    say('Building…')
    // From scratch, so that nothing stays of a source that is no longer there.
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

/** Of names and contents, not of times: a checkout, a copy and a restored backup set times as they like. */
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
  // What a step prints is for the person who started us; standard output belongs to the program that follows.
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
