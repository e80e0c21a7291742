import { expect } from 'chai'
import fc from 'fast-check'
import type { RuleCheck } from '../../../src/catalog/catalog.js'
import { ProblemError } from '../../../src/core/problem.js'
import type { Collection } from '../../../src/core/records/collection.js'
import type { ListCursor, PageRequest } from '../../../src/core/records/list-page.js'
import type { ListPage, ListQuery, Visibility } from '../../../src/core/records/list-query.js'
import type { StoredRecord } from '../../../src/core/records/record.js'
import type { CatalogQueries } from '../../../src/core/records/record-queries.js'
import type { Revision } from '../../../src/core/records/revision.js'
import { asVersion, type Id, type Oid, toInstant, toOid } from '../../../src/core/value-types.js'
import { encodeRecord } from '../../../src/store/records/record-json.js'
import { documentFileName, recordDirectory } from '../../../src/store/records/repository-layout.js'
import { isLongForm } from '../../support/program/long-form.js'
import { buildHistory, type HistoryBuilder } from '../../support/repository/fast-import-history.js'
import { openTestCatalog, type TestCatalog } from '../../support/repository/temporary-catalog.js'

const everything = { offset: 0, limit: 1000 }
const kinds = ['schema', 'metadata'] as const
const names = ['a', 'b', 'c', 'd', 'e', 'f']

type Step =
  | { readonly by: 'server'; readonly kind: Collection; readonly name: string; readonly what: number }
  | {
      readonly by: 'person'
      readonly edits: readonly (readonly [kind: Collection, name: string, what: number])[]
      readonly merge: boolean
    }

const kind = fc.constantFrom(...kinds, 'metadata' as const)
const name = fc.constantFrom(...names)
const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: fc.record({ by: fc.constant('server' as const), kind, name, what: fc.nat(11) }) },
    {
      weight: 1,
      arbitrary: fc.record({
        by: fc.constant('person' as const),
        edits: fc.uniqueArray(fc.tuple(kind, name, fc.nat(13)), {
          maxLength: 4,
          selector: ([of, which]) => `${of} ${which}`,
        }),
        merge: fc.boolean(),
      }),
    },
  ),
  { minLength: 12, maxLength: 30, size: 'max' },
)

/** A record. `what` determines all members that lists use. */
function recordFor(of: Collection, id: Id, what: number): StoredRecord {
  return {
    id,
    titles: [{ value: `title ${what}` }],
    ...(of === 'metadata' && {
      schema: { schemaId: `s${what % 2}` as Id, version: asVersion(1) },
      relatedIdentifiers: [
        { value: `resource ${what % 3}`, relationType: 'IS_METADATA_FOR' },
        { value: 'resource 1', relationType: 'CITES' },
      ],
    }),
    ...(what % 5 === 4 && { state: 'REVOKED' as const }),
    acls: [{ sid: `user ${what % 2}`, permission: what % 4 === 0 ? 'ADMINISTRATE' : 'READ' }],
  }
}

/** Adds the commits of the plan. */
function build(history: HistoryBuilder, plan: readonly Step[]): void {
  const there = new Set<string>()
  let count = 0
  history.person({ write: { 'metastore.json': '{}' } })
  for (const step of plan) {
    count++
    if (step.by === 'person') {
      const write: Record<string, string> = { 'README.md': `${count}` }
      const remove: string[] = []
      for (const [of, which, what] of step.edits) {
        const directory = recordDirectory(of, which as Id)
        if (what > 11) {
          remove.push(directory)
          there.delete(directory)
        } else {
          remove.push(directory)
          // The check refuses every third record.
          const record = recordFor(of, which as Id, what)
          write[`${directory}/record.json`] = encodeRecord(
            what % 3 === 0 ? { ...record, titles: [{ value: 'bad' }] } : record,
          ).toString()
          write[`${directory}/${documentFileName(of, what % 2 ? 'XML' : 'JSON')}`] = `${count}`
          there.add(directory)
        }
      }
      history.person({ write, remove, merge: step.merge })
      continue
    }
    const { kind: of, name: which, what } = step
    const directory = recordDirectory(of, which as Id)
    if (what > 9 && there.delete(directory)) history.server(of, which as Id)
    else {
      there.add(directory)
      history.server(of, which as Id, {
        record: recordFor(of, which as Id, what),
        documentType: what % 2 ? 'XML' : 'JSON',
        document: `{"n": ${count}}`,
      })
    }
  }
}

