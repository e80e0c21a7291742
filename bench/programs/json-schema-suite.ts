import { randomUUID } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { argv } from 'node:process'
import type { Json } from '../../src/core/json/try-parse.js'
import type { Finding } from '../../src/core/problem.js'

/*
 * The official test suite of JSON Schema (https://github.com/json-schema-org/JSON-Schema-Test-Suite) over HTTP. Each
 * schema of the suite is registered with the remote schemas that it may refer to, and each of its documents is validated.
 */

const usage = `npm run bench -- json-schema-suite FOLDER BASE

Runs the official JSON-Schema-Test-Suite in FOLDER against the server at BASE, such as http://localhost:8040. The schemas
stay in the server's repository: take a server that is made for the run. Prints the figures of each draft and names each
difference. Formats are counted for the drafts that assert them.`

const drafts = {
  draft4: 'http://json-schema.org/draft-04/schema#',
  draft6: 'http://json-schema.org/draft-06/schema#',
  draft7: 'http://json-schema.org/draft-07/schema#',
  'draft2019-09': 'https://json-schema.org/draft/2019-09/schema',
  'draft2020-12': 'https://json-schema.org/draft/2020-12/schema',
} as const
type Draft = keyof typeof drafts

/** The address at which the suite expects its remote schemas. */
const remoteBase = 'http://localhost:1234/'
/** Most requests at once. */
const clients = 4

interface TestGroup {
  readonly description: string
  readonly schema: Json
  readonly tests: readonly { readonly description: string; readonly data: Json; readonly valid: boolean }[]
}

type JsonObject = { readonly [member: string]: Json }

/** A remote schema with its address. */
interface Remote {
  readonly url: string
  readonly schema: Json
}

const [folder, base, ...rest] = argv.slice(2)
if (folder === undefined || base === undefined || rest.length > 0) {
  console.error(usage)
  process.exitCode = 2
} else {
  const remotes = await readRemotes(folder)
  for (const draft of Object.keys(drafts) as Draft[]) {
    const tests = join(folder, 'tests', draft)
    await runFolder('mandatory', draft, tests, remotes)
    await runFolder('optional', draft, join(tests, 'optional'), remotes)
    if (!draft.includes('-')) await runFolder('formats', draft, join(tests, 'optional', 'format'), remotes)
  }
}

/** The remote schemas of a suite. */
async function readRemotes(suite: string): Promise<readonly Remote[]> {
  const root = join(suite, 'remotes')
  const all = await readdir(root, { recursive: true, withFileTypes: true })
  const files = all
    .filter(entry => entry.isFile() && entry.name.endsWith('.json'))
    .map(entry => relative(root, join(entry.parentPath, entry.name)).split(sep).join('/'))
  return await Promise.all(
    files.map(async path => ({
      url: remoteBase + path,
      schema: JSON.parse(await readFile(join(root, path), 'utf8')) as Json,
    })),
  )
}

async function runFolder(
  title: string,
  draft: Draft,
  path: string,
  remotes: readonly Remote[],
): Promise<void> {
  const files = (await readdir(path)).filter(name => name.endsWith('.json')).sort()
  const groups: { readonly file: string; readonly group: TestGroup }[] = []
  for (const file of files) {
    const read = JSON.parse(await readFile(join(path, file), 'utf8')) as readonly TestGroup[]
    for (const group of read) groups.push({ file, group })
  }
  const differences: string[][] = []
  let next = 0
  const work = async () => {
    for (let index = next++; index < groups.length; index = next++) {
      const { file, group } = groups[index] as (typeof groups)[number]
      const found = await runGroup(group, draft, remotes)
      differences[index] = found.map(line => `  ${file}: ${group.description}: ${line}`)
    }
  }
  await Promise.all(Array.from({ length: clients }, work))
  const lines = differences.flat()
  const total = groups.reduce((sum, { group }) => sum + group.tests.length, 0)
  console.log(`${draft}, ${title}: ${total - lines.length} of ${total}`)
  for (const line of lines) console.log(line)
}

