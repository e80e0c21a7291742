import { expect } from 'chai'
import fc from 'fast-check'
import { type PlainExportName, writeExport } from '../../../src/features/exports/export-formats.js'
import { dcatDataset } from '../../../src/features/exports/formats/dcat.js'
import { turtleCatalog } from '../../../src/features/exports/formats/dcat-catalog.js'
import { faultsOfDataCiteJson } from '../../support/exports/datacite-json-schema.js'
import { faultsByShapes, hasShapes } from '../../support/exports/dcat-shapes.js'
import {
  arbitraryStoredRecord,
  describedSample,
  describedSamples,
} from '../../support/exports/sample-records.js'
import { readSchemaFiles, standard } from '../../support/exports/standards.js'
import { startService, type TestService } from '../../support/http/test-service.js'
import { removeRepositories } from '../../support/repository/test-repository.js'

const dataCiteFolder = standard('..', 'data', 'datacite', 'xml', 'kernel-4.6')
const oaiFolder = standard('oai-pmh')

const someRecords = fc.sample(arbitraryStoredRecord(), 30)
const described = [
  ...describedSamples.map(([, sample]) => sample),
  ...someRecords.map(record => describedSample(record)),
]

describe('Exports, checked by the schemas of their standards', () => {
  let service: TestService
  before(async () => {
    service = await startService()
  })
  after(removeRepositories)

  /** Registers the schema, and validates the export of every record with it. */
  async function checkXml(id: string, folder: string, main: string, name: PlainExportName): Promise<void> {
    const { schema, files } = await readSchemaFiles(folder, main)
    await service.postSchema({ schemaId: id }, schema, files).expect(201)
    for (const each of described) {
      const xml = writeExport(name, each)
      const { status, body } = await service.http
        .post(`/api/v1/schemas/${id}/validate`)
        .attach('document', Buffer.from(xml), 'document.xml')
      expect(status, `${JSON.stringify(body)}\n${xml}`).to.equal(204)
    }
  }

  if (dataCiteFolder) {
    it('DataCite XML is valid against DataCite 4.6', async () => {
      await checkXml('datacite', dataCiteFolder, 'metadata.xsd', 'datacite-xml')
    })
  }

  if (oaiFolder) {
    it('Dublin Core is valid against oai_dc', async () => {
      await checkXml('oai_dc', oaiFolder, 'oai_dc.xsd', 'oai_dc')
    })
  }

  if (dataCiteFolder) {
    it('DataCite JSON is valid against the JSON Schema of DataCite', () => {
      for (const each of described) {
        const json = writeExport('datacite-json', each)
        expect(faultsOfDataCiteJson(json), json).to.deep.equal([])
      }
      const misspelt = writeExport('datacite-json', describedSample({})).replace('"titles"', '"title"')
      expect(faultsOfDataCiteJson(misspelt)).to.have.length.above(1)
    })
  }

  if (hasShapes) {
    it('DCAT conforms to the shapes of DCAT-AP 3', async () => {
      const page = {
        iri: 'https://metastore.example.org/#catalog',
        title: 'Example',
        description: 'An example.',
        homepage: 'https://metastore.example.org/',
        page: 'https://metastore.example.org/catalog.ttl?page=1',
        first: 'https://metastore.example.org/catalog.ttl?page=1',
        last: 'https://metastore.example.org/catalog.ttl?page=1',
        totalItems: 1,
        itemsPerPage: 100,
      }
      const untitled = '<https://example.org/> a <http://www.w3.org/ns/dcat#Dataset> .'
      expect(await faultsByShapes(untitled)).to.not.deep.equal([])
      for (const each of described) {
        const turtle = turtleCatalog.begin(page) + turtleCatalog.dataset(page, dcatDataset(each))
        expect(await faultsByShapes(turtle), turtle).to.deep.equal([])
      }
    })
  }
})
