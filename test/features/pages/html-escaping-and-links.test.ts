// test-schedule: quick

import { expect } from 'chai'
import fc from 'fast-check'
import { webIri } from '../../../src/core/text/iri.js'
import { linkHeader } from '../../../src/core/text/web-link.js'
import { indentJson } from '../../../src/features/pages/html/document-preview.js'
import { identifierUrl } from '../../../src/features/pages/html/identifier-links.js'
import { html } from '../../../src/http/html-template.js'
import { anyCharacter } from '../../support/data/any-character.js'
import { readHtml, readLinks } from '../../support/http/strict-html.js'

/** Any text, often with characters that have a meaning in markup. */
const anyText = fc.oneof(
  fc.string({ unit: anyCharacter }),
  fc
    .array(fc.constantFrom('<', '>', '"', "'", '&', '&lt;', '<!--', ']]>', '</p>', ' ', '\u0000', 'x'))
    .map(parts => parts.join('')),
)

describe('a text on a page', () => {
  it('reads back unchanged, in an element and in an attribute', () => {
    fc.assert(
      fc.property(anyText, text => {
        const page = html`<!DOCTYPE html>\n<p title="${text}">${text}</p>`.markup
        const { elements, text: shown } = readHtml(page)
        const expected = text.replace(/[\p{Cc}\p{Cs}]/gu, char => (/[\t\n\r]/.test(char) ? char : '\ufffd'))
        expect(shown).to.equal(expected)
        expect(elements).to.deep.equal([{ name: 'p', attributes: { title: expected } }])
      }),
    )
  })
})

describe('a JSON document on a page', () => {
  it('keeps its value, and its numbers as the client wrote them', () => {
    fc.assert(
      fc.property(fc.json(), fc.constantFrom(0, 1, 7), (json, indentation) => {
        const written = JSON.stringify(JSON.parse(json), null, indentation)
        expect(indentJson(written)).to.equal(JSON.stringify(JSON.parse(json), null, 2))
      }),
    )
    expect(indentJson('[1e400,0.10,-0,12345678901234567890]')).to.equal(
      '[\n  1e400,\n  0.10,\n  -0,\n  12345678901234567890\n]',
    )
  })

  it('stays unchanged if indentation would make it huge', () => {
    const deep = '['.repeat(20_000) + ']'.repeat(20_000)
    expect(indentJson(deep)).to.equal(deep)
  })
})

describe('a link on a page', () => {
  it('is an http or https URL or is left out, and fits into a header', () => {
    const identifiers = fc.oneof(
      anyText,
      fc.webUrl({ withFragments: true, withQueryParameters: true }),
      anyText.map(text => `https://example.org/${text}`),
      anyText.map(text => `10.1234/${text}`),
    )
    fc.assert(
      fc.property(
        identifiers,
        fc.constantFrom(undefined, 'DOI', 'HANDLE', 'ARK', 'URL', 'OTHER'),
        (text, type) => {
          const href = identifierUrl(text, type)
          if (href === undefined) return
          expect(href).to.match(/^https?:\/\/[!-~]+$/)
          expect(readLinks(linkHeader([{ href, rel: 'item' }]))).to.deep.equal([{ href, rel: 'item' }])
        },
      ),
    )
  })

  it('resolves identifiers by their type, or by their form', () => {
    for (const [value, type, url] of [
      ['10.5281/zenodo.1', 'DOI', 'https://doi.org/10.5281/zenodo.1'],
      ['doi:10.5281/a#b?c', 'DOI', 'https://doi.org/10.5281/a%23b%3Fc'],
      ['10.5281/zenodo.1', undefined, 'https://doi.org/10.5281/zenodo.1'],
      ['https://doi.org/10.5281/zenodo.1', 'DOI', 'https://doi.org/10.5281/zenodo.1'],
      ['21.11102/b-1', 'HANDLE', 'https://hdl.handle.net/21.11102/b-1'],
      ['ark:/12345/x9', 'ARK', 'https://n2t.net/ark:/12345/x9'],
      ['10.5281/zenodo.1', 'OTHER', undefined],
      ['978-3-16-148410-0', 'ISBN', undefined],
      ['local name', undefined, undefined],
      ['(:tba)', 'DOI', undefined],
    ] as const) {
      expect(identifierUrl(value, type), value).to.equal(url)
    }
    for (const text of [
      'javascript:alert(1)',
      ' JavaScript:x',
      'data:text/html,x',
      'ftp://x/',
      '//x',
      'http://',
      '',
    ]) {
      expect(webIri(text), text).to.equal(undefined)
    }
  })
})
