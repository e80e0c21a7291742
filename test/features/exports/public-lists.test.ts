import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect } from 'chai'
import { XmlDocument } from 'libxml2-wasm'
import { selfPrincipal } from '../../../src/core/access-control.js'
import type { Id } from '../../../src/core/value-types.js'
import { exportsOf } from '../../../src/features/exports/feature.js'
import {
  documentFileName,
  recordDirectory,
  recordFile,
} from '../../../src/store/records/repository-layout.js'
import { faultsByShapes } from '../../support/exports/dcat-shapes.js'
import { canonicalJsonLd, canonicalTurtle, valuesOf } from '../../support/exports/read-rdf.js'
import { postRelated } from '../../support/http/related-records.js'
import {
  base,
  jsonSchema,
  metadataRecordV1,
  startService,
  type TestService,
} from '../../support/http/test-service.js'
import { identifyWithTestSecret, userToken } from '../../support/http/test-tokens.js'
import { isLongForm } from '../../support/program/long-form.js'
import {
  removeRepositories,
  type TestRepository,
  temporaryRepository,
  waitUntil,
} from '../../support/repository/test-repository.js'

const dataset = 'http://www.w3.org/ns/dcat#dataset'
const hydra = 'http://www.w3.org/ns/hydra/core#'

const sitemaps = { s: 'http://www.sitemaps.org/schemas/sitemap/0.9' }

/** Texts in a sitemap, as an XML parser reads it. */
function textsIn(xml: string, path: string): readonly string[] {
  const document = XmlDocument.fromString(xml)
  try {
    return document.root.find(path, sitemaps).map(({ content }) => content)
  } finally {
    document.dispose()
  }
}

/** The addresses in a sitemap, or in the list of its parts. */
function locations(xml: string): readonly string[] {
  return textsIn(xml, '/s:urlset/s:url/s:loc | /s:sitemapindex/s:sitemap/s:loc')
}

/** The times of last update in a sitemap, by address. */
function lastUpdates(xml: string): Readonly<Record<string, string>> {
  const times = textsIn(xml, '/s:urlset/s:url/s:lastmod')
  return Object.fromEntries(locations(xml).map((url, index) => [url, times[index] ?? '']))
}

