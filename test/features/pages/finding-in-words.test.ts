import { expect } from 'chai'
import { findingInWords } from '../../../src/features/pages/html/finding-in-words.js'
import { xsd } from '../../support/data/schema-bundles.js'
import { startService, type TestService } from '../../support/http/test-service.js'
import { removeRepositories } from '../../support/repository/test-repository.js'

/** Schemas of JSON, documents that break them, and what the finding says in plain words. */
const json: readonly (readonly [schema: object, document: string, words: string])[] = [
  [{ type: 'string' }, '7', 'The schema wants a text here.'],
  [{ enum: ['a'] }, '7', 'The value is not one of those that the schema lists.'],
  [{ const: 'a' }, '7', 'The schema permits one value only, and this is another one.'],
  [{ minimum: 1.5 }, '1', 'The number must be at least 1.5.'],
  [{ maximum: 5 }, '7', 'The number must be at most 5.'],
  [{ exclusiveMinimum: 7 }, '7', 'The number must be more than 7.'],
  [{ exclusiveMaximum: 7 }, '7', 'The number must be less than 7.'],
  [{ multipleOf: 5 }, '7', 'The number must be a multiple of 5.'],
  [{ uniqueItems: true }, '[1, 2, 1]', 'Two items of the list are the same: item 1 and item 3.'],
  [{ maxItems: 1 }, '[1, 2]', 'The list has more items than the schema permits.'],
  [
    { prefixItems: [{}], unevaluatedItems: false },
    '[1, 2]',
    'The list has more items than the schema permits.',
  ],
  [{ minItems: 3 }, '[1]', 'There are too few: at least 3.'],
  [
    { contains: { type: 'string' } },
    '[1]',
    'Too few items of the list are as the schema demands: at least 1 must be.',
  ],
  [
    { dependentRequired: { a: ['b', 'c'] } },
    '{"a": 1}',
    'A document with the field "a" must have others too.',
  ],
  [
    { propertyNames: { maxLength: 1 } },
    '{"ab": 1}',
    'The name of a field does not have the form that the schema demands.',
  ],
  [{ not: { type: 'number' } }, '7', 'The schema forbids this value here.'],
  [{ properties: { a: false } }, '{"a": 1}', 'The schema forbids this value here.'],
  [
    JSON.parse('{ "if": { "type": "number" }, "then": { "minimum": 9 } }'),
    '7',
    'A condition of the schema applies here, and what it demands is missing or different.',
  ],
]

const [text, whole] = ['xs:string', 'xs:integer'].map(
  base => (facet: string) =>
    `<xs:simpleType><xs:restriction base="${base}">${facet}</xs:restriction></xs:simpleType>`,
) as [(facet: string) => string, (facet: string) => string]
const a = (inner: string) => xsd(`<xs:element name="a">${inner}</xs:element>`)

/** The same for XML. */
const xml: readonly (readonly [schema: string, document: string, words: string])[] = [
  [
    a(text('<xs:enumeration value="x"/>')),
    '<a>y</a>',
    'The value is not one of those that the schema lists.',
  ],
  [
    a(text('<xs:pattern value="x+"/>')),
    '<a>y</a>',
    'The text does not have the form that the schema demands.',
  ],
  [a(whole('<xs:minInclusive value="3"/>')), '<a>1</a>', 'The number must be at least 3.'],
  [a(whole('<xs:maxInclusive value="3"/>')), '<a>4</a>', 'The number must be at most 3.'],
  [a(whole('<xs:minExclusive value="3"/>')), '<a>3</a>', 'The number must be more than 3.'],
  [a(whole('<xs:maxExclusive value="3"/>')), '<a>3</a>', 'The number must be less than 3.'],
  [a(whole('')), '<a>x</a>', 'The text does not have the type that the schema demands.'],
  [a(text('<xs:minLength value="3"/>')), '<a>x</a>', 'The text is too short: at least 3.'],
  [a(text('<xs:maxLength value="3"/>')), '<a>xxxx</a>', 'The text is too long: at most 3.'],
  [a('<xs:complexType/>'), '<a b="1"/>', 'The schema does not know the attribute "b".'],
  [
    a('<xs:complexType><xs:sequence><xs:element name="b" minOccurs="0"/></xs:sequence></xs:complexType>'),
    '<a>x</a>',
    'No text may stand here, only elements or nothing.',
  ],
  [a(''), '<b/>', 'The schema does not describe documents that begin with this element.'],
]

describe('a finding in plain words', () => {
  let service: TestService
  before(async () => {
    service = await startService()
  })
  after(removeRepositories)

  /** What a validation finds, in plain words. */
  async function found(
    id: string,
    schema: string,
    document: string,
  ): Promise<readonly (string | undefined)[]> {
    await service.postSchema({ schemaId: id }, schema).expect(201)
    const { body } = await service.http
      .post(`/api/v1/schemas/${id}/validate`)
      .attach('document', Buffer.from(document), 'document')
      .expect(422)
    const findings: readonly { readonly message: string }[] = body.findings
    return findings.map(({ message }) => findingInWords(message))
  }

  it('says what each keyword of JSON Schema demands', async () => {
    for (const [index, [schema, document, words]] of json.entries())
      expect(
        await found(`json-${index}`, JSON.stringify(schema), document),
        JSON.stringify(schema),
      ).to.include(words)
  })

  it('says what each facet and each content of XML Schema demands', async () => {
    for (const [index, [schema, document, words]] of xml.entries())
      expect(await found(`xml-${index}`, schema, document), schema).to.include(words)
  })
})