/** Runs `use` with the commits of the plan, and a catalog without any of them. */
async function withHistory(
  plan: readonly Step[],
  use: (catalog: TestCatalog, oids: readonly Oid[]) => Promise<void>,
): Promise<void> {
  const history = buildHistory()
  let catalog: TestCatalog | undefined
  try {
    build(history, plan)
    const oids = await history.finish()
    catalog = openTestCatalog(history.gitDir, { checkRules })
    await use(catalog, oids)
  } finally {
    await catalog?.end()
    history.remove()
  }
}

const checkRules: RuleCheck = ({ state }) =>
  Promise.resolve(state?.record.titles?.[0]?.value === 'bad' ? [{ message: 'bad' }] : [])

const middle = toInstant((1_780_000_000 + 12) * 1000)
const questions: readonly (readonly [Collection, ListQuery])[] = [
  ['schema', {}],
  ['schema', { documentTypes: ['XML'] }],
  ['schema', { sort: { by: 'id', direction: 'desc' } }],
  ['schema', { sort: { by: 'lastUpdate', direction: 'desc' }, from: middle }],
  ['metadata', {}],
  ['metadata', { sort: { by: 'lastUpdate', direction: 'asc' } }],
  ['metadata', { sort: { by: 'id', direction: 'asc' } }],
  ['metadata', { sort: { by: 'id', direction: 'asc' }, schemaIds: ['s1'] }],
  ['metadata', { schemaIds: ['s0'] }],
  ['metadata', { schemaIds: ['s0', 's1'], until: middle }],
  ['metadata', { resources: ['resource 1', 'resource 2'] }],
  ['metadata', { resources: ['resource 1'], schemaIds: ['s1'], sort: { by: 'id', direction: 'desc' } }],
]
const readers = [undefined, ['user 0'], ['user 1', 'nobody']] as const

/** The served state of each record. */
const statesOf = (committed: CatalogQueries) =>
  new Map(
    kinds.flatMap(of => names.map(which => [`${of} ${which}`, committed.newest(of, which as Id)] as const)),
  )

const told = (revisions: readonly Revision[]) =>
  revisions.map(({ id, commit, version, time }) => `${id} ${commit} ${version} ${time}`)

