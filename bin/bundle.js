// The last step of a build: joins the modules of the program into few files in one folder, because Node.js takes a quarter of a
// start to load 690 modules one by one. The packages in node_modules stay as they are. See docs/decisions.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, isAbsolute, join, relative } from 'node:path'
import { rolldown } from 'rolldown'
import { root } from './setup.js'

const built = join(root, 'dist')
const source = join(built, 'src')
/** Functions that the bundler itself adds to the program. */
const helpers = '@oxc-project/runtime/'

// A checkout without the program has nothing to bundle.
const scripts = existsSync(source) ? scriptsOfThreads() : []
// The first is published; tests start those of the second, which also check answers.
for (const [folder, ...mains] of [
  ['program', 'src/cli/main.js'],
  ['test/program', 'test/support/program/program-entry.js', 'test/support/program/command-process-entry.js'],
]) {
  const found = mains.map(main => join(built, main)).filter(main => existsSync(main))
  if (found.length > 0) await bundle([...found, ...scripts], join(built, folder))
}

/**
 * @param entries files that keep their names in the result @param folder of the result
 * @throws Error for two files of one name, and for what the bundler warns of
 */
async function bundle(entries, folder) {
  const names = entries.map(file => basename(file, '.js'))
  const repeated = names.find((name, at) => names.indexOf(name) !== at)
  if (repeated !== undefined) throw new Error(`Two files that are started are named ${repeated}.js.`)
  const bundled = await rolldown({
    input: Object.fromEntries(entries.map((file, at) => [names[at], file])),
    platform: 'node',
    external: isPackage,
    // The bundler only warns of a module that is missing, and the program would fail later.
    onLog: (level, { message }) => {
      if (level === 'warn') throw new Error(message)
    },
  })
  await bundled.write({ dir: folder, entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js' })
}

/** Packages are loaded from node_modules, as without bundling. @param id as an import names a module */
function isPackage(id) {
  return !/^[.\0]/.test(id) && !isAbsolute(id) && !id.startsWith(helpers)
}

/**
 * The scripts of threads and processes. The file that starts one has a URL relative to itself, so both have to be in one
 * folder before and after the bundling.
 * @throws Error for a script in another folder
 */
function scriptsOfThreads() {
  const found = new Set()
  for (const name of readdirSync(source, { recursive: true })) {
    if (!name.endsWith('.js')) continue
    const file = join(source, name)
    for (const [, path] of readFileSync(file, 'utf8').matchAll(/new URL\('([^']+)', import\.meta\.url\)/g)) {
      if (dirname(path) !== '.')
        throw new Error(`${relative(root, file)} starts ${path}, which is not in its own folder.`)
      found.add(join(dirname(file), path))
    }
  }
  return [...found]
}