describe('Public records, as lists for programs', () => {
  describe('with authentication', () => {
    let service: TestService
    let token: string
    beforeEach(async () => {
      service = await startService({ identify: identifyWithTestSecret })
      token = await userToken('ada')
      const open = [{ sid: 'anonymousUser', permission: 'READ' }]
      const send = (test: ReturnType<TestService['postSchema']>) =>
        test.set('Authorization', `Bearer ${token}`).expect(201)
      await send(service.postSchema({ schemaId: 'open', acl: open }, jsonSchema()))
      await send(service.postSchema({ schemaId: 'closed' }, jsonSchema()))
      for (const [id, acl] of [
        ['seen', open],
        ['hidden', []],
      ] as const)
        await send(
          service.postMetadata(metadataRecordV1(`https://example.org/${id}`, 'open', { id, acl }), '{}'),
        )
    })
    afterEach(removeRepositories)

    it('the sitemap and the catalogue have exactly the public pages for every caller', async () => {
      for (const headers of [{}, { Authorization: `Bearer ${token}` }]) {
        const index = await service.http.get('/sitemap.xml').set(headers).expect(200)
        expect(locations(index.text)).to.deep.equal([`${base}/sitemap.xml?part=1`])
        const part = await service.http.get('/sitemap.xml?part=1').set(headers).buffer(true).expect(200)
        expect(locations(part.text)).to.deep.equal([
          `${base}/schema-landing-page?schemaId=open`,
          `${base}/metadata-landing-page?id=seen`,
        ])
        const { text } = await service.http.get('/catalog.ttl').set(headers).buffer(true).expect(200)
        expect(valuesOf(text, dataset)).to.have.members([
          `${base}/schema-landing-page?schemaId=open`,
          `${base}/metadata-landing-page?id=seen`,
        ])
        expect(text).to.not.match(/hidden|closed/)
      }
      await service.http.get('/sitemap.xml?part=2').expect(404)
      await service.http.get('/sitemap.xml?part=x').expect(400)
    })

    it('the catalogue does not have the page of a hidden record to which a public record refers', async () => {
      const open = [{ sid: 'anonymousUser', permission: 'READ' }]
      const as = <T extends { set(name: string, value: string): T }>(sent: T) =>
        sent.set('Authorization', `Bearer ${token}`)
      await as(service.postSchema({ schemaId: 'plain', acl: open }, jsonSchema())).expect(201)
      await as(postRelated(service, 'refers', ['seen', 'hidden'])).expect(201)
      const pageOf = (id: string) => `${base}/metadata-landing-page?id=${id}`
      for (const headers of [{}, { Authorization: `Bearer ${token}` }]) {
        const turtle = await service.http.get('/catalog.ttl').set(headers).buffer(true).expect(200)
        const found = valuesOf(turtle.text, 'http://purl.org/dc/terms/references')
        expect(found).to.include(pageOf('seen')).and.to.not.include(pageOf('hidden'))
        expect(turtle.text).to.contain(pageOf('refers')).and.to.not.contain(pageOf('hidden'))
        const json = await service.http.get('/catalog.jsonld').set(headers).buffer(true).expect(200)
        const text = json.text || JSON.stringify(json.body)
        expect(text).to.contain(pageOf('refers')).and.to.not.contain(pageOf('hidden'))
      }
    })

    it('the catalogue follows the crosswalk of a schema that is not public', async () => {
      const as = <T extends { set(name: string, value: string): T }>(sent: T) =>
        sent.set('Authorization', `Bearer ${token}`)
      const open = [{ sid: 'anonymousUser', permission: 'READ' }]
      const record = metadataRecordV1('https://example.org/told', 'closed', { id: 'told', acl: open })
      await as(service.postMetadata(record, '{"heading":"As the document says"}')).expect(201)
      const read = () => service.http.get('/catalog.ttl').buffer(true)
      const before = await read().expect(200)
      expect(before.text).to.contain('told').and.to.not.contain('As the document says')
      const tag = String(before.headers.etag)
      await read().set('If-None-Match', tag).expect(304)
      const etag = String((await as(service.http.get('/api/v1/schemas/closed')).expect(200)).headers.etag)
      await as(service.putSchema('closed', etag, { crosswalk: { titles: 'heading' } })).expect(200)
      const after = await read().set('If-None-Match', tag).expect(200)
      expect(after.text).to.contain('As the document says')
      await read().set('If-None-Match', String(after.headers.etag)).expect(304)
    })

    it('the sitemap has the time of the last update of each record', async () => {
      const record = async (path: string, type: string) =>
        (await service.http.get(path).set('Accept', `application/vnd.repository.${type}+json`).expect(200))
          .body
      const before = await record('/api/v1/schemas/open', 'schema-record')
      const changed = metadataRecordV1('https://example.org/seen', 'open', {
        id: 'seen',
        acl: [
          { sid: 'ada', permission: 'ADMINISTRATE' },
          { sid: 'anonymousUser', permission: 'READ' },
        ],
        licenseUri: 'https://example.org/licence',
      })
      // The sitemap has whole seconds. The update must be in another second than the creation.
      const { createdAt } = await record('/api/v1/metadata/seen', 'metadata-record')
      await waitUntil('the next second', async () => Date.now() >= Date.parse(createdAt) + 1000)
      await service.putMetadata('seen', '*', changed).set('Authorization', `Bearer ${token}`).expect(200)
      const after = await record('/api/v1/metadata/seen', 'metadata-record')
      const { text } = await service.http.get('/sitemap.xml?part=1').buffer(true).expect(200)
      const seconds = ({ lastUpdate }: { lastUpdate: string }) => lastUpdate.replace(/\.\d+Z$/, 'Z')

      expect(lastUpdates(text)).to.deep.equal({
        [`${base}/schema-landing-page?schemaId=open`]: seconds(before),
        [`${base}/metadata-landing-page?id=seen`]: seconds(after),
      })
    })

    it('the lists drop a record that becomes private, and their ETag changes', async () => {
      const authorization = { Authorization: `Bearer ${token}` }
      const acl = [{ sid: 'anonymousUser', permission: 'READ' }]
      const later = metadataRecordV1('https://example.org/later', 'open', { id: 'later', acl })
      // Prevents that the newest public commit changes.
      await service.postMetadata(later, '{}').set(authorization).expect(201)
      const before = await service.http.get('/sitemap.xml').expect(200)
      const record = await service.http
        .get('/api/v1/metadata/seen')
        .set(authorization)
        .set('Accept', 'application/vnd.repository.metadata-record+json')
      const own = [{ sid: 'ada', permission: 'ADMINISTRATE' }]
      await service
        .putMetadata('seen', record.headers.etag ?? '', { ...record.body, acl: own })
        .set(authorization)
        .expect(200)

      const after = await service.http
        .get('/sitemap.xml?part=1')
        .set('If-None-Match', before.headers.etag ?? '')
        .buffer(true)
        .expect(200)
      expect(locations(after.text)).to.deep.equal([
        `${base}/schema-landing-page?schemaId=open`,
        `${base}/metadata-landing-page?id=later`,
      ])
      await service.http
        .get('/sitemap.xml')
        .set('If-None-Match', after.headers.etag ?? '')
        .expect(304)
      const catalog = await service.http.get('/catalog.ttl').expect(200)
      await service.http
        .get('/catalog.ttl')
        .set('If-None-Match', catalog.headers.etag ?? '')
        .expect(304)
    })

    it('their ETags change with every change of a public record, and not with a change of a hidden one', async () => {
      const closed = [{ sid: 'ada', permission: 'ADMINISTRATE' }]
      const open = [...closed, { sid: 'anonymousUser', permission: 'READ' }]
      const authorization = { Authorization: `Bearer ${token}` }
      const put = (id: string, more: object) =>
        service
          .putMetadata(id, '*', metadataRecordV1(`https://example.org/${id}`, 'open', { id, ...more }))
          .set(authorization)
          .expect(200)
      const { headers } = await service.http.get('/api/v1/metadata/seen').expect(200)
      const pinned = `/catalog.ttl?at=${(headers.etag ?? '').replaceAll('"', '')}`
      const paths = ['/robots.txt', '/sitemap.xml', '/sitemap.xml?part=1', '/catalog.ttl', pinned]
      const tags = async () => {
        const answers = paths.map(async path => (await service.http.get(path).expect(200)).headers.etag)
        return await Promise.all(answers)
      }
      let known = await tags()
      const expectChange = async (isChanged: boolean, what: string) => {
        const next = await tags()
        for (const [index, path] of paths.entries())
          expect(next[index] !== known[index], `${path}: ${what}`).to.equal(isChanged)
        known = next
      }

      await put('hidden', { acl: closed, licenseUri: 'https://example.org/l' })
      await expectChange(false, 'a hidden record changes')
      const later = metadataRecordV1('https://example.org/later', 'open', { id: 'later', acl: open })
      await service.postMetadata(later, '{}').set(authorization).expect(201)
      await expectChange(true, 'a public record comes')
      await put('later', { acl: open, licenseUri: 'https://example.org/l' })
      await expectChange(true, 'a public record changes')
      // The last public change is a change of another record.
      await put('seen', { acl: closed })
      await expectChange(true, 'a public record becomes hidden')
    })
  })

  describe('without authentication', () => {
    afterEach(removeRepositories)

    it('robots.txt names the sitemap, and forbids everything if no record is public', async () => {
      const service = await startService()
      const { text: empty } = await service.http.get('/robots.txt').expect(200)
      expect(empty).to.equal('User-agent: *\nDisallow: /\n')
      const { text: nothing } = await service.http.get('/catalog.ttl').buffer(true).expect(200)
      expect(valuesOf(nothing, dataset)).to.deep.equal([])

      await service.postSchema({ schemaId: 'free' }, jsonSchema()).expect(201)
      const { text, headers } = await service.http.get('/robots.txt').expect(200)
      expect(text).to.equal(
        [
          'User-agent: *',
          'Disallow: /api/',
          'Disallow: /repository.git/',
          'Disallow: /oaipmh',
          'Disallow: /search?',
          'Disallow: /metastore/api/',
          'Disallow: /metastore/repository.git/',
          'Disallow: /metastore/oaipmh',
          'Disallow: /metastore/search?',
          'Disallow: /repository/api/',
          'Allow: /',
          '',
          `Sitemap: ${base}/sitemap.xml`,
          '',
        ].join('\n'),
      )
      expect(headers['content-type']).to.match(/^text\/plain/)
    })

    it('robots.txt below a base URL with a path has the path in its rules and in the address of the sitemap', async () => {
      const service = await startService({ baseUrl: 'https://example.org/store/' })
      const read = async () => (await service.http.get('/robots.txt').expect(200)).text.split('\n')
      expect(await read()).to.deep.equal(['User-agent: *', 'Disallow: /store/', ''])

      await service.postSchema({ schemaId: 'free' }, jsonSchema()).expect(201)
      const lines = await read()
      const rules = lines.filter(line => /^(?:Disallow|Allow): /.test(line))
      expect(rules).to.include.members(['Disallow: /store/api/', 'Disallow: /store/metastore/oaipmh'])
      for (const rule of rules) expect(rule).to.match(/: \/store\/(?!\/)/)
      expect(rules.at(-1)).to.equal('Allow: /store/')
      expect(lines.at(-2)).to.equal('Sitemap: https://example.org/store/sitemap.xml')
      const { text } = await service.http.get('/sitemap.xml').expect(200)
      expect(locations(text)).to.deep.equal(['https://example.org/store/sitemap.xml?part=1'])
    })

    it('the parts of the sitemap have each page once for every size of a part', async () => {
      const service = await startService()
      for (const schemaId of ['s1', 's2', 's3'])
        await service.postSchema({ schemaId }, jsonSchema()).expect(201)
      const ids = ['a', 'b', 'c', 'd']
      for (const id of ids)
        await service
          .postMetadata(metadataRecordV1(`https://example.org/${id}`, 's1', { id }), '{}')
          .expect(201)
      const { walk } = exportsOf(service.services.parts).exports
      for (let size = 1; size <= 8; size++) {
        const parts: string[][] = []
        for (let at = 0; at < 8; at += size) {
          const part: string[] = []
          for await (const portion of walk.portions(selfPrincipal, at, size))
            part.push(...portion.map(({ id }) => id))
          parts.push(part)
        }
        expect(parts.flat(), `${size} in a part`).to.deep.equal(['s1', 's2', 's3', ...ids])
        for (const part of parts) expect(part.length).to.be.at.most(size)
      }
    })

    it('the sitemap has a further part after 50,000 pages', async function () {
      if (!isLongForm) return this.skip()
      this.timeout(900_000)
      const source = await startService()
      await source.postSchema({ schemaId: 'free' }, jsonSchema()).expect(201)
      const repository = await temporaryRepository({ bare: true })
      await repository.git('fetch', '-q', source.repository.dir, 'main')
      await repository.git('update-ref', 'refs/heads/main', 'FETCH_HEAD')
      await commitRecords(repository, 50_000)
      const service = await startService({}, {}, repository)
      const read = async (path: string) =>
        locations((await service.http.get(path).buffer(true).expect(200)).text)

      expect(await read('/sitemap.xml')).to.deep.equal([1, 2].map(part => `${base}/sitemap.xml?part=${part}`))
      const [first, second] = [await read('/sitemap.xml?part=1'), await read('/sitemap.xml?part=2')]
      expect(first).to.have.length(50_000)
      expect(second).to.have.length(1)
      expect(new Set([...first, ...second]).size).to.equal(50_001)
      await service.http.get('/sitemap.xml?part=3').expect(404)
    })
  })

  describe('the catalogue of 121 records', () => {
    const ids = Array.from({ length: 120 }, (_, index) => `doc-${index}`)
    let service: TestService
    /** The texts of all pages. A record was added between two pages. */
    const pages: string[] = []
    const linksOf = (name: string) => pages.map(text => valuesOf(text, hydra + name))
    before(async () => {
      service = await startService()
      await service.postSchema({ schemaId: 'free' }, jsonSchema()).expect(201)
      const posts = ids.map(async id => {
        const record = metadataRecordV1(`https://example.org/${id}`, 'free', { id })
        await service.postMetadata(record, '{}').expect(201)
      })
      await Promise.all(posts)

      let path: string | undefined = '/catalog.ttl'
      while (path !== undefined) {
        const { text }: { text: string } = await service.http.get(path).buffer(true).expect(200)
        pages.push(text)
        path = valuesOf(text, `${hydra}next`)[0]?.slice(base.length)
        if (path !== undefined)
          await service
            .postMetadata(metadataRecordV1('https://example.org/new', 'free', { id: 'a-new' }), '{}')
            .expect(201)
      }
    })
    after(removeRepositories)

    it('has each record once in its pages, and no record that was added between two pages', () => {
      expect(pages.flatMap(text => valuesOf(text, dataset))).to.have.members([
        `${base}/schema-landing-page?schemaId=free`,
        ...ids.map(id => `${base}/metadata-landing-page?id=${id}`),
      ])
    })

    it('has pages of 100 records, which say the number of all records', () => {
      expect(linksOf('itemsPerPage')).to.deep.equal([['100'], ['100']])
      expect(linksOf('totalItems')).to.deep.equal([['121'], ['121']])
    })

    it('names the same state in the link of each page to the first page', () => {
      const [first, ...others] = linksOf('first').map(([link]) => link)
      expect(first).to.match(/\/catalog\.ttl\?page=1&at=[0-9a-f]{40}$/)
      expect(others).to.deep.equal([first])
    })

    it('names the state in the link of each page to the next page', () => {
      const [next, ofLast] = linksOf('next')
      expect(next?.[0]).to.match(/&at=[0-9a-f]{40}$/)
      expect(ofLast).to.deep.equal([])
    })

    // A client returns to the state of the pages, not to the newest one.
    it('names the state in the link of each page to the previous page', () => {
      expect(linksOf('previous')).to.deep.equal([[], linksOf('first')[0]])
    })

    it('conforms to the shapes of DCAT-AP', async () => {
      const { text } = await service.http.get('/catalog.ttl?page=2').buffer(true).expect(200)
      expect(await faultsByShapes(text)).to.deep.equal([])
    })

    it('says the same as Turtle and as JSON-LD', async () => {
      const turtle = await service.http.get('/catalog.ttl?page=2').buffer(true).expect(200)
      const json = await service.http.get('/catalog.jsonld?page=2').buffer(true).expect(200)
      const graph = async (text: Promise<string>) => (await text).replaceAll('catalog.jsonld', 'catalog.ttl')
      expect(await graph(canonicalJsonLd(json.text))).to.equal(await graph(canonicalTurtle(turtle.text)))
    })

    it('has no page after the last one, and none before the first one', async () => {
      await service.http.get('/catalog.ttl?page=9').expect(416)
      await service.http.get('/catalog.ttl?page=0').expect(400)
    })
  })
})

