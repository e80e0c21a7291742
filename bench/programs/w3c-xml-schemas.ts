import { readFile } from 'node:fs/promises'
import { basename, dirname, join, relative } from 'node:path'
import { decodeXmlLeniently } from '../../src/core/xml/xml-encoding.js'
import { readXml } from '../../src/core/xml/xml-reader.js'
import { openValidator } from '../../src/validation/open-validator.js'
import type { SchemaBundle, Validator } from '../../src/validation/validator.js'
import { programArguments } from '../support/command-options.js'
import { readIfThere, readSchema } from '../support/schema-folder.js'

const usage = `npm run bench -- w3c <folder> [options]

Runs the tests of XML Schema 1.0 in a copy of the W3C suite (https://github.com/w3c/xsdtests) through the validator,
and prints how many of its verdicts agree. Never fails because of a verdict.`

const given = programArguments(
  usage,
  {
    only: { type: 'string', describe: 'Only sets of tests whose file name contains this text' },
    list: { type: 'boolean', default: false, describe: 'Also list each test with another verdict' },
  },
  { max: 1 },
)
const folder = given._[0] ?? '.'

interface Test {
  readonly isSchema: boolean
  readonly paths: readonly string[]
  readonly isValid: boolean
}
interface TestGroup {
  readonly name: string
  readonly tests: readonly Test[]
}

/** Agreeing and all tests, for each kind of test. */
type Counts = Record<
  'schema valid' | 'schema invalid' | 'document valid' | 'document invalid',
  [number, number]
>

const kinds = ['schema valid', 'schema invalid', 'document valid', 'document invalid'] as const
const total = emptyCounts()
const validator = openValidator({ workers: 1 })
try {
  process.stdout.write(`${['set', ...kinds].join(' | ')}\n`)
  for (const path of await testSets(join(folder, 'suite.xml'))) {
    if (given.only !== undefined && !path.includes(given.only)) continue
    if (!(await readIfThere(path))) {
      process.stdout.write(`  not there: ${path}\n`)
      continue
    }
    const counts = emptyCounts()
    for (const group of await readGroups(path)) await runGroup(validator, group, counts)
    for (const kind of kinds) {
      total[kind][0] += counts[kind][0]
      total[kind][1] += counts[kind][1]
    }
    if (kinds.some(kind => counts[kind][1] > 0)) print(path, counts)
  }
  print('all', total)
} finally {
  await validator.close()
}

function emptyCounts(): Counts {
  return {
    'schema valid': [0, 0],
    'schema invalid': [0, 0],
    'document valid': [0, 0],
    'document invalid': [0, 0],
  }
}

function print(path: string, counts: Counts): void {
  const name = `${basename(dirname(path)).replace('Meta', '')}/${basename(path).replace(/\..*/, '')}`
  const figures = kinds.map(kind => counts[kind].join(' of '))
  process.stdout.write(`${[path === 'all' ? path : name, ...figures].join(' | ')}\n`)
}

async function runGroup(validator: Validator, { name, tests }: TestGroup, counts: Counts): Promise<void> {
  const [schemaTest] = tests.filter(({ isSchema }) => isSchema)
  if (!schemaTest) return
  const schema = await mainSchema(validator, schemaTest.paths)
  if (!schema) return
  const findings = await validator.check(schema)
  count(name, schemaTest, findings, counts)
  if (findings.length > 0) return
  for (const test of tests) {
    const document = test.isSchema ? undefined : await readIfThere(test.paths[0] ?? '')
    if (document) count(name, test, await validator.validate(schema, document), counts)
  }
}

/** The schema of a test. If its files do not reach each other, it is a schema that imports all of them. */
async function mainSchema(validator: Validator, paths: readonly string[]): Promise<SchemaBundle | undefined> {
  const there: string[] = []
  for (const path of paths) if (await readIfThere(path)) there.push(path)
  const [first] = there
  if (first === undefined) return undefined
  const schemas = await Promise.all(there.map(path => readSchema(validator, path)))
  const reaching = schemas.find(({ files }, index) =>
    there.every((path, other) => other === index || files.has(relative(dirname(there[index] ?? ''), path))),
  )
  return reaching ?? importing(there, schemas)
}

