// test-schedule: quick
import { expect } from 'chai'
import { clueIn, clueOf, hasOwnTitle } from '../../../../src/features/web/browser/upload/document-clue.js'

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

  const titles: readonly (readonly [text: string, has: boolean])[] = [
    ['{ "title": "A rod" }', true],
    ['{ "titles": [{ "title": "A rod" }] }', true],
    ['{ "name": "A rod", "title": " " }', true],
    ['{ "sample": { "title": "A rod" } }', false],
    ['{ "titles": 3, "title": {} }', false],
    ['{ "title": "A rod"', false],
    ['[1]', false],
    ['null', false],
    ['<d:note xmlns:d="x"><d:title xml:lang="en">A rod</d:title></d:note>', true],
    ['<?xml version="1.0"?><resource><id/><titles><title>A rod</title></titles></resource>', true],
    ['<note><part><title>A rod</title></part></note>', false],
    ['<note><!-- <title>A rod</title> --><title/><title> </title></note>', false],
    ['<title>A rod</title>', false],
    ['<note', false],
  ]
  for (const [text, has] of titles) {
    it(`of ${JSON.stringify(text)} is ${has ? 'a title' : 'no title'}`, async () => {
      const content = new Blob([text])
      expect(await hasOwnTitle(content, await clueOf(content))).to.equal(has)
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
