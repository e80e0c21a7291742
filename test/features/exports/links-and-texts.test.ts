// test-schedule: quick

import { createHash } from 'node:crypto'
import { expect } from 'chai'
import fc from 'fast-check'
import { cleanText } from '../../../src/core/text/clean-text.js'
import { absoluteIri, doiName, identifierIri, webIri } from '../../../src/core/text/iri.js'
import { linkHeader, linkValue } from '../../../src/core/text/web-link.js'
import { escapeXml, escapeXmlAttribute } from '../../../src/core/text/xml-text.js'
import { provenanceTurtle, withoutAddresses } from '../../../src/features/exports/formats/prov-o.js'
import { turtleOf } from '../../../src/features/exports/formats/rdf.js'
import { anyCharacter } from '../../support/data/any-character.js'
import { readTurtle } from '../../support/exports/read-rdf.js'

/** Texts with any character that a record may contain: control characters, lone surrogates, quotes. */
const anyText = fc.string({
  unit: fc.oneof(
    fc.string({ unit: anyCharacter, minLength: 1, maxLength: 1 }),
    fc.constantFrom('"', '\\', '<', '&', '\n', '\ud800', '\0', '%', '#', ' '),
  ),
})

describe('A link', () => {
  it('has the parameters of a media type as separate attributes, with escaped quotes', () => {
    const link = {
      href: 'https://example.org/<x>',
      rel: 'describedby',
      type: 'application/ld+json',
      profile: 'a "b" \\',
    }

    expect(linkValue(link)).to.equal(
      '<https://example.org/%3Cx%3E>; rel="describedby"; type="application/ld+json"; profile="a \\"b\\" \\\\"',
    )
    expect(linkValue({ href: 'https://example.org/', rel: 'item' }, 'https://example.org/page')).to.equal(
      '<https://example.org/>; rel="item"; anchor="https://example.org/page"',
    )
  })

  it('is omitted if it would make a header too long; shorter links after it remain', () => {
    const links = Array.from({ length: 100 }, (_, index) => ({
      href: `https://example.org/${index}`,
      rel: 'item',
    }))
    const one = linkValue({ href: 'https://example.org/0', rel: 'item' })

    expect(linkHeader(links, one.length)).to.equal(one)
    expect(linkHeader(links, 200).length).to.be.at.most(200)
    expect(linkHeader(links).split(', ')).to.have.length(100)
    const [first = '', last = ''] = ['a', 'b'].map(name => `https://example.org/${name}`)
    const mixed = [first, first + 'x'.repeat(100), last].map(href => ({ href, rel: 'item' }))
    expect(linkHeader(mixed, 100)).to.equal(`<${first}>; rel="item", <${last}>; rel="item"`)
  })
})

describe('An IRI of an export', () => {
  it('has only characters of RFC 3986, for any text', () => {
    const text = fc.oneof(
      anyText,
      anyText.map(path => `https://example.org/${path}`),
      anyText.map(name => `urn:x:${name}`),
    )
    fc.assert(
      fc.property(text, each => {
        const iri = absoluteIri(each)
        if (iri !== undefined) {
          expect(iri).to.match(/^[a-z]+:(?:[\w.~!$&'()*+,;=:@/?#[\]-]|%[\dA-Fa-f]{2})+$/i)
          expect(iri.split('#').length).to.be.at.most(2)
          expect(readTurtle(`<${iri}> <${iri}> <${iri}> .`)).to.have.length(1)
        }
      }),
    )
  })

  it('is undefined for a text that runs code, or that looks like a prefix of RDF', () => {
    for (const text of [
      'javascript:alert(1)',
      'data:text/html,x',
      'dct:title',
      'file:///etc/passwd',
      '',
      'a b',
    ])
      expect(absoluteIri(text), text).to.equal(undefined)
    expect(absoluteIri('URN:isbn:9783161484100')).to.equal('urn:isbn:9783161484100')
    expect(webIri('urn:isbn:9783161484100')).to.equal(undefined)
  })

  it('is undefined for a text whose host name has a character that cannot be escaped', () => {
    for (const character of ['"', '{', '}', '`'])
      for (const scheme of ['https', 'urn'])
        expect(absoluteIri(`${scheme}://a${character}b/`), character).to.equal(undefined)
    expect(absoluteIri('http://[::1]:8040/x')).to.equal('http://[::1]:8040/x')
    expect(absoluteIri('ftp://a"b@example.org/')).to.equal('ftp://a%22b@example.org/')
  })

  it('is the address of a resolver for a persistent identifier', () => {
    expect(identifierIri('doi:10.5072/a<b>', 'DOI')).to.equal('https://doi.org/10.5072/a%3Cb%3E')
    expect(identifierIri('21.T11981/x', 'Handle')).to.equal('https://hdl.handle.net/21.T11981/x')
    expect(identifierIri('x', 'constructor')).to.equal(undefined)
    expect(doiName('https://doi.org/10.5072/X')).to.equal('10.5072/X')
    expect(doiName('11.5072/X')).to.equal(undefined)
  })
})

describe('A text of an export', () => {
  it('equals the cleaned text for readers of XML and of Turtle', () => {
    fc.assert(
      fc.property(anyText, text => {
        const cleaned = cleanText(text)
        expect(unescaped(escapeXml(text))).to.equal(cleaned)
        expect(unescaped(escapeXmlAttribute(text))).to.equal(cleaned)
        expect(escapeXmlAttribute(text)).to.not.match(/[<"'\n\r\t]/)
        const [quad] = readTurtle(
          `@prefix dct: <http://purl.org/dc/terms/> .${turtleOf([
            { iri: 'urn:x', properties: [['dct:title', { text: cleaned }]] },
          ])}`,
        )
        expect(quad?.object.value).to.equal(cleaned)
      }),
    )
  })
})

function unescaped(xml: string): string {
  const entities: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" }
  return xml.replace(/&(?:#(\d+)|(\w+));/g, (_, code: string | undefined, name: string) =>
    code === undefined ? (entities[name] ?? '') : String.fromCharCode(Number(code)),
  )
}

describe('Provenance', () => {
  it('never contains an e-mail address', () => {
    expect(withoutAddresses('Signed off by <ada@example.org>, and @mention')).to.equal(
      'Signed off by … and @mention',
    )
    const text = provenanceTurtle({
      page: 'https://example.org/p',
      repository: 'of ada@example.org',
      service: 'git-metastore',
      revisions: [1, 2].map(version => ({
        version,
        page: `https://example.org/p?version=${version}`,
        commit: String(version).repeat(40),
        time: '2026-11-21T05:12:00Z',
        author: 'ada@example.org',
        isByService: true,
        subject: 'Ask ada@example.org',
        isEnd: version === 2,
      })),
    })
    expect(text).to.not.contain('example.org>').and.to.not.contain('ada@').and.to.not.contain('ada%40')
    expect(text).to.not.contain(createHash('sha1').update('ada@example.org').digest('hex'))
    const ended = readTurtle(text).filter(({ predicate }) => predicate.value.endsWith('wasInvalidatedBy'))
    expect(ended.map(({ object }) => object.value)).to.deep.equal([
      `urn:git:of%20%E2%80%A6:${'2'.repeat(40)}`,
    ])
  })
})
