// test-schedule: quick
import { expect } from 'chai'
import fc from 'fast-check'
import { asVersion, type Id, isId } from '../../../src/core/value-types.js'
import { defaultLandingPages, openLandingPageUrls } from '../../../src/http/page-urls/landing-page-urls.js'

describe('the URL of the page of a record', () => {
  const id = fc
    .string({
      minLength: 1,
      maxLength: 12,
      unit: fc.constantFrom(...'aZ09.-*_'),
    })
    .filter(isId)
  const version = fc.integer({ min: 1 }).map(asVersion)
  const kind = fc.constantFrom('schema', 'metadata')
  const base = fc.constantFrom(
    'http://localhost:8040',
    'HTTP://LocalHost:80',
    'https://example.org/metastore-a',
    'https://example.org/a/../b/./c',
    'http://[::1]:8040/~x',
  )
  const mount = fc.constantFrom('/api/v1', '/metastore/api/v1', '/api/v2', '/repository/api/v2')
  const template = fc.constantFrom(
    ...Object.values(defaultLandingPages),
    'https://UI.example.org:443/$(id)/$(version)',
    'https://$(id).example.org/',
    '//ui.example.org/x?$(id)',
    '/pages/../$(id)',
    '/./$(id)?v=$(version)',
    "/a b/$(id)?it's=$(version)#$(id)",
    '/ä/$(id)',
    '?$(id)',
    'pages/$(id)',
    'http://example.org:$(id)/',
  )

  it('equals the result of a URL parser for every template', () => {
    fc.assert(
      fc.property(template, kind, id, version, base, mount, (page, kind, id, version, base, mount) => {
        const pages = { schema: page, metadata: page, schemaV2: page, metadataV2: page }
        const landing = openLandingPageUrls(pages)
        const root = base + mount

        const text = landing.to(kind, id, version, root)

        const parsed = URL.canParse(text, root) ? new URL(text, root).href : undefined
        expect(landing.url(kind, id as Id, version, root)).to.equal(parsed)
        expect(landing.url(kind, id as Id, version, root), 'asked again').to.equal(parsed)
      }),
      { numRuns: 2000 },
    )
  })
})