/** Makes one commit with many metadata records, as a person does with git. */
async function commitRecords({ dir }: Pick<TestRepository, 'dir'>, count: number): Promise<void> {
  const file = (path: string, text: string) => `M 100644 inline ${path}\ndata ${text.length}\n${text}\n`
  const records = Array.from({ length: count }, (_, index) => {
    const directory = recordDirectory('metadata', `r${index}` as Id)
    const relation = {
      value: `https://example.org/${index}`,
      identifierType: 'URL',
      relationType: 'IS_METADATA_FOR',
    }
    const record = JSON.stringify({ schema: { schemaId: 'free' }, relatedIdentifiers: [relation] })
    return (
      file(`${directory}/${recordFile}`, record) +
      file(`${directory}/${documentFileName('metadata', 'JSON')}`, '{}')
    )
  })
  const git = spawn('git', ['fast-import', '--quiet'], { cwd: dir, stdio: ['pipe', 'ignore', 'inherit'] })
  git.stdin.write(
    'commit refs/heads/main\ncommitter Jane <jane@example.org> 1780000000 +0000\ndata 4\nAdd\n\n',
  )
  git.stdin.end(`from refs/heads/main^0\n${records.join('')}`)
  expect(await once(git, 'close')).to.deep.equal([0, null])
}