describe('a list at a commit', () => {
  it('equals the list of that time, reduced to records that exist and are visible today', async () => {
    await fc.assert(
      fc.asyncProperty(
        steps,
        fc.array(fc.nat(1000), { minLength: 40, maxLength: 40 }),
        async (plan, looks) => {
          await withHistory(plan, async (catalog, oids) => {
            const seen: (readonly (readonly Revision[])[])[] = []
            const states: ReturnType<typeof statesOf>[] = []
            for (const [index, oid] of oids.entries()) {
              await catalog.writer.catchUp(oid)
              const { committed } = catalog
              states.push(statesOf(committed))
              seen.push(questions.map(([of, query]) => committed.list(of, query, everything).items))
              // Compares earlier points of history repeatedly, while the history grows.
              const look = (looks[index] ?? 0) % (index + 1)
              compare(catalog, oids[look] as Oid, seen[look] ?? [])
            }
            for (const [index, oid] of oids.entries()) compare(catalog, oid, seen[index] ?? [])
            compareRecords(catalog, oids, states)
            await compareTimes(catalog, oids)
          })
        },
      ),
      { numRuns: isLongForm ? 50 : 1, endOnFailure: true },
    )
  })

  function compare(catalog: TestCatalog, oid: Oid, then: readonly (readonly Revision[])[]): void {
    const { committed } = catalog
    const at = { commit: oid }
    for (const [number, [of, query]] of questions.entries()) {
      for (const readableBy of readers) {
        const visible = new Set(
          committed.list(of, readableBy ? { readableBy } : {}, everything).items.map(({ id }) => id),
        )
        const expected = told((then[number] ?? []).filter(({ id }) => visible.has(id)))
        const asked = readableBy ? { ...query, readableBy } : query
        const what = JSON.stringify([of, asked])
        const whole = committed.list(of, asked, { ...everything, at })
        expect(told(whole.items), what).to.deep.equal(expected)
        expect(whole.total, what).to.equal(expected.length)
        if (!readableBy) expect(whole.commit, what).to.equal(oid)
        // For other callers, the list names a commit that they may know, at which it is the same.
        if (whole.commit) {
          const same = committed.list(of, asked, { ...everything, at: { commit: whole.commit } })
          expect(told(same.items), what).to.deep.equal(expected)
        }
        if (number % 3 === 0) expect(walk(catalog, of, asked, at), what).to.deep.equal(expected)
      }
    }
    for (const of of kinds) {
      for (const which of names) {
        const today = committed.newest(of, which as Id)
        const versions = committed.versions(of, which as Id, { ...everything, at })
        const listed = committed.list(of, {}, { ...everything, at }).items.find(({ id }) => id === which)
        expect(versions?.items[0]?.commit).to.equal(listed?.commit)
        expect(versions?.total).to.equal(versions?.items.length)
        if (!today) expect(versions).to.equal(undefined)
      }
    }
  }

  /** At each commit, each record has the state that was served then, if it is in the tree today. */
  function compareRecords(
    { committed }: TestCatalog,
    oids: readonly Oid[],
    states: readonly ReturnType<typeof statesOf>[],
  ): void {
    const today = states.at(-1)
    for (const [number, commit] of oids.entries()) {
      for (const [key, state] of states[number] ?? []) {
        const [of, which] = key.split(' ') as [Collection, Id]
        const expected = today?.get(key) && state
        expect(committed.asOf(of, which, { commit }), `${key} at ${commit}`).to.deep.equal(expected)
        for (const version of [1, 2, 3].map(asVersion)) {
          const served = expected && committed.versions(of, which, { ...everything, at: { commit } })
          const found = served?.items.find(item => item.version === version)
          expect(committed.asOf(of, which, { commit }, version)).to.deep.equal(found)
        }
      }
    }
  }

  /** A time means the last commit that changed a record until that time, even if clocks differ. */
  async function compareTimes({ committed, chain }: TestCatalog, oids: readonly Oid[]): Promise<void> {
    const made = kinds
      .flatMap(of => names.flatMap(which => committed.revisions(of, which as Id)))
      .map(({ commit, time }) => ({ at: oids.indexOf(commit), time }))
    for (const { time } of made) {
      for (const asked of [time - 1, time, time + 1]) {
        const last = Math.max(-1, ...made.filter(one => one.time <= asked).map(({ at }) => at))
        expect(await chain.lastCommitUntil(toInstant(asked))).to.equal(oids[last])
      }
    }
  }

  /** The list in pages of two. Each page continues after the previous one, and equals the page by number. */
  function walk(
    { committed }: TestCatalog,
    of: Collection,
    query: ListQuery,
    at: { readonly commit: Oid },
  ): readonly string[] {
    const all: Revision[] = []
    let after: ListCursor | undefined
    for (;;) {
      const page = committed.list(of, query, { offset: 0, limit: 2, at, ...(after && { after }) })
      expect(page.offset).to.equal(all.length)
      const numbered = committed.list(of, query, { offset: all.length, limit: 2, at })
      expect(told(numbered.items)).to.deep.equal(told(page.items))
      all.push(...page.items)
      after = page.next
      if (!after) return told(all)
    }
  }

  it('has the same pages if the first request follows other updates', async () => {
    await fc.assert(
      fc.asyncProperty(
        steps,
        fc.array(fc.tuple(fc.nat(7), fc.nat(3), fc.nat(1000)), { minLength: 40, maxLength: 40 }),
        async (plan, looks) => {
          await withHistory(plan, async (catalog, oids) => {
            for (const [step, oid] of oids.entries()) {
              await catalog.writer.catchUp(oid)
              const [offset, limit, which] = looks[step] ?? [0, 1, 0]
              const earlier = { commit: oids[which % (step + 1)] as Oid }
              for (const cut of [
                { offset, limit },
                { offset, limit, at: earlier },
              ]) {
                comparePages(catalog, cut)
              }
            }
          })
        },
      ),
      { numRuns: isLongForm ? 50 : 1, endOnFailure: true },
    )
  })

  const sights: readonly Visibility[] = [
    ...readers.map(readableBy => (readableBy ? { readableBy } : {})),
    { readableBy: ['user 1'], readableIds: ['a', 'd'] as Id[] },
    { readableBy: ['nobody'], readsUnrevoked: true },
  ]

  /** Within the writer's transaction, lists remember no numbers. One transaction is enough for all lists. */
  function comparePages({ committed, planning, writer }: TestCatalog, cut: PageRequest): void {
    const all = questions.flatMap(([of, query]) =>
      sights.map(sight => ({
        of,
        asked: { ...query, ...sight },
        what: JSON.stringify([of, query, sight, cut]),
      })),
    )
    const pages = all.map(({ of, asked }) => committed.list(of, asked, cut))
    writer.begin()
    const counts = all.map(({ of, asked }) => planning.list(of, asked, cut))
    void writer.rollback()
    for (const [number, { of, asked, what }] of all.entries()) {
      const [page, counted] = [pages[number] as ListPage, counts[number] as ListPage]
      expect(told(page.items), what).to.deep.equal(told(counted.items))
      expect(page, what).to.include({ total: counted.total, offset: counted.offset })
      const whole = committed.list(of, asked, { ...cut, ...everything })
      expect(whole.items, what).to.have.length(page.total)
      if (counted.next === undefined) continue
      const following = committed.list(of, asked, { ...cut, after: counted.next })
      expect(following.offset, what).to.equal(cut.offset + counted.items.length)
    }
  }

  it('has the same pages near its ends and far from both, and after other updates', async () => {
    const history = buildHistory()
    const write: Record<string, string> = { 'metastore.json': '{}' }
    for (let index = 0; index < 3000; index++) {
      const id = `m${index}` as Id
      const directory = recordDirectory('metadata', id)
      write[`${directory}/record.json`] = encodeRecord(recordFor('metadata', id, index % 7)).toString()
      write[`${directory}/document.json`] = `${index}`
    }
    history.person({ write })
    for (let index = 0; index < 40; index++) {
      history.server('metadata', `m${index * 71}` as Id, {
        record: recordFor('metadata', `m${index * 71}` as Id, index % 6),
        documentType: 'JSON',
        document: `{"n": ${index}}`,
      })
    }
    history.server('metadata', 'm2999' as Id)
    const oids = await history.finish()
    const catalog = openTestCatalog(history.gitDir)
    const lists = sights.flatMap(sight => [
      { ...sight },
      { ...sight, sort: { by: 'id', direction: 'asc' } as const },
      { ...sight, sort: { by: 'lastUpdate', direction: 'asc' } as const },
    ])
    try {
      await catalog.writer.catchUp(oids[0] as Oid)
      const quick = [0, 1000, 1490, 2000, 2980].map(offset =>
        Boolean(catalog.quickPage('metadata', {}, { offset, limit: 20 })),
      )
      expect(quick, 'only near its ends on the event loop').to.deep.equal([true, true, false, true, true])
      for (const oid of [oids[0], oids[7], oids.at(-1)]) {
        await catalog.writer.catchUp(oid as Oid)
        for (const query of lists) {
          const whole = catalog.committed.list('metadata', query, { offset: 0, limit: 3000 })
          expect(whole.items).to.have.length(whole.total)
          for (const offset of [0, 1023, 1024, 1030, 1490, 2047, 2500, 2990]) {
            const page = catalog.committed.list('metadata', query, { offset, limit: 20 })
            const expected = whole.items.slice(offset, offset + 20)
            expect(told(page.items), JSON.stringify([query, offset])).to.deep.equal(told(expected))
            expect(page.total).to.equal(whole.total)
          }
        }
      }
    } finally {
      await catalog.end()
      history.remove()
    }
  })

  it('can be one of many, and stays the same after a rebuild of the catalog', async () => {
    const history = buildHistory()
    const catalog = openTestCatalog(history.gitDir)
    try {
      for (let index = 0; index < 40; index++) {
        const id = `m${index % 10}` as Id
        history.server('metadata', id, {
          record: recordFor('metadata', id, index),
          documentType: 'JSON',
          document: `{"n": ${index}}`,
        })
      }
      const oids = await history.finish()
      const head = oids.at(-1) as Oid
      await catalog.writer.catchUp(head)
      const lists = () =>
        oids.map(commit =>
          told(catalog.committed.list('metadata', {}, { ...everything, at: { commit } }).items),
        )
      const first = lists()
      expect(first.map(list => list.length)).to.deep.equal(oids.map((_, index) => Math.min(index + 1, 10)))
      expect(first.map(list => list[0])).to.deep.equal(
        oids.map(
          (oid, index) =>
            `m${index % 10} ${oid} ${Math.floor(index / 10) + 1} ${1_780_000_000_123 + index * 1000}`,
        ),
      )
      expect(lists()).to.deep.equal(first)
      catalog.clear()
      expect(() => lists()).to.throw(ProblemError)
      await catalog.writer.catchUp(head)
      expect(lists()).to.deep.equal(first)
    } finally {
      await catalog.end()
      history.remove()
    }
  })

  it('is refused if the commit is not in the history', async () => {
    const history = buildHistory()
    const catalog = openTestCatalog(history.gitDir)
    try {
      history.person({ write: { 'README.md': '1' } })
      history.person({ write: { 'README.md': '2' }, merge: true })
      const oids = await history.finish()
      await catalog.writer.catchUp(oids.at(-1) as Oid)
      const at = (commit: Oid) => catalog.committed.list('schema', {}, { ...everything, at: { commit } })
      for (const commit of oids) expect(at(commit)).to.deep.include({ items: [], total: 0, commit })
      expect(() => at(toOid('1'.repeat(40)))).to.throw(ProblemError, 'has no commit 1111')
    } finally {
      await catalog.end()
      history.remove()
    }
  })
})
