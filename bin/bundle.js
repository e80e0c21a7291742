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

// The program that is published, and the same as tests start it.
// A checkout may have a part of the sources alone.
for (const [main, folder] of [
  ['src/cli/main.js', 'program'],
  ['test/support/program/program-entry.js', 'test/program'],
])
  if (existsSync(join(built, main)))
    await bundle([join(built, main), ...separateFiles()], join(built, folder))

/** @param entries their names in the folder are their own @param folder of the result */
async function bundle(entries, folder) {
  const names = entries.map(file => basename(file, '.js'))
  const repeated = names.find((name, at) => names.indexOf(name) !== at)
  if (repeated !== undefined) throw new Error(`Two files that are started are named ${repeated}.js.`)
  const bundled = await rolldown({
    input: Object.fromEntries(entries.map((file, at) => [names[at], file])),
    platform: 'node',
    external: isPackage,
    // Such as a module that is not found: without this it would be left to fail at run time.
    onLog: (_level, { message }) => {
      throw new Error(message)
    },
  })
  await bundled.write({ dir: folder, entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js' })
}

/** Packages are loaded from node_modules, as without bundling. @param id as an import names a module */
function isPackage(id) {
  return !/^[.\0]/.test(id) && !isAbsolute(id) && !id.startsWith(helpers)
}

/**
 * The files that threads and processes start with. Those who start them look for them beside their own file, where
 * they are after the bundling, too.
 */
function separateFiles() {
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
