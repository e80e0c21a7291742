import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import fc from 'fast-check'
import { selfPrincipal } from '../../../src/core/access-control.js'
import type { Collection } from '../../../src/core/records/collection.js'
import {
  documentFileName,
  parseRecordPath,
  recordDirectory,
} from '../../../src/store/records/repository-layout.js'
import {
  etagOf,
  jsonSchema,
  metadataRecordV1,
  metadataType,
  startService,
  type TestService,
} from '../../support/http/test-service.js'
import { isLongForm } from '../../support/program/long-form.js'
import { parseTestId } from '../../support/repository/sample-values.js'
import {
  removeRepositories,
  type TestRepository,
  temporaryRepository,
  waitUntil,
} from '../../support/repository/test-repository.js'

/* A client that reads the feed page by page gets every revision exactly once, despite restarts and rebuilds. */

const names = ['a', 'b', 'c', 'd', 'e'] as const
const directories = new Map<string, readonly [Collection, string]>([
  [recordDirectory('schema', parseTestId('note')), ['schema', 'note']],
  ...names.map(name => [recordDirectory('metadata', parseTestId(name)), ['metadata', name]] as const),
])

type Step =
  | { readonly do: 'put' | 'delete'; readonly name: string }
  | { readonly do: 'by hand'; readonly names: readonly string[] }
  | { readonly do: 'spoil'; readonly name: string }
  | { readonly do: 'describe' }
  | { readonly do: 'schema' }
  | { readonly do: 'restart' }
  | { readonly do: 'rebuild' }
  | { readonly do: 'read'; readonly reader: number; readonly limit: number }

const name = fc.constantFrom(...names)
const steps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.oneof(
    { weight: 5, arbitrary: fc.record({ do: fc.constant('put' as const), name }) },
    { weight: 3, arbitrary: fc.record({ do: fc.constant('delete' as const), name }) },
    {
      weight: 3,
      arbitrary: fc.record({
        do: fc.constant('by hand' as const),
        names: fc.uniqueArray(name, { minLength: 1, maxLength: 4 }),
      }),
    },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('spoil' as const), name }) },
    {
      weight: 2,
      arbitrary: fc.constantFrom<Step>(
        { do: 'describe' },
        { do: 'schema' },
        { do: 'restart' },
        { do: 'rebuild' },
      ),
    },
    {
      weight: 6,
      arbitrary: fc.record({
        do: fc.constant('read' as const),
        reader: fc.nat(2),
        limit: fc.integer({ min: 1, max: 4 }),
      }),
    },
  ),
  { minLength: 25, maxLength: 50, size: 'max' },
)

interface Reader {
  readonly read: string[]
  next?: string
}

describe('the change feed', () => {
  afterEach(removeRepositories)

  it('has each revision of the history exactly once for a client that stops and continues', async () => {
    await fc.assert(
      fc.asyncProperty(steps, async plan => {
        const repository = await temporaryRepository()
        const readers: readonly Reader[] = [{ read: [] }, { read: [] }, { read: [] }]
        const spoilt = new Set<string>()
        let service = await startService({}, {}, repository)
        await service.postSchema({ schemaId: 'note' }, jsonSchema('title')).expect(201)
        for (const [index, step] of plan.entries()) {
          if (step.do === 'restart' || step.do === 'rebuild') {
            await service.services.close()
            if (step.do === 'rebuild') await removeCatalog(repository)
            service = await startService({}, {}, repository)
          } else if (step.do === 'read') {
            await readOn(service, readers[step.reader] as Reader, step.limit)
          } else {
            await write(service, step, index, spoilt)
          }
        }
        await caughtUp(service)
        const expected = await historyOf(repository, spoilt)
        for (const reader of readers) {
          while (await readOn(service, reader, 3)) {}
          expect(inOrder(reader.read, expected)).to.deep.equal(expected)
        }
        await service.services.close()
      }),
      { numRuns: isLongForm ? 20 : 2, endOnFailure: true },
    )
  })
})

