import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { compose } from '../../src/compose/compose.js'
import { defaults } from '../../src/config.js'
import type { Finding } from '../../src/core/problem.js'
import { createApp } from '../../src/http/app.js'
import { listen } from '../../src/http/server/listen.js'
import { createRepository } from '../../src/store/work-tree/create-repository.js'

/*
 * Registers published schemas over HTTP as a user does, and validates their example documents. It prints a table. Run it
 * with the path of a JSON file: a list of schemas with paths on this machine.
 *
 *   [{ "name": "METS 1", "folder": "/tmp/mets", "main": "mets.xsd", "more": { "xlink.xsd": "/tmp/xlink.xsd" },
 *      "examples": ["/tmp/mets/examples"] }]
 *
 * `main` is sent as the part `schema` under this path, all other `.xsd` files of the folder as parts `include` under
 * theirs, unless `only` names the folders that are sent. `more` has further files by the names that they get.
 */

interface PublishedSchema {
  readonly name: string
  readonly folder: string
  readonly main: string
  /** Beginnings of the paths of the files that are sent; default: all files. */
  readonly only?: readonly string[]
  readonly more?: Readonly<Record<string, string>>
  /** Files, and folders with files, that end with `.xml`. */
  readonly examples?: readonly string[]
}

const [list] = process.argv.slice(2)
if (list === undefined) throw new Error('Name a JSON file with a list of schemas.')
await main(JSON.parse(await readFile(list, 'utf8')) as readonly PublishedSchema[])

async function main(schemas: readonly PublishedSchema[]): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'git-metastore-published-'))
  const data = join(folder, 'data')
  await createRepository(data, { bare: true })
  const services = await compose({ ...defaults, data }, { report: line => console.error(line) })
  const server = await listen(createApp(services), { port: 0 })
  try {
    console.log('| Schema | Files | Registers | Examples valid |\n|---|---|---|---|')
    for (const [index, schema] of schemas.entries()) {
      console.log(await trial(`${server.url}api/v1/schemas`, `published-${index}`, schema))
    }
  } finally {
    await server.stop()
    await services.close()
    await rm(folder, { recursive: true, force: true, maxRetries: 3 })
  }
}

/** A row of the table. Reasons of failures go to standard error. */
async function trial(url: string, id: string, schema: PublishedSchema): Promise<string> {
  const { name, folder, main: document, only = [''], more = {} } = schema
  const isSent = (path: string) => path !== document && only.some(beginning => path.startsWith(beginning))
  const files = [
    ...(await filesBelow(folder, '.xsd'))
      .map(file => [relative(folder, file), file] as const)
      .filter(([path]) => isSent(path)),
    ...Object.entries(more),
  ]
  const form = new FormData()
  form.append('record', new Blob([JSON.stringify({ schemaId: id })], { type: 'application/json' }))
  form.append('schema', new Blob([await readFile(join(folder, document))]), document)
  for (const [path, file] of files) form.append('include', new Blob([await readFile(file)]), path)
  const answer = await fetch(url, { method: 'POST', body: form })
  if (answer.status !== 201) {
    console.error(`${name}: ${answer.status} ${await reasonOf(answer)}`)
    return `| ${name} | ${files.length + 1} | no | |`
  }
  let valid = 0
  const examples = (await Promise.all((schema.examples ?? []).map(path => filesBelow(path, '.xml')))).flat()
  for (const example of examples) {
    const sent = new FormData()
    sent.append('document', new Blob([await readFile(example)]), 'document.xml')
    const verdict = await fetch(`${url}/${id}/validate`, { method: 'POST', body: sent })
    if (verdict.status === 204) valid++
    else console.error(`${name}: ${example}: ${verdict.status} ${await reasonOf(verdict)}`)
  }
  return `| ${name} | ${files.length + 1} | yes | ${valid} of ${examples.length} |`
}

async function reasonOf(answer: Response): Promise<string> {
  const { detail, findings = [] } = (await answer.json()) as {
    detail?: string
    findings?: readonly Finding[]
  }
  return [detail, ...findings.slice(0, 3).map(finding => JSON.stringify(finding))].join('\n  ').slice(0, 1500)
}

/** The files with this ending at or below a path, in order. */
async function filesBelow(path: string, ending: string): Promise<readonly string[]> {
  if ((await stat(path)).isFile()) return [path]
  const names = await readdir(path, { recursive: true })
  return names
    .filter(name => name.endsWith(ending))
    .sort()
    .map(name => join(path, name))
}
