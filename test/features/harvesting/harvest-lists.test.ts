import { expect } from 'chai'
import fc from 'fast-check'
import { listReadersOf } from '../../../src/core/access-control.js'
import { type StoredRecord, stateOf } from '../../../src/core/records/record.js'
import { asVersion, type Id, type Oid, toInstant } from '../../../src/core/value-types.js'
import {
  type HarvestEntry,
  type HarvestQuery,
  openHarvestCatalog,
} from '../../../src/features/harvesting/rows/harvest-query.js'
import { isLongForm } from '../../support/program/long-form.js'
import { buildHistory } from '../../support/repository/fast-import-history.js'
import { openTestCatalog, type TestCatalog } from '../../support/repository/temporary-catalog.js'

const names = ['a', 'b', 'c', 'd'] as Id[]

/** State of a record after a commit; undefined if the commit removes the record. */
interface State {
  readonly schema: 's0' | 's1'
  readonly reader?: 'anyone' | 'team'
  readonly revoked: boolean
}

const state: fc.Arbitrary<State | undefined> = fc.option(
  fc.record(
    {
      schema: fc.constantFrom('s0' as const, 's0' as const, 's1' as const),
      reader: fc.constantFrom('anyone' as const, 'anyone' as const, 'team' as const),
      revoked: fc.constantFrom(false, false, false, true),
    },
    { requiredKeys: ['schema', 'revoked'] },
  ),
  { nil: undefined, freq: 5 },
)
const plans = fc.array(fc.tuple(fc.constantFrom(...names), state), {
  minLength: 15,
  maxLength: 40,
  size: 'max',
})

function recordOf(id: Id, { schema, reader, revoked }: State): StoredRecord {
  return {
    id,
    schema: { schemaId: schema as Id, version: asVersion(1) },
    ...(revoked && { state: 'REVOKED' as const }),
    acls: [
      { sid: 'owner', permission: 'ADMINISTRATE' },
      ...(reader ? [{ sid: reader, permission: 'READ' as const }] : []),
    ],
  }
}

/** Properties of entries for records with this schema. */
const placements = {
  s0: { schema: 's0', type: 'JSON', storedSets: [] },
  s1: { schema: 's1', type: 'XML', storedSets: [] },
} as const

const typeOf = (record: StoredRecord) => (record.schema?.schemaId === 's1' ? 'XML' : 'JSON')

type Filter = Pick<HarvestQuery, 'schemaIds' | 'documentTypes'>
const filters: readonly Filter[] = [
  {},
  { schemaIds: ['s1'], documentTypes: ['XML'] },
  { schemaIds: ['s0'] },
  { documentTypes: ['JSON'] },
]
const callers = [undefined, ['anyone'], ['anyone', 'team'], ['owner', 'anyone'], ['nobody']] as const

/** A revision of the plan: its position on the chain, and the state after it. */
interface Step {
  readonly at: number
  readonly record: StoredRecord | undefined
}

interface ExpectedEntry {
  readonly id: Id
  readonly at: number
  readonly gone: boolean
}

/** The expected list, computed by definition, oldest entry first. */
function expectedList(
  steps: ReadonlyMap<Id, readonly Step[]>,
  filter: Filter,
  caller: readonly string[] | undefined,
  pin: number,
): readonly string[] {
  const sees = (record: StoredRecord | undefined) =>
    record !== undefined && (!caller || listReadersOf(record).some(sid => caller.includes(sid)))
  const matches = (record: StoredRecord) =>
    (!filter.schemaIds || filter.schemaIds.includes(record.schema?.schemaId ?? '')) &&
    (!filter.documentTypes || filter.documentTypes.includes(typeOf(record)))
  const entries = [...steps].flatMap(([id, all]): readonly ExpectedEntry[] => {
    const now = all.at(-1)?.record
    const known = all.filter(({ at }) => at <= pin)
    const last = known.at(-1)
    const isMember = last?.record !== undefined && matches(last.record)
    const losses = all.filter(({ record }, place) => {
      const before = all[place - 1]?.record
      return before && isLoss(before, record) && matches(before) && (!caller || sees(before) || sees(now))
    })
    const lost = losses.findLast(({ at }) => at <= pin)
    // A record that was hidden at the commit and is readable again has already appeared as deleted.
    if (isMember && sees(now)) return lost && !sees(last.record) ? [] : [{ id, at: last.at, gone: false }]
    if (lost) return [{ id, at: lost.at, gone: true }]
    const later = losses.at(-1)
    return isMember && later && !sees(now) ? [{ id, at: last.at, gone: true }] : []
  })
  return entries.sort((a, b) => a.at - b.at).map(({ id, at, gone }) => `${gone ? '-' : ''}${id} ${at}`)
}

