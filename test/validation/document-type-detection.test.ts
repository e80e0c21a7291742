import { expect } from 'chai'
import { sniffType } from '../../src/validation/detect-document-type.js'
import { bytes, utf16 } from '../support/data/schema-bundles.js'

describe('guessing the language of a document', () => {
  it('takes braces and brackets for JSON', () => {
    expect(sniffType(bytes('{"a": 1}'))).to.equal('JSON')
    expect(sniffType(bytes(' \r\n\t[1]'))).to.equal('JSON')
  })

  it('takes angle brackets for XML', () => {
    expect(sniffType(bytes('<?xml version="1.0"?><a/>'))).to.equal('XML')
    expect(sniffType(bytes('\n<>'))).to.equal('XML')
  })

  it('sees through byte order marks and UTF-16', () => {
    expect(sniffType(bytes('\ufeff{}'))).to.equal('JSON')
    expect(sniffType(bytes('\ufeff <a/>'))).to.equal('XML')
    for (const bigEndian of [false, true]) {
      expect(sniffType(utf16('{}', bigEndian))).to.equal('JSON')
      expect(sniffType(utf16('\n<a/>', bigEndian))).to.equal('XML')
    }
    expect(sniffType(Buffer.from('<a/>', 'utf16le'))).to.equal('XML')
  })

  it('says nothing about anything else', () => {
    for (const text of ['', '   ', 'plain text', '"a string"', '42', 'null']) {
      expect(sniffType(bytes(text)), text).to.equal(undefined)
    }
    expect(sniffType(Uint8Array.of(0x89, 0x50, 0x4e, 0x47))).to.equal(undefined)
  })
})
