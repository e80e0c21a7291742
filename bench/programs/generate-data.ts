import { resolve } from 'node:path'
import { generate } from '../data/generate-repository.js'
import { positive, programArguments, refuse, whole } from '../support/command-options.js'

const usage = `npm run bench -- generate [options] <folder>

Makes an ordinary repository of any size to measure on, in a folder that is missing or empty. The same numbers and the
same seed give the same commits. Documents of some 2 KB are valid against their schemas.`

const {
  _: [folder],
  records,
  versions,
  schemas,
  seed,
  bare,
} = programArguments(
  usage,
  {
    records: { ...whole('Records it has', { from: 0 }), default: 10_000 },
    versions: { ...positive('Versions a record has on average, from 1'), default: 1 },
    schemas: { ...whole('Schemas it has'), default: 10 },
    seed: { type: 'string', default: '1', describe: 'Decides what is random' },
    bare: { type: 'boolean', default: false, describe: 'Without a work tree' },
  },
  { max: 1 },
)
if (folder === undefined) refuse('Name one folder, one that is missing or empty.')
if (versions < 1 || versions >= 2 ** 32) refuse('--versions has to be a number from 1.')
const say = (line: string) => process.stderr.write(`${line}\n`)
const started = performance.now()
let told = started
const commits = await generate(resolve(folder), {
  ...{ records, versions, schemas, seed, bare },
  progress(done, total) {
    if (performance.now() - told < 5000) return
    told = performance.now()
    say(`${done} of ${total} commits, ${Math.round((done * 1000) / (told - started))} commits/s`)
  },
})
const seconds = (performance.now() - started) / 1000
process.stdout.write(
  `${commits} commits, ${records} records in ${seconds.toFixed(1)} s: ${Math.round(records / seconds)} records/s\n`,
)
