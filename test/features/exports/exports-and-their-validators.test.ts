import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import type { StoredRecord } from '../../../src/core/records/record.js'
import { exportFormats } from '../../../src/features/exports/export-formats.js'
import { checkExport, linksOfJson, linksOfText } from '../../support/exports/check-export.js'
import { dataCiteExamples } from '../../support/exports/datacite-examples.js'
import { noIdentifiers, noRelations, recordOfExample } from '../../support/exports/read-datacite-example.js'
import { xmlFacts } from '../../support/exports/read-facts.js'
import { fullRecord } from '../../support/exports/sample-records.js'
import { standard } from '../../support/exports/standards.js'
import {
  jsonSchema,
  noteXml,
  noteXsdText,
  startService,
  type TestService,
} from '../../support/http/test-service.js'
import { removeRepositories } from '../../support/repository/test-repository.js'

/** DataCite's own examples; undefined if the folder of the standards lacks them. */
const examples = standard('..', 'data', 'datacite', 'xml', 'kernel-4.6', 'example')

const hasPlace = [
  ...noRelations.map(relation => `@relationType!="${relation}"`),
  ...noIdentifiers.map(type => `@relatedIdentifierType!="${type}"`),
].join(' and ')

/** Parts of an example that a record can store. Version 2 derives the type of the resource from the document. */
const keptPaths = [
  'd:identifier',
  'd:creators/d:creator/d:creatorName',
  'd:creators/d:creator/d:affiliation',
  'd:titles/d:title',
  'd:titles/d:title/@titleType',
  'd:titles/d:title/@xml:lang',
  'd:publisher',
  'd:publicationYear',
  'd:subjects/d:subject',
  'd:subjects/d:subject/@valueURI',
  'd:subjects/d:subject/@subjectScheme',
  'd:contributors/d:contributor/d:contributorName',
  'd:contributors/d:contributor/@contributorType[.!="Translator"]',
  'd:dates/d:date/@dateType[.!="Coverage" and .!="Other"]',
  'd:language',
  `d:relatedIdentifiers/d:relatedIdentifier[@relatedIdentifierType!="DOI" and ${hasPlace}]`,
  `d:relatedIdentifiers/d:relatedIdentifier[${hasPlace}]/@relationType`,
  `d:relatedIdentifiers/d:relatedIdentifier[${hasPlace}]/@relatedIdentifierType`,
  'd:sizes/d:size',
  'd:formats/d:format',
  'd:rightsList/d:rights/@rightsIdentifier',
  'd:rightsList/d:rights/@rightsURI',
  'd:descriptions/d:description',
  'd:descriptions/d:description/@descriptionType',
  'd:geoLocations//d:geoLocationPlace',
  'd:fundingReferences//d:funderName',
  'd:fundingReferences//d:funderIdentifier',
  'd:fundingReferences//d:awardNumber',
  'd:fundingReferences//d:awardNumber/@awardURI',
  'd:fundingReferences//d:awardTitle',
]