async function write(
  service: TestService,
  step: Exclude<Step, { readonly do: 'restart' } | { readonly do: 'rebuild' } | { readonly do: 'read' }>,
  at: number,
  spoilt: Set<string>,
): Promise<void> {
  const { repository, services } = service
  if (step.do === 'put') return await put(service, step.name, `{"title":"${at}"}`)
  if (step.do === 'delete') {
    await service.http.delete(`/api/v1/metadata/${step.name}`).set('If-Match', '*')
    return
  }
  if (step.do === 'schema') {
    await service.putSchema('note', '*', undefined, jsonSchema('title').replace('{', `{"title":"${at}",`))
    return
  }
  await services.workTreeUpToDate()
  if (step.do === 'describe') {
    await repository.commit('Say something', { 'NOTES.md': `${at}` })
  } else if (step.do === 'by hand') {
    await repository.commit('By hand', Object.assign({}, ...step.names.map(each => byHand(each, at))))
  } else {
    const record = `${recordDirectory('metadata', parseTestId(step.name))}/record.json`
    spoilt.add(await repository.commit('Spoil it', { [record]: `{ ${at}` }))
  }
  // The catalog must have the commit before the next request.
  await caughtUp(service)
}

async function put(service: TestService, name: string, document: string): Promise<void> {
  const read = await service.http.get(`/api/v1/metadata/${name}`).set('Accept', metadataType)
  if (read.status === 200) {
    await service.putMetadata(name, etagOf(read), undefined, document).expect(200)
  } else {
    // A GONE record is refused, and so is an id whose first commit was damaged. Nothing is stored.
    const record = metadataRecordV1(`https://example.org/${name}`, 'note', { id: name })
    expect((await service.postMetadata(record, document)).status).to.be.oneOf([201, 409, 410])
  }
}

function byHand(name: string, at: number): Readonly<Record<string, string>> {
  const directory = recordDirectory('metadata', parseTestId(name))
  const relatedIdentifiers = [
    { identifierType: 'URL', value: `https://example.org/${name}`, relationType: 'IS_METADATA_FOR' },
  ]
  return {
    [`${directory}/record.json`]: JSON.stringify({
      id: name,
      schema: { schemaId: 'note', version: 1 },
      relatedIdentifiers,
    }),
    [`${directory}/${documentFileName('metadata', 'JSON')}`]: `{"title":"by hand ${at}"}`,
  }
}

async function caughtUp(service: TestService): Promise<void> {
  await waitUntil('the branch', async () => {
    const { head, catalog } = await service.services.health(selfPrincipal)
    return head === catalog
  })
}

async function removeCatalog({ dir }: TestRepository): Promise<void> {
  for (const end of ['', '-wal', '-shm']) {
    await rm(join(dir, '.git', 'git-metastore', `catalog.sqlite${end}`), { force: true })
  }
}

/** @returns whether the feed may have more changes */
async function readOn(service: TestService, reader: Reader, limit: number): Promise<boolean> {
  const since = reader.next === undefined ? '' : `&since=${reader.next}`
  const { body } = await service.http.get(`/api/changes?limit=${limit}${since}`).expect(200)
  for (const { kind, id: name, commit } of body.items) reader.read.push(`${commit} ${kind} ${name}`)
  reader.next = body.next
  return body.more
}

/** Changed records of every served commit, as git reports them. */
async function historyOf(
  repository: TestRepository,
  spoilt: ReadonlySet<string>,
): Promise<readonly string[]> {
  const log = await repository.git('log', '--first-parent', '--reverse', '--format=:%H', '--name-only', '-m')
  const found: string[] = []
  for (const part of log.split(':').slice(1)) {
    const [commit = '', ...paths] = part.split('\n').filter(line => line !== '')
    const touched = new Set(paths.map(path => parseRecordPath(path)?.directory ?? ''))
    if (spoilt.has(commit)) continue
    for (const directory of touched) {
      const record = directories.get(directory)
      if (record) found.push(`${commit} ${record.join(' ')}`)
    }
  }
  return found
}

/** Revisions of one commit have no order. This function gives them the order of the expected list. */
function inOrder(read: readonly string[], expected: readonly string[]): readonly string[] {
  const commitOf = (line: string) => line.slice(0, 40)
  const place = new Map(expected.map((line, index) => [line, index]))
  const result: string[] = []
  for (let at = 0; at < read.length; ) {
    let end = at
    while (end < read.length && commitOf(read[end] as string) === commitOf(read[at] as string)) end++
    const together = read.slice(at, end)
    result.push(...together.toSorted((a, b) => (place.get(a) ?? -1) - (place.get(b) ?? -1)))
    at = end
  }
  return result
}
