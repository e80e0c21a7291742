import { once } from 'node:events'
import { createServer, request, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import { type ServiceWithHistory, serviceWithHistory } from '../../../support/browser/example-history.js'
import { describeInBrowser } from '../../../support/browser/open-browser.js'
import { removeRepositories } from '../../../support/repository/test-repository.js'

describeInBrowser('the browser application', browser => {
  let history: ServiceWithHistory
  let proxy: Server | undefined
  beforeEach(async () => {
    history = await serviceWithHistory({ trustedProxies: ['loopback'] })
  })
  afterEach(async () => {
    proxy?.closeAllConnections()
    proxy?.close()
    await removeRepositories()
  })

  for (const [place, prefix] of [
    ['below /lab/metastore/ behind a proxy', '/lab/metastore'],
    ['below /metastore of the server', ''],
  ] as const) {
    it(`works ${place}: pages, their scripts and the interface`, async () => {
      const mount = prefix === '' ? '/metastore' : prefix
      proxy = prefix === '' ? undefined : await openProxy(prefix, history.service.port)
      const origin = proxy ? `http://127.0.0.1:${(proxy.address() as AddressInfo).port}` : history.origin
      const { page, check } = await browser.open(origin)
      const asked: string[] = []
      page.on('request', each => asked.push(new URL(each.url()).pathname))

      await page.goto(`${origin}${mount}/metadata-landing-page?id=rod`)
      await page.getByRole('link', { name: 'Versions', exact: true }).click()
      await page.getByRole('button', { name: 'Compare the chosen versions' }).click()
      await page.getByRole('status').filter({ hasText: 'change' }).waitFor()

      expect(new URL(page.url()).pathname).to.equal(`${mount}/app/metadata/rod/compare`)
      await check()
      await page.getByRole('link', { name: 'Record' }).click()
      await page.getByRole('heading', { level: 1, name: 'Steel rod' }).waitFor()
      // Search, changes and a point of history; the stream of changes is asked for there, too.
      await page.goto(`${origin}${mount}/app/search?at=main`)
      await page.getByRole('cell', { name: 'Steel rod' }).waitFor()
      await page.getByRole('link', { name: 'Back to now' }).click()
      await page.getByRole('link', { name: 'What changed' }).click()
      const told = page.waitForResponse(each => each.url().includes('/api/changes?since='))
      await page.getByRole('listitem').filter({ hasText: 'Version 5' }).getByRole('link').click()
      await page.getByRole('heading', { name: 'Steel rod: version 4 and version 5' }).waitFor()
      expect((await told).status()).to.equal(200)
      await check()
      expect(asked.filter(path => !path.startsWith(`${mount}/`))).to.deep.equal([])
    })
  }

  it('says without a script what it needs, and leads to the pages that need none', async () => {
    const { page } = await browser.open(history.origin, { javaScriptEnabled: false })
    await page.goto(`${history.origin}/app/metadata/rod/versions`)

    expect(await page.locator('h1').innerText()).to.equal('This page needs JavaScript')
    await page.getByRole('link', { name: 'go to the dashboard' }).click()
    expect(new URL(page.url()).pathname).to.equal('/dashboard')
  })

  it('says for an address that it does not have that there is no such page', async () => {
    const { page, check } = await browser.open(history.origin)
    await page.goto(`${history.origin}/app/nothing/here`)

    await page.getByRole('heading', { level: 1, name: 'There is no such page' }).waitFor()
    await check()
  })

  it('says for a record that it cannot read what the server says', async () => {
    const { page, check } = await browser.open(history.origin, { expected: /^404 \/api/ })
    await page.goto(`${history.origin}/app/metadata/missing/versions`)

    await page
      .getByRole('alert')
      .filter({ hasText: 'There is no such record, or you may not read it.' })
      .waitFor()
    await check()
  })
})

/** A proxy that serves the server below a path, as a data centre does. */
async function openProxy(prefix: string, port: number): Promise<Server> {
  const proxy = createServer((incoming, outgoing) => {
    const url = incoming.url ?? ''
    if (!url.startsWith(`${prefix}/`)) return outgoing.writeHead(404).end()
    const { host = '' } = incoming.headers
    const headers = {
      ...incoming.headers,
      'x-forwarded-prefix': prefix,
      'x-forwarded-host': host,
      'x-forwarded-for': '192.0.2.1',
    }
    const path = url.slice(prefix.length)
    const sent = request({ host: '127.0.0.1', port, path, method: incoming.method, headers }, answer => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(outgoing)
    })
    // A browser that leaves a page aborts its requests, and the server that ends closes its connections.
    sent.on('error', () => outgoing.destroy())
    outgoing.on('close', () => sent.destroy())
    incoming.pipe(sent)
    return sent
  })
  proxy.listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  return proxy
}