function importing(paths: readonly string[], schemas: readonly SchemaBundle[]): SchemaBundle {
  const [first = ''] = paths
  const files = new Map<string, Uint8Array>()
  const imports = schemas.map(({ document, files: further }, index) => {
    const path = relative(dirname(first), paths[index] ?? '')
    files.set(path, document)
    for (const [name, bytes] of further) files.set(join(dirname(path), name), bytes)
    const target = /targetNamespace\s*=\s*["']([^"']*)/.exec(decodeXmlLeniently(document))?.[1]
    return `<xs:import${target === undefined ? '' : ` namespace="${target}"`} schemaLocation="${path}"/>`
  })
  const text = `<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" targetNamespace="urn:importing">${imports.join('')}</xs:schema>`
  return {
    key: `importing ${paths.join(' ')}`,
    type: 'XML',
    document: Buffer.from(text),
    files,
    registered: new Map(),
  }
}

function count(
  name: string,
  { isSchema, isValid, paths }: Test,
  findings: readonly { readonly message: string }[],
  counts: Counts,
): void {
  const kind = `${isSchema ? 'schema' : 'document'} ${isValid ? 'valid' : 'invalid'}` as const
  const agrees = isValid === (findings.length === 0)
  counts[kind][1]++
  if (agrees) counts[kind][0]++
  else if (given.list) {
    const found = findings[0]?.message ?? 'accepted'
    process.stdout.write(`  ${kind}: ${name} ${paths.join(' ')}: ${found.replace(/\s+/g, ' ')}\n`)
  }
}

async function testSets(suite: string): Promise<readonly string[]> {
  const paths: string[] = []
  await readElements(suite, (local, attributes) => {
    const href = attributes.get('href')
    if (local === 'testSetRef' && href !== undefined) paths.push(join(dirname(suite), href))
  })
  return paths
}

/** Reads the tests of a set that are meant for XML Schema 1.0 and whose verdict is known. */
async function readGroups(path: string): Promise<readonly TestGroup[]> {
  const groups: { name: string; tests: Test[] }[] = []
  let group: { name: string; tests: Test[] } | undefined
  let isFor10 = true
  let test:
    | { isSchema: boolean; paths: string[]; verdicts: Map<string, string>; isFor10: boolean }
    | undefined
  const handler = (local: string, attributes: ReadonlyMap<string, string>) => {
    const version = attributes.get('version')
    const fits = version === undefined || version.split(/\s+/).includes('1.0')
    if (local === 'testSet') isFor10 = fits
    else if (local === 'testGroup') group = { name: attributes.get('name') ?? '', tests: [] }
    if (local === 'testGroup' && group && isFor10 && fits) groups.push(group)
    if (local === 'schemaTest' || local === 'instanceTest') {
      finish()
      test = { isSchema: local === 'schemaTest', paths: [], verdicts: new Map(), isFor10: fits }
    } else if (local === 'schemaDocument' || local === 'instanceDocument') {
      test?.paths.push(join(dirname(path), attributes.get('href') ?? ''))
    } else if (local === 'expected' && fits) {
      test?.verdicts.set(version === undefined ? '' : '1.0', attributes.get('validity') ?? '')
    }
  }
  function finish(): void {
    const verdict = test?.verdicts.get('1.0') ?? test?.verdicts.get('')
    if (test?.isFor10 && (verdict === 'valid' || verdict === 'invalid'))
      owner?.tests.push({ isSchema: test.isSchema, paths: test.paths, isValid: verdict === 'valid' })
    test = undefined
    owner = group
  }
  let owner: typeof group
  await readElements(path, (local, attributes) => {
    if (local === 'testGroup') finish()
    handler(local, attributes)
    if (local === 'testGroup') owner = group
  })
  finish()
  return groups
}

async function readElements(
  path: string,
  visit: (local: string, attributes: ReadonlyMap<string, string>) => void,
): Promise<void> {
  const text = decodeXmlLeniently(await readFile(path)).replace(/<!DOCTYPE[^>[]*(?:\[[^\]]*\])?\s*>/, '')
  const isComplete = readXml(text, {
    open: ({ local, attributes }) => visit(local, new Map(attributes.map(each => [each.local, each.value]))),
    close: () => undefined,
  })
  if (!isComplete) process.stdout.write(`  not read to the end: ${path}\n`)
}
