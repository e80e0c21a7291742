import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { describeInBrowser, phone } from '../../../support/browser/open-browser.js'
import { ways } from '../../../support/browser/ways-of-input.js'
import { searchHasAll, startSearchExamples, storeDocument } from '../../../support/http/search-examples.js'
import type { TestService } from '../../../support/http/test-service.js'
import { removeRepositories, waitUntil } from '../../../support/repository/test-repository.js'

describeInBrowser('a person who searches in the browser', browser => {
  let service: TestService
  let origin: string
  before(async () => {
    service = await startSearchExamples()
    origin = `http://127.0.0.1:${service.port}`
  })
  after(removeRepositories)

  const total = (page: Page, text: string) =>
    page.getByRole('status').filter({ hasText: new RegExp(`^${text}$`) })
  const facetOf = (page: Page, name: string) => page.getByRole('group', { name, exact: true })

  for (const { name: way, options, activate } of ways) {
    it(`2. searches for a word of a document's content, and sees the record, where it matched, and how many there are, ${way}`, async () => {
      const { page, check } = await browser.open(origin, options)
      await page.goto(`${origin}/app/search`)
      await total(page, '6 records').waitFor()

      await page.keyboard.press('/')
      await page.keyboard.type('brittle')
      await page.keyboard.press('Enter')

      await total(page, '1 record').waitFor()
      expect(new URL(page.url()).search).to.equal('?q=brittle')
      const result = page.getByRole('list', { name: 'Results from 1 on' }).getByRole('listitem')
      expect(await result.innerText()).to.contain('Remark: A <b>brittle</b> fracture & a crack')
      expect(await result.locator('mark').allInnerTexts()).to.deep.equal(['brittle'])
      expect(await result.locator('b').count()).to.equal(0)
      expect(await result.innerText())
        .to.contain('Document rod-7')
        .and.contain('Measurement of steel')
      expect(await page.title()).to.equal('brittle – Search – git-metastore')
      await check()
      await activate(page, result.getByRole('link'))
      await page.getByRole('heading', { level: 1, name: 'Steel rod 7' }).waitFor()
    })

    it(`3. narrows by schema and year with checkboxes, sees the counts follow, and the address shows somebody else the same, ${way}`, async () => {
      const { page, check } = await browser.open(origin, options)
      await page.goto(`${origin}/app/search`)
      await total(page, '6 records').waitFor()
      if (way === 'on a phone') await page.getByText('Narrow the search').tap()
      const choose = async (facet: string, value: string) => {
        const box = facetOf(page, facet).getByRole('checkbox', { name: value })
        if (way !== 'by keyboard alone') return await activate(page, box)
        await box.focus()
        await page.keyboard.press('Space')
      }
      await facetOf(page, 'Schema').getByText('Measurement of steel').waitFor()
      expect(await countsOf(page, 'Year')).to.deep.equal({ 2019: '1', 2022: '1', 2024: '2' })

      await choose('Schema', 'Measurement of steel')
      await total(page, '3 records').waitFor()
      await choose('Year', '2019')
      await total(page, '1 record').waitFor()

      expect(new URL(page.url()).search).to.equal('?schema=measurement&year=2019')
      // What a facet counts leaves out its own choice; a value without records stays.
      expect(await countsOf(page, 'Year')).to.deep.equal({ 2019: '1', 2022: '1', 2024: '1' })
      expect(await countsOf(page, 'Language')).to.deep.equal({ German: '1', English: '0' })
      expect(await page.getByRole('row').count()).to.equal(2)
      await check()
      const other = await browser.open(origin, options)
      await other.page.goto(page.url())
      await total(other.page, '1 record').waitFor()
      if (way === 'on a phone') await other.page.getByText('Narrow the search').tap()
      await facetOf(other.page, 'Language').getByText('English').waitFor()
      expect(await countsOf(other.page, 'Language')).to.deep.equal({ German: '1', English: '0' })
      expect(await facetOf(other.page, 'Year').locator(':checked').count()).to.equal(1)
    })
  }

  it('3. counts kinds of records that are not chosen, and goes back by the button of the browser', async () => {
    const { page, check } = await browser.open(origin)
    await page.goto(`${origin}/app/search?q=example`)
    await page.getByRole('checkbox', { name: 'Documents' }).check()
    await total(page, '4 records').waitFor()
    await page.goBack()
    expect(new URL(page.url()).search).to.equal('?q=example')
    expect(await page.getByRole('checkbox', { name: 'Documents' }).isChecked()).to.equal(false)
    await check()
  })

  it('3. narrows by the days of the last change, which the address keeps', async () => {
    const { page, check } = await browser.open(origin)
    await page.goto(`${origin}/app/search`)
    await page.locator('tbody tr').first().waitFor()
    const all = await page.locator('tbody tr').count()
    await page.getByLabel('Until', { exact: true }).fill('2001-02-03')
    await total(page, '0 records').waitFor()
    expect(new URL(page.url()).search).to.equal('?until=2001-02-03')
    await check()
    await page.getByLabel('Until', { exact: true }).fill('')
    await page.getByLabel('From', { exact: true }).fill('2001-02-03')
    await page.locator('tbody tr').first().waitFor()
    expect(await page.locator('tbody tr').count()).to.equal(all)
    expect(new URL(page.url()).search).to.equal('?from=2001-02-03')
  })

  it('sorts the list by its headings, which the address keeps, and matches of words by how well they match', async () => {
    const { page, check } = await browser.open(origin)
    const shownIds = () => page.locator('tbody td:nth-child(2)').allInnerTexts()
    const isSorted = async (search: string, ids: readonly string[]) => {
      await page.waitForURL(url => url.search === search)
      await waitUntil(`the order of ${search}`, async () => `${await shownIds()}` === `${ids}`)
    }
    const byId = page.getByRole('columnheader', { name: 'Id' })
    const byTime = page.getByRole('columnheader', { name: 'Changed' })
    await page.goto(`${origin}/app/search`)
    await byTime.and(page.locator('[aria-sort=descending]')).waitFor()
    await page.locator('tbody td').first().waitFor()
    const newestFirst = await shownIds()
    const ids = newestFirst.toSorted()
    expect(ids).to.not.deep.equal(newestFirst)
    await byId.getByRole('button').click()
    await isSorted('?sort=id%2Casc', ids)
    await byId.and(page.locator('[aria-sort=ascending]')).waitFor()
    expect(await page.locator('[aria-sort]').count()).to.equal(1)
    await check()

    // The focus stays at the heading, which turns the order round.
    await page.keyboard.press('Enter')
    await isSorted('?sort=id%2Cdesc', ids.toReversed())
    await page.reload()
    await byId.and(page.locator('[aria-sort=descending]')).waitFor()
    await byTime.getByRole('button').click()
    await isSorted('', newestFirst)
    const shown = (column: number) => page.locator(`tbody td:nth-child(${column})`).allInnerTexts()
    for (const [name, address] of [
      ['Title', '?sort=title%2Casc'],
      ['Schema', '?sort=schema%2Casc'],
      ['Version', '?sort=version%2Cdesc'],
    ] as const) {
      const heading = page.getByRole('columnheader', { name })
      await heading.getByRole('button').click()
      await page.waitForURL(url => url.search === address)
      await heading.and(page.locator('[aria-sort]')).waitFor()
      await page.locator('.found[aria-busy=false]').waitFor()
      expect((await shown(2)).toSorted()).to.deep.equal(ids)
      if (name === 'Title') {
        const titles = (await shown(1)).map(title => title.toLowerCase())
        expect(titles).to.deep.equal(titles.toSorted())
      }
    }
    await byTime.getByRole('button').click()
    await isSorted('', newestFirst)
    expect(await page.getByLabel('Order').count()).to.equal(0)
    await page.goto(`${origin}/app/search?q=example`)
    const order = page.getByLabel('Order')
    await order.waitFor()
    expect(await order.locator(':checked').innerText()).to.equal('Best match first')
    await order.selectOption('By id')
    await page.waitForURL('**/app/search?q=example&sort=id%2Casc')
  })

  it('goes from hit to hit by headings, and counts no creator that is nobody', async () => {
    const { page, check } = await browser.open(origin)
    await page.goto(`${origin}/app/search?q=steel`)
    await page.getByRole('heading', { level: 2, name: 'Steel rod 7' }).getByRole('link').waitFor()
    expect(await page.getByRole('heading', { level: 2 }).count()).to.equal(4)
    const creators = facetOf(page, 'Creator')
    await creators.getByText('Lovelace, Ada').waitFor()
    expect(await creators.getByText('someone without a login').count()).to.equal(0)
    await check()
    await page.goto(`${origin}/app/search?q=steel&author=SELF`)
    await creators.getByRole('checkbox', { name: 'someone without a login', checked: true }).waitFor()
  })

  it('431: a query that is too long for any address is cut, and the page says so', async () => {
    const { page, check } = await browser.open(origin)
    await page.goto(`${origin}/app/search`)
    const field = page.getByLabel('Words of the title, the id or the content')
    await field.fill('steel '.repeat(5000))

    await page.getByText('The query has more than 2000 characters. The rest is ignored.').waitFor()

    expect((await page.locator('h1').innerText()).length).to.be.below(100)
    await check()
  })

  it('431: the search box of all pages takes no text that is too long for an address', async () => {
    const { page } = await browser.open(origin)
    await page.goto(`${origin}/dashboard`)
    const box = page.getByRole('searchbox', { name: 'Search words' })
    await box.focus()
    await page.keyboard.insertText('鋼'.repeat(5000))
    await box.press('Enter')
    await page.getByRole('heading', { level: 1, name: /^Search: 鋼+$/ }).waitFor()
  })

  it('says how to find more, by what was asked', async () => {
    const { page } = await browser.open(origin)
    for (const [query, text] of [
      ['year=1066', 'Nothing that you may read matches. Try fewer choices.'],
      ['q=nowhere', 'Nothing that you may read matches. Try the beginning of a word (stee*).'],
    ]) {
      await page.goto(`${origin}/app/search?${query}`)
      await page.getByText(text ?? '', { exact: true }).waitFor()
    }
  })

  it('says what the search says of a query, and that nothing matches', async () => {
    const { page, check } = await browser.open(origin)
    await page.goto(`${origin}/app/search?q=${encodeURIComponent('"nowhere')}`)
    await page.getByText('A quotation mark has no partner').waitFor()
    await page.getByText('Nothing that you may read matches.').waitFor()
    await check()
  })

  it('is told in plain words that a field has no range, beside those of the interface', async () => {
    const { page } = await browser.open(origin, { expected: /^400 / })
    const plain =
      'Nothing is found by a range of “remark”, because no schema says that it is a number or a date.'
    for (const address of ['search', 'app/search']) {
      await page.goto(`${origin}/${address}?q=remark:1..5`)
      await page.getByText(plain).waitFor()
      await page.getByText('The field "document.remark" has no range. Declare it').waitFor()
    }
  })

  it('keeps what a person types with pauses, after which it searches', async () => {
    const { page } = await browser.open(origin)
    await page.goto(`${origin}/app/search`)
    const words = page.getByRole('searchbox', { name: 'Words of the title' })
    await words.focus()
    await page.keyboard.type('steel ')
    await page.waitForURL('**/app/search?q=steel')
    await total(page, '4 records').waitFor()
    await page.keyboard.type('rod')
    expect(await words.inputValue()).to.equal('steel rod')
    await page.waitForURL('**/app/search?q=steel+rod')
  })

  it('keeps what it narrows by before the words are searched that it has just typed', async () => {
    const { page } = await browser.open(origin)
    await page.goto(`${origin}/app/search`)
    await page.getByRole('checkbox', { name: /^2024,/ }).waitFor()
    await page.evaluate(`{
      const field = document.querySelector('main input[type=search]')
      field.value = 'steel'
      field.dispatchEvent(new Event('input', { bubbles: true }))
      document.querySelector('input[aria-label^="2024,"]').click()
    }`)
    await page.waitForURL('**/app/search?q=steel&year=2024')
  })

  it('sees no total of the search before beside the message that a search has failed', async () => {
    const { page } = await browser.open(origin, { expected: /^503 / })
    await page.goto(`${origin}/app/search`)
    await total(page, '6 records').waitFor()
    await page.route('**/api/v2/search?*', route => route.fulfill({ status: 503, body: '' }))
    await page.getByRole('searchbox', { name: 'Words of the title' }).fill('steel')
    await page.getByRole('alert').first().waitFor()
    expect(await total(page, '6 records').count()).to.equal(0)
  })

  it('types into the field of a page as soon as it is there: the heading does not take the focus', async () => {
    const { page } = await browser.open(origin)
    await page.goto(`${origin}/app/drafts`)
    const heading = page.getByRole('heading', { level: 1, name: 'Drafts in this browser' })
    await heading.waitFor()
    await page.evaluate(`new MutationObserver((_, observer) => {
      const field = document.querySelector('main input[type=search]')
      if (!field) return
      observer.disconnect()
      field.focus()
    }).observe(document.body, { childList: true, subtree: true })`)
    await page.getByRole('navigation').getByRole('link', { name: 'Search and list' }).first().click()
    await total(page, '6 records').waitFor()
    await page.keyboard.type('brittle')
    await page.waitForURL('**/app/search?q=brittle')
  })

  it('sees the list of keys with the key ?, and leaves the keys / and ? to texts, and can be told not to use them', async () => {
    const { page, check } = await browser.open(origin)
    await page.goto(`${origin}/app/search`)
    const words = page.getByRole('searchbox', { name: 'Words of the title' })
    await words.fill('a')
    await words.press('/')
    await words.press('?')
    expect(await words.inputValue()).to.equal('a/?')
    await page.locator('h1').focus()
    await page.keyboard.press('?')
    const keys = page.getByRole('dialog', { name: 'Keys' })
    await keys.getByText('Go to the next finding in a text').waitFor()
    await check()
    await page.keyboard.press('Escape')
    await keys.waitFor({ state: 'detached' })
    await page.locator('h1').and(page.locator(':focus')).waitFor()
    await page.getByRole('checkbox', { name: 'The key / leads to the search field' }).uncheck()
    await page.keyboard.press('?')
    expect(await keys.count()).to.equal(0)
    await page.keyboard.press('/')
    expect(await words.and(page.locator(':focus')).count()).to.equal(0)
  })

  it('says which record came after the list was read, and shows it when asked', async () => {
    const { page, check } = await browser.open(origin)
    await page.goto(`${origin}/app/search`)
    await page.getByRole('row').nth(1).waitFor()
    const before = await page.getByRole('row').count()

    await storeDocument(service, 'newcomer', { title: 'Newcomer' })

    await page.getByText('1 record has changed since this list was read:').waitFor()
    expect(await page.getByRole('row').count()).to.equal(before)
    await check()
    await page.getByRole('button', { name: 'Show them in the list' }).click()
    await page.getByRole('cell', { name: 'newcomer', exact: true }).first().waitFor()
    expect(await page.getByRole('row').count()).to.equal(before + 1)
    await searchHasAll(service)
  })

  for (const [where, options] of [
    ['on a desk', {}],
    ['on a phone in the dark', { ...phone, colorScheme: 'dark' }],
  ] as const)
    it(`sees in the list who made what a record describes, when, its licence and what it is about, ${where}`, async () => {
      const id = `torn-${where.length}`
      await storeDocument(service, id, {
        title: 'Torn',
        description: `<i>Bold</i> & <script>alert(1)</script> ${'long '.repeat(100)}`,
        keywords: ['fracture', '<b>force</b>'],
      })
      await searchHasAll(service)
      const { page, check } = await browser.open(origin, options)
      await page.goto(`${origin}/app/search`)
      const about = (shown: string) =>
        page
          .locator('tr')
          .filter({ has: page.locator('td.mono').getByText(shown, { exact: true }) })
          .locator('.about-record')
      await about('rod-7').waitFor()
      expect(await about('rod-7').locator('> span').allInnerTexts()).to.deep.equal([
        'Lovelace, Ada, 2022, CC-BY-4.0',
        'Pulled until failure',
      ])
      const torn = await about(id).locator('> span').allTextContents()
      expect(torn[0]).to.match(/^Bold & .*…$/)
      expect(torn[1]).to.equal('Keywords: fracture, <b>force</b>')
      expect(await page.locator('.about-record :is(b, i, script)').count()).to.equal(0)
      // It takes one line on a desk, and two on a phone.
      const height = (await about(id).boundingBox())?.height ?? 0
      expect(height).to.be.within(10, 'viewport' in options ? 40 : 20)
      await check()
      await page.goto(`${origin}/app/search?q=${id}`)
      await page.locator('.records .about-record').getByText('fracture').waitFor()
      await check()
    })

  /** The counts of a facet, by the shown values. */
  async function countsOf(page: Page, facet: string): Promise<Readonly<Record<string, string>>> {
    const labels = await facetOf(page, facet).locator('label').allTextContents()
    return Object.fromEntries(
      labels.map(text => {
        const [, value = '', count = ''] = /^(.*) (\S+)$/.exec(text) ?? []
        return [value, count] as const
      }),
    )
  }
})
