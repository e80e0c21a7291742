// The last step of a build: bundles the modules of the program into few files in one folder. Node.js would spend a
// quarter of a start on loading 690 separate modules. The packages in node_modules are not bundled. See docs/decisions.
// The argument `program` leaves out the program of the tests.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, isAbsolute, join, relative } from 'node:path'
import { importBundler, root } from './setup.js'

const source = join(root, 'src')
/** Package of the functions that the bundler itself adds to the program. */
const helpers = '@oxc-project/runtime/'

// A checkout without the program has no files to bundle.
const scripts = existsSync(source) ? scriptsOfThreads() : []
// The first folder is published. Tests use the second, whose programs also check answers.
const programs = [
  ['program', 'src/cli/main.ts'],
  ['test/program', 'test/support/program/program-entry.ts', 'test/support/program/command-process-entry.ts'],
]
for (const [folder, ...mains] of process.argv[2] === 'program' ? programs.slice(0, 1) : programs) {
  const found = mains.map(main => join(root, main)).filter(main => existsSync(main))
  if (found.length > 0) await bundle([...found, ...scripts], join(root, 'dist', folder))
}

/**
 * @param entries files that keep their names in the result
 * @param folder folder of the result
 * @throws Error if two files have the same name, or if the bundler warns
 */
async function bundle(entries, folder) {
  const names = entries.map(file => basename(file, '.ts'))
  const repeated = names.find((name, at) => names.indexOf(name) !== at)
  if (repeated !== undefined) throw new Error(`Two files that are started are named ${repeated}.ts.`)
  const { rolldown } = await importBundler()
  const bundled = await rolldown({
    input: Object.fromEntries(entries.map((file, at) => [names[at], file])),
    platform: 'node',
    external: isPackage,
    // Imports have the names that the files have after a compilation.
    resolve: { extensionAlias: { '.js': ['.ts', '.js'] } },
    // The bundler only warns of a missing module, and the program would fail later.
    onLog: (level, { message }) => {
      if (level === 'warn') throw new Error(message)
    },
  })
  await bundled.write({ dir: folder, entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js' })
}

/**
 * Whether an import is a package, which is loaded from node_modules without bundling.
 * @param id module in the form of an import
 */
function isPackage(id) {
  return !/^[.\0]/.test(id) && !isAbsolute(id) && !id.startsWith(helpers)
}

/**
 * Returns the scripts of threads and processes. A file that starts a script has its relative URL, so both must be in
 * the same folder before and after bundling.
 * @throws Error if a script is in another folder
 */
function scriptsOfThreads() {
  const found = new Set()
  for (const name of readdirSync(source, { recursive: true })) {
    if (!name.endsWith('.ts')) continue
    const file = join(source, name)
    for (const [, path] of readFileSync(file, 'utf8').matchAll(/new URL\('([^']+)', import\.meta\.url\)/g)) {
      if (dirname(path) !== '.')
        throw new Error(`${relative(root, file)} starts ${path}, which is not in its own folder.`)
      found.add(join(dirname(file), `${basename(path, '.js')}.ts`))
    }
  }
  return [...found]
}
