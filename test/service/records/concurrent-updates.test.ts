import { setImmediate } from 'node:timers/promises'
import { expect } from 'chai'
import { mix, openRandom, type Random } from '../../../bench/data/seeded-random.js'
import type { ComposedServices } from '../../../src/compose/compose.js'
import { selfPrincipal } from '../../../src/core/access-control.js'
import { ProblemError } from '../../../src/core/problem.js'
import { verifyRepository } from '../../../src/features/maintenance/verify/verify-repository.js'
import type { RecordEdit } from '../../../src/service/updates/record-drafts.js'
import { sha1Of } from '../../../src/store/objects/hash-object.js'
import { isLongForm } from '../../support/program/long-form.js'
import {
  addResource,
  ifMatch,
  ifMatchAny,
  keepRecord,
  parseTestId,
  setTitle,
  testOrigins,
  titleJsonSchema,
  toBuffer,
  toTestVersion,
} from '../../support/repository/sample-values.js'
import {
  removeRepositories,
  type TestRepository,
  temporaryRepository,
} from '../../support/repository/test-repository.js'

const everything = { offset: 0, limit: 2000 }
/** Decides what the random updates are. */
const seed = 7

describe('many concurrent updates', () => {
  let repository: TestRepository
  let services: ComposedServices

  beforeEach(async () => {
    repository = await temporaryRepository()
    services = await repository.compose()
    await services.collections.schema.create(
      selfPrincipal,
      { id: parseTestId('note'), edit: keepRecord },
      { document: titleJsonSchema() },
      testOrigins,
    )
  })
  afterEach(removeRepositories)

  const create = (resource: string) =>
    services.collections.metadata.create(
      selfPrincipal,
      { schema: { schemaId: parseTestId('note') }, edit: addResource(resource) },
      { document: toBuffer({ title: resource }) },
    )
  const outcomes = async (updates: readonly Promise<unknown>[]) =>
    (await Promise.allSettled(updates)).map(result =>
      result.status === 'fulfilled'
        ? 'done'
        : result.reason instanceof ProblemError
          ? result.reason.kind
          : String(result.reason),
    )

  it('make one commit each, and leave a sound repository', async () => {
    const before = Number(await repository.git('rev-list', '--count', 'HEAD'))

    const made = await Promise.all(Array.from({ length: 200 }, (_, index) => create(`r${index}`)))

    expect(new Set(made.map(revision => revision.commit)).size).to.equal(200)
    expect(Number(await repository.git('rev-list', '--count', 'HEAD'))).to.equal(before + 200)
    expect(services.collections.metadata.list(selfPrincipal, {}, everything).total).to.equal(200)
    for (const revision of made)
      expect(services.collections.metadata.read(selfPrincipal, revision.id)).to.deep.equal(revision)
    await services.workTreeUpToDate()
    expect(await repository.git('status', '--porcelain')).to.equal('')
    await repository.git('fsck', '--strict')
    const complaints = []
    for await (const complaint of verifyRepository(services.parts)) complaints.push(complaint)
    expect(complaints).to.deep.equal([])
  })

  it('with one ETag: only one succeeds', async () => {
    const made = await create('r')

    const results = await outcomes(
      Array.from({ length: 20 }, (_, index) =>
        services.collections.metadata.revise(selfPrincipal, made.id, ifMatch(made), {
          document: toBuffer({ title: `${index}` }),
        }),
      ),
    )

    expect(results.filter(result => result === 'done')).to.have.lengthOf(1)
    expect(results.filter(result => result === 'precondition-failed')).to.have.lengthOf(19)
    expect(services.collections.metadata.read(selfPrincipal, made.id).version).to.equal(2)
  })

  it('of one record without an ETag each return their own version', async () => {
    const made = await create('r')

    const revised = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        services.collections.metadata.revise(selfPrincipal, made.id, ifMatchAny, {
          document: toBuffer({ title: `${index}` }),
        }),
      ),
    )

    const versions = revised.map(revision => revision.version).sort((a, b) => a - b)
    expect(versions).to.deep.equal(Array.from({ length: 20 }, (_, index) => index + 2))
    for (const [index, revision] of revised.entries()) {
      expect(await services.readDocument(revision)).to.deep.equal(toBuffer({ title: `${index}` }))
    }
  })

  it('of only the record, right after new documents, keep the previous document', async () => {
    const made = await create('r')

    const results = await outcomes(
      Array.from({ length: 20 }, (_, index) =>
        services.collections.metadata.revise(
          selfPrincipal,
          made.id,
          ifMatchAny,
          index % 2 === 0
            ? { document: toBuffer({ title: `${index}` }) }
            : { draft: { edit: setTitle(`${index}`) } },
        ),
      ),
    )

    expect(new Set(results)).to.deep.equal(new Set(['done']))
    const last = services.collections.metadata.read(selfPrincipal, made.id)
    expect(last.documentHash).to.equal(sha1Of(await services.readDocument(last)))
  })

  it('of one schema each return their own version', async () => {
    const revised = await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        services.collections.schema.revise(
          selfPrincipal,
          parseTestId('note'),
          ifMatchAny,
          { document: titleJsonSchema(`m${index}`) },
          testOrigins,
        ),
      ),
    )

    const versions = revised.map(revision => revision.version).sort((a, b) => a - b)
    expect(versions).to.deep.equal([2, 3, 4, 5, 6, 7, 8, 9])
    for (const [index, revision] of revised.entries()) {
      expect(await services.readDocument(revision)).to.deep.equal(titleJsonSchema(`m${index}`))
    }
  })

  it('for one resource: only one succeeds', async () => {
    const results = await outcomes(Array.from({ length: 10 }, () => create('r')))

    expect(results.filter(result => result === 'done')).to.have.lengthOf(1)
    expect(results.filter(result => result === 'conflict')).to.have.lengthOf(9)
  })

  it('never leave a document without its schema', async () => {
    for (let round = 0; round < 10; round++) {
      const name = parseTestId(`s${round}`)
      await services.collections.schema.create(
        selfPrincipal,
        { id: name, edit: keepRecord },
        { document: titleJsonSchema() },
        testOrigins,
      )
      await outcomes([
        services.collections.schema.remove(selfPrincipal, name, ifMatchAny),
        services.collections.metadata.create(
          selfPrincipal,
          { schema: { schemaId: name }, edit: addResource('r') },
          { document: toBuffer({ title: '' }) },
        ),
        services.collections.schema.remove(selfPrincipal, name, ifMatchAny),
      ])
      const left = services.collections.metadata.list(selfPrincipal, { schemaIds: [name] }, everything).total
      if (left > 0)
        expect(services.collections.schema.read(selfPrincipal, name).record.state).to.equal(undefined)
    }
  })

  it('have documents that are valid against the schema version they follow', async () => {
    const created = Array.from({ length: 20 }, (_, index) => create(`r${index}`))
    const revised = services.collections.schema.revise(
      selfPrincipal,
      parseTestId('note'),
      ifMatchAny,
      { document: titleJsonSchema('body') },
      testOrigins,
    )
    await outcomes([...created.slice(0, 10), revised, ...created.slice(10)])

    for (const { record } of services.collections.metadata.list(selfPrincipal, {}, everything).items) {
      expect(record.schema?.version).to.equal(1)
    }
    const late = await outcomes([create('late')])
    expect(late).to.deep.equal(['unprocessable'])
  })

  it(`that arrive continuously and depend on one another keep every rule (seed ${seed})`, async () => {
    const before = Number(await repository.git('rev-list', '--count', 'HEAD'))
    const results = new Map<string, number>()
    let commits = 0

    /** Creates, moves to another resource, or deletes a record, among few resources and names. */
    async function update({ next, below: pick }: Random): Promise<void> {
      const resource = addResource(`r${pick(40)}`)
      const name = parseTestId(`m${pick(60)}`)
      const what = pick(10)
      if (what < 6) {
        const alternate = { identifierType: 'OTHER', value: `a${pick(60)}` }
        const edit: RecordEdit = base => ({ ...resource(base), alternateIdentifiers: [alternate] })
        const draft = { id: name, schema: { schemaId: parseTestId('note') }, edit }
        await services.collections.metadata.create(selfPrincipal, draft, {
          document: toBuffer({ title: `${next()}` }),
        })
      } else if (what < 9) {
        const change = { draft: { edit: resource }, document: toBuffer({ title: `${next()}` }) }
        await services.collections.metadata.revise(selfPrincipal, name, ifMatchAny, change)
      } else await services.collections.metadata.remove(selfPrincipal, name, ifMatchAny)
      commits++
    }
    // Each client has its own numbers, which do not depend on the order of the answers.
    async function client(_: unknown, number: number): Promise<void> {
      const random = openRandom(mix('client', seed, number))
      for (let turn = 0; turn < 20; turn++) {
        const [result = ''] = await outcomes([update(random)])
        results.set(result, (results.get(result) ?? 0) + 1)
      }
    }
    await Promise.all(Array.from({ length: 32 }, client))

    // Every kind of result has occurred.
    expect([...results.keys()].sort()).to.deep.equal(['conflict', 'done', 'gone', 'not-found'])
    expect(results.get('done')).to.be.greaterThan(60)
    const made = Number(await repository.git('rev-list', '--count', 'HEAD')) - before
    expect(made).to.equal(commits)
    const described = services.collections.metadata
      .list(selfPrincipal, {}, everything)
      .items.flatMap(({ record }) => record.relatedIdentifiers?.map(({ value }) => value))
    expect(described).to.have.lengthOf(new Set(described).size)
    const complaints = []
    for await (const complaint of verifyRepository(services.parts)) complaints.push(complaint)
    expect(complaints).to.deep.equal([])
  })

  it('in pairs with the same name or resource: one of each pair succeeds, at any time', async () => {
    const pairs = isLongForm ? 600 : 240
    /** In turn, both updates use the same resource, identifier or id, and nothing else in common. */
    function pair(at: number): readonly Promise<unknown>[] {
      const same = (what: number, one: string, both: string) => (at % 3 === what ? both : `${both}-${one}`)
      return ['a', 'b'].map(one => {
        const alternate = { identifierType: 'OTHER', value: same(1, one, `name-${at}`) }
        const edit: RecordEdit = base => ({
          ...addResource(same(0, one, `resource-${at}`))(base),
          alternateIdentifiers: [alternate],
        })
        const draft = {
          id: parseTestId(same(2, one, `id-${at}`)),
          schema: { schemaId: parseTestId('note') },
          edit,
        }
        return services.collections.metadata.create(selfPrincipal, draft, {
          document: toBuffer({ title: one }),
        })
      })
    }

    const told: Promise<readonly string[]>[] = []
    for (let at = 0; at < pairs; at++) {
      told.push(outcomes(pair(at)))
      await setImmediate()
    }

    for (const [index, results] of (await Promise.all(told)).entries()) {
      expect([...results].sort(), `pair ${index}`).to.deep.equal(['conflict', 'done'])
    }
    expect(services.collections.metadata.list(selfPrincipal, {}, everything).total).to.equal(pairs)
    const complaints = []
    for await (const complaint of verifyRepository(services.parts)) complaints.push(complaint)
    expect(complaints).to.deep.equal([])
  })

  it('complete before the services close, and are refused afterwards', async () => {
    const accepted = Array.from({ length: 30 }, (_, index) =>
      services.collections.schema.revise(
        selfPrincipal,
        parseTestId('note'),
        ifMatchAny,
        { document: titleJsonSchema(`m${index}`) },
        testOrigins,
      ),
    )
    const told = outcomes(accepted)
    await accepted[0]

    await services.close()

    const results = await told
    expect(results.filter(result => result !== 'done' && result !== 'unavailable')).to.deep.equal([])
    const done = results.filter(result => result === 'done').length
    expect(
      Number(await repository.git('rev-list', '--count', 'HEAD', '--', 'schemas/note/schema.json')),
    ).to.equal(done + 1)
    expect(await repository.git('status', '--porcelain')).to.equal('')
  })

  it('look the same after a restart', async () => {
    const made = await create('r')
    const changed = await services.collections.metadata.revise(selfPrincipal, made.id, ifMatch(made), {
      document: toBuffer({ title: 'x' }),
    })
    const listed = services.collections.metadata.list(selfPrincipal, {}, everything)
    await services.close()

    const again = await repository.compose()

    expect(again.collections.metadata.read(selfPrincipal, made.id)).to.deep.equal(changed)
    expect(again.collections.metadata.read(selfPrincipal, made.id, toTestVersion(1))).to.deep.equal(made)
    expect(again.collections.metadata.list(selfPrincipal, {}, everything)).to.deep.equal(listed)
    const later = await again.collections.metadata.revise(selfPrincipal, made.id, ifMatch(changed), {
      document: toBuffer({ title: 'y' }),
    })
    expect(later.version).to.equal(3)
    expect(later.time).to.be.greaterThan(changed.time)
  })
})
