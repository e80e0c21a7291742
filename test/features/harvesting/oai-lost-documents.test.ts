import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import type { Id } from '../../../src/core/value-types.js'
import { blobId } from '../../../src/store/objects/hash-object.js'
import { documentFileName, recordDirectory } from '../../../src/store/records/repository-layout.js'
import { expectServerErrors } from '../../support/answer-checks/check-every-answer.js'
import {
  metadataRecordV1,
  noteXml,
  noteXsdText,
  startService,
  startServiceWithWorkTree,
  type TestService,
} from '../../support/http/test-service.js'
import { askOai, harvestAll, idsOf, oaiOptions } from '../../support/oai-pmh/oai-client.js'
import { removeRepositories, waitUntil } from '../../support/repository/test-repository.js'

interface Lost {
  readonly kind: 'schema' | 'metadata'
  readonly id: string
}

describe('documents that are lost, in answers of OAI-PMH', () => {
  const notes: string[] = []
  beforeEach(() => notes.splice(0))
  afterEach(removeRepositories)

  const ids = ['n1', 'n2', 'n3', 'n4', 'n5']
  const documentOf = (id: string) => noteXml.replace('hello', `edited ${id}`)
  const textOf = ({ kind, id }: Lost) =>
    kind === 'schema' ? noteXsdText.replace('<xs:schema', '<!-- edited --><xs:schema') : documentOf(id)

  /** A server with notes. Its repository lacks the newest documents of some records. */
  async function startWithout(lost: readonly Lost[], page = 2): Promise<TestService> {
    expectServerErrors()
    const first = await startServiceWithWorkTree({ features: oaiOptions })
    await first.postSchema({ schemaId: 'note' }, noteXsdText).expect(201)
    for (const id of ids)
      await first
        .postMetadata(metadataRecordV1(`https://example.org/${id}`, 'note', { id }), noteXml)
        .expect(201)
    await first.services.workTreeUpToDate()
    const { repository } = first
    // Git stores each object of a new commit as a loose file.
    for (const each of lost) {
      const path = `${recordDirectory(each.kind, each.id as Id)}/${documentFileName(each.kind, 'XML')}`
      await repository.commit(`Edit ${each.id}`, { [path]: textOf(each) })
    }
    const head = await first.head()
    await waitUntil(
      'the edits',
      async () => (await first.http.get(`/api/changes?since=${head}`)).status === 200,
    )
    await first.services.close()
    for (const each of lost) {
      const oid = blobId(Buffer.from(textOf(each)))
      rmSync(join(repository.dir, '.git/objects', oid.slice(0, 2), oid.slice(2)))
    }
    const options = {
      features: { ...oaiOptions, 'oai-page': page },
      note: (line: string) => notes.push(line),
    }
    return await startService(options, {}, repository)
  }

  it('are left out of the list in the format of their schema, and the log names them', async () => {
    const service = await startWithout([{ kind: 'metadata', id: 'n2' }])
    const parts = await harvestAll(service, 'verb=ListRecords&metadataPrefix=note')
    expect(idsOf(parts)).to.deep.equal(['n1', 'n3', 'n4', 'n5'])
    expect(parts.flatMap(({ records }) => records.filter(({ metadata }) => !metadata))).to.deep.equal([])
    expect(notes.filter(line => line.includes('leaves out metadata n2'))).to.have.lengthOf(1)
    expect(notes.join())
      .to.contain(blobId(Buffer.from(documentOf('n2'))))
      .and.to.contain('repair --from')
    const all = ['n1', 'n3', 'n4', 'n5', 'n2']
    for (const query of [
      'ListIdentifiers&metadataPrefix=note',
      'ListRecords&metadataPrefix=oai_dc',
      'ListRecords&metadataPrefix=datacite',
    ])
      expect(idsOf(await harvestAll(service, `verb=${query}`)), query).to.have.members(all)
    await service.http.get('/oaipmh?verb=GetRecord&metadataPrefix=note&identifier=n2').expect(500)
  })

  it('appear as a header without metadata if a part has no other records', async () => {
    const service = await startWithout(ids.map(id => ({ kind: 'metadata', id })))
    const parts = await harvestAll(service, 'verb=ListRecords&metadataPrefix=note')
    expect(parts).to.have.lengthOf(2)
    expect(parts.map(({ records }) => records.map(({ isDeleted }) => isDeleted))).to.deep.equal([
      [false],
      [false],
    ])
    expect(parts.at(-1)?.token?.text).to.equal('')
  })

  it('of schemas remove only the format of the schema', async () => {
    const service = await startWithout([{ kind: 'schema', id: 'note' }])
    const formats = async (query = '') =>
      (await askOai(service, `verb=ListMetadataFormats${query}`)).all('metadataPrefix')
    for (const query of ['', '&identifier=n1'])
      expect(await formats(query)).to.deep.equal(['oai_dc', 'datacite'])
    expect(notes.filter(line => line.includes('leaves out schema note'))).to.have.lengthOf(2)
    expect(idsOf(await harvestAll(service, 'verb=ListRecords&metadataPrefix=note'))).to.deep.equal(ids)
  })
})
