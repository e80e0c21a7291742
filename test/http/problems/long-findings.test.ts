import { expect } from 'chai'
import type { Finding } from '../../../src/core/problem.js'
import { xsd } from '../../support/data/schema-bundles.js'
import { startService, type TestService } from '../../support/http/test-service.js'
import { removeRepositories } from '../../support/repository/test-repository.js'

/** A name that is nearly as long as a document may be. */
const name = `first${'n'.repeat(1_000_000)}last`
/** A name that libxml2 reads. */
const xmlName = `first${'n'.repeat(20_000)}last`

describe('findings about names as long as the document', () => {
  let service: TestService
  before(async () => {
    service = await startService()
    const any = { additionalProperties: { items: { type: 'integer' } } }
    await service.postSchema({ schemaId: 'any' }, JSON.stringify(any)).expect(201)
    await service
      .postSchema({ schemaId: 'long' }, JSON.stringify({ properties: { [name]: { minLength: 2 } } }))
      .expect(201)
    await service
      .postSchema(
        { schemaId: 'elements' },
        xsd(
          '<xs:element name="a"><xs:complexType><xs:sequence><xs:element name="b" type="xs:int"/></xs:sequence></xs:complexType></xs:element>',
        ),
      )
      .expect(201)
  })
  after(removeRepositories)

  async function findingsOf(schemaId: string, document: string): Promise<readonly Finding[]> {
    const { body } = await service.http
      .post(`/api/v1/schemas/${schemaId}/validate`)
      .attach('document', Buffer.from(document), 'document')
      .expect(422)
    return body.findings
  }

  it('are short, and keep the end of the path and the number of the findings', async () => {
    const findings = await findingsOf('any', JSON.stringify({ [name]: new Array(60).fill('x') }))

    expect(findings).to.have.lengthOf(51)
    expect(findings[49]?.path).to.match(/^\/firstn+…n+last\/49$/)
    expect(findings[50]?.message).to.equal('…and 10 more findings.')
    expect(JSON.stringify(findings).length).to.be.below(150_000)
  })

  it('are short where the schema has the name', async () => {
    const [finding] = await findingsOf('long', JSON.stringify({ [name]: 'x' }))

    expect(finding?.schemaPath).to.match(/^\/properties\/firstn+…n+last\/minLength$/)
  })

  for (const [what, document, message] of [
    ['an element', `<a><${xmlName}/></a>`, /not expected/],
    ['a root', `<${xmlName}/>`, /No matching global declaration/],
    ['an attribute', `<a ${xmlName}="1"><b>1</b></a>`, /is not allowed/],
    ['a value', `<a><b>${xmlName}</b></a>`, /is not a valid value/],
  ] as const)
    it(`are short, and keep the reason, for ${what} of XML`, async () => {
      const findings = await findingsOf('elements', document)

      expect(findings[0]?.message).to.match(message)
      expect(JSON.stringify(findings).length).to.be.below(6000)
    })

  for (const [what, schema, message] of [
    ['a value', { properties: { [name]: { type: 5 } } }, /./],
    ['a pattern', { pattern: `(${name}` }, /The pattern cannot be compiled/],
    ['the place of a reference', { properties: { [name]: { $ref: 'no.json' } } }, /neither one of its files/],
    ['a reference', { $ref: `${name}.json` }, /neither one of its files/],
  ] as const)
    it(`are short for ${what} of a schema`, async () => {
      const { body } = await service
        .postSchema({ schemaId: 'refused' }, JSON.stringify({ type: 'object', ...schema }))
        .expect(422)

      expect(body.findings[0].message).to.match(message)
      expect(JSON.stringify(body).length).to.be.below(10_000)
    })

  it('about 20,000 references that lead nowhere take linear time, and most are only counted', async () => {
    const properties = Object.fromEntries(
      Array.from({ length: 20_000 }, (_, number) => [`p${number}`, { $ref: `missing-${number}.json` }]),
    )
    const { body } = await service
      .postSchema({ schemaId: 'refused' }, JSON.stringify({ properties }, undefined, 1))
      .expect(422)

    expect(body.findings).to.have.lengthOf(51)
    expect(body.findings[1]).to.include({ line: 7, path: '/properties/p1/$ref' })
    expect(body.findings[50].message).to.equal('…and more than 950 more findings.')
  })
})
