import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

/** The folder of the project. */
export const root = dirname(dirname(fileURLToPath(import.meta.url)))

/** Folder of the bundler, and of what it bundles, in a checkout without development tools. */
const bundlerFolder = join(root, '.build', 'bundler')
/** The bundler, and the packages that the browser application consists of. */
const bundled = [
  'rolldown',
  'preact',
  'wouter',
  '@tanstack/react-query',
  'oauth4webapi',
  'openapi-fetch',
  'node-diff3',
  'jsonc-parser',
  '@cfworker/json-schema',
  '@codemirror/commands',
  '@codemirror/lang-json',
  '@codemirror/lang-xml',
  '@codemirror/language',
  '@codemirror/lint',
  '@codemirror/merge',
  '@lezer/json',
  '@lezer/xml',
  '@codemirror/state',
  '@codemirror/view',
  '@lezer/common',
  '@lezer/highlight',
]
const settings = [
  'tsconfig.json',
  'package.json',
  'package-lock.json',
  'bin/bundle.js',
  'bin/bundle-browser.js',
]
/** Endings of the names of source files. The browser application also consists of style sheets and markup. */
const sourceEnding = /\.(?:tsx?|css|html)$/
/** What is built: the folders of its sources, and the file with their hash. */
const builds = {
  program: { sources: ['src'], stamp: join(root, 'dist', '.program') },
  everything: { sources: ['src', 'test', 'bench'], stamp: join(root, 'dist', '.sources') },
}
/** Milliseconds after which a step that is still running is reported again. */
const reminder = 4000

/**
 * Makes a checkout ready to run. Installs the dependencies if they are missing or older than the lock file. Builds if
 * `dist` was built from other sources. Prints a line for each step and every few seconds while it runs, and nothing if
 * nothing is necessary. Ends the process if a step fails.
 * @param wanted `program`: what the program needs to run; `everything`: the development tools and the tests too
 */
export async function setup(wanted = 'everything') {
  await install(wanted)
  await build(wanted)
}

/** The module of the bundler, which is one of the development tools or installed alone. */
export async function importBundler() {
  const from = isWithTools() ? root : bundlerFolder
  return await import(pathToFileURL(createRequire(join(from, 'package.json')).resolve('rolldown')).href)
}

/** The folders in which the bundler finds the packages of the browser application. */
export function packageFolders() {
  return [join(isWithTools() ? root : bundlerFolder, 'node_modules')]
}

/** Whether the checkout has the development tools. */
function isWithTools() {
  return modified(join(root, 'node_modules', 'rolldown')) !== undefined
}

async function install(wanted) {
  const ci = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
  // A checkout of a developer keeps the development tools.
  const isWhole = wanted === 'everything' || modified(join(root, 'node_modules', 'typescript')) !== undefined
  if (isInstalled('everything') || (!isWhole && isInstalled('program') && isBundlerInstalled())) return
  if (isWhole) return await run('Installing dependencies…', 'npm', ci)
  if (!isInstalled('program'))
    await run('Installing the packages that the program needs…', 'npm', [...ci, '--omit=dev'])
  if (!isBundlerInstalled()) await installBundler(ci)
}

/**
 * Whether all packages of the lock file are installed. npm writes `node_modules/.package-lock.json`, the list of the
 * installed packages, at the end of an installation.
 */
function isInstalled(wanted) {
  const lock = join(root, 'package-lock.json')
  const list = join(root, 'node_modules', '.package-lock.json')
  if ((modified(list) ?? 0) < (modified(lock) ?? 1)) return false
  const { packages: installed } = JSON.parse(readFileSync(list, 'utf8'))
  return Object.entries(JSON.parse(readFileSync(lock, 'utf8')).packages).every(
    ([path, { dev, optional, devOptional, peer }]) =>
      path === '' ||
      optional ||
      devOptional ||
      peer ||
      (dev && wanted === 'program') ||
      installed[path] !== undefined,
  )
}

