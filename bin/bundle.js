// The last step of a build: bundles the modules of the program into few files in one folder. Node.js would spend a
// quarter of a start on loading 690 separate modules. Of the packages in node_modules, only those of `inlined` are
// bundled. See docs/decisions. The argument `program` leaves out the program of the tests.
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire, isBuiltin } from 'node:module'
import { basename, dirname, isAbsolute, join, relative } from 'node:path'
import { browserSource, bundleBrowser } from './bundle-browser.js'
import { importBundler, root } from './setup.js'

const source = join(root, 'src')
/** Package of the functions that the bundler itself adds to the program. */
const helpers = '@oxc-project/runtime/'
/** Folder of the browser application among those of the program. */
const browser = 'browser'
/**
 * Packages that are bundled with the packages that they import, because they have many small files: every command loads 55
 * for the first, every server 81 for the second.
 */
const inlined = new Set(['yargs', 'prom-client'])
/** The import of the module of a command in a `feature.ts`. */
const commandImport = /\bload: async \(\) => \(await import\('([^']+)'\)\)/g
/** Begins the id of a module that only loads a package by `require`. */
const required = '\0require:'
/**
 * Leaves packages in node_modules. Those that are CommonJS, or have that form too, are loaded by `require`, because
 * `import` reads and parses each of their files twice: a start of a server takes 50 ms less processor time.
 */
const packages = {
  resolveId(id, importer, { kind }) {
    if (!isPackage(id) || isInlined(id, importer)) return undefined
    const isStatic = kind === 'import-statement' && !isBuiltin(id)
    return isStatic && isCommonJs(id) ? required + id : { id, external: true }
  },
  load: id =>
    id.startsWith(required)
      ? `module.exports = require(${JSON.stringify(id.slice(required.length))})`
      : undefined,
}

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
  else {
    await bundle([...found, ...scripts], to)
    for (const script of scripts) startFromBundle(script, to)
  }
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
 * Lets the compiled module of a script start its bundle: tests start a thousand threads and processes, each of which would
 * load up to 120 modules one by one.
 * @param folder folder of the bundle
 */
function startFromBundle(script, folder) {
  const compiled = join(root, 'dist', relative(root, script)).replace(/ts$/, 'js')
  const bundled = relative(dirname(compiled), join(folder, basename(compiled))).replaceAll('\\', '/')
  writeFileSync(compiled, `export * from '${bundled}'\n`)
}

/**
 * Bundles each file apart: threads and processes share no modules in memory, and a module that several files shared would
 * be one more file to load for each.
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
  const files = (await Promise.all(entries.map(file => bundleEntry(file, folder)))).flat()
  writeLicenses(
    files.flatMap(({ moduleIds = [] }) => moduleIds),
    join(folder, 'LICENSES.txt'),
  )
  const hash = createHash('sha256')
  for (const { fileName, code } of files) hash.update(`${fileName}\0${code}\0`)
  return hash.digest('hex').slice(0, 12)
}

/** Bundles a file with all that it imports. @returns the written files */
async function bundleEntry(file, folder) {
  const { rolldown } = await importBundler()
  const imports = new Map()
  const ofFeatures = { commands: [], start: [] }
  const bundled = await rolldown({
    input: { [basename(file, '.ts')]: file },
    platform: 'node',
    // Imports have the names that the files have after a compilation.
    resolve: { extensionAlias: { '.js': ['.ts', '.js'] } },
    plugins: [
      packages,
      {
        moduleParsed({ id, code, importedIds, dynamicallyImportedIds }) {
          imports.set(id, importedIds)
          if (basename(id) !== 'feature.ts') return
          const commands = [...code.matchAll(commandImport)].map(([, path]) =>
            join(dirname(id), path.replace(/js$/, 'ts')),
          )
          for (const each of dynamicallyImportedIds)
            ofFeatures[commands.includes(each) ? 'commands' : 'start'].push(each)
        },
      },
    ],
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
    codeSplitting: { groups: groupsOf(imports, ofFeatures) },
  })
  return output
}

/**
 * The modules that are joined in one file, because several commands load all of them. Other modules that several dynamic
 * imports share are in smaller files, by the imports that share them; the core of a server would be 130 of those, and its
 * features 75.
 * @param imports of each module, by its path
 * @param ofFeatures what features import dynamically, for a command or when a server starts
 */
function groupsOf(imports, ofFeatures) {
  const [isStart, isCommandLine, isServer, isOfFeatures, isOfCommands] = [
    () => [join(root, 'src/cli/main.ts')],
    () => [join(root, 'src/cli/command-line.ts')],
    () => [join(root, 'src/cli/serve/run-server.ts')],
    () => ofFeatures.start,
    () => ofFeatures.commands,
  ].map(ids => {
    let found
    return id => {
      found ??= ids().reduce((all, each) => importedBy(each, imports, all), new Set())
      return found.has(id)
    }
  })
  /** Short commands share modules with a server, but need not load its packages. */
  const isWithPackages = id =>
    [...importedBy(id, imports)].some(
      each => each.startsWith(required) || (isPackage(each) && !isBuiltin(each)),
    )
  return [
    { name: 'start', test: isStart },
    { name: 'command-line', test: isCommandLine },
    { name: 'shared', test: id => isServer(id) && !isWithPackages(id), minShareCount: 2 },
    { name: 'shared-with-packages', test: isServer, minShareCount: 2 },
    { name: 'server', test: isServer },
    // Features and short commands print tables with it. In the file of the features, each command would load all features.
    { name: 'output', test: id => dirname(id) === join(root, 'src/cli/output') },
    { name: 'features', test: id => isOfFeatures(id) && !isOfCommands(id) },
  ].map((group, at, all) => ({ ...group, priority: all.length - at }))
}

/** A module with all that it imports, also through others, but not dynamically. */
function importedBy(id, imports, found = new Set()) {
  if (found.has(id)) return found
  found.add(id)
  for (const each of imports.get(id) ?? []) importedBy(each, imports, found)
  return found
}

/** Whether an import of a package is bundled. @param importer path of the importing module */
function isInlined(id, importer) {
  return inlined.has(id) || (!isBuiltin(id) && packageOf(importer ?? '') !== undefined)
}

/** Whether `require` of a package finds CommonJS, which Node.js 20 needs. */
function isCommonJs(id) {
  const { resolve } = createRequire(join(root, 'package.json'))
  let file
  try {
    file = resolve(id)
  } catch (error) {
    if (error.code === 'ERR_PACKAGE_PATH_NOT_EXPORTED') return false
    throw error
  }
  let folder = dirname(file)
  while (!existsSync(join(folder, 'package.json'))) folder = dirname(folder)
  const { type } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  return file.endsWith('.cjs') || (type !== 'module' && !file.endsWith('.mjs'))
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
