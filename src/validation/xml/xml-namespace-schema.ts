/**
 * Namespaces that every engine knows. An import of them needs no file.
 * @see https://www.w3.org/TR/xmlschema-1/#nsSchema, https://www.w3.org/TR/xmlschema-1/#Instance_Document_Constructions
 */
export const builtInNamespaces: ReadonlySet<string> = new Set([
  'http://www.w3.org/2001/XMLSchema',
  'http://www.w3.org/2001/XMLSchema-instance',
])

/**
 * Stands for every schema of the namespace `xml:`, wherever it is imported from: W3C has fixed its attributes. It declares
 * the same attributes as the published schema. @see https://www.w3.org/2009/01/xml.xsd
 */
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
