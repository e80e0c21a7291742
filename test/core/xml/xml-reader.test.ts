import { expect } from 'chai'
import { readXml } from '../../../src/core/xml/xml-reader.js'

describe('the reader of XML', () => {
  it('takes the namespace of a prefix from the innermost element that declares it', () => {
    const read = (text: string) => {
      const names: string[] = []
      const open = ({ local, namespace, attributes }: Parameters<Parameters<typeof readXml>[1]['open']>[0]) =>
        names.push([local, namespace, ...attributes.map(each => each.namespace)].join(' '))
      expect(readXml(text, { open, close() {} })).to.equal(true)
      return names
    }

    const names = read(
      '<a xmlns:p="urn:1" xmlns:q="urn:2"><b xmlns:r="urn:3"><p:c/><p:d xmlns:p="urn:4" p:x="" q:x=""><p:e q:x=""/></p:d>' +
        '<p:f xmlns="urn:5"/><g/><h xmlns="urn:6"><i xmlns:r="urn:7"><j xmlns=""/><k r:x=""/></i></h><s:l/></b><m r:x=""/></a>',
    )

    expect(names).to.deep.equal([
      ...['a ', 'b ', 'c urn:1', 'd urn:4 urn:4 urn:2', 'e urn:4 urn:2'],
      ...['f urn:1', 'g ', 'h urn:6', 'i urn:6', 'j ', 'k urn:6 urn:7', 'l ', 'm  '],
    ])
  })
})
