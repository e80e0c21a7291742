// test-schedule: quick
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { get, type IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { buffer as bufferOf } from 'node:stream/consumers'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { expect } from 'chai'
import { packageFolder } from '../../../../src/cli/installed-package.js'
import { interfaceTypes } from '../../../support/browser/interface-types.js'
import { jsonSchema, startService, type TestService } from '../../../support/http/test-service.js'
import { removeRepositories } from '../../../support/repository/test-repository.js'

const built = join(packageFolder(), 'dist', 'program', 'browser')
const policy =
  /^default-src 'none'; script-src 'self'; style-src 'self' 'sha256-[\w+/=]+'; connect-src 'self'; img-src 'self' data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'$/

describe('the files of the browser application', () => {
  let service: TestService
  let manifest: Readonly<Record<'script' | 'style', string> & Record<'imports' | 'files', readonly string[]>>
  before(async () => {
    manifest = JSON.parse(await readFile(join(built, 'manifest.json'), 'utf8'))
    service = await startService()
  })
  after(removeRepositories)

  it('begin with one document for every path below /app/, with a strict policy', async () => {
    const first = await service.http.get('/app/metadata/m/versions').expect(200)
    const second = await service.http.get('/app/schemas/s/compare?from=1&to=2').expect(200)

    const common = ({ text }: typeof first) =>
      text.replace(/<link rel="modulepreload".*>\n|<noscript>[\s\S]*?<\/noscript>/g, '')
    expect(common(second)).to.equal(common(first))
    expect(first.headers).to.include({
      'cache-control': 'no-cache',
      'content-type': 'text/html; charset=utf-8',
    })
    expect(first.headers['content-security-policy']).to.match(policy)
    expect(first.text).to.contain(`<script type="module" src="../../../assets/${manifest.script}"></script>`)
    expect(first.text).to.contain(`href="../../../assets/${manifest.style}"`)
    // What the script imports is asked for together with it, in few requests.
    const imported = await closureOf([manifest.script])
    expect([manifest.script, ...manifest.imports]).to.have.members([...imported])
    expect(imported.size).to.be.at.most(3)
    for (const name of manifest.imports)
      expect(first.text).to.contain(`<link rel="modulepreload" href="../../../assets/${name}">`)
  })

  it('are asked for together: the document names all scripts of the page of its path', async () => {
    const pagesOfPaths = {
      search: 'search-page',
      upload: 'upload-page',
      'schemas/new': 'schema-new-page',
      'metadata/m': 'record-page',
      'metadata/m/versions': 'versions-page',
      'metadata/new/edit': 'edit-page',
      'schemas/m/edit': 'schema-edit-page',
      'schemas/m/blame': 'blame-page',
      'schemas/m/impact': 'impact-page',
    }
    for (const [path, module] of Object.entries(pagesOfPaths)) {
      const { text } = await service.http.get(`/app/${path}`).expect(200)
      const own = manifest.files.find(name => name.startsWith(`${module}-`) && name.endsWith('.js'))
      const preloads = [...text.matchAll(/<link rel="modulepreload" href="[./]*\/assets\/([^"]+)">/g)]

      const expected = await closureOf([manifest.script, own ?? ''])
      expect([manifest.script, ...preloads.map(([, name]) => name)], path).to.have.members([...expected])
      // A browser asks for six at once.
      expect(preloads.length, path).to.be.at.most(8)
    }
    const { text: editor } = await service.http.get('/app/new?schema=rods').expect(200)
    expect(editor).to.match(/"modulepreload" href="[./]*\/assets\/new-document-editor-/)
    const { text: unknown } = await service.http.get('/app/metadata/m/constructor').expect(200)
    expect(unknown.match(/modulepreload/g)).to.have.lengthOf(manifest.imports.length)
  })

  it('are offered on the page of a withdrawn record for its rights and its state only', async () => {
    await service.postSchema({ schemaId: 'gone' }, jsonSchema()).expect(201)
    const page = '/schema-landing-page?schemaId=gone'
    expect((await service.http.get(page).expect(200)).text).to.contain('app/schemas/gone/edit')
    await service.http.delete('/api/v1/schemas/gone').set('If-Match', '*').expect(204)

    for (const address of [page, `${page}&version=1`]) {
      const { text } = await service.http.get(address).expect(200)
      expect(text, address).to.contain('app/schemas/gone/access').and.to.contain('app/schemas/gone/versions')
      expect(text, address).not.to.match(/app\/schemas\/gone\/(?:edit|impact)|app\/new\?schema/)
    }
  })

  it('lead to the lists and the dashboard from addresses that were shortened', async () => {
    for (const [path, target] of [
      ['/app', '/dashboard'],
      ['/app/', '/dashboard'],
      ['/metastore/app/', '/metastore/dashboard'],
      ['/app/metadata?page=1', '/metadata-management?page=1'],
      ['/metastore/app/schemas', '/metastore/schema-management'],
    ] as const) {
      const { headers } = await service.http.get(path).expect(302)

      const { pathname, search } = new URL(String(headers.location))
      expect(pathname + search).to.equal(target)
      await service.http.get(target).expect(200)
    }
  })

  it('lead nowhere else from addresses that are names of members of every object', async () => {
    for (const name of ['__proto__', 'constructor', 'toString'])
      await service.http.get(`/app/${name}`).expect(200)
  })

  it('lead without a script to the same search, whatever its parameters are called', async () => {
    const { text } = await service.http.get('/app/search?constructor=x&__proto__=y&schema=rods').expect(200)
    expect(text).to.contain('<a href="../search?constructor=x&amp;__proto__=y&amp;schemaId=rods">')
  })

  it('lead without a script to the page of a record, of its versions, and of what changed between two', async () => {
    await service.postSchema({ schemaId: 'plain' }, jsonSchema()).expect(201)
    await service.http
      .put('/api/v1/schemas/plain')
      .set('If-Match', '*')
      .attach('schema', Buffer.from('{"type":"object"}'), 'schema')
      .expect(200)
    for (const [path, target] of [
      ['schemas/plain', '/schema-landing-page?schemaId=plain'],
      ['schemas/plain/versions?at=main', '/schema-landing-page?schemaId=plain&at=main#versions'],
      ['schemas/plain/compare', '/schema-landing-page?schemaId=plain#versions'],
      ['schemas/plain/compare?from=1&to=2&at=main', '/compare/schemas/plain?from=1&to=2&at=main'],
    ] as const) {
      const { text } = await service.http.get(`/metastore/app/${path}`).expect(200)
      const [, href = ''] = /<noscript>[\s\S]*?<a href="([^"]+)">/.exec(text) ?? []
      const { pathname, search, hash } = new URL(
        href.replaceAll('&amp;', '&'),
        `http://x/metastore/app/${path}`,
      )
      expect(pathname + search + hash, path).to.equal(`/metastore${target}`)
      await service.http
        .get(pathname + search)
        .set('Accept', 'text/html')
        .expect(200)
    }
    for (const path of ['metadata/%25E0', 'metadata/x/edit', 'drafts', 'metadata'])
      expect((await service.http.get(`/app/${path}`)).status, path).to.be.below(400)
  })

  it('may ask the issuer at which people log in, and no other server', async () => {
    const issuer = 'https://login.example.org/realms/lab'
    const options = { auth: true, 'oidc-issuer': issuer, 'oidc-client-id': 'web' }
    const { http } = await startService({ features: options })
    const { headers, text } = await http.get('/app/login').expect(200)

    expect(headers['content-security-policy']).to.contain("; connect-src 'self' https://login.example.org; ")
    expect(text).to.contain('&quot;issuer&quot;:&quot;https://login.example.org/realms/lab&quot;')
    const without = await startService({ features: { auth: true, 'oidc-issuer': issuer } })
    const { headers: strict } = await without.http.get('/app/login').expect(200)
    expect(strict['content-security-policy']).to.match(policy)
  })

  it('have a document that browsers keep until it changes', async () => {
    const { headers } = await service.http.get('/app/metadata/m/versions').expect(200)

    const again = await service.http
      .get('/app/metadata/m/versions')
      .set('If-None-Match', String(headers.etag))

    expect(headers.etag).to.match(/^"[\w-]+"$/)
    expect(again.status).to.equal(304)
    expect(again.headers['content-security-policy']).to.match(policy)
  })

  for (const [accepted, coding, decode] of [
    ['gzip, deflate, br', 'br', brotliDecompressSync],
    ['gzip', 'gzip', gunzipSync],
    ['br;q=0, gzip;q=0.5, identity;q=0.1', 'gzip', gunzipSync],
    ['identity', undefined, (bytes: Buffer) => bytes],
  ] as const) {
    it(`are sent for "Accept-Encoding: ${accepted}" as ${coding ?? 'they are'}, forever, with a strong tag`, async () => {
      const response = await fetchRaw(`/assets/${manifest.script}`, accepted)

      expect(response.headers).to.include({
        'cache-control': 'public, max-age=31536000, immutable',
        'content-type': 'text/javascript; charset=utf-8',
        vary: 'Accept-Encoding',
      })
      expect(response.headers['content-encoding']).to.equal(coding)
      expect(response.headers.etag).to.match(new RegExp(`^"[\\w-]+-${coding ?? 'identity'}"$`))
      expect(decode(response.bytes).equals(await readFile(join(built, manifest.script)))).to.equal(true)
    })
  }

  it('are those of the manifest alone, whatever a request names', async () => {
    const wrong = [
      'missing.js',
      'manifest.json',
      `${manifest.script}.br`,
      '..%2Fmain.js',
      '%2e%2e%2f%2e%2e%2fpackage.json',
    ]
    for (const name of wrong) await service.http.get(`/assets/${name}`).expect(404)
    for (const name of manifest.files) await service.http.get(`/assets/${name}`).expect(200)
  })

  it('are also below /metastore, with relative addresses', async () => {
    const { text } = await service.http.get('/metastore/app/metadata/m/versions').expect(200)

    expect(text).to.contain(`src="../../../assets/${manifest.script}"`)
    await service.http.get(`/metastore/assets/${manifest.script}`).expect(200)
  })

  it('call an interface whose types are those of the description', async () => {
    const file = join(packageFolder(), 'src', 'features', 'web', 'browser', 'api', 'interface-types.ts')

    expect(await readFile(file, 'utf8'), 'stale: run node bin/interface-types.js').to.equal(interfaceTypes())
  })

  it('keep the budgets of size', async () => {
    const first = await closureOf([manifest.script, nameOf('versions-page')])
    const editor = await closureOf([nameOf('compare-view'), nameOf('text-editor')])
    // An editor completes one of both languages.
    const json = await closureOf([...editor, nameOf('json-completion')])
    const xml = await closureOf([...editor, nameOf('xml-completion')])
    const all = await Promise.all(
      manifest.files.map(async name => (await readFile(join(built, name))).length),
    )

    expect(await compressedSize(first), 'first view').to.be.at.most(60 * 1024)
    expect(
      [...first].filter(name => editor.has(name) && /^(?:compare-view|text-editor|appearance)-/.test(name)),
    ).to.deep.equal([])
    for (const [name, files] of Object.entries({ json, xml })) {
      const own = [...files].filter(file => !first.has(file))
      expect(await compressedSize(own), `editor of ${name}`).to.be.at.most(150 * 1024)
    }
    const login = await closureOf([nameOf('login-dialog'), nameOf('login-page')])
    expect(await compressedSize([...login].filter(name => !first.has(name))), 'login').to.be.at.most(
      20 * 1024,
    )
    expect([...first].filter(name => /^(?:openid-login|login-form)-/.test(name))).to.deep.equal([])
    for (const page of [
      'record-page',
      'search-page',
      'changes-page',
      'versions-page',
      'drafts-page',
      'new-page',
      'upload-page',
    ]) {
      const own = [...(await closureOf([nameOf(page)]))].filter(name => !first.has(name))
      expect(await compressedSize(own), page).to.be.at.most(20 * 1024)
    }
    // These pages have an editor, which has a budget of its own.
    for (const page of ['schema-edit-page', 'schema-new-page', 'impact-page']) {
      const own = [...(await closureOf([nameOf(page)]))].filter(name => !first.has(name) && !editor.has(name))
      expect(await compressedSize(own), page).to.be.at.most(20 * 1024)
    }
    const form = await closureOf([nameOf('form')])
    const withoutForm = await closureOf([manifest.script, nameOf('new-page')])
    expect(await compressedSize([...form].filter(name => !withoutForm.has(name))), 'form').to.be.at.most(
      25 * 1024,
    )
    expect([...form].filter(name => /^(?:text-editor|appearance)-/.test(name))).to.deep.equal([])
    expect(
      all.reduce((sum, size) => sum + size, 0),
      'all files',
    ).to.be.at.most(1.5 * 2 ** 20)
  })

  function nameOf(chunk: string): string {
    const found = manifest.files.find(name => name.startsWith(`${chunk}-`))
    if (found === undefined) throw new Error(`There is no file ${chunk}.`)
    return found
  }

  /** The files that these files load at once. */
  async function closureOf(names: readonly string[]): Promise<ReadonlySet<string>> {
    const found = new Set<string>()
    const open = [...names]
    for (let name = open.pop(); name !== undefined; name = open.pop()) {
      if (found.has(name)) continue
      found.add(name)
      const text = await readFile(join(built, name), 'utf8')
      // Static imports only: a script with `import(` is loaded later.
      for (const [, imported = ''] of text.matchAll(/(?:from|import)\s*["'`]\.\/([^"'`]+)["'`]/g))
        open.push(imported)
    }
    return found
  }

  async function compressedSize(names: Iterable<string>): Promise<number> {
    let sum = 0
    for (const name of names) sum += (await readFile(join(built, `${name}.gz`))).length
    return sum
  }

  /** The bytes of a response as they were sent: other clients decompress them. */
  async function fetchRaw(path: string, accepted: string) {
    const sent = get({
      port: service.port,
      host: '127.0.0.1',
      path,
      headers: { 'Accept-Encoding': accepted },
    })
    const [response] = (await once(sent, 'response')) as [IncomingMessage]
    const bytes = await bufferOf(response)
    expect(response.statusCode).to.equal(200)
    return { headers: response.headers, bytes }
  }
})
