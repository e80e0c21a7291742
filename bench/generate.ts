import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { generate } from './support/generate.js'

/*
 * npm run bench -- generate --records 100000 --versions 1.5 --schemas 10 --seed 1 [--bare] <folder>
 *
 * Makes an ordinary repository of any size to measure on, in a folder that is missing or empty. The same numbers and
 * the same seed give the same commits. Documents of some 2 KB are valid against their schemas.
 */

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    records: { type: 'string', default: '10000' },
    versions: { type: 'string', default: '1' },
    schemas: { type: 'string', default: '10' },
    seed: { type: 'string', default: '1' },
    bare: { type: 'boolean', default: false },
  },
})

function number(name: 'records' | 'versions' | 'schemas', from: number, whole: boolean): number {
  const value = Number(values[name])
  if (Number.isFinite(value) && value >= from && value < 2 ** 32 && (!whole || Number.isInteger(value)))
    return value
  throw new Error(`--${name} has to be a ${whole ? 'whole ' : ''}number from ${from}.`)
}

const [folder, ...others] = positionals
if (folder === undefined || others.length > 0)
  throw new Error('Name one folder, one that is missing or empty.')
const options = {
  records: number('records', 0, true),
  versions: number('versions', 1, false),
  schemas: number('schemas', 1, true),
  seed: values.seed,
  bare: values.bare,
}
const say = (line: string) => process.stderr.write(`${line}\n`)
const started = performance.now()
let told = started
const commits = await generate(resolve(folder), {
  ...options,
  progress(done, total) {
    if (performance.now() - told < 5000) return
    told = performance.now()
    say(`${done} of ${total} commits, ${Math.round((done * 1000) / (told - started))} commits/s`)
  },
})
const seconds = (performance.now() - started) / 1000
process.stdout.write(
  `${commits} commits, ${options.records} records in ${seconds.toFixed(1)} s: ${Math.round(options.records / seconds)} records/s\n`,
)
