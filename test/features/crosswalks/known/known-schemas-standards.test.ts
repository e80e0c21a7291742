import { expect } from 'chai'
import { dataCiteXml } from '../../../../src/features/exports/datacite/datacite-xml.js'
import { dataCiteDocument } from '../../../../src/features/exports/datacite/record-to-datacite.js'
import { describeSample } from '../../../support/data/crosswalks/known-sample.js'
import { allSamples } from '../../../support/data/crosswalks/variants-samples.js'
import { faultsOfDataCiteJson } from '../../../support/exports/datacite-json-schema.js'
import { revisionOf, sampleContext } from '../../../support/exports/sample-records.js'
import { readSchemaFiles, standard } from '../../../support/exports/standards.js'
import { startService } from '../../../support/http/test-service.js'
import { removeRepositories } from '../../../support/repository/test-repository.js'

const oaiFolder = standard('oai-pmh')
const folder = standard('..', 'data', 'datacite', 'xml', 'kernel-4.6')

/** A bare record with what its document says. */
const described = allSamples.map(({ title, document }) => ({
  title,
  described: dataCiteDocument(revisionOf({}), { ...sampleContext, description: describeSample(document) }),
}))

/** The problems that the service finds in the documents, by their titles; empty if all are valid. */
async function problemsBySchema(
  schemaFile: Parameters<typeof readSchemaFiles>,
  documents: readonly (readonly [title: string, xml: string])[],
): Promise<readonly unknown[]> {
  const service = await startService()
  const { schema, files } = await readSchemaFiles(...schemaFile)
  await service.postSchema({ schemaId: 'official' }, schema, files).expect(201)
  const problems: unknown[] = []
  for (const [title, xml] of documents) {
    const { status, body } = await service.http
      .post('/api/v1/schemas/official/validate')
      .attach('document', Buffer.from(xml), 'document.xml')
    if (status !== 204) problems.push([title, body])
  }
  return problems
}

describe('What documents of known schemas say, checked by the schemas of DataCite', () => {
  after(removeRepositories)

  it('is valid as JSON', () => {
    const faults = described.map(each => [each.title, faultsOfDataCiteJson(JSON.stringify(each.described))])
    expect(faults).to.deep.equal(described.map(({ title }) => [title, []]))
  })

  if (folder) {
    it('is valid as XML', async () => {
      const documents = described.map(
        ({ title, described: document }) => [title, dataCiteXml(document)] as const,
      )
      expect(await problemsBySchema([folder, 'metadata.xsd'], documents)).to.deep.equal([])
    })
  }
})

describe('Samples of documents of known schemas', () => {
  after(removeRepositories)

  if (oaiFolder) {
    it('are valid by the schema of oai_dc, where they say that they follow it', async () => {
      const documents = allSamples.filter(({ schema }) => schema === 'oai_dc')
      const texts = documents.map(({ title, document }) => [title, String(document)] as const)
      expect(texts).to.have.length(9)
      expect(await problemsBySchema([oaiFolder, 'oai_dc.xsd'], texts)).to.deep.equal([])
    })
  }
})
