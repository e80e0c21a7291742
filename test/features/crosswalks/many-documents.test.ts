import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import type { Revision } from '../../../src/core/records/revision.js'
import type { Id } from '../../../src/core/value-types.js'
import { maxDescribedBytes } from '../../../src/features/crosswalks/crosswalk/described-tree.js'
import type { DescribeQuery, DescribeResult } from '../../../src/features/crosswalks/descriptions-reader.js'
import { openStoredDocuments, portionLimits } from '../../../src/features/crosswalks/stored-documents.js'
import { blobId } from '../../../src/store/objects/hash-object.js'
import { documentFileName, recordDirectory } from '../../../src/store/records/repository-layout.js'
import {
  jsonSchema,
  metadataRecordV1,
  noteXml,
  noteXsdText,
  startService,
  startServiceWithWorkTree,
  type TestService,
} from '../../support/http/test-service.js'
import { harvestAll, oaiOptions } from '../../support/oai-pmh/oai-client.js'
import { removeRepositories, waitUntil } from '../../support/repository/test-repository.js'

const noteOf = (title: string, length = 0) => JSON.stringify({ title, text: 'x'.repeat(length) })

async function post(service: TestService, id: string, document: string, schema = 'note'): Promise<void> {
  await service
    .postMetadata(metadataRecordV1(`https://example.org/${id}`, schema, { id }), document)
    .expect(201)
}

/** Commits documents with git, which stores each of them as a loose object. */
async function editByHand(service: TestService, documents: Readonly<Record<string, string>>): Promise<void> {
  const path = (id: string) =>
    `${recordDirectory('metadata', id as Id)}/${documentFileName('metadata', 'JSON')}`
  await service.services.workTreeUpToDate()
  await service.repository.commit(
    'Edit documents',
    Object.fromEntries(Object.entries(documents).map(([id, text]) => [path(id), text])),
  )
  const head = await service.head()
  await waitUntil(
    'the edits',
    async () => (await service.http.get(`/api/changes?since=${head}`)).status === 200,
  )
}

