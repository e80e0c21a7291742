import { once } from 'node:events'
import { createServer, request, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import type { Locator } from 'playwright-core'
import { type ServiceWithHistory, serviceWithHistory } from '../../../support/browser/example-history.js'
import { describeInBrowser } from '../../../support/browser/open-browser.js'
import { pressUntilFocused } from '../../../support/browser/ways-of-input.js'
import { searchHasAll } from '../../../support/http/search-examples.js'
import { removeRepositories, waitUntil } from '../../../support/repository/test-repository.js'

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

  it('25. does stories 1, 2, 7, 14, 15 and 20 below /lab/metastore/ by keyboard alone, at 400 % zoom, in dark colours', async () => {
    proxy = await openProxy('/lab/metastore', history.service.port)
    const origin = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`
    await searchHasAll(history.service)
    const { page, check } = await browser.open(origin, {
      ...{ colorScheme: 'dark', viewport: { width: 320, height: 400 } },
      expected: /^422 /,
    })
    const asked: string[] = []
    page.on('request', each => asked.push(each.url()))
    const go = async (target: Locator, key = 'Enter') => {
      await target.waitFor()
      await pressUntilFocused(page, 'Tab', target)
      await page.keyboard.press(key)
    }
    const link = (name: string | RegExp) => page.getByRole('link', { name, exact: true })
    const heading = (name: string | RegExp) => page.getByRole('heading', { level: 1, name })

    // 1. What there is, and a record in two steps.
    await page.goto(`${origin}/lab/metastore/dashboard`)
    await go(link(/^2\s*metadata documents$/))
    await heading('Documents').waitFor()
    await check()
    await go(link('Steel rod'))
    await heading('Steel rod').waitFor()
    // 14. and 15. All versions, and what changed between two of them.
    await go(link('Versions'))
    await page.getByText('5 versions').waitFor()
    await go(page.getByRole('button', { name: 'Compare the chosen versions' }))
    await heading('Steel rod: version 4 and version 5').waitFor()
    await go(link('List of changes'))
    await page.getByText('1 change of a value').waitFor()
    await check()

    // 2. A word of the content.
    await go(page.getByRole('link', { name: 'Search and list' }))
    await heading('Search and list').waitFor()
    await pressUntilFocused(page, 'Tab', page.getByRole('searchbox', { name: /^Words of the title/ }))
    await page.keyboard.type('nameless')
    await page.keyboard.press('Enter')
    await page.getByText('1 record', { exact: true }).waitFor()
    await page.locator('mark').first().waitFor()
    await check()

    // 7. A document with what is required left out: the focus is at the first finding.
    await page.goto(`${origin}/lab/metastore/app/new?schema=rods`)
    const type = async (field: string, text: string) => {
      await pressUntilFocused(page, 'Tab', page.getByRole('textbox', { name: field }))
      await page.keyboard.type(text)
    }
    await page.locator('.schema-form .fields').waitFor()
    await type('What the document describes', 'https://example.org/below')
    await page.keyboard.press('Control+s')
    await page.getByText('The server has 1 finding:').waitFor()
    // The only finding: its field.
    await page.getByRole('textbox', { name: 'Name' }).and(page.locator(':focus')).waitFor()
    await check()

    // 20. The network goes, the browser is closed, and the text is offered and stored.
    await type('Name', 'Kept below')
    await page.context().setOffline(true)
    await page.keyboard.type(' the prefix')
    await page.getByText('Your text is kept in this browser.').waitFor()
    await waitUntil('the draft', async () =>
      (await page.evaluate<string>('JSON.stringify({ ...localStorage })')).includes('the prefix'),
    )
    await page.context().setOffline(false)
    page.on('dialog', dialog => void dialog.accept())
    await page.reload()
    await go(page.getByRole('button', { name: 'Continue with it' }))
    await page.getByRole('textbox', { name: 'Name' }).waitFor()
    await page.keyboard.press('Control+s')
    await page.getByText('Stored as version 1.').waitFor()
    expect(new URL(page.url()).pathname).to.match(/^\/lab\/metastore\/app\/metadata\/[^/]+$/)
    await check()
    expect(asked.filter(url => !url.startsWith(`${origin}/lab/metastore/`))).to.deep.equal([])
  })

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
