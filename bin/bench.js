// npm run bench -- <name>: runs bench/<name>.ts, built first.
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { root, setup } from './setup.js'

setup()
const folder = join(root, 'dist', 'bench')
const names = readdirSync(folder)
  .filter(name => name.endsWith('.js'))
  .map(name => name.slice(0, -3))
const [name, ...args] = process.argv.slice(2)
if (name === undefined || !names.includes(name)) {
  process.stderr.write(`Say which benchmark: npm run bench -- ${names.join('|')}\n`)
  process.exit(2)
}
process.argv = [process.execPath, join(folder, `${name}.js`), ...args]
await import(join(folder, `${name}.js`))
