import { spawnSync } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { openValidator } from '../../src/validation/open-validator.js'
import { xmlNamespaceSchema } from '../../src/validation/xml/xml-namespace-schema.js'
import { programArguments, refuse } from '../support/command-options.js'
import { readSchema } from '../support/schema-folder.js'

const usage = `npm run bench -- xerces <schema.xsd> [documents]

Asks Xerces, which every JDK contains, for a second opinion about a schema and documents (files, or folders with files
named *.xml), and prints the verdicts that differ. Needs "java" of a JDK from version 17.`

const [schemaPath, ...documents] = programArguments(usage, {}, { max: 10_000 })._
if (schemaPath === undefined) refuse('Name a schema.')

const paths = (await Promise.all(documents.map(xmlFiles))).flat()
const theirs = await xercesVerdicts(schemaPath, paths)
const validator = openValidator({ workers: 1 })
try {
  const schema = await readSchema(validator, schemaPath)
  const faults = await validator.check(schema)
  let same = compare(schemaPath, faults[0]?.message) ? 1 : 0
  if (faults.length === 0) {
    for (const path of paths) {
      const [finding] = await validator.validate(schema, await readFile(path))
      if (compare(path, finding?.message)) same++
    }
  }
  process.stdout.write(`${same} of ${theirs.size} verdicts are the same.\n`)
} finally {
  await validator.close()
}

/** Prints a verdict that differs. @param ours the first finding, if there is one */
function compare(path: string, ours: string | undefined): boolean {
  const other = theirs.get(path)
  if (!other) return false
  if ((other === 'valid') === (ours === undefined)) return true
  process.stdout.write(`${path}\n  server: ${ours ?? 'valid'}\n  Xerces: ${other}\n`)
  return false
}

async function xmlFiles(path: string): Promise<readonly string[]> {
  if (!(await stat(path)).isDirectory()) return [path]
  const names = await readdir(path, { recursive: true })
  return names.filter(name => name.endsWith('.xml')).map(name => join(path, name))
}

/** `valid`, or the first error, by path. */
async function xercesVerdicts(
  schema: string,
  files: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const folder = await mkdtemp(join(tmpdir(), 'xerces-'))
  try {
    const xmlSchema = join(folder, 'xml.xsd')
    await writeFile(xmlSchema, xmlNamespaceSchema)
    const program = fileURLToPath(new URL('../../../bench/programs/XercesVerdicts.java', import.meta.url))
    const { status, stdout, stderr, error } = spawnSync('java', [program, xmlSchema, schema, ...files], {
      encoding: 'utf8',
      maxBuffer: 2 ** 30,
    })
    if (error || status !== 0) refuse(`java cannot be used: ${error?.message ?? stderr}`)
    const lines = stdout.split('\n').filter(line => line !== '')
    return new Map(
      lines.map(line => {
        const [verdict, path = '', message = ''] = line.split('\t')
        return [path, verdict === 'valid' ? 'valid' : message]
      }),
    )
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
