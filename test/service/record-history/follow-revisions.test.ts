// test-schedule: quick
import { expect } from 'chai'
import type { Oid } from '../../../src/core/value-types.js'
import type { OpenFeature } from '../../../src/http/open-feature.js'
import type { RevisionReader } from '../../../src/service/record-history/follow-revisions.js'
import { jsonSchema, startService, type TestService } from '../../support/http/test-service.js'
import {
  removeRepositories,
  type TestRepository,
  waitUntil,
} from '../../support/repository/test-repository.js'

/** A reader that notes what it is told. */
interface NotingReader extends RevisionReader {
  /** `<id> <version>` of each revision, and `rewind`. */
  readonly told: string[]
  /** Errors that the next calls of `read` throw. */
  readonly failures: Error[]
}

function notingReader(position?: Oid): NotingReader {
  let reached = position
  const told: string[] = []
  const failures: Error[] = []
  return {
    told,
    failures,
    position: () => reached,
    read(revisions, next) {
      const failure = failures.shift()
      if (failure) throw failure
      told.push(...revisions.map(({ id, version, change }) => `${id} ${version ?? change}`))
      reached = next
    },
    rewind() {
      told.push('rewind')
      reached = undefined
    },
  }
}

/** Serves a repository with a feature that has only this reader. */
async function serveWith(follows: RevisionReader, repository?: TestRepository): Promise<TestService> {
  const feature: OpenFeature = { follows }
  const open = async () => ({ name: 'notes', ...feature })
  return await startService({}, {}, repository, { serving: true, features: [{ open }] })
}

async function registerAll(service: TestService, ...ids: readonly string[]): Promise<void> {
  for (const schemaId of ids) await service.postSchema({ schemaId }, jsonSchema('title')).expect(201)
}

const untilTold = (reader: NotingReader, count: number) =>
  waitUntil(`${count} notes of the reader`, () => reader.told.length >= count)

describe('a feature that follows the revisions', () => {
  afterEach(removeRepositories)

  it('is told of each revision once, in the order of history', async () => {
    const reader = notingReader()
    const service = await serveWith(reader)
    await registerAll(service, 'a', 'b')
    const { headers } = await service.http
      .get('/api/v1/schemas/a')
      .set('Accept', 'application/vnd.datamanager.schema-record+json')
    await service.putSchema('a', String(headers.etag), undefined, jsonSchema('name')).expect(200)

    await untilTold(reader, 3)
    expect(reader.told).to.deep.equal(['a 1', 'b 1', 'a 2'])
  })

  it('continues at its position after a restart', async () => {
    const first = notingReader()
    const service = await serveWith(first)
    await registerAll(service, 'a', 'b')
    await untilTold(first, 2)
    await service.services.close()

    const second = notingReader(first.position())
    await registerAll(await serveWith(second, service.repository), 'c')

    await untilTold(second, 1)
    expect(second.told).to.deep.equal(['c 1'])
  })

  it('is rewound if the served history does not have its commit', async () => {
    const reader = notingReader('1'.repeat(40) as Oid)
    const service = await serveWith(reader)
    await registerAll(service, 'a')

    await untilTold(reader, 2)
    expect(reader.told).to.deep.equal(['rewind', 'a 1'])
  })

  it('gets a part again after a failure, which the operator is told once', async () => {
    const reader = notingReader()
    reader.failures.push(new Error('the disk is full'), new Error('the disk is full'))
    const service = await serveWith(reader)
    await registerAll(service, 'a')

    await untilTold(reader, 1)
    expect(reader.told).to.deep.equal(['a 1'])
    expect(service.repository.reports).to.deep.equal([
      'The feature notes cannot read the newest revisions: Error: the disk is full',
    ])
  })
})
