// test-schedule: quick
import { expect } from 'chai'
import { clueIn, clueOf } from '../../../src/features/web/browser/upload/document-clue.js'

describe('what the beginning of a document tells of its schema', () => {
  const cases: readonly (readonly [text: string, language: string | undefined, names: string | undefined])[] =
    [
      ['{ "a": 1, "$schema" : "https://example.org/s#" }', 'JSON', 'https://example.org/s#'],
      [' \n[1, 2]', 'JSON', undefined],
      ['<note xmlns="http://example.org/note"/>', 'XML', 'http://example.org/note'],
      ["<n:note a='>' xmlns='other' xmlns:n = 'mine'>", 'XML', 'mine'],
      ["<n:note xmlns='other' xmlns:n = 'mine' a='1'>", 'XML', 'mine'],
      ['<?xml version="1.0"?>\n<!-- <a xmlns="no"/> -->\n<!DOCTYPE b>\n<b xmlns="yes">', 'XML', 'yes'],
      ['<note><inner xmlns="no"/></note>', 'XML', undefined],
      ['<!-- never closed <a xmlns="no"/>', 'XML', undefined],
      ['<', 'XML', undefined],
      ['Read me.', undefined, undefined],
      ['', undefined, undefined],
    ]
  for (const [text, language, names] of cases) {
    it(`of ${JSON.stringify(text)} is ${names ?? 'nothing'}`, () => {
      expect(clueIn(text)).to.deep.equal({ language, names })
    })
  }

  it('is read from UTF-16 with a byte order mark, too', async () => {
    const bytes = Buffer.from('\uFEFF<note xmlns="http://example.org/note"/>', 'utf16le')

    expect(await clueOf(new Blob([bytes]))).to.deep.equal({
      language: 'XML',
      names: 'http://example.org/note',
    })
  })
})
