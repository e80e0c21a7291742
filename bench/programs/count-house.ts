import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { existsSync } from 'node:fs'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { Session } from 'node:inspector/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { compose } from '../../src/compose/compose.js'
import { defaults } from '../../src/config.js'
import { openersOf } from '../../src/feature.js'
import { features } from '../../src/features.js'
import { createApp } from '../../src/http/app.js'
import { listen } from '../../src/http/server/listen.js'
import { createRepository } from '../../src/store/work-tree/create-repository.js'
import { programArguments } from '../support/command-options.js'

programArguments(
  `npm run house

Counts the lines and files of the program, and the files and functions that requests run through in the main thread,
without the work that follows an answer.`,
  {},
)

const source = fileURLToPath(new URL('../../../src/', import.meta.url))
const compiled = new URL('../../src/', import.meta.url).href

/** Number of lines of the files below a folder, and of the files. */
async function countFiles(folder: string) {
  const names = existsSync(folder) ? await readdir(folder, { recursive: true }) : []
  const files = names.filter(name => name.endsWith('.ts'))
  const texts = await Promise.all(files.map(name => readFile(join(folder, name), 'utf8')))
  const lines = texts.reduce((sum, text) => sum + text.split('\n').length - 1, 0)
  const scripts = texts.flatMap(text => [...text.matchAll(/new URL\('[^']+', import\.meta\.url\)/g)])
  return {
    lines,
    files: files.length,
    small: texts.filter(text => text.split('\n').length <= 25).length,
    scripts,
  }
}

/** How often each request is counted. The smallest number counts: timers of a busy machine may run in between. */
const rounds = 5

/**
 * Runs a request, and counts the functions of the program that ran until its answer was sent. What runs afterwards, such
 * as the update of the work tree, is not counted, however long the client waits for its turn.
 */
async function follow(session: Session, request: () => Promise<Response>) {
  await session.post('Profiler.takePreciseCoverage')
  const counted = new Promise<Awaited<ReturnType<typeof coverage>>>(resolve => {
    subscribe(answered, function count() {
      unsubscribe(answered, count)
      resolve(coverage(session))
    })
  })
  const response = await request()
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`)
  await response.arrayBuffer()
  return await counted
}

/** The channel that Node.js tells of each answer that was handed to the system. */
const answered = 'http.server.response.finish'

/** Number of files and functions of the program that ran since the last call. */
async function coverage(session: Session) {
  const { result } = await session.post('Profiler.takePreciseCoverage')
  const ran = result
    .filter(({ url }) => url.startsWith(compiled))
    .map(({ functions }) => functions.filter(({ ranges: [range] }) => (range?.count ?? 0) > 0).length)
    .filter(count => count > 0)
  return { files: ran.length, functions: ran.reduce((sum, count) => sum + count, 0) }
}

const whole = await countFiles(source)
const inFeatures = await countFiles(join(source, 'features'))
const print = (what: string, count: number) => process.stdout.write(`${String(count).padStart(7)}  ${what}\n`)
print('lines of the core', whole.lines - inFeatures.lines)
print('lines of features', inFeatures.lines)
print('files', whole.files)
print('files of at most 25 lines', whole.small)
print('scripts of threads and processes', new Set(whole.scripts.map(([text]) => text)).size)

const data = await mkdtemp(join(tmpdir(), 'git-metastore-house-'))
await createRepository(data, { bare: false })
const services = await compose(
  { ...defaults, data },
  { report: () => undefined, features: await openersOf(features, {}) },
)
const server = await listen(createApp(services), { port: 0 })
const session = new Session()
session.connect()
try {
  const form = (parts: Readonly<Record<string, unknown>>) => {
    const body = new FormData()
    for (const [name, value] of Object.entries(parts))
      body.set(name, new Blob([JSON.stringify(value)], { type: 'application/json' }), name)
    return body
  }
  const send = (path: string, init?: RequestInit) => fetch(`${server.url}api/v1/${path}`, init)
  const record = {
    id: 'a',
    schema: { identifier: 's', identifierType: 'INTERNAL' },
    relatedResource: { identifier: 'https://example.org/a', identifierType: 'URL' },
  }
  for (const [path, parts] of [
    ['schemas', { record: { schemaId: 's' }, schema: { type: 'object' } }],
    ['metadata', { record, document: { n: 0 } }],
  ] as const) {
    const response = await send(path, { method: 'POST', body: form(parts) })
    if (response.status !== 201) throw new Error(`${response.status} ${await response.text()}`)
  }
  let n = 0
  const requests: Readonly<Record<string, () => Promise<Response>>> = {
    'a PUT': () =>
      send('metadata/a', {
        method: 'PUT',
        headers: { 'If-Match': '*' },
        body: form({ document: { n: ++n } }),
      }),
    'a GET of a record': () =>
      send('metadata/a', { headers: { Accept: 'application/vnd.datamanager.metadata-record+json' } }),
    'a page of a list': () => send('metadata?size=20'),
    'a search with a facet': () => send('search?q=a&facets=schema'),
  }
  for (const request of Object.values(requests)) await (await request()).arrayBuffer()
  await sleep(3000)
  await session.post('Profiler.enable')
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
  for (const [name, request] of Object.entries(requests)) {
    const counts: Awaited<ReturnType<typeof follow>>[] = []
    for (let round = 0; round < rounds; round++) {
      counts.push(await follow(session, request))
      await sleep(1000)
    }
    print(`files that ${name} runs through`, Math.min(...counts.map(({ files }) => files)))
    print(`functions that ${name} runs through`, Math.min(...counts.map(({ functions }) => functions)))
  }
} finally {
  session.disconnect()
  await server.stop()
  await services.close()
  await rm(data, { recursive: true, force: true })
}
