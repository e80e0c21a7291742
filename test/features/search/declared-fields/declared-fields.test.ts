import { expect } from 'chai'
import { asVersion, type Id, type Oid } from '../../../../src/core/value-types.js'
import { openDeclaredFields } from '../../../../src/features/search-cluster/queries/declared-fields.js'
import { buildHistory, type HistoryBuilder } from '../../../support/repository/fast-import-history.js'
import { openTestCatalog, type TestCatalog } from '../../../support/repository/temporary-catalog.js'

// test-schedule: quick

/** More schemas than one read returns. */
const schemas = 502

describe('the declared fields of all schemas', () => {
  let history: HistoryBuilder
  let catalogs: readonly TestCatalog[]

  before(async () => {
    history = buildHistory()
    const idOf = (at: number) => `s${String(at).padStart(3, '0')}` as Id
    for (let at = 0; at < schemas; at++) {
      const id = idOf(at)
      const fields = [{ path: `path-${at}`, as: 'keyword' as const }]
      const record = { id, titles: [], acls: [], schemaVersion: asVersion(1), search: { fields } }
      history.server('schema', id, { record, documentType: 'JSON', document: '{}' })
    }
    history.server('schema', idOf(0))
    const commits = await history.finish()
    catalogs = await Promise.all(
      [commits[schemas - 1], commits[schemas]].map(async (commit, index) => {
        const catalog = openTestCatalog(history.gitDir, { name: `catalog-${index}` })
        await catalog.writer.catchUp(commit as Oid)
        return catalog
      }),
    )
  })
  after(async () => {
    for (const catalog of catalogs) await catalog.end()
    history.remove()
  })

  it('are complete if a schema is removed during the reading', async () => {
    const [earlier, later] = catalogs as [TestCatalog, TestCatalog]
    let reads = 0
    const committed: TestCatalog['committed'] = {
      ...later.committed,
      list: (...query) => (reads++ === 0 ? earlier : later).committed.list(...query),
    }
    const { feed, head, chain, unlisted } = later
    const declarations = openDeclaredFields({ committed, feed, head, chain, unlisted })
    const fields = await declarations.seenBy({})

    expect(reads).to.equal(2)
    expect(fields.declared('document.path-0')).to.equal(undefined)
    for (let at = 1; at < schemas; at++)
      expect(fields.declared(`document.path-${at}`), String(at)).to.include({ path: `path-${at}` })
  })
})
