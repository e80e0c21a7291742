// The last step of a build: bundles the modules of the program into few files in one folder. Node.js would spend a
// quarter of a start on loading 690 separate modules. Of the packages in node_modules, only those of `inlined` are
// bundled. See docs/decisions. The argument `program` leaves out the program of the tests.
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { basename, dirname, isAbsolute, join, relative } from 'node:path'
import { browserSource, bundleBrowser } from './bundle-browser.js'
import { importBundler, root } from './setup.js'

const source = join(root, 'src')
/** Package of the functions that the bundler itself adds to the program. */
const helpers = '@oxc-project/runtime/'
/** Folder of the browser application among those of the program. */
const browser = 'browser'
/** Packages that every command loads, in 55 files: they are bundled with the packages that they import. */
const inlined = new Set(['yargs'])

// A checkout without the program has no files to bundle.
const scripts = existsSync(source) ? scriptsOfThreads() : []
// The first folder is published. Tests use the second, whose programs also check answers.
const programs = [
  ['program', 'src/cli/main.ts'],
  ['test/program', 'test/support/program/program-entry.ts', 'test/support/program/command-process-entry.ts'],
]
for (const [folder, ...mains] of process.argv[2] === 'program' ? programs.slice(0, 1) : programs) {
  const found = mains.map(main => join(root, main)).filter(main => existsSync(main))
  if (found.length === 0) continue
  const to = join(root, 'dist', folder)
  if (folder === 'program') replaceProgram(to, await bundle([...found, ...scripts], join(to, 'new')))
  else await bundle([...found, ...scripts], to)
}
// A checkout without the program has no browser application.
if (existsSync(source)) await bundleBrowser(join(root, 'dist', 'program', browser))

/**
 * Makes a bundle the program. A program that starts or runs meanwhile finds all its files: each bundle has a folder of its
 * own, which `main.js` names, and that of the program before remains.
 * @param name of the folder
 */
function replaceProgram(folder, name) {
  const main = join(folder, 'main.js')
  const [, before] = existsSync(main)
    ? (/^export \* from '\.\/(\w+)\/main\.js'/.exec(readFileSync(main, 'utf8')) ?? [])
    : []
  if (existsSync(join(folder, name))) rmSync(join(folder, 'new'), { recursive: true })
  else renameSync(join(folder, 'new'), join(folder, name))
  writeFileSync(`${main}.new`, `export * from './${name}/main.js'\n`)
  renameSync(`${main}.new`, main)
  for (const old of readdirSync(folder))
    if (![name, before, 'main.js', browser].includes(old)) rmSync(join(folder, old), { recursive: true })
}

/**
 * @param entries files that keep their names in the result
 * @param folder folder of the result
 * @returns a hash of the result
 * @throws Error if two files have the same name, or if the bundler warns
 */
async function bundle(entries, folder) {
  rmSync(folder, { recursive: true, force: true })
  const names = entries.map(file => basename(file, '.ts'))
  const repeated = names.find((name, at) => names.indexOf(name) !== at)
  if (repeated !== undefined) throw new Error(`Two files that are started are named ${repeated}.ts.`)
  const { rolldown } = await importBundler()
  const bundled = await rolldown({
    input: Object.fromEntries(entries.map((file, at) => [names[at], file])),
    platform: 'node',
    external: (id, importer) => isPackage(id) && !isInlined(id, importer),
    // Imports have the names that the files have after a compilation.
    resolve: { extensionAlias: { '.js': ['.ts', '.js'] } },
    // The bundler only warns of a missing module, and the program would fail later.
    onLog: (level, { message }) => {
      if (level === 'warn') throw new Error(message)
    },
  })
  const { output } = await bundled.write({
    dir: folder,
    // A start without comments takes 4 % less processor time and 5 MB less memory.
    comments: false,
    entryFileNames: '[name].js',
    chunkFileNames: '[name]-[hash].js',
  })
  writeLicenses(
    output.flatMap(({ moduleIds = [] }) => moduleIds),
    join(folder, 'LICENSES.txt'),
  )
  const hash = createHash('sha256')
  for (const { fileName, code } of output) hash.update(`${fileName}\0${code}\0`)
  return hash.digest('hex').slice(0, 12)
}

/** Whether an import of a package is bundled. @param importer path of the importing module */
function isInlined(id, importer) {
  return inlined.has(id) || (!isBuiltin(id) && packageOf(importer ?? '') !== undefined)
}

/** The folder of the package of a module; undefined for a module of the program. */
function packageOf(path) {
  return /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path.replaceAll('\\', '/'))?.[0]
}

/** Writes the licences of the packages that are in the bundle. */
function writeLicenses(modules, file) {
  const folders = new Set(
    modules.map(packageOf).filter(folder => folder && !folder.includes(helpers.slice(0, -1))),
  )
  const texts = [...folders].sort().map(folder => {
    const license = readdirSync(folder).find(name => /^licen[cs]e/i.test(name))
    if (license === undefined) throw new Error(`${folder} has no licence.`)
    return `${relative(dirname(dirname(folder)), folder)}\n\n${readFileSync(join(folder, license), 'utf8')}`
  })
  if (texts.length > 0) writeFileSync(file, texts.join('\n\n'))
}

/**
 * Whether an import is a package, which is loaded from node_modules without bundling.
 * @param id module in the form of an import
 */
function isPackage(id) {
  return !/^[.\0]/.test(id) && !isAbsolute(id) && !id.startsWith(helpers)
}

/**
 * Returns the scripts of threads and processes of the program. A file that starts a script has its relative URL, so both must be in
 * the same folder before and after bundling.
 * @throws Error if a script is in another folder
 */
function scriptsOfThreads() {
  const found = new Set()
  for (const name of readdirSync(source, { recursive: true })) {
    if (!name.endsWith('.ts')) continue
    const file = join(source, name)
    if (file.startsWith(browserSource)) continue
    for (const [, path] of readFileSync(file, 'utf8').matchAll(/new URL\('([^']+)', import\.meta\.url\)/g)) {
      if (dirname(path) !== '.')
        throw new Error(`${relative(root, file)} starts ${path}, which is not in its own folder.`)
      found.add(join(dirname(file), `${basename(path, '.js')}.ts`))
    }
  }
  return [...found]
}
