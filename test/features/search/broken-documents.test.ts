import { expect } from 'chai'
import type { Revision } from '../../../src/core/records/revision.js'
import { asVersion, type Id, type Oid, type Sha1, toInstant } from '../../../src/core/value-types.js'
import { readSourceFilter } from '../../../src/features/elasticsearch-api/answers/source-filter.js'
import { openSourceWriter } from '../../../src/features/elasticsearch-api/index-entry-source.js'
import { clusterDocument } from '../../../src/features/search-cluster/cluster/cluster-document.js'

// test-schedule: quick

const revision: Revision = {
  kind: 'metadata',
  id: 'broken' as Id,
  version: asVersion(1),
  commit: '1'.repeat(40) as Oid,
  time: toInstant(0),
  createdAt: toInstant(0),
  record: {
    id: 'broken' as Id,
    schema: { schemaId: 'open' as Id, version: asVersion(1) },
    titles: [{ value: 'A title' }],
  },
  documentType: 'JSON',
  documentHash: '2'.repeat(40) as Sha1,
  document: '3'.repeat(40) as Oid,
  files: new Map(),
  sequence: 7,
}
/** The largest number of levels that a filter of `_source` can enter. */
const levels = 100_000
const deep = 'JSON with very many levels'
const documents = {
  'no JSON': '{"a": 1}, "injected": [',
  'no text': '',
  [deep]: `{"a":${'['.repeat(levels)}${']'.repeat(levels)}}`,
}

describe('a document that was committed with plain git', () => {
  for (const [what, text] of Object.entries(documents)) {
    it(`that is ${what} can be sent to a cluster without its structure`, () => {
      const made = clusterDocument(revision, Buffer.from(text), {
        entry: { id: 'broken' },
        described: revision.record,
        declared: new Map(),
      })

      const sent = JSON.parse(made.json) as object
      expect(sent).to.include({ id: 'broken' })
      if (what !== deep) expect(sent).to.not.have.property('metadataDocument')
      expect(JSON.parse(made.withoutStructure())).to.not.have.property('metadataDocument')
    })

    for (const source of [true, ['metadataDocument.a']]) {
      it(`that is ${what} keeps the answer of existing frontends valid, with _source ${String(source)}`, async () => {
        const write = openSourceWriter({
          readDocument: async () => Buffer.from(text),
          root: 'http://localhost/api/v2',
          reserve: () => undefined,
        })

        const json = await write(revision, readSourceFilter(source))

        const entry = JSON.parse(json) as Readonly<Record<string, unknown>>
        expect(entry).to.not.have.property('injected')
        if (what !== deep) expect(entry.metadataDocument).to.equal(source === true ? text : undefined)
      })
    }
  }
})
