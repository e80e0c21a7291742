import { expect } from 'chai'
import type {
  OutlineMember,
  OutlineType,
  SchemaOutline,
} from '../../../src/features/web-api/outline/schema-outline.js'
import { jsonSchema, startService, type TestService } from '../../support/http/test-service.js'
import { removeRepositories } from '../../support/repository/test-repository.js'

const xsd = (content: string, attributes = '') =>
  `<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" ${attributes}>${content}</xs:schema>`

describe('The outline of a schema', () => {
  let service: TestService

  beforeEach(async () => {
    service = await startService()
  })
  afterEach(removeRepositories)

  async function outlineOf(
    document: string | object,
    files: Readonly<Record<string, string>> = {},
    id = 'drawn',
  ): Promise<SchemaOutline> {
    const text = typeof document === 'string' ? document : JSON.stringify(document)
    await service.postSchema({ schemaId: id }, text, files).expect(201)
    return (await service.http.get(`/api/v2/schemas/${id}/outline`).expect(200)).body
  }

  const rootType = ({ roots, types }: SchemaOutline): OutlineType => types[roots[0]?.type ?? ''] ?? {}
  const memberOf = ({ members = [] }: OutlineType, name: string): OutlineMember => {
    const found = members.find(member => member.name === name)
    if (!found) throw new Error(`There is no ${name} among ${members.map(each => each.name).join(', ')}.`)
    return found
  }
  const typeOf = (outline: SchemaOutline, ...path: readonly string[]): OutlineType =>
    path.reduce((type, name) => outline.types[memberOf(type, name).type ?? ''] ?? {}, rootType(outline))

  describe('of JSON Schema', () => {
    it('has members with their texts, bounds, values and whether they are required', async () => {
      const outline = await outlineOf({
        title: 'Sample',
        description: 'A piece\n  of material.',
        type: 'object',
        required: ['name'],
        additionalProperties: false,
        properties: {
          name: { type: 'string', title: 'Name', minLength: 1, examples: ['rod 7'] },
          state: { enum: ['raw', 'cut'], default: 'raw' },
          tags: { type: 'array', items: { type: 'string', format: 'uri' } },
        },
      })

      expect(outline).to.include({
        type: 'JSON',
        title: 'Sample',
        documentation: 'A piece of material.',
        complete: true,
      })
      expect(rootType(outline)).to.deep.include({ kinds: ['object'], open: false })
      expect(memberOf(rootType(outline), 'name')).to.include({ kind: 'member', min: 1, max: 1 })
      expect(memberOf(rootType(outline), 'state')).to.include({ min: 0 })
      expect(typeOf(outline, 'name')).to.deep.include({
        title: 'Name',
        facets: { minLength: 1 },
        examples: ['rod 7'],
      })
      expect(typeOf(outline, 'state')).to.deep.equal({
        values: [{ value: 'raw' }, { value: 'cut' }],
        default: 'raw',
      })
      expect(outline.types[typeOf(outline, 'tags').items ?? '']).to.deep.include({
        facets: { format: 'uri' },
      })
    })

    it('joins what is required of a value, and keeps choices apart', async () => {
      const outline = await outlineOf({
        $defs: {
          named: { properties: { name: { type: 'string' } }, required: ['name'] },
          rod: { properties: { length: { type: 'number' } } },
          plate: { properties: { width: { type: 'number' } } },
        },
        $ref: '#/$defs/named',
        allOf: [{ properties: { made: { type: 'string', format: 'date' } } }],
        oneOf: [{ $ref: '#/$defs/rod' }, { $ref: '#/$defs/plate' }],
        if: { properties: { name: { const: 'x' } } },
        // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
        then: { properties: { why: { type: 'string' } }, required: ['why'] },
      })

      const { members = [], alternatives = [] } = rootType(outline)
      expect(members.map(({ name, min }) => `${name} ${min}`)).to.have.members(['name 1', 'made 0', 'why 0'])
      expect(alternatives.map(key => outline.types[key]?.members?.[0]?.name)).to.deep.equal([
        'length',
        'width',
      ])
    })

    it('follows references to further files and registered schemas, and tells types that contain themselves once', async () => {
      await service
        .postSchema({ schemaId: 'units' }, '{"$defs":{"length":{"type":"number","title":"Length"}}}')
        .expect(201)
      const outline = await outlineOf(
        {
          properties: {
            part: { $ref: 'part.json' },
            width: { $ref: 'units#/$defs/length', description: 'From side to side.' },
          },
        },
        { 'part.json': '{"properties":{"parts":{"type":"array","items":{"$ref":"#"}}}}' },
      )

      expect(typeOf(outline, 'width')).to.deep.include({ kinds: ['number'], title: 'Length' })
      expect(memberOf(rootType(outline), 'width').documentation).to.equal('From side to side.')
      expect(typeOf(outline, 'part', 'parts').items).to.equal(memberOf(rootType(outline), 'part').type)
    })

    it('keeps numbers that no double holds', async () => {
      await service
        .postSchema({ schemaId: 'long' }, '{"properties":{"id":{"const":12345678901234567890}}}')
        .expect(201)

      const { text } = await service.http.get('/api/v1/schemas/long/outline').expect(200)

      expect(text).to.contain('{"value":12345678901234567890}')
    })

    it('ends at its limits', async () => {
      const properties = Object.fromEntries(
        Array.from({ length: 6000 }, (_, n) => [`p${n}`, { type: 'string' }]),
      )

      const outline = await outlineOf({ properties })

      expect(outline.complete).to.equal(false)
      expect(Object.keys(outline.types)).to.have.lengthOf(5000)
      expect(rootType(outline).members).to.have.lengthOf(6000)
    })
  })

  describe('of XML Schema', () => {
    it('has elements and attributes with their texts, values and how often they occur', async () => {
      const outline = await outlineOf(
        xsd(
          `<xs:annotation><xs:documentation>Parcels.</xs:documentation></xs:annotation>
          <xs:element name="parcel"><xs:annotation><xs:documentation xml:lang="de">Paket</xs:documentation>
            <xs:documentation xml:lang="en">A thing
              that is sent.</xs:documentation></xs:annotation>
            <xs:complexType><xs:sequence>
              <xs:choice maxOccurs="unbounded"><xs:element name="weight" type="t:Weight"/><xs:element name="note" type="xs:string" minOccurs="2" maxOccurs="3"/></xs:choice>
              <xs:element name="date" type="xs:date" minOccurs="0"/>
            </xs:sequence><xs:attribute name="kind" use="required"><xs:simpleType><xs:restriction base="xs:token">
              <xs:enumeration value="letter"><xs:annotation><xs:documentation>On paper.</xs:documentation></xs:annotation></xs:enumeration>
              <xs:enumeration value="box"/></xs:restriction></xs:simpleType></xs:attribute></xs:complexType></xs:element>
          <xs:complexType name="Weight"><xs:simpleContent><xs:extension base="xs:decimal"><xs:attribute name="unit" type="xs:string" default="kg"/></xs:extension></xs:simpleContent></xs:complexType>`,
          'targetNamespace="urn:t" xmlns:t="urn:t" elementFormDefault="qualified"',
        ),
      )

      expect(outline).to.include({
        type: 'XML',
        namespace: 'urn:t',
        documentation: 'Parcels.',
        complete: true,
      })
      const [root] = outline.roots
      expect(root).to.include({
        kind: 'element',
        name: 'parcel',
        namespace: 'urn:t',
        documentation: 'A thing that is sent.',
      })
      const parcel = rootType(outline)
      expect(memberOf(parcel, 'weight'))
        .to.include({ kind: 'element', namespace: 'urn:t', min: 0 })
        .and.not.have.property('max')
      expect(memberOf(parcel, 'date')).to.include({ min: 0, max: 1 })
      expect(typeOf(outline, 'date').kinds).to.deep.equal(['date'])
      expect(memberOf(parcel, 'kind'))
        .to.include({ kind: 'attribute', min: 1 })
        .and.not.have.property('namespace')
      expect(typeOf(outline, 'kind').values).to.deep.equal([
        { value: 'letter', documentation: 'On paper.' },
        { value: 'box' },
      ])
      const weight = typeOf(outline, 'weight')
      expect(outline.types[weight.text ?? '']).to.deep.equal({ kinds: ['decimal'] })
      expect(memberOf(weight, 'unit')).to.include({ default: 'kg' })
    })

    it('follows includes and registered schemas, extensions, groups and substitutions', async () => {
      await service
        .postSchema(
          { schemaId: 'people' },
          xsd(
            '<xs:complexType name="Person"><xs:sequence><xs:element name="name" type="xs:string"/></xs:sequence></xs:complexType>',
            'targetNamespace="urn:p"',
          ),
        )
        .expect(201)
      const outline = await outlineOf(
        xsd(
          `<xs:include schemaLocation="base.xsd"/><xs:import namespace="urn:p" schemaLocation="people"/>
          <xs:element name="list"><xs:complexType><xs:sequence><xs:element ref="entry" maxOccurs="5"/><xs:element name="by" type="p:Person"/></xs:sequence></xs:complexType></xs:element>
          <xs:element name="book" substitutionGroup="entry"><xs:complexType><xs:complexContent><xs:extension base="Entry"><xs:group ref="tail"/></xs:extension></xs:complexContent></xs:complexType></xs:element>
          <xs:group name="tail"><xs:sequence><xs:element ref="list" minOccurs="0"/></xs:sequence></xs:group>`,
          'xmlns:p="urn:p"',
        ),
        {
          'base.xsd': xsd(
            '<xs:element name="entry" type="Entry" abstract="true"/><xs:complexType name="Entry"><xs:sequence><xs:element name="title" type="xs:string"/></xs:sequence><xs:attribute name="id" type="xs:ID"/></xs:complexType>',
          ),
        },
      )

      expect(outline.roots.map(({ name }) => name)).to.deep.equal(['list', 'book'])
      expect(memberOf(rootType(outline), 'book')).to.include({ min: 0, max: 5 })
      expect(rootType(outline).members?.map(({ name }) => name)).to.not.include('entry')
      expect(typeOf(outline, 'by').members).to.deep.include({
        kind: 'element',
        name: 'name',
        type: 'xs:string',
        min: 1,
        max: 1,
      })
      expect(typeOf(outline, 'book').members?.map(({ name }) => name)).to.deep.equal(['title', 'id', 'list'])
      expect(memberOf(typeOf(outline, 'book'), 'list').type).to.equal(outline.roots[0]?.type)
    })
  })

  it('is answered with an ETag, of each version and at each point of history', async () => {
    await service.postSchema({ schemaId: 'two' }, jsonSchema('one')).expect(201)
    const before = await service.head()
    await service.putSchema('two', '*', undefined, '{"properties":{"second":{"type":"string"}}}').expect(200)
    const get = (query = '') => service.http.get(`/api/v1/schemas/two/outline${query}`)

    const newest = await get().expect(200)
    const first = await get('?version=1').expect(200)

    expect(newest.text).to.contain('second')
    expect(first.text).to.not.contain('second')
    expect((await get(`?at=${before}`).expect(200)).text).to.equal(first.text)
    await get().set('If-None-Match', String(newest.headers.etag)).expect(304)
    await get('?version=1').set('If-None-Match', String(newest.headers.etag)).expect(200)
    await get('?version=7').expect(404)
  })
})
