// test-schedule: quick
import { expect } from 'chai'
import {
  jsonSchema,
  noteXsdText,
  startService,
  type TestService,
} from '../../../support/http/test-service.js'
import { removeRepositories } from '../../../support/repository/test-repository.js'

describe('The answer to a validation', () => {
  let service: TestService

  beforeEach(async () => {
    service = await startService()
  })
  afterEach(removeRepositories)

  const validate = (id: string, document: string, accept?: string, query = '') => {
    const sent = service.http.post(`/api/v1/schemas/${id}/validate${query}`)
    if (accept !== undefined) sent.set('Accept', accept)
    return sent.attach('document', Buffer.from(document), 'd')
  }
  const findingsOf = async (id: string, document: string) =>
    (await validate(id, document).expect(422)).body.findings as readonly Readonly<Record<string, unknown>>[]

  it('says by what a valid document was judged, to a request that prefers JSON', async () => {
    await service.postSchema({ schemaId: 'two' }, jsonSchema('title')).expect(201)
    const first = await service.head()
    await service.putSchema('two', '*', undefined, jsonSchema('title', 'other')).expect(200)
    await service.postSchema({ schemaId: 'note' }, noteXsdText).expect(201)

    const old = await validate('two', '{"title":1}', 'application/json', '?version=1').expect(200)
    const then = await validate('two', '{"title":1}', 'application/json', `?at=${first}`).expect(200)
    const xml = await validate(
      'note',
      '<note xmlns="http://example.org/note"><text/></note>',
      'application/json',
    )

    expect(old.body).to.deep.equal({
      valid: true,
      schema: { id: 'two', version: 1 },
      commit: first,
      engine: 'ajv',
    })
    expect(then.body).to.deep.equal(old.body)
    expect(xml.body).to.include({ engine: 'libxml2-wasm', commit: await service.head() })
  })

  it('is 204 to all others, as before', async () => {
    await service.postSchema({ schemaId: 'one' }, jsonSchema()).expect(201)

    for (const accept of [undefined, '*/*', 'application/*', 'text/plain', 'text/html, application/json'])
      expect((await validate('one', '{}', accept).expect(204)).text).to.equal('')
    await validate('one', '[]', 'application/json').expect(422)
  })

  describe('has for each finding', () => {
    it('in JSON its line and column, and the member that is missing or not permitted', async () => {
      const schema = {
        type: 'object',
        required: ['title'],
        properties: {
          size: { type: 'object', properties: { width: { type: 'number' } }, unevaluatedProperties: false },
        },
        additionalProperties: false,
        dependentRequired: { size: ['unit'] },
      }
      await service.postSchema({ schemaId: 'strict' }, JSON.stringify(schema)).expect(201)
      const document = '{\n  "titel": 1,\n  "size": { "width": "x",\n    "a/b": 2 }\n}'

      const findings = await findingsOf('strict', document)

      const shown = findings.map(({ path, line, column, missing, unknown }) => ({
        path,
        line,
        column,
        missing,
        unknown,
      }))
      expect(shown).to.have.deep.members([
        { path: '', line: 1, column: 1, missing: 'title', unknown: undefined },
        { path: '', line: 1, column: 1, missing: 'unit', unknown: undefined },
        { path: '', line: 2, column: 3, missing: undefined, unknown: 'titel' },
        { path: '/size/width', line: 3, column: 13, missing: undefined, unknown: undefined },
        { path: '/size', line: 4, column: 5, missing: undefined, unknown: 'a/b' },
      ])
    })

    it('in XML the column of the element, and what is missing or not permitted', async () => {
      const xsd = `<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" targetNamespace="urn:n" elementFormDefault="qualified">
        <xs:element name="list"><xs:complexType><xs:sequence><xs:element name="entry" maxOccurs="unbounded"><xs:complexType>
          <xs:sequence><xs:element name="title" type="xs:string"/></xs:sequence><xs:attribute name="id" use="required" type="xs:NCName"/>
        </xs:complexType></xs:element></xs:sequence></xs:complexType></xs:element></xs:schema>`
      await service.postSchema({ schemaId: 'list' }, xsd).expect(201)
      const document =
        '<n:list xmlns:n="urn:n">\n <n:entry id="a"><n:titel/></n:entry>\n  <n:entry><n:title/></n:entry>\n' +
        '   <n:entry id="b"/>\n<n:entry id="c" kind="x"><n:title/></n:entry>\n</n:list>'

      const findings = await findingsOf('list', document)

      expect(
        findings.map(({ line, column, missing, unknown }) => ({ line, column, missing, unknown })),
      ).to.deep.equal([
        { line: 2, column: 18, missing: undefined, unknown: 'titel' },
        { line: 3, column: 3, missing: 'id', unknown: undefined },
        { line: 4, column: 4, missing: 'title', unknown: undefined },
        { line: 5, column: 1, missing: undefined, unknown: 'kind' },
      ])
    })

    it('the column of a fault of syntax in XML', async () => {
      await service.postSchema({ schemaId: 'note' }, noteXsdText).expect(201)

      const [fault] = await findingsOf('note', '<note>\n<text></note>')

      expect(fault).to.include({ line: 2 }).and.have.property('column').that.is.above(1)
    })
  })
})
