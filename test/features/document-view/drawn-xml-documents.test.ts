import { expect } from 'chai'
import { readHtml } from '../../support/http/strict-html.js'
import { metadataRecordV1, startService, type TestService } from '../../support/http/test-service.js'
import { removeRepositories } from '../../support/repository/test-repository.js'

const xs = 'xmlns:xs="http://www.w3.org/2001/XMLSchema"'
const schema = `<xs:schema ${xs} xmlns:c="urn:collection" targetNamespace="urn:collection" elementFormDefault="qualified">
  <xs:include schemaLocation="types/person.xsd"/>
  <xs:element name="collection">
    <xs:complexType><xs:sequence>
      <xs:element name="title" type="xs:string"><xs:annotation><xs:documentation xml:lang="de">Titel</xs:documentation><xs:documentation xml:lang="en">How the collection is called.</xs:documentation></xs:annotation></xs:element>
      <xs:element name="collectedOn" type="xs:date" minOccurs="0"/>
      <xs:element name="people" minOccurs="0"><xs:complexType><xs:sequence>
        <xs:element name="person" type="c:Person" maxOccurs="unbounded"/>
      </xs:sequence></xs:complexType></xs:element>
      <xs:element name="description" minOccurs="0"><xs:complexType mixed="true"><xs:sequence><xs:element name="br" minOccurs="0" maxOccurs="unbounded"/></xs:sequence></xs:complexType></xs:element>
      <xs:element name="place" minOccurs="0"><xs:complexType><xs:sequence>
        <xs:element name="pointLatitude" type="xs:decimal"/><xs:element name="pointLongitude" type="xs:decimal"/>
      </xs:sequence></xs:complexType></xs:element>
      <xs:element ref="c:node" minOccurs="0"/>
      <xs:element name="keywords" minOccurs="0"><xs:complexType><xs:sequence>
        <xs:element name="keyWord" maxOccurs="unbounded"><xs:complexType><xs:simpleContent><xs:extension base="xs:string"><xs:attribute name="scheme"/></xs:extension></xs:simpleContent></xs:complexType></xs:element>
      </xs:sequence></xs:complexType></xs:element>
    </xs:sequence></xs:complexType>
  </xs:element>
  <xs:element name="node"><xs:complexType><xs:sequence>
    <xs:element name="remark" type="xs:string" minOccurs="0"/>
    <xs:element ref="c:node" minOccurs="0" maxOccurs="unbounded"/>
  </xs:sequence></xs:complexType></xs:element>
</xs:schema>`
const person = `<xs:schema ${xs} xmlns:c="urn:collection" targetNamespace="urn:collection" elementFormDefault="qualified">
  <xs:complexType name="Person">
    <xs:annotation><xs:documentation>A person who collected.</xs:documentation></xs:annotation>
    <xs:sequence><xs:element name="fullName" type="xs:string"/><xs:element name="homePage" type="xs:anyURI" minOccurs="0"/></xs:sequence>
    <xs:attribute name="role" use="required"><xs:simpleType><xs:restriction base="xs:string"><xs:enumeration value="Leader"/><xs:enumeration value="Helper"/></xs:restriction></xs:simpleType></xs:attribute>
  </xs:complexType>
</xs:schema>`

