// npm run bench: runs every benchmark bench/*.ts, built first; npm run bench -- <name>: that one.
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { root, setup } from './setup.js'

/** What measures nothing, and runs only by its name. */
const tools = ['generate']

setup()
const folder = join(root, 'dist', 'bench')
const names = readdirSync(folder)
  .filter(name => name.endsWith('.js'))
  .map(name => name.slice(0, -3))
const [name, ...rest] = process.argv.slice(2)
const all = name === undefined || name.startsWith('--')
const args = all ? process.argv.slice(2) : rest
if (!all && !names.includes(name)) {
  process.stderr.write(
    `There is no benchmark "${name}": npm run bench, or npm run bench -- ${names.join('|')}\n`,
  )
  process.exit(2)
}
for (const each of all ? names.filter(each => !tools.includes(each)) : [name]) {
  process.argv = [process.execPath, join(folder, `${each}.js`), ...args]
  await import(join(folder, `${each}.js`))
}
