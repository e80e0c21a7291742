/** An XML Schema with an element `note` that contains an element `text`. */
export const noteXsdText = `<?xml version="1.0" encoding="UTF-8"?>
<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" targetNamespace="http://example.org/note" elementFormDefault="qualified">
  <xs:element name="note"><xs:complexType><xs:sequence><xs:element name="text" type="xs:string"/></xs:sequence></xs:complexType></xs:element>
</xs:schema>
`
export const noteXml = '<note xmlns="http://example.org/note"><text>hello</text></note>\n'
