// test-schedule: quick
import { expect } from 'chai'
import { detectDocumentType } from '../../src/validation/detect-document-type.js'
import { utf8Bytes, utf16 } from '../support/data/schema-bundles.js'

describe('detecting the language of a document', () => {
  it('detects JSON by braces and brackets', () => {
    expect(detectDocumentType(utf8Bytes('{"a": 1}'))).to.equal('JSON')
    expect(detectDocumentType(utf8Bytes(' \r\n\t[1]'))).to.equal('JSON')
  })

  it('detects XML by an angle bracket', () => {
    expect(detectDocumentType(utf8Bytes('<?xml version="1.0"?><a/>'))).to.equal('XML')
    expect(detectDocumentType(utf8Bytes('\n<>'))).to.equal('XML')
  })

  it('ignores byte order marks, and decodes UTF-16', () => {
    expect(detectDocumentType(utf8Bytes('\ufeff{}'))).to.equal('JSON')
    expect(detectDocumentType(utf8Bytes('\ufeff <a/>'))).to.equal('XML')
    for (const bigEndian of [false, true]) {
      expect(detectDocumentType(utf16('{}', bigEndian))).to.equal('JSON')
      expect(detectDocumentType(utf16('\n<a/>', bigEndian))).to.equal('XML')
    }
    expect(detectDocumentType(Buffer.from('<a/>', 'utf16le'))).to.equal('XML')
  })

  it('returns undefined for other content', () => {
    for (const text of ['', '   ', 'plain text', '"a string"', '42', 'null']) {
      expect(detectDocumentType(utf8Bytes(text)), text).to.equal(undefined)
    }
    expect(detectDocumentType(Uint8Array.of(0x89, 0x50, 0x4e, 0x47))).to.equal(undefined)
  })
})