describe('Descriptions of many documents', () => {
  afterEach(removeRepositories)

  it('are in a harvest, whose other records lack only the documents that cannot be described', async () => {
    const first = await startServiceWithWorkTree({ features: oaiOptions })
    await first.postSchema({ schemaId: 'note' }, jsonSchema('title')).expect(201)
    const titled = ['packed', 'loose', 'no-json', 'last']
    const ids = [...titled, 'large', 'damaged', 'missing']
    for (const id of ids)
      await post(first, id, noteOf(`Title of ${id}`, id === 'large' ? maxDescribedBytes : 0))
    // A commit whose document is not JSON is not served: the record keeps its last version.
    const textOf = (id: string) => (id === 'no-json' ? '{"title":' : noteOf(`Title of ${id}, edited`))
    for (const id of ['loose', 'no-json', 'damaged', 'missing']) await editByHand(first, { [id]: textOf(id) })
    await first.services.close()
    const pathOf = (id: string) => {
      const oid = blobId(Buffer.from(textOf(id)))
      return join(first.repository.dir, '.git/objects', oid.slice(0, 2), oid.slice(2))
    }
    rmSync(pathOf('missing'))
    rmSync(pathOf('damaged'))
    writeFileSync(pathOf('damaged'), 'no object')

    const service = await startService({ features: { ...oaiOptions, 'oai-page': 5 } }, {}, first.repository)
    for (const prefix of ['oai_dc', 'datacite']) {
      const parts = await harvestAll(service, `verb=ListRecords&metadataPrefix=${prefix}`)
      const found = new Map(
        parts
          .flatMap(({ records }) => records)
          .map(({ identifier, metadata = '' }) => [identifier.replace(/.*:/, ''), metadata]),
      )
      expect([...found.keys()], prefix).to.have.members(ids)
      for (const [id, metadata] of found) {
        const title = `>Title of ${id}${id === 'loose' ? ', edited' : ''}</`
        if (titled.includes(id)) expect(metadata, `${prefix} ${id}`).to.contain(title)
        else expect(metadata, `${prefix} ${id}`).to.contain(`>${id}</`).and.not.to.contain('Title of')
      }
    }
  })

  it('are absent for documents that are not what their schema says', async () => {
    const service = await startService()
    const { describeEach, catalog } = service.services.parts
    await service.postSchema({ schemaId: 'note' }, jsonSchema('title')).expect(201)
    await service.postSchema({ schemaId: 'xml-note' }, noteXsdText).expect(201)
    await post(service, 'json', noteOf('Title of json'))
    await post(service, 'xml', noteXml, 'xml-note')
    const [json, xml, schema] = [
      catalog.committed.newest('metadata', 'json' as Id),
      catalog.committed.newest('metadata', 'xml' as Id),
      catalog.committed.newest('schema', 'note' as Id),
    ] as [Revision, Revision, Revision]
    const described = []
    const asked: readonly Revision[] = [
      { ...json, documentType: 'XML' },
      { ...xml, documentType: 'JSON' },
      schema,
      json,
    ]
    for await (const { description } of describeEach(asked)) described.push(description)
    expect(described.slice(0, 3)).to.deep.equal([undefined, undefined, undefined])
    expect(described[3]?.titles).to.deep.equal([{ value: { title: 'Title of json' }, path: 'title' }])
  })

  describe('are read in portions', () => {
    const each = 300_000
    const count = 30

    /** The revisions of notes, in the order of the list. */
    function revisionsOf(service: TestService): readonly Revision[] {
      const { catalog } = service.services.parts
      const ids = Array.from({ length: count }, (_, number) => `n${number}` as Id)
      return ids.flatMap(id => catalog.committed.newest('metadata', id) ?? [])
    }

    /** Describes notes. @returns the most bytes of documents, and revisions, that were taken before they were given */
    async function mostAhead(service: TestService): Promise<{ bytes: number; revisions: number }> {
      const { parts } = service.services
      const ahead = { bytes: 0, revisions: 0 }
      const most = { ...ahead }
      function take(more: Partial<typeof ahead>) {
        ahead.bytes += more.bytes ?? 0
        ahead.revisions += more.revisions ?? 0
        most.bytes = Math.max(most.bytes, ahead.bytes)
        most.revisions = Math.max(most.revisions, ahead.revisions)
      }
      const { rows } = parts.catalog
      const { describeDocuments } = openStoredDocuments({
        ...parts,
        async readDocument(revision) {
          const bytes = await parts.readDocument(revision)
          if (revision.kind === 'metadata') take({ bytes: bytes.length })
          return bytes
        },
        catalog: {
          ...parts.catalog,
          rows: {
            ...rows,
            async read(...query) {
              const results = (await rows.read(...query)) as DescribeResult
              // Documents that were sent to the thread are counted when they are read.
              const { documents } = query[1] as DescribeQuery
              const sizes = results.map((result, index) =>
                typeof documents[index]?.[0] === 'string' ? (result?.[0] ?? 0) : 0,
              )
              take({ bytes: sizes.reduce((sum, size) => sum + size, 0) })
              return results
            },
          },
        },
      })
      const all = revisionsOf(service)
      function* taken() {
        for (const revision of all) {
          take({ revisions: 1 })
          yield revision
        }
      }
      const titles: unknown[] = []
      for await (const { description, documentSize = 0 } of describeDocuments(taken())) {
        take({ bytes: -documentSize, revisions: -1 })
        titles.push(description?.titles?.[0]?.value.title)
      }
      expect(titles).to.deep.equal(all.map(({ id }) => `Title of ${id}`))
      expect(ahead).to.deep.equal({ bytes: 0, revisions: 0 })
      return most
    }

    // One portion is used while the next one is read. Each may have one document more than its limit.
    const limits = { bytes: 2 * (portionLimits.bytes + each), revisions: 2 * portionLimits.revisions }

    it('from packs, so that few are in memory', async () => {
      const service = await startService()
      await service.postSchema({ schemaId: 'note' }, jsonSchema('title')).expect(201)
      for (let number = 0; number < count; number++)
        await post(service, `n${number}`, noteOf(`Title of n${number}`, each))
      const most = await mostAhead(service)
      expect(most.bytes).to.be.within(2 * each, limits.bytes)
      expect(most.revisions).to.be.at.most(limits.revisions)
    })

    it('from loose objects, so that few are in memory', async () => {
      const service = await startServiceWithWorkTree()
      await service.postSchema({ schemaId: 'note' }, jsonSchema('title')).expect(201)
      for (let number = 0; number < count; number++) await post(service, `n${number}`, noteOf('old'))
      const texts = Array.from({ length: count }, (_, number) => noteOf(`Title of n${number}`, each))
      await editByHand(service, Object.fromEntries(texts.map((text, number) => [`n${number}`, text])))
      const most = await mostAhead(service)
      expect(most.bytes).to.be.within(2 * each, limits.bytes)
      expect(most.revisions).to.be.at.most(limits.revisions)
    })
  })

  it('are by the crosswalk of their own schema, if a change set has stored both schemas', async () => {
    const service = await startService()
    const schemas = ['by-name', 'by-label'].map(id => ({
      kind: 'schema',
      action: 'create',
      record: { id, titles: [{ value: id }], crosswalk: { titles: id.replace('by-', '') } },
      document: id,
    }))
    const sent = service.http.post('/api/changesets').field('changeset', JSON.stringify({ changes: schemas }))
    for (const { document } of schemas) sent.attach(document, Buffer.from(jsonSchema()), document)
    await sent.expect(200)
    for (const schema of ['by-name', 'by-label']) {
      await post(service, `of-${schema}`, '{"name":"A name","label":"A label"}', schema)
      const { body } = await service.http.get(`/api/v1/metadata/of-${schema}/description`).expect(200)
      expect(body.titles).to.deep.equal([{ title: schema === 'by-name' ? 'A name' : 'A label' }])
    }
  })
})
