import { expect } from 'chai'
import { asVersion, type Id, type Oid } from '../../../../src/core/value-types.js'
import { openUnreflectedChanges } from '../../../../src/features/search-cluster/queries/unreflected-changes.js'
import { expectProblem } from '../../../support/data/expect-problem.js'
import { buildHistory, type HistoryBuilder } from '../../../support/repository/fast-import-history.js'
import { openTestCatalog, type TestCatalog } from '../../../support/repository/temporary-catalog.js'

const anna = { readableBy: ['anna'] }
/** More revisions than one read of the changes returns. */
const many = 2500

describe('The changes after the commit of a cluster', () => {
  let history: HistoryBuilder
  let oids: readonly Oid[]
  let catalog: TestCatalog
  const oid = (at: number) => oids[at] as Oid

  before(async () => {
    history = buildHistory()
    const put = (id: string, sid: string) => {
      const schema = { schemaId: 's' as Id, version: asVersion(1) }
      const acls = [{ sid, permission: 'READ' as const }]
      const record = { id: id as Id, schema, titles: [], acls }
      history.server('metadata', id as Id, { record, documentType: 'JSON', document: `{"by":"${sid}"}` })
    }
    for (const id of ['narrowed', 'removed', 'kept']) put(id, 'anna')
    put('narrowed', 'berta')
    for (let at = 0; at < many; at++) put(`new${at}`, 'berta')
    history.server('metadata', 'removed' as Id)
    put('kept', 'anna')
    put('new0', 'anna')
    put('new1', 'carla')
    oids = await history.finish()
  })
  after(() => history.remove())

  beforeEach(function () {
    catalog = openTestCatalog(history.gitDir, { name: this.currentTest?.title.replace(/\W+/g, '-') ?? 'one' })
  })
  afterEach(() => catalog.end())

  const ids = (records: readonly { readonly id: Id }[]) => records.map(({ id }) => id as string).sort()

  it('are known for any number of revisions, while catalog and cluster advance', async () => {
    const pending = openUnreflectedChanges(catalog)
    await catalog.writer.catchUp(oid(3))
    expect(ids(await pending.hiddenFrom(anna, oid(2)))).to.deep.equal(['narrowed'])
    expect(await pending.hiddenFrom({}, oid(2))).to.deep.equal([])
    expect(await pending.hiddenFrom(anna, oid(3))).to.deep.equal([])

    await catalog.writer.catchUp(oids.at(-1) as Oid)
    expect(ids(await pending.hiddenFrom(anna, oid(2)))).to.deep.equal(['narrowed', 'new1', 'removed'])
    expect(ids(await pending.hiddenFrom({}, oid(2)))).to.deep.equal(['removed'])
    expect(ids(await pending.hiddenFrom(anna, oid(3)))).to.deep.equal(['new1', 'removed'])
    expect(ids(await pending.hiddenFrom(anna, oids.at(-2)))).to.deep.equal(['new1'])
    expect(await pending.hiddenFrom(anna, undefined)).to.deep.equal([])
    // The commit of a cluster that was restored from a backup.
    expect(ids(await pending.hiddenFrom(anna, oid(2)))).to.deep.equal(['narrowed', 'new1', 'removed'])
  })

  it('concurrent searches share one reading of the changes', async () => {
    const pending = openUnreflectedChanges(catalog)
    await catalog.writer.catchUp(oids.at(-1) as Oid)

    const found = await Promise.all([oid(2), oid(2), oid(3)].map(commit => pending.hiddenFrom(anna, commit)))

    expect(found.map(ids)).to.deep.equal([
      ['narrowed', 'new1', 'removed'],
      ['narrowed', 'new1', 'removed'],
      ['new1', 'removed'],
    ])
  })

  it('are unknown after a rewrite of the history, and the search is refused', async () => {
    const pending = openUnreflectedChanges(catalog)
    await catalog.writer.catchUp(oid(3))

    await expectProblem(() => pending.hiddenFrom({}, '1'.repeat(40) as Oid), 'unavailable', 'rewritten')
    expect(ids(await pending.hiddenFrom(anna, oid(2)))).to.deep.equal(['narrowed'])
  })
})
