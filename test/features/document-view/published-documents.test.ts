import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { readXml } from '../../../src/core/xml/xml-reader.js'
import { readSchemaFiles, standard } from '../../support/exports/standards.js'
import { readHtml } from '../../support/http/strict-html.js'
import { metadataRecordV1, startService, type TestService } from '../../support/http/test-service.js'
import { isLongForm } from '../../support/program/long-form.js'
import { removeRepositories } from '../../support/repository/test-repository.js'

/*
 * Schemas and documents that others have published. They are not part of the project. The usual form has all documents with
 * their schemas, and the last states of three further schemas; the long form has all of these.
 */

const folders = {
  xml: standard('..', 'data', 'datacite', 'xml'),
  json: standard('..', 'data', 'datacite', 'json'),
  states: standard('..', 'data', 'materials-science'),
}

/** Short texts of words alone: a page shows numbers and dates in words, and only the beginning of a long text. */
const words = /^[\p{L} ,.()'-]{3,100}$/u

describe('Published schemas and documents on their pages', () => {
  let service: TestService
  beforeEach(async () => {
    service = await startService()
  })
  afterEach(removeRepositories)

  async function drawnText(address: string): Promise<string> {
    const { text } = await service.http.get(address).set('Accept', 'text/html').expect(200)
    const [drawn = ''] = /<div class="drawn[^"]*">[\s\S]*?(?=<details class="as-text">)/.exec(text) ?? []
    expect(drawn, address).to.not.equal('')
    return readHtml(text).text.replace(/\s+/g, ' ')
  }

  /** Stores the valid documents of a folder. @returns how many they are */
  async function drawEach(folder: string, schemaId: string, textsOf: (text: string) => readonly string[]) {
    let drawn = 0
    for (const name of await readdir(folder)) {
      const text = await readFile(join(folder, name), 'utf8')
      const id = `d${drawn}`
      const record = metadataRecordV1(`https://example.org/${name}`, schemaId, { id })
      const { status } = await service.postMetadata(record, text)
      // Some published examples are not valid by their own schema.
      if (status === 422) continue
      expect(status, name).to.equal(201)
      const shown = await drawnText(`/metadata-landing-page?id=${id}`)
      const missing = textsOf(text).filter(each => !shown.includes(each))
      expect(missing, name).to.deep.equal([])
      drawn++
    }
    return drawn
  }

  for (const kernel of ['3.0', '3.1', '4.0', '4.1', '4.2', '4.3', '4.4', '4.5', '4.6', '4.7'])
    it(`of DataCite ${kernel} in XML are drawn, with every name and every short text`, async function () {
      if (folders.xml === undefined) return this.skip()
      const folder = join(folders.xml, `kernel-${kernel}`)
      const { schema, files } = await readSchemaFiles(folder, 'metadata.xsd')
      await service.postSchema({ schemaId: 'datacite' }, schema, files).expect(201)
      await drawnText('/schema-landing-page?schemaId=datacite')

      expect(await drawEach(join(folder, 'example'), 'datacite', textsOfXml)).to.be.above(5)
    })

  for (const kernel of ['4.2', '4.3'])
    it(`of DataCite ${kernel} in JSON are drawn, with every name and every short text`, async function () {
      if (folders.json === undefined) return this.skip()
      const folder = join(folders.json, `kernel-${kernel}`)
      const published = await readFile(join(folder, `datacite_${kernel}_schema.json`), 'utf8')
      // The examples of 4.3 have members, such as "id", which their schema forbids.
      const schema =
        kernel === '4.3'
          ? JSON.stringify({ ...JSON.parse(published), additionalProperties: true })
          : published
      await service.postSchema({ schemaId: 'datacite' }, schema).expect(201)
      await drawnText('/schema-landing-page?schemaId=datacite')

      expect(await drawEach(join(folder, 'example'), 'datacite', textsOfJson)).to.be.above(10)
    })

  it('of SEM_Schema.xsd are drawn', async function () {
    if (folders.states === undefined) return this.skip()
    const schema = await readFile(join(folders.states, 'SEM_Schema.xsd'), 'utf8')
    await service.postSchema({ schemaId: 'sem' }, schema).expect(201)

    expect(await drawnText('/schema-landing-page?schemaId=sem')).to.contain('entry group')
  })

  for (const name of ['SEM_schema', 'TEM_schema', 'lab_CT'])
    it(`of ${name} are drawn in every state that is a schema`, async function () {
      if (folders.states === undefined) return this.skip()
      const folder = join(folders.states, name)
      const states = (await readdir(folder)).filter(file => /^\d+\.json$/.test(file)).sort()
      let drawn = 0
      for (const state of isLongForm ? states : states.slice(-4)) {
        const text = await readFile(join(folder, state), 'utf8')
        const { status } = await service.postSchema({ schemaId: `state-${drawn}` }, text)
        if (status === 422) continue
        expect(status, state).to.equal(201)
        await drawnText(`/schema-landing-page?schemaId=state-${drawn}`)
        drawn++
      }
      expect(drawn).to.be.above(2)
    })
})

function textsOfXml(text: string): readonly string[] {
  const texts: string[] = []
  let last = ''
  readXml(text, {
    open() {
      last = ''
    },
    text(part) {
      last += part
    },
    close() {
      if (words.test(last.trim())) texts.push(last.trim().replace(/\s+/g, ' '))
      last = ''
    },
  })
  return texts
}

function textsOfJson(text: string): readonly string[] {
  const texts: string[] = []
  JSON.parse(text, (_, value: unknown) => {
    if (typeof value === 'string' && words.test(value)) texts.push(value.trim().replace(/\s+/g, ' '))
    return value
  })
  return texts
}