/** Registers the schema of a group and validates its documents. @returns a line for each difference */
async function runGroup(
  { schema, tests }: TestGroup,
  draft: Draft,
  remotes: readonly Remote[],
): Promise<readonly string[]> {
  const id = `suite-${randomUUID()}`
  const parts = new FormData()
  parts.append('record', file({ schemaId: id }), 'record.json')
  parts.append('schema', file(named(schema, draft)), 'schema.json')
  for (const [name, text] of includes(schema, draft, remotes)) parts.append('include', file(text), name)
  const made = await post('schemas', parts)
  if (made.status !== 201) return tests.map(test => `${test.description}: not registered: ${made.reason}`)
  const lines: string[] = []
  for (const { description, data, valid } of tests) {
    const document = new FormData()
    document.append('document', file(data), 'document.json')
    const answer = await post(`schemas/${id}/validate`, document)
    const isRight = valid
      ? answer.status === 204
      : answer.status === 422 && !/stopped|cannot be used|recurses/.test(answer.reason)
    if (!isRight)
      lines.push(
        `${description}: should be ${valid ? 'valid' : 'invalid'}: ${answer.status} ${answer.reason}`,
      )
  }
  return lines
}

/** A schema that can be registered: an object that names its draft. */
function named(schema: Json, draft: Draft): Json {
  const $schema = drafts[draft]
  return isJsonObject(schema) ? { $schema, ...schema } : { $schema, allOf: [schema] }
}

/**
 * The remote schemas that a schema names, and those that these name: by the name of the file, or by the whole address
 * if it is a schema of another draft.
 */
function includes(schema: Json, draft: Draft, remotes: readonly Remote[]): ReadonlyMap<string, Json> {
  const found = new Map<string, Json>()
  const texts = [JSON.stringify(schema)]
  for (const text of texts) {
    for (const { url, schema: remote } of remotes) {
      const path = url.slice(remoteBase.length)
      const owner = /^(draft[^/]*|v\d+)\//.exec(path)?.[1] ?? draft
      const name = owner === draft ? path.slice(path.lastIndexOf('/') + 1) : url
      if (found.has(path) || !text.includes(name)) continue
      const idKeyword = owner === 'draft4' ? 'id' : '$id'
      const id = isJsonObject(remote) ? remote[idKeyword] : undefined
      if (!isJsonObject(remote)) found.set(path, { [idKeyword]: url, allOf: [remote] })
      else if (id === undefined) found.set(path, { [idKeyword]: url, ...withoutRefSiblings(remote) })
      else {
        found.set(path, remote)
        // Retrieved from one address, named with another.
        if (id !== url) found.set(`alias/${path}`, { [idKeyword]: url, allOf: [{ $ref: id }] })
      }
      texts.push(JSON.stringify(remote))
    }
  }
  return found
}

/** Before 2019-09 an id beside `$ref` does not count. */
function withoutRefSiblings(schema: JsonObject): JsonObject {
  const { $ref, ...others } = schema
  return $ref === undefined ? schema : { ...others, allOf: [{ $ref }] }
}

function isJsonObject(value: Json): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function file(value: Json): Blob {
  return new Blob([JSON.stringify(value)], { type: 'application/json' })
}

interface Answer {
  readonly status: number
  readonly reason: string
}

async function post(path: string, body: FormData): Promise<Answer> {
  const answer = await fetch(`${base}/api/v1/${path}`, { method: 'POST', body })
  const text = await answer.text()
  const read = (text === '' ? {} : JSON.parse(text)) as {
    readonly detail?: string
    readonly findings?: readonly Finding[]
  }
  const [finding] = read.findings ?? []
  return { status: answer.status, reason: finding?.message ?? read.detail ?? '' }
}
