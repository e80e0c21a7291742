// test-schedule: quick
import { expect } from 'chai'
import fc from 'fast-check'
import type { Context } from 'koa'
import { ProblemError } from '../../../src/core/problem.js'
import { watchPartHeaders } from '../../../src/http/forms/multipart-form.js'
import {
  chooseListType,
  chooseRepresentation,
  requireJsonAccepted,
} from '../../../src/http/negotiation/content-negotiation.js'
import { pageParameters, pageRequest } from '../../../src/http/parameters/page-parameters.js'
import { matchesIfNoneMatch, parseIfMatch } from '../../../src/http/request/conditional-headers.js'

const types = [
  'application/vnd.repository.schema-record+json',
  'application/vnd.datamanager.schema-record+json',
]
const [record = '', alias = ''] = types
const offer = {
  record: types,
  content: [],
  index: [],
  elsewhere: new Set(['application/vnd.elsewhere+json']),
  onlyFittingDocuments: false,
}

describe('the Accept header of a read', () => {
  const cases: readonly (readonly [string | undefined, string])[] = [
    [undefined, 'document'],
    ['', 'document'],
    ['*/*', 'document'],
    ['application/json', 'document'],
    ['application/vnd.unknown+json', 'document'],
    ['image/png', 'document'],
    [record, record],
    [alias, alias],
    [record.toUpperCase(), record],
    [`${record};charset=utf-8`, record],
    [`${record};q=0`, 'document'],
    [`${record};q=0.5, */*`, 'document'],
    [`*/*;q=0.5, ${record}`, record],
    [`${alias}, ${record}`, alias],
    [`image/png, ${record}`, record],
    [`application/json, ${record}`, 'document'],
    [`${record}, text/html`, record],
    ['text/html', 'page'],
    ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', 'page'],
    ['text/html, image/gif, *; q=.2, */*; q=.2', 'page'],
    ['application/xml, text/html;q=0.9', 'document'],
    [`image/png;profile="x, ${record}, text/html"`, 'document'],
    [`image/png, ${record};profile="x, y";q=0.5`, record],
  ]
  for (const [accept, wanted] of cases) {
    it(`${accept === undefined ? 'that is missing' : `"${accept}"`} asks for ${wanted}`, () => {
      const found = chooseRepresentation(accept, offer)
      expect(found.of === 'record' ? found.mediaType : found.of).to.equal(wanted)
    })
  }

  it('is refused with 406 if every type belongs to other resources', () => {
    expect(() => chooseRepresentation('application/vnd.elsewhere+json', offer)).to.throw(
      /The response can be/,
    )
    expect(chooseRepresentation('application/vnd.elsewhere+json, image/gif', offer).of).to.equal('document')
  })

  it('chooses the record type for lists, else JSON', () => {
    expect(chooseListType(`text/html, ${alias}`, types)).to.equal(alias)
    expect(chooseListType('application/vnd.other+json', types)).to.equal('application/json')
    expect(chooseListType('text/html', types)).to.equal('application/json')
    expect(chooseListType(undefined, types)).to.equal('application/json')
  })

  it('must include JSON if the response is always JSON', () => {
    for (const good of [undefined, '*/*', 'application/*', 'text/html, application/json;q=0.1', record]) {
      requireJsonAccepted(good)
    }
    for (const bad of ['text/html', 'application/xml', 'application/json;q=0', 'text/*']) {
      expect(() => requireJsonAccepted(bad), bad)
        .to.throw(ProblemError)
        .with.property('kind', 'not-acceptable')
    }
  })
})

describe('If-Match', () => {
  it('is required', () => {
    for (const missing of [undefined, '', ' ']) {
      expect(() => parseIfMatch(missing))
        .to.throw(ProblemError)
        .with.property('kind', 'precondition-required')
    }
  })

  it('is an asterisk, a tag or a list of tags; weak tags never match', () => {
    expect(parseIfMatch('*')).to.deep.equal({ any: true })
    expect(parseIfMatch('"a"')).to.deep.equal({ any: false, tags: ['a'] })
    expect(parseIfMatch(' "a" ,W/"b",\t"c,d"')).to.deep.equal({ any: false, tags: ['a', 'c,d'] })
  })

  it('matches no state if it is not well-formed', () => {
    for (const broken of ['a', '"a', '"a"b', '"a" "b"', 'w/"a"', '"a", *']) {
      expect(parseIfMatch(broken), broken).to.deep.equal({ any: false, tags: [] })
    }
  })
})

describe('If-None-Match', () => {
  it('matches a strong or weak tag, also in a list; an asterisk matches any state', () => {
    for (const known of ['"a"', 'W/"a"', '"b", W/"a"', '*'])
      expect(matchesIfNoneMatch(known, '"a"'), known).to.equal(true)
    for (const other of [undefined, '', '"b"', 'a', '"a"x'])
      expect(matchesIfNoneMatch(other, '"a"'), other).to.equal(false)
  })
})

describe('the headers of form parts', () => {
  it('are found at every boundary of chunks', () => {
    const body = Buffer.from(
      [
        'a preamble',
        '--b',
        'Content-Disposition: form-data; name="record"',
        'Content-Type: application/json; charset="UTF-8"',
        '',
        '{}--b',
        '--b',
        'content-disposition: form-data; name="document"; filename="d"',
        '',
        '\r\n--bx\r\n',
        '--b',
        'Content-Type: text/plain',
        '',
        'no part of the form',
        '--b',
        'Content-Type:text/xml',
        'Content-Disposition: form-data; name="schema"',
        '',
        '',
        '--b--',
        '',
      ].join('\r\n'),
    )
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 60 })), sizes => {
        const { watch, seen } = watchPartHeaders('b')
        let at = 0
        for (const size of sizes) {
          watch(body.subarray(at, at + size))
          at += size
        }
        watch(body.subarray(at))

        expect(seen).to.deep.equal([
          { contentType: 'application/json', charset: 'utf-8' },
          {},
          { contentType: 'text/xml' },
        ])
      }),
    )
  })
})

describe('the page parameters of a list', () => {
  const windowOf = (query: Readonly<Record<string, string>>) => {
    const ctx = { query } as unknown as Context
    const { page, size, after } = pageParameters
    return pageRequest({ page: page.read(ctx), size: size.read(ctx), after: after.read(ctx) })
  }

  it('choose 20 records from the start by default, and at most 2000', () => {
    expect(windowOf({})).to.deep.include({ offset: 0, limit: 20 })
    expect(windowOf({ page: '3', size: '10' })).to.deep.include({ offset: 30, limit: 10 })
    expect(windowOf({ page: '1', size: '5000' })).to.deep.include({ offset: 2000, limit: 2000 })
    expect(windowOf({ page: '9'.repeat(40) }).offset).to.equal(Number.MAX_SAFE_INTEGER)
  })
})
