import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import type { RuleCheck } from '../../../src/catalog/catalog.js'
import type { Id, Oid } from '../../../src/core/value-types.js'
import { encodeRecord } from '../../../src/store/records/record-json.js'
import { recordDirectory } from '../../../src/store/records/repository-layout.js'
import { buildHistory } from '../../support/repository/fast-import-history.js'
import { openTestCatalog } from '../../support/repository/temporary-catalog.js'

/** Takes longer than the two seconds between two reports. */
const slow: RuleCheck = async () => {
  await sleep(2100)
  return []
}

describe('the progress of reading the history', () => {
  it('is reported while commits are left, and not after the last one', async () => {
    const history = buildHistory()
    const id = 'one' as Id
    for (const title of ['first', 'second'])
      history.person({
        write: {
          [`${recordDirectory('schema', id)}/record.json`]: encodeRecord({
            id,
            titles: [{ value: title }],
          }).toString(),
          [`${recordDirectory('schema', id)}/schema.json`]: '{"type": "object"}',
        },
      })
    const oids = await history.finish()
    const catalog = openTestCatalog(history.gitDir, { checkRules: slow })
    try {
      await catalog.writer.catchUp(oids.at(-1) as Oid)

      expect(catalog.reports).to.deep.equal(['Reading the history: 1 commit so far.'])
    } finally {
      await catalog.end()
      history.remove()
    }
  })
})
