import { existsSync } from 'node:fs'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { collectReferencedFiles } from '../../src/cli/sessions/referenced-files.js'
import { compose } from '../../src/compose/compose.js'
import { defaults } from '../../src/config.js'
import type { Finding } from '../../src/core/problem.js'
import { verifyRepository } from '../../src/features/maintenance/verify/verify-repository.js'
import { createApp } from '../../src/http/app.js'
import { listen } from '../../src/http/server/listen.js'
import { createRepository } from '../../src/store/work-tree/create-repository.js'
import { openValidator } from '../../src/validation/open-validator.js'
import { git } from '../baselines/plain-git.js'
import { realData } from '../data/published-data.js'

/*
 * The main task with real data over HTTP: ten kernels of DataCite as ten versions of one schema with their published
 * examples, and the states of three JSON Schemas in order. Fails if a result is wrong.
 */

if (existsSync(realData)) await main()
else console.log(`No real data at ${realData}: nothing to do.`)

interface Answer {
  readonly status: number
  readonly etag: string
  readonly body: { readonly detail?: string; readonly findings?: readonly Finding[] } & Record<
    string,
    unknown
  >
}

/** Path and bytes of a stored file, for a later comparison. */
type Stored = readonly [path: string, bytes: Buffer]

async function main(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'git-metastore-real-'))
  const data = join(folder, 'data')
  await createRepository(data, { bare: false })
  const services = await compose({ ...defaults, data }, { report: line => console.log(`note: ${line}`) })
  const server = await listen(createApp(services), { port: 0 })
  const started = performance.now()
  try {
    const { stored, commits } = await job(server.url.replace(/\/$/, ''))
    console.log(`${commits} updates in ${((performance.now() - started) / 1000).toFixed(1)} s`)

    for (const [path, bytes] of stored) {
      const answer = await fetch(`${server.url}api/v1/${path}`)
      const read = Buffer.from(await answer.arrayBuffer())
      expect(answer.status === 200 && read.equals(bytes), `${path} is read back byte for byte`)
    }
    console.log(`${stored.length} documents and files read back byte for byte`)

    await services.workTreeUpToDate()
    const log = git(data, 'log', '--first-parent', '--format=%s').split('\n')
    expect(
      log.length === commits + 1,
      `git log has a commit for each of ${commits} updates, not ${log.length - 1}`,
    )
    console.log(`git log: ${log.length} commits, the last "${log[0]}"`)
    git(data, 'fsck', '--strict')
    expect(git(data, 'status', '--porcelain') === '', 'git status is clean')
    console.log('git fsck --strict and git status: clean')

    let checked = 0
    for await (const complaint of verifyRepository(services.parts, (_, total) => {
      checked = total
    })) {
      expect(false, `verify: ${JSON.stringify(complaint)}`)
    }
    console.log(`verify: ${checked} checked, no complaint`)
  } finally {
    await server.stop()
    await services.close()
    await rm(folder, { recursive: true, force: true, maxRetries: 3 })
  }
}

