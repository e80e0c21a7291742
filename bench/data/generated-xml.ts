/* The generated measurements as XML: an XML Schema with the rules of the JSON Schema, and the same documents. */

export const xmlSchema = Buffer.from(`<?xml version="1.0" encoding="UTF-8"?>
<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns="https://example.org/measurement"
           targetNamespace="https://example.org/measurement" elementFormDefault="qualified">
  <xs:simpleType name="Text">
    <xs:restriction base="xs:string"><xs:minLength value="1"/><xs:maxLength value="2000"/></xs:restriction>
  </xs:simpleType>
  <xs:simpleType name="Unit">
    <xs:restriction base="xs:token">
      <xs:enumeration value="kV"/><xs:enumeration value="nA"/><xs:enumeration value="K"/>
      <xs:enumeration value="Pa"/><xs:enumeration value="s"/><xs:enumeration value="g"/><xs:enumeration value="mm"/>
    </xs:restriction>
  </xs:simpleType>
  <xs:simpleType name="Orcid">
    <xs:restriction base="xs:string"><xs:pattern value="\\d{4}-\\d{4}-\\d{4}-\\d{3}[\\dX]"/></xs:restriction>
  </xs:simpleType>
  <xs:simpleType name="Sha256">
    <xs:restriction base="xs:string"><xs:pattern value="[0-9a-f]{64}"/></xs:restriction>
  </xs:simpleType>
  <xs:complexType name="Agent">
    <xs:sequence>
      <xs:element name="name" type="Text"/>
      <xs:element name="affiliation" type="Text" minOccurs="0"/>
      <xs:element name="orcid" type="Orcid" minOccurs="0"/>
    </xs:sequence>
  </xs:complexType>
  <xs:complexType name="Quantity">
    <xs:simpleContent>
      <xs:extension base="xs:decimal">
        <xs:attribute name="name" type="xs:NCName" use="required"/>
        <xs:attribute name="unit" type="Unit" use="required"/>
      </xs:extension>
    </xs:simpleContent>
  </xs:complexType>
  <xs:complexType name="File">
    <xs:attribute name="path" type="xs:anyURI" use="required"/>
    <xs:attribute name="size" type="xs:nonNegativeInteger" use="required"/>
    <xs:attribute name="sha256" type="Sha256" use="required"/>
  </xs:complexType>
  <xs:element name="measurement">
    <xs:complexType>
      <xs:sequence>
        <xs:element name="title" type="Text"/>
        <xs:element name="creator" type="Agent" maxOccurs="20"/>
        <xs:element name="description" type="Text"/>
        <xs:element name="keyword" type="Text" minOccurs="0" maxOccurs="unbounded"/>
        <xs:element name="date" type="xs:date"/>
        <xs:element name="instrument">
          <xs:complexType>
            <xs:sequence>
              <xs:element name="name" type="Text"/>
              <xs:element name="serialNumber">
                <xs:simpleType>
                  <xs:restriction base="xs:string"><xs:pattern value="[A-Z]{2}-\\d{6}"/></xs:restriction>
                </xs:simpleType>
              </xs:element>
              <xs:element name="setting" type="Quantity" minOccurs="0" maxOccurs="unbounded"/>
            </xs:sequence>
          </xs:complexType>
        </xs:element>
        <xs:element name="value" type="Quantity" maxOccurs="unbounded"/>
        <xs:element name="file" type="File" minOccurs="0" maxOccurs="unbounded"/>
      </xs:sequence>
    </xs:complexType>
    <xs:unique name="keywords"><xs:selector xpath="keyword"/><xs:field xpath="."/></xs:unique>
  </xs:element>
</xs:schema>
`)

interface Measurement {
  readonly title: string
  readonly creators: readonly Readonly<Record<string, string>>[]
  readonly description: string
  readonly keywords: readonly string[]
  readonly date: string
  readonly instrument: {
    readonly name: string
    readonly serialNumber: string
    readonly settings: Readonly<Record<string, { readonly value: number; readonly unit: string }>>
  }
  readonly measurements: readonly {
    readonly quantity: string
    readonly value: number
    readonly unit: string
  }[]
  readonly files: readonly { readonly path: string; readonly size: number; readonly sha256: string }[]
}

/** Converts the document of a record to XML. */
export function xmlOf(document: Buffer): Buffer {
  const { title, creators, description, keywords, date, instrument, measurements, files } = JSON.parse(
    document.toString(),
  ) as Measurement
  const lines = [
    element('title', title),
    ...creators.map(
      person =>
        `<creator>${['name', 'affiliation', 'orcid'].map(name => (person[name] === undefined ? '' : element(name, person[name]))).join('')}</creator>`,
    ),
    element('description', description),
    ...keywords.map(word => element('keyword', word)),
    element('date', date),
    '<instrument>',
    element('name', instrument.name),
    element('serialNumber', instrument.serialNumber),
    ...Object.entries(instrument.settings).map(
      ([name, setting]) => `<setting name="${name}" unit="${setting.unit}">${setting.value}</setting>`,
    ),
    '</instrument>',
    ...measurements.map(one => `<value name="${one.quantity}" unit="${one.unit}">${one.value}</value>`),
    ...files.map(({ path, size, sha256 }) => `<file path="${path}" size="${size}" sha256="${sha256}"/>`),
  ]
  return Buffer.from(
    `<?xml version="1.0" encoding="UTF-8"?>\n<measurement xmlns="https://example.org/measurement">\n ${lines.join('\n ')}\n</measurement>\n`,
  )
}

function element(name: string, text = ''): string {
  const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
  return `<${name}>${escaped}</${name}>`
}