describe('an XML document and an XML schema on their pages', () => {
  let service: TestService
  before(async () => {
    service = await startService()
    await service
      .postSchema({ schemaId: 'collection', label: 'Collections' }, schema, { 'types/person.xsd': person })
      .expect(201)
  })
  after(removeRepositories)

  async function open(path: string) {
    const answer = await service.http.get(path).set('Accept', 'text/html,*/*;q=0.8').expect(200)
    const { elements, text } = readHtml(answer.text)
    const targets = elements.filter(({ name }) => name === 'a').map(({ attributes }) => attributes.href ?? '')
    const [drawn = ''] =
      /<div class="drawn[^"]*">[\s\S]*?(?=<details class="as-text">)/.exec(answer.text) ?? []
    const shown = readHtml(
      `<!DOCTYPE html>\n${drawn.replace(/<\/(?=d[dtiv]|li|summary)/g, ' </')}`,
    ).text.replace(/\s+/g, ' ')
    return { elements, text, targets, drawn, shown }
  }
  async function openNew(id: string, content: string) {
    const document = `<collection xmlns="urn:collection"><title>Beetles</title>${content}</collection>`
    const record = metadataRecordV1(`https://example.org/${id}`, 'collection', { id })
    await service.postMetadata(record, document).expect(201)
    return await open(`/metadata-landing-page?id=${id}`)
  }

  it('draws elements with the documentation of the schema, dates in words, and text with line breaks', async () => {
    const { shown, drawn } = await openNew(
      'words',
      '<collectedOn>2025-12-01</collectedOn><description>First line<br/>second &lt;line&gt;</description>',
    )

    expect(shown).to.contain('How the collection is called.').and.contain('Beetles')
    expect(shown).to.contain('Collected on 1 December 2025')
    expect(drawn).to.contain('First line<br>second &lt;line&gt;')
  })

  it('draws repeated elements as a table with their attributes', async () => {
    const { drawn, shown, targets } = await openNew(
      'people',
      '<people><person role="Leader"><fullName>Ada</fullName><homePage>https://example.org/ada</homePage></person><person role="Helper"><fullName>Grace</fullName></person></people>',
    )

    const headings = readHtml(`<!DOCTYPE html>\n${/<thead>[\s\S]*?<\/thead>/.exec(drawn)?.[0]}`).text
    expect(headings).to.equal('RoleFull nameHome page')
    expect(shown).to.contain('Leader').and.contain('Grace')
    expect(targets).to.contain('https://example.org/ada')
  })

  it('heads the texts of repeated elements by the name of the element', async () => {
    const { drawn, shown } = await openNew(
      'keywords',
      '<keywords><keyWord scheme="GND">beetle</keyWord><keyWord>wood</keyWord></keywords>',
    )

    const headings = readHtml(`<!DOCTYPE html>\n${/<thead>[\s\S]*?<\/thead>/.exec(drawn)?.[0]}`).text
    expect(headings).to.equal('Key wordScheme')
    expect(shown).to.contain('beetle').and.contain('GND').and.contain('wood')
  })

  it('draws coordinates on a map, and elements in elements of the same name', async () => {
    const { shown, elements } = await openNew(
      'place',
      '<place><pointLatitude>-31.2</pointLatitude><pointLongitude>67.3</pointLongitude></place><node><remark>outer</remark><node><remark>inner</remark></node></node>',
    )

    expect(shown).to.contain('31.2° S, 67.3° E').and.contain('outer').and.contain('inner')
    expect(elements.some(({ name }) => name === 'circle')).to.equal(true)
  })

  it('draws a schema with types, cardinality, documentation and listed values, also of its files', async () => {
    const { shown, targets, text } = await open('/schema-landing-page?schemaId=collection')

    expect(shown).to.contain('Title title text, required').and.contain('How the collection is called.')
    expect(shown).to.contain('Person person group, 1 or more').and.contain('A person who collected.')
    expect(shown).to.contain('Role role attribute, text, required').and.contain('One of: Leader, Helper')
    expect(shown).to.contain('Collected on collectedOn date, optional')
    expect(targets.some(target => /^#part-\d+$/.test(target))).to.equal(true)
    expect(text).to.contain('<collection xmlns="urn:collection">').and.contain('<title></title>')
  })

  async function skeletonOf(id: string): Promise<string> {
    const { drawn } = await open(`/schema-landing-page?schemaId=${id}`)
    const [, code = ''] = /<code>(&lt;\?xml[\s\S]*?)<\/code>/.exec(drawn) ?? []
    return readHtml(`<!DOCTYPE html>\n${code}`).text
  }

  it('gives a document to start from with the namespace of each name, also of elements without one', async () => {
    const units = `<xs:schema ${xs} targetNamespace="urn:units" elementFormDefault="qualified">
      <xs:element name="length"><xs:complexType><xs:attribute name="unit" use="required" fixed="mm"/></xs:complexType></xs:element>
      <xs:attribute name="by" type="xs:string"/>
    </xs:schema>`
    const rods = `<xs:schema ${xs} xmlns:r="urn:rods" xmlns:u="urn:units" targetNamespace="urn:rods">
      <xs:import namespace="urn:units" schemaLocation="units.xsd"/>
      <xs:element name="part" type="xs:string"/>
      <xs:element name="rod"><xs:complexType><xs:sequence>
        <xs:element name="name" type="xs:string"/>
        <xs:element name="note" type="xs:string" minOccurs="0"/>
        <xs:element ref="r:part" minOccurs="2" maxOccurs="3"/>
        <xs:element ref="u:length"/>
        <xs:choice><xs:element name="a"/><xs:element name="b"/></xs:choice>
      </xs:sequence><xs:attribute ref="u:by" use="required"/></xs:complexType></xs:element>
    </xs:schema>`
    await service.postSchema({ schemaId: 'namespaces' }, rods, { 'units.xsd': units }).expect(201)

    const skeleton = await skeletonOf('namespaces')

    expect(skeleton).to.equal(`<?xml version="1.0" encoding="UTF-8"?>
<ns1:rod xmlns:ns1="urn:rods" xmlns:ns2="urn:units" ns2:by="">
  <name></name>
  <ns1:part></ns1:part>
  <ns1:part></ns1:part>
  <ns2:length unit="mm"></ns2:length>
</ns1:rod>
`)
    // A choice is left to the person.
    const record = metadataRecordV1('https://example.org/rod', 'namespaces', { id: 'rod' })
    await service.postMetadata(record, skeleton.replace('</ns1:rod>', '<a/></ns1:rod>')).expect(201)
  })

  it('gives a document to start from that ends, also if an element requires itself', async () => {
    const endless = `<xs:schema ${xs}><xs:element name="node"><xs:complexType><xs:sequence>
      <xs:element ref="node" minOccurs="3" maxOccurs="unbounded"/>
    </xs:sequence></xs:complexType></xs:element></xs:schema>`
    await service.postSchema({ schemaId: 'endless' }, endless).expect(201)

    const skeleton = await skeletonOf('endless')

    expect(skeleton.split('<node').length).to.be.within(10, 202)
    expect(skeleton.trim().endsWith('</node>')).to.equal(true)
  })

  it('gives a document to start from that needs only its values', async () => {
    const skeleton = await skeletonOf('collection')

    const record = metadataRecordV1('https://example.org/start', 'collection', { id: 'start' })
    await service.postMetadata(record, skeleton.replace('<title></title>', '<title>A</title>')).expect(201)
  })
})