async function job(url: string): Promise<{ stored: readonly Stored[]; commits: number }> {
  const stored: Stored[] = []
  let commits = 0

  async function send(method: 'POST' | 'PUT', path: string, parts: FormData, etag?: string): Promise<Answer> {
    const headers = etag === undefined ? {} : { 'if-match': etag }
    const answer = await fetch(`${url}/api/v1/${path}`, { method, body: parts, headers })
    const text = await answer.text()
    const body = (text === '' ? {} : JSON.parse(text)) as Answer['body']
    return { status: answer.status, etag: answer.headers.get('etag') ?? '', body }
  }

  async function kernels(): Promise<void> {
    const root = join(realData, 'datacite', 'xml')
    const validator = openValidator({ workers: 1 })
    let etag: string | undefined
    let examples = 0
    let refused = 0
    const names = (await readdir(root)).sort((a, b) => a.localeCompare(b, 'en', { numeric: true }))
    for (const [index, name] of names.entries()) {
      const file = join(root, name, 'metadata.xsd')
      const document = await readFile(file)
      const files = await collectReferencedFiles(validator, file, document)
      const parts = form({
        schema: document,
        ...(etag === undefined ? { record: json({ schemaId: 'datacite' }) } : {}),
      })
      for (const [path, bytes] of files) parts.append('include', new Blob([bytes]), path)
      const answer =
        etag === undefined
          ? await send('POST', 'schemas', parts)
          : await send('PUT', 'schemas/datacite', parts, etag)
      const version = index + 1
      expect(
        answer.body.schemaVersion === version,
        `${name} is version ${version}: ${JSON.stringify(answer)}`,
      )
      etag = answer.etag
      commits++
      stored.push([`schemas/datacite?version=${version}`, document])
      for (const [path, bytes] of files)
        stored.push([`schemas/datacite/files/${path}?version=${version}`, Buffer.from(bytes)])

      for (const example of (await readdir(join(root, name, 'example'))).filter(each =>
        each.endsWith('.xml'),
      )) {
        const bytes = await readFile(join(root, name, 'example', example))
        const record = json({
          relatedResource: { identifier: `https://example.org/${name}/${example}`, identifierType: 'URL' },
          schema: { identifier: 'datacite', identifierType: 'INTERNAL' },
          schemaVersion: version,
        })
        const made = await send('POST', 'metadata', form({ record, document: bytes }))
        if (made.status === 201) {
          examples++
          commits++
          stored.push([`metadata/${String(made.body.id)}`, bytes])
        } else {
          expect(
            made.status === 422 && reason(made) !== '',
            `${name}/${example} is refused with 422 and a reason`,
          )
          refused++
          console.log(`  ${name}/${example}: 422 ${reason(made)}`)
        }
      }
    }
    await validator.close()
    console.log(`datacite: ${names.length} versions, ${examples} examples stored, ${refused} refused`)
  }

  async function states(name: string): Promise<void> {
    const root = join(realData, 'materials-science', name)
    const schemaId = name.toLowerCase()
    let etag: string | undefined
    let version = 0
    const refused: string[] = []
    const files = (await readdir(root)).filter(file => file.endsWith('.json')).sort()
    for (const file of files) {
      const schema = await readFile(join(root, file))
      const answer =
        etag === undefined
          ? await send('POST', 'schemas', form({ schema, record: json({ schemaId }) }))
          : await send('PUT', `schemas/${schemaId}`, form({ schema }), etag)
      if (answer.status === 422) {
        expect(reason(answer) !== '', `${name}/${file} is refused with a reason`)
        refused.push(`  ${name}/${file}: 422 ${reason(answer)}`)
        continue
      }
      expect(answer.status === 200 || answer.status === 201, `${name}/${file}: ${JSON.stringify(answer)}`)
      etag = answer.etag
      // A state that equals the previous one does not make a version.
      if (answer.body.schemaVersion === version) continue
      version++
      expect(answer.body.schemaVersion === version, `${name}/${file} is version ${version}`)
      commits++
      stored.push([`schemas/${schemaId}?version=${version}`, schema])
    }
    console.log(`${schemaId}: ${files.length} states, ${version} versions, ${refused.length} refused`)
    for (const line of refused) console.log(line)
  }

  await kernels()
  for (const name of ['SEM_schema', 'TEM_schema', 'lab_CT']) await states(name)
  return { stored, commits }
}

function form(parts: Readonly<Record<string, Buffer>>): FormData {
  const body = new FormData()
  for (const [name, bytes] of Object.entries(parts)) body.append(name, new Blob([bytes]), name)
  return body
}

function json(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value))
}

function reason({ body }: Answer): string {
  const [finding] = body.findings ?? []
  if (finding === undefined) return body.detail ?? ''
  return `${finding.line === undefined ? '' : `line ${finding.line}: `}${finding.message}`
}

function expect(good: boolean, what: string): void {
  if (!good) throw new Error(`The check failed: ${what}`)
}
