import { expect } from 'chai'
import { dataCiteXml } from '../../../src/features/exports/datacite/datacite-xml.js'
import { dataCiteDocument } from '../../../src/features/exports/datacite/record-to-datacite.js'
import { describeSample } from '../../support/data/crosswalks/known-sample.js'
import { librariesSamples } from '../../support/data/crosswalks/libraries-samples.js'
import { sciencesSamples } from '../../support/data/crosswalks/sciences-samples.js'
import { variantsSamples } from '../../support/data/crosswalks/variants-samples.js'
import { webSamples } from '../../support/data/crosswalks/web-samples.js'
import { faultsOfDataCiteJson } from '../../support/exports/datacite-json-schema.js'
import { revisionOf, sampleContext } from '../../support/exports/sample-records.js'
import { readSchemaFiles, standard } from '../../support/exports/standards.js'
import { startService } from '../../support/http/test-service.js'
import { removeRepositories } from '../../support/repository/test-repository.js'

const folder = standard('..', 'data', 'datacite', 'xml', 'kernel-4.6')

/** A bare record with what its document says. */
const described = [...webSamples, ...sciencesSamples, ...librariesSamples, ...variantsSamples].map(
  ({ title, document }) => ({
    title,
    described: dataCiteDocument(revisionOf({}), { ...sampleContext, description: describeSample(document) }),
  }),
)

describe('What documents of known schemas say, checked by the schemas of DataCite', () => {
  after(removeRepositories)

  it('is valid as JSON', () => {
    const faults = described.map(each => [each.title, faultsOfDataCiteJson(JSON.stringify(each.described))])
    expect(faults).to.deep.equal(described.map(({ title }) => [title, []]))
  })

  if (folder) {
    it('is valid as XML', async () => {
      const service = await startService()
      const { schema, files } = await readSchemaFiles(folder, 'metadata.xsd')
      await service.postSchema({ schemaId: 'datacite' }, schema, files).expect(201)
      const results: unknown[] = []
      for (const { title, described: document } of described) {
        const xml = dataCiteXml(document)
        const { status, body } = await service.http
          .post('/api/v1/schemas/datacite/validate')
          .attach('document', Buffer.from(xml), 'document.xml')
        results.push([title, status === 204 ? 204 : body])
      }
      expect(results).to.deep.equal(described.map(({ title }) => [title, 204]))
    })
  }
})