/** Validates every format with the schema of its standard or with a third-party program. */
describe('Exports of records that version 2 stored', () => {
  let service: TestService
  before(start)
  after(removeRepositories)

  async function start(): Promise<void> {
    service = await startService()
    await service.postSchema({ schemaId: 'free', label: 'Anything' }, jsonSchema()).expect(201)
    await service
      .postSchema({ schemaId: 'note', label: 'Notes' }, noteXsdText, { 'common/units.xsd': noteXsdText })
      .expect(201)
  }

  async function store(id: string, example: Omit<StoredRecord, 'id'>, follows: 'free' | 'note' = 'free') {
    const { schema: _, ...members } = example
    const record = {
      ...members,
      id,
      // Clients of DataCite send identifiers of names. A record cannot store these.
      creators: example.creators?.map(creator => ({
        ...creator,
        nameIdentifiers: [
          { nameIdentifier: 'https://orcid.org/0000-0001-5727-2427', nameIdentifierScheme: 'ORCID' },
        ],
      })),
      relatedIdentifiers: [
        ...(example.relatedIdentifiers ?? []).filter(
          ({ relationType }) => relationType !== 'IS_METADATA_FOR',
        ),
        { value: `https://example.org/${id}`, identifierType: 'URL', relationType: 'IS_METADATA_FOR' },
        { value: follows, identifierType: 'INTERNAL', relationType: 'HAS_METADATA' },
      ],
    }
    await service.http
      .post('/api/v2/metadata')
      .attach('record', Buffer.from(JSON.stringify(record)), {
        filename: 'record.json',
        contentType: 'application/json',
      })
      .attach('document', Buffer.from(follows === 'note' ? noteXml : '{}'), 'document')
      .expect(201)
  }

  async function readExport(path: string): Promise<Buffer> {
    const { body } = await service.http.get(path).responseType('blob').expect(200)
    return body as Buffer
  }

  async function checkAll(item: string): Promise<void> {
    for (const { name } of exportFormats) {
      const path = `/api/v2/${item}/export/${name}`
      try {
        await checkExport(name, await readExport(path))
      } catch (error) {
        throw new Error(`${path}: ${error instanceof Error ? error.message : error}`, { cause: error })
      }
    }
  }

  for (const [index, [title, example]] of Object.entries(dataCiteExamples).entries()) {
    it(`are valid in every format: ${title}`, async () => {
      await store(`example-${index}`, example)
      await checkAll(`metadata/example-${index}`)

      const [json, xml] = ['datacite-json', 'datacite-xml'].map(async name =>
        (await readExport(`/api/v2/metadata/example-${index}/export/${name}`)).toString(),
      )
      const document = JSON.parse((await json) ?? '')
      expect(document.doi).to.equal(example.identifier?.value)
      expect(document.titles[0].title).to.equal(example.titles?.[0]?.value)
      expect(document.creators).to.have.length(example.creators?.length ?? 0)
      expect(`${JSON.stringify(document)}${await xml}`).to.not.contain('orcid')
    })
  }

  it('are valid in every format: an XML document with every member of a record', async () => {
    await store('xml', fullRecord, 'note')
    await checkAll('metadata/xml')
  })

  for (const [language, id] of [
    ['JSON', 'free'],
    ['XML', 'note'],
  ])
    it(`are valid in every format: a schema in ${language}`, async () => {
      await checkAll(`schemas/${id}`)
    })

  it('have the same links in both forms of a linkset', async () => {
    const { alternateIdentifiers: _, ...example } = fullRecord
    await store('linked', { ...example, identifier: { value: '10.5072/a"b<c>,d;e', identifierType: 'DOI' } })
    for (const item of ['metadata/linked', 'schemas/note']) {
      const read = async (name: string) => (await readExport(`/api/v2/${item}/export/${name}`)).toString()
      const links = linksOfJson(await read('linkset'))
      expect(linksOfText(await read('linkset-text'))).to.have.deep.members(links)
      expect(links.map(({ rel }) => rel)).to.include.members([
        'describedby',
        'item',
        'latest-version',
        'collection',
      ])
    }
  })

  if (examples !== undefined)
    describe('of the files of the standard', () => {
      // A new service, because the examples of the project have the same identifiers.
      before(start)
      for (const file of readdirSync(examples)) {
        it(`are valid in every format, and keep the content of the file: ${file}`, async () => {
          const xml = readFileSync(join(examples, file), 'utf8')
          const id = file.replace(/-v4\.xml$/, '')
          await store(id, recordOfExample(xml))
          await checkAll(`metadata/${id}`)

          const exported = (await readExport(`/api/v2/metadata/${id}/export/datacite-xml`)).toString()
          for (const path of keptPaths) {
            const texts = (text: string) => xmlFacts(text, path).map(each => each.trim())
            expect(texts(exported), path).to.include.members(texts(xml))
          }
        })
      }
    })
})