/** Installs only the bundler and what it bundles, in the versions of the lock file, whose hashes npm checks. */
async function installBundler(ci) {
  rmSync(bundlerFolder, { recursive: true, force: true })
  mkdirSync(bundlerFolder, { recursive: true })
  const lock = bundlerLock()
  writeFileSync(join(bundlerFolder, 'package.json'), JSON.stringify(lock.packages['']))
  writeFileSync(join(bundlerFolder, 'package-lock.json'), JSON.stringify(lock))
  await run('Installing the bundler…', 'npm', [...ci, '--prefix', bundlerFolder], bundlerFolder)
}

function isBundlerInstalled() {
  return (
    modified(join(bundlerFolder, 'node_modules', '.package-lock.json')) !== undefined &&
    read(join(bundlerFolder, 'package-lock.json')) === JSON.stringify(bundlerLock())
  )
}

/** The part of the lock file with the bundler and what it bundles. */
function bundlerLock() {
  const { lockfileVersion, packages: all } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))
  const versions = bundled.map(name => [name, all[`node_modules/${name}`]?.version])
  const about = {
    name: 'bundler',
    dependencies: Object.fromEntries(versions.filter(([, version]) => version)),
  }
  const packages = { '': about }
  const add = name => {
    const path = `node_modules/${name}`
    if (packages[path] || !all[path]) return
    const { dev: _, ...entry } = all[path]
    packages[path] = entry
    const { dependencies, optionalDependencies, peerDependencies } = entry
    for (const further of Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies }))
      add(further)
  }
  for (const name of bundled) add(name)
  return { ...about, lockfileVersion, requires: true, packages }
}

async function build(wanted) {
  const { program, everything } = builds
  const hashes = { program: sourcesHash(program), everything: sourcesHash(everything) }
  if (read(builds[wanted].stamp) === hashes[wanted]) return
  // Removes the old build, so that no output of a deleted source remains. The program is replaced when the new one is
  // complete, because it may be running.
  mkdirSync(join(root, 'dist'), { recursive: true })
  for (const name of readdirSync(join(root, 'dist')))
    if (name !== 'program') rmSync(join(root, 'dist', name), { recursive: true })
  const bundle = join(root, 'bin', 'bundle.js')
  if (wanted === 'program') await run('Building…', process.execPath, [bundle, 'program'])
  else {
    const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc')
    await run('Building…', process.execPath, [compiler, '-p', 'tsconfig.json'])
    await run('Bundling…', process.execPath, [bundle])
    writeFileSync(everything.stamp, hashes.everything)
  }
  writeFileSync(program.stamp, hashes.program)
}

/**
 * Hashes names and contents instead of times, because a checkout, a copy and a restored backup have arbitrary times.
 */
function sourcesHash({ sources }) {
  const hash = createHash('sha256')
  const files = sources.flatMap(folder =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter(entry => entry.isFile() && sourceEnding.test(entry.name))
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

/** Runs a step to its end. @param what printed at its start, and with the seconds that it takes while it runs */
async function run(what, command, args, cwd = root) {
  say(what)
  const began = performance.now()
  const seconds = () => Math.round((performance.now() - began) / 1000)
  const shell = process.platform === 'win32' && command === 'npm'
  // The output of a step goes to standard error, because standard output belongs to the program that follows.
  const child = spawn(command, args, { cwd, stdio: ['ignore', 2, 2], shell })
  const reminding = setInterval(() => say(`${what} ${seconds()} s`), reminder)
  const end = () => {
    child.kill()
    process.exit(1)
  }
  process.once('SIGTERM', end)
  const code = await new Promise(resolve => {
    child.once('error', error => {
      say(`${command} could not be started: ${error.message}`)
      resolve(1)
    })
    child.once('close', status => resolve(status ?? 1))
  })
  clearInterval(reminding)
  process.off('SIGTERM', end)
  if (code !== 0) process.exit(code)
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