function isLoss(before: StoredRecord, after: StoredRecord | undefined): boolean {
  // A revocation is a loss for every caller who cannot read REVOKED records, regardless of the access list.
  if (!after || (stateOf(after) === 'REVOKED' && stateOf(before) !== 'REVOKED')) return true
  const kept = new Set(listReadersOf(after))
  return (
    before.schema?.schemaId !== after.schema?.schemaId || listReadersOf(before).some(sid => !kept.has(sid))
  )
}

describe('a list for harvesters', () => {
  it('has the readable records of every commit, and the last loss of each record that the caller could read before', async () => {
    await fc.assert(
      fc.asyncProperty(plans, async plan => {
        const history = buildHistory()
        let catalog: TestCatalog | undefined
        try {
          history.person({ write: { 'metastore.json': '{}' } })
          const steps = new Map<Id, Step[]>()
          for (const [count, [id, after]] of plan.entries()) {
            const known = steps.get(id) ?? []
            if (!after && !known.at(-1)?.record) continue
            const record = after && recordOf(id, after)
            const document = `{"n": ${count}}`
            if (record) history.server('metadata', id, { record, documentType: typeOf(record), document })
            else history.server('metadata', id)
            steps.set(id, [...known, { at: [...steps.values()].flat().length + 1, record }])
          }
          const oids = await history.finish()
          catalog = openTestCatalog(history.gitDir)
          for (const oid of oids) await catalog.writer.catchUp(oid)
          for (const filter of filters)
            for (const caller of callers) await compare(catalog, oids, steps, filter, caller)
        } finally {
          await catalog?.end()
          history.remove()
        }
      }),
      { numRuns: isLongForm ? 50 : 2, endOnFailure: true },
    )
  })

  it('is read from a catalog that a program without this feature has made', async () => {
    const history = buildHistory()
    history.server('metadata', 'a' as Id, {
      record: recordOf('a' as Id, { schema: 's0', revoked: false }),
      documentType: 'JSON',
      document: '{}',
    })
    const [oid] = await history.finish()
    const made = openTestCatalog(history.gitDir, { tables: '' })
    await made.writer.catchUp(oid as Oid)
    await made.end()
    const catalog = openTestCatalog(history.gitDir)
    try {
      const { entries } = await openHarvestCatalog(catalog).harvest({ limit: 10 }, undefined)
      expect(entries.map(({ id }) => id)).to.deep.equal(['a'])
    } finally {
      await catalog.end()
      history.remove()
    }
  })

  async function compare(
    catalog: TestCatalog,
    oids: readonly Oid[],
    steps: ReadonlyMap<Id, readonly Step[]>,
    filter: Filter,
    caller: readonly string[] | undefined,
  ): Promise<void> {
    const query = { ...filter, ...(caller && { readableBy: caller }) }
    const secondOf = (time: number) => Math.round(time / 1000 - 1_780_000_000 - 0.123)
    const told = (entries: readonly HarvestEntry[]) =>
      entries.map(({ id, time, rev }) => {
        return `${rev === undefined ? '-' : ''}${id} ${secondOf(time)}`
      })
    for (const [pin, commit] of oids.entries()) {
      const expected = expectedList(steps, filter, caller, pin)
      const what = JSON.stringify({ query, pin })
      const at = pin === oids.length - 1 ? {} : { at: { commit } }
      const page = await openHarvestCatalog(catalog).harvest(
        { ...query, ...at, limit: 100, counted: true },
        undefined,
      )
      expect(told(page.entries), what).to.deep.equal(expected)
      expect(page.total, what).to.equal(expected.length)
      for (const { placement } of page.entries)
        expect(placement, what).to.deep.equal(placements[placement.schema as State['schema']])
      if (pin % 5 === 0)
        expect(told(await walk(catalog, { ...query, at: { commit } })), what).to.deep.equal(expected)
      const [, second] = page.entries
      if (!second) continue
      const bounds = { from: toInstant(second.time), until: toInstant(second.time) }
      const range = await openHarvestCatalog(catalog).harvest(
        { ...query, ...at, ...bounds, limit: 100 },
        undefined,
      )
      expect(told(range.entries), what).to.deep.equal(expected.slice(1, 2))
      const single = await openHarvestCatalog(catalog).harvest(
        { ...query, ...at, id: second.id, limit: 1 },
        undefined,
      )
      expect(told(single.entries), what).to.deep.equal(expected.slice(1, 2))
    }
    await comparePurged(catalog, query, told)
    // For a caller with limited rights, the list names a commit at which it is the same.
    const newest = await openHarvestCatalog(catalog).harvest({ ...query, limit: 100 }, undefined)
    if (!newest.commit) return expect(newest.entries).to.deep.equal([]) as never
    const same = await openHarvestCatalog(catalog).harvest(
      { ...query, at: { commit: newest.commit }, limit: 100 },
      undefined,
    )
    expect(told(same.entries)).to.deep.equal(told(newest.entries))
  }

  /** Purged records are in every list, except if the list has an entry with the same id. */
  async function comparePurged(
    catalog: TestCatalog,
    query: Omit<HarvestQuery, 'limit'>,
    told: (entries: readonly HarvestEntry[]) => readonly string[],
  ): Promise<void> {
    const without = (await openHarvestCatalog(catalog).harvest({ ...query, limit: 100 }, undefined)).entries
    const timeAt = (place: number) => (1_780_000_000.123 + place) * 1000
    const purged = [
      { id: 'purged', time: timeAt(0) },
      { id: 'a', time: timeAt(1000) },
    ]
    const hasA = without.some(({ id }) => id === 'a')
    const expected = ['-purged 0', ...told(without), ...(hasA ? [] : ['-a 1000'])]
    const what = JSON.stringify({ query, expected })
    const page = await openHarvestCatalog(catalog).harvest(
      { ...query, purged, limit: 100, counted: true },
      undefined,
    )
    expect(told(page.entries), what).to.deep.equal(expected)
    expect(page.total, what).to.equal(expected.length)
    expect(told(await walk(catalog, { ...query, purged })), what).to.deep.equal(expected)
    const first = { from: toInstant(timeAt(0)), until: toInstant(timeAt(0)) }
    const range = await openHarvestCatalog(catalog).harvest(
      { ...query, purged, ...first, limit: 100 },
      undefined,
    )
    expect(told(range.entries), what).to.deep.equal(['-purged 0'])
    const single = await openHarvestCatalog(catalog).harvest(
      { ...query, purged, id: 'purged', limit: 1 },
      undefined,
    )
    expect(single.entries.map(({ placement }) => placement)).to.deep.equal([
      { schema: '', type: '', storedSets: [] },
    ])
  }

  async function walk(
    catalog: TestCatalog,
    query: Omit<HarvestQuery, 'limit'>,
  ): Promise<readonly HarvestEntry[]> {
    const all: HarvestEntry[] = []
    for (;;) {
      const last = all.at(-1)
      const after = last && { time: last.time, id: last.id }
      const page = await openHarvestCatalog(catalog).harvest(
        { ...query, ...(after && { after }), limit: 2 },
        undefined,
      )
      all.push(...page.entries)
      if (page.entries.length < 2) return all
    }
  }
})
