import { expect } from 'chai'
import type { Route } from 'playwright-core'
import {
  rodTexts,
  type ServiceWithHistory,
  serviceWithHistory,
} from '../../../support/browser/example-history.js'
import { describeInBrowser } from '../../../support/browser/open-browser.js'
import { ways } from '../../../support/browser/ways-of-input.js'
import { removeRepositories, waitUntil } from '../../../support/repository/test-repository.js'

describeInBrowser('a person who reads the history in the browser', browser => {
  let history: ServiceWithHistory
  beforeEach(async () => {
    history = await serviceWithHistory()
  })
  afterEach(removeRepositories)

  it('sees that nobody can be locked out of a server without a login, and no creator who has no name', async () => {
    const { page, check } = await browser.open(history.origin)
    await page.goto(`${history.origin}/app/metadata/rod/access`)
    await page.getByText('This server asks nobody to log in: everybody may do everything').waitFor()
    expect(await page.getByRole('button', { name: /^Remove/ }).count()).to.equal(0)
    await check()

    await page.goto(`${history.origin}/app/schemas/rods`)
    await page.locator('.drawn .tree').waitFor()
    expect(await page.locator('.lead').innerText()).to.equal('')
    await check()
  })

  for (const { name: way, options, activate } of ways) {
    it(`14. sees all versions of a record, with who, when and what was said, ${way}`, async () => {
      const { page, check } = await browser.open(history.origin, options)
      await page.goto(`${history.origin}/metadata-landing-page?id=rod`)

      await activate(page, page.getByRole('link', { name: 'Versions', exact: true }))

      await page.getByRole('heading', { level: 1, name: 'Versions of Steel rod' }).waitFor()
      await page.getByRole('status').filter({ hasText: '5 versions' }).waitFor()
      const rows = page.getByRole('row')
      expect(await rows.count()).to.equal(6)
      const newest = (await rows.nth(1).innerText()).replace(/\s+/g, ' ')
      expect(newest).to.match(/5 Someone without a login, .* \(\d+ \w+ 20\d\d, \d\d:\d\d:\d\d UTC\) newest/)
      expect(await page.title()).to.equal('Versions of Steel rod – git-metastore')
      await check()
    })

    it(`15. compares any two versions, ${way}`, async () => {
      const { page, check } = await browser.open(history.origin, options)
      await page.goto(`${history.origin}/app/metadata/rod/versions`)

      await activate(page, page.getByRole('radio', { name: 'Compare from version 2' }))
      await activate(page, page.getByRole('radio', { name: 'Compare to version 4' }))
      await activate(page, page.getByRole('button', { name: 'Compare the chosen versions' }))

      await page.getByRole('heading', { name: 'Steel rod: version 2 and version 4' }).waitFor()
      expect(new URL(page.url()).search).to.equal('?from=2&to=4')
      await page.getByRole('status').filter({ hasText: 'change' }).waitFor()
      const texts = page.locator('.cm-content')
      expect(await texts.count()).to.equal(way === 'on a phone' ? 1 : 2)
      await page.getByText('"Rod B"').waitFor()
      await check()
      await activate(page, page.getByRole('link', { name: 'List of changes' }))
      const list = page.getByRole('table', { name: 'Document' })
      expect(await list.getByRole('row').filter({ hasText: '/' }).count()).to.equal(3)
      expect(await list.innerText())
        .to.contain('Mass › Value')
        .and.contain('/mass/value')
        .and.contain('+ added')
      // The number, the time and the link to the version before change in each version: they are not counted.
      await page.getByText('3 changes of values').waitFor()
      expect(await page.getByRole('row').filter({ hasText: 'lastUpdate' }).count()).to.equal(0)
      await check()
    })

    it(`17. sees for a line of a document who changed it last, and goes to that change, ${way}`, async () => {
      const { page, check } = await browser.open(history.origin, options)
      await page.goto(`${history.origin}/app/metadata/rod/blame`)

      const row = page.getByRole('row').filter({ hasText: '"name": "Rod B"' })

      expect(await row.innerText()).to.contain('someone without a login')
      await check()
      await activate(page, row.getByRole('link'))
      await page.getByRole('heading', { name: 'Steel rod: version 2 and version 3' }).waitFor()
      await check()
      await page.goto(`${history.origin}/app/metadata/rod/blame?version=2`)
      const earlier = page.getByRole('row').filter({ hasText: '"name": "Rod A"' })
      expect(await earlier.getByRole('link').innerText()).to.equal('v1')
    })

    it(`21. restores version 2 of 5; it is checked against the schema, becomes version 6, and the history has all, ${way}`, async () => {
      const { page, check } = await browser.open(history.origin, options)
      await page.goto(`${history.origin}/app/metadata/rod/versions`)

      await activate(page, page.getByRole('link', { name: 'Restore version 2' }))
      await page.getByText('The text is valid against rods, version 3.').waitFor()
      await check()
      await activate(page, page.getByRole('button', { name: 'Store version 2 as version 6' }))

      await page.getByText('Version 2 was stored again as version 6. 6 versions').waitFor()
      await page.getByRole('cell', { name: 'Version 2 restored' }).waitFor()
      await check()
      const { text } = await history.service.http.get('/api/v2/metadata/rod').buffer(true)
      expect(text).to.equal(rodTexts[1])
      const { body } = await history.service.http.get('/api/v2/metadata/rod/versions')
      expect(body.map(({ version }: { version: number }) => version)).to.deep.equal([6, 5, 4, 3, 2, 1])
    })
  }

  it('15. types a version as soon as the field is there: it stays', async () => {
    const { page } = await browser.open(history.origin)
    await page.addInitScript(`new MutationObserver((_, observer) => {
      const field = document.querySelector('input[type=number]')
      if (!field) return
      observer.disconnect()
      field.value = '1'
      field.dispatchEvent(new Event('input', { bubbles: true }))
    }).observe(document, { childList: true, subtree: true })`)
    await page.goto(`${history.origin}/app/metadata/rod/compare?from=3&to=4`)
    await page.getByText('1 change in the text').waitFor()
    await page.getByRole('button', { name: 'Compare', exact: true }).click()
    await page.waitForURL('**/app/metadata/rod/compare?from=1&to=4')
  })

  it('15. goes by a key to each of 10 changes among 5,000 lines', async () => {
    const lines = Array.from({ length: 5000 }, (_, index) => `  "line ${index}"`)
    const changed = lines.map((line, index) => (index % 500 === 250 ? line.replace('line', 'changed') : line))
    const text = (values: readonly string[]) => `{ "name": "x", "notes": [\n${values.join(',\n')}\n] }\n`
    await history.revise(text(lines))
    await history.revise(text(changed))
    const { page, check } = await browser.open(history.origin)
    await page.goto(`${history.origin}/app/metadata/rod/compare?from=6&to=7`)
    await page.getByRole('status').filter({ hasText: '10 changes' }).waitFor()

    for (let index = 0; index < 10; index++) {
      await page.keyboard.press('F7')
      const place = page
        .locator('.cm-content')
        .last()
        .getByText(`"changed ${index * 500 + 250}"`)
      // The editor draws what it scrolls to in a later frame.
      await waitUntil(`change ${index + 1} in view`, async () => {
        const { y = -1 } = (await place.boundingBox()) ?? {}
        return y >= 0 && y <= 800
      })
    }

    expect(await page.locator('.cm-content:focus').count()).to.equal(1)
    await check()
  })

  it('16. compares two versions of a schema and sees beside each change whether it is breaking, and why', async () => {
    const { page, check } = await browser.open(history.origin)
    await page.goto(`${history.origin}/schema-landing-page?schemaId=rods`)

    await page.getByRole('link', { name: 'Compare', exact: true }).click()
    await page.getByRole('link', { name: 'List of changes' }).click()

    await page.getByText('All changes together: breaking: valid documents may become invalid').waitFor()
    const row = page.getByRole('table', { name: 'Schema' }).getByRole('row').filter({ hasText: '/required' })
    expect(await row.innerText()).to.match(/\+ added.*\/required.*breaking.*requires a member/s)
    await check()
    await page.goto(`${history.origin}/app/schemas/rods/compare?from=1&to=2&view=list`)
    await page.getByText('All changes together: compatible').waitFor()
    expect(await page.getByRole('row').filter({ hasText: '/title' }).innerText()).to.contain('neutral')
    await check()
  })

  it('21. does not restore a version that the schema of today refuses, and says why, with the title of the schema', async () => {
    const { service, origin } = history
    await service.putSchema('rods', '*', { schemaId: 'rods', type: 'JSON', label: 'Steel parts' }).expect(200)
    const head = await service.head()
    const { page, check } = await browser.open(origin, { expected: /^422 .*validate/ })
    await page.goto(`${origin}/app/metadata/nameless/restore?version=1`)

    const alert = page
      .getByRole('alert')
      .filter({ hasText: 'The text is not valid against “Steel parts” (rods), version 3' })

    expect(await alert.innerText()).to.contain("must have required property 'name'")
    expect(await page.getByRole('button', { name: /^Store/ }).count()).to.equal(0)
    await check()
    expect(await service.head()).to.equal(head)
  })

  it('21. does not restore over a version that was stored meanwhile, and shows the difference anew', async () => {
    const { origin, revise, service } = history
    const { page, check } = await browser.open(origin, { expected: /^412 / })
    await page.goto(`${origin}/app/metadata/rod/restore?version=2`)
    const store = page.getByRole('button', { name: 'Store version 2 as version 6' })
    await store.waitFor()
    await revise('{ "name": "Rod of somebody else" }')

    await store.click()
    await page.getByText('Somebody has stored another version meanwhile.').waitFor()
    await check()
    await page.getByRole('button', { name: 'See the difference to the newest version' }).click()
    await page.getByText('Rod of somebody else').waitFor()
    await page.getByLabel('What did you change?').fill('Back to Rod A')
    await page.getByRole('button', { name: 'Store version 2 as version 7' }).click()

    await page.getByText('Version 2 was stored again as version 7.').waitFor()
    await page.getByRole('row').filter({ hasText: 'newest' }).getByText('Back to Rod A').waitFor()
    await check()
    await page.goto(`${origin}/app/changes?kind=metadata`)
    await page.getByRole('listitem').filter({ hasText: 'Version 7' }).getByText('Back to Rod A').waitFor()
    await check()
    expect((await service.http.get('/api/v2/metadata/rod').buffer(true)).text).to.equal(rodTexts[1])
  })

  for (const [what, answer, said] of [
    ['the answer to it is lost', (route: Route) => route.abort('connectionreset'), 'The connection was lost'],
    [
      'a busy server has done it all the same',
      (route: Route) => route.fulfill({ status: 503, headers: { 'Retry-After': '600' }, body: '' }),
      'The server is busy.',
    ],
  ] as const)
    it(`21. is never restored twice: ${what}, and storing again finds what is stored`, async () => {
      const { origin, service } = history
      const { page, check } = await browser.open(origin, { expected: /^503 / })
      await page.goto(`${origin}/app/metadata/rod/restore?version=2`)
      const sent: string[] = []
      page.on('request', request => request.method() !== 'GET' && sent.push(new URL(request.url()).pathname))
      await page.route(
        '**/api/changesets',
        async route => {
          await route.fetch()
          await answer(route)
        },
        { times: 1 },
      )
      const message = page.getByLabel('What did you change?')
      await message.fill('Back to Rod A')
      await page.getByRole('button', { name: 'Store version 2 as version 6' }).click()
      await page.getByText(said).waitFor()
      await check()
      // What is said of it now was not sent.
      await message.fill('Back again')

      await page.getByRole('button', { name: 'Store version 2 as version 6' }).click()

      await page.getByText('Version 2 was stored again as version 6. 6 versions').waitFor()
      await page.getByRole('row').filter({ hasText: 'newest' }).getByText('Back to Rod A').waitFor()
      expect(sent.filter(path => !path.includes('/validate'))).to.deep.equal(['/api/changesets'])
      expect((await service.http.get('/api/v2/metadata/rod/versions')).body).to.have.length(6)
    })

  it('restores a schema with its further files', async () => {
    const { service, origin } = history
    const schema = (type: string) => JSON.stringify({ $ref: 'parts.json#/$defs/part', title: type })
    const parts = (type: string) => JSON.stringify({ $defs: { part: { type } } })
    await service
      .postSchema({ schemaId: 'bundle' }, schema('1'), { 'parts.json': parts('object') })
      .expect(201)
    await service.http
      .put('/api/v1/schemas/bundle')
      .set('If-Match', '*')
      .attach('schema', Buffer.from(schema('2')), 'schema')
      .attach('include', Buffer.from(parts('array')), 'parts.json')
      .expect(200)
    const { page, check } = await browser.open(origin)
    await page.goto(`${origin}/app/schemas/bundle/restore?version=1`)

    await page.getByRole('button', { name: 'Store version 1 as version 3' }).click()

    await page.getByText('Version 1 was stored again as version 3.').waitFor()
    await page.getByRole('cell', { name: 'Version 1 restored' }).waitFor()
    await check()
    await page.goto(`${origin}/app/changes?kind=schema`)
    await page.getByText('restored version 1 of the schema bundle').waitFor()
    const file = await service.http.get('/api/v1/schemas/bundle/files/parts.json').buffer(true)
    expect(file.text).to.equal(parts('object'))
  })
})
