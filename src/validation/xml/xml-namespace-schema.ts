/**
 * Addresses under which W3C publishes the schema of the namespace `xml:`. Real schemas import it from there; it is
 * bundled like the meta schemas of JSON Schema, and never fetched.
 */
export const xmlNamespaceSchemaUrl =
  /^https?:\/\/www\.w3\.org\/(2001|2001\/03|2004\/10|2005\/08|2007\/08|2009\/01)\/xml\.xsd$/

/** `xml:lang`, `xml:space`, `xml:base` and `xml:id`. @see https://www.w3.org/2009/01/xml.xsd, of which it declares the same */
export const xmlNamespaceSchema = `<xs:schema targetNamespace="http://www.w3.org/XML/1998/namespace" xmlns:xs="http://www.w3.org/2001/XMLSchema" xml:lang="en">
  <xs:attribute name="lang">
    <xs:simpleType>
      <xs:union memberTypes="xs:language">
        <xs:simpleType>
          <xs:restriction base="xs:string"><xs:enumeration value=""/></xs:restriction>
        </xs:simpleType>
      </xs:union>
    </xs:simpleType>
  </xs:attribute>
  <xs:attribute name="space">
    <xs:simpleType>
      <xs:restriction base="xs:NCName">
        <xs:enumeration value="default"/>
        <xs:enumeration value="preserve"/>
      </xs:restriction>
    </xs:simpleType>
  </xs:attribute>
  <xs:attribute name="base" type="xs:anyURI"/>
  <xs:attribute name="id" type="xs:ID"/>
  <xs:attributeGroup name="specialAttrs">
    <xs:attribute ref="xml:base"/>
    <xs:attribute ref="xml:lang"/>
    <xs:attribute ref="xml:space"/>
    <xs:attribute ref="xml:id"/>
  </xs:attributeGroup>
</xs:schema>
`
