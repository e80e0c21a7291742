import { expect } from 'chai'
import type { Locator, Page } from 'playwright-core'
import { type ServiceWithHistory, serviceWithHistory } from '../../../support/browser/example-history.js'
import { describeInBrowser, type WatchedPage } from '../../../support/browser/open-browser.js'
import { pressUntilFocused } from '../../../support/browser/ways-of-input.js'
import { removeRepositories, waitUntil } from '../../../support/repository/test-repository.js'

const longHint =
  '(Required) The name of the entity that holds, archives, publishes, prints, distributes, releases, issues, or ' +
  'produces the resource. This property is used to formulate the citation, so consider the prominence of the role. ' +
  'For software, use Publisher for the code repository. If there is an entity other than a code repository, that ' +
  'holds, archives, publishes, prints, distributes, releases, issues, or produces the code, use the property Contributor.'

/** A schema with the shape of that of DataCite. */
const schema = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  title: 'Data set',
  type: 'object',
  definitions: { nameType: { type: 'string', enum: ['Organizational', 'Personal'] } },
  properties: {
    types: {
      type: 'object',
      properties: {
        resourceType: { type: 'string' },
        resourceTypeGeneral: { type: 'string', enum: ['Dataset', 'Text'] },
      },
      required: ['resourceType', 'resourceTypeGeneral'],
    },
    creators: {
      type: 'array',
      minItems: 2,
      items: {
        title: 'Creator',
        type: 'object',
        properties: {
          nameType: { $ref: '#/definitions/nameType' },
          name: { title: 'Full name', type: 'string', minLength: 3 },
          givenName: { type: 'string' },
        },
        required: ['name'],
      },
    },
    subjects: { type: 'array', items: { type: 'string' } },
    publisher: { type: 'string', description: longHint, minLength: 30 },
    abstract: { title: 'Description', type: 'string', description: 'What it is about.' },
    container: {
      type: 'object',
      properties: { containerTitle: { type: 'string' }, volume: { type: 'string' } },
      required: ['containerTitle'],
    },
  },
  required: ['creators', 'publisher', 'types'],
}

const first = {
  types: { resourceType: 'Table', resourceTypeGeneral: 'Dataset' },
  creators: [{ nameType: 'Personal', name: 'Doe, Jane' }, { name: 'Roe, Jo' }],
  subjects: ['steel', 'rods', 'welds'],
  publisher: 'A publisher with a name that is long',
  abstract: 'One.',
  container: { containerTitle: 'Journal' },
}

describeInBrowser('a person who fills a form with the keyboard', browser => {
  let history: ServiceWithHistory
  let watched: WatchedPage
  let page: Page
  before(async () => {
    history = await serviceWithHistory()
    await history.service.postSchema({ schemaId: 'sets' }, JSON.stringify(schema)).expect(201)
    const record = {
      id: 'set',
      schema: { identifier: 'sets', identifierType: 'INTERNAL' },
      relatedResource: { identifier: 'https://example.org/set', identifierType: 'URL' },
    }
    await history.service.postMetadata(record, JSON.stringify(first, null, 2)).expect(201)
  })
  after(removeRepositories)

  // No draft of the test before is offered: the storages of the browser are empty.
  beforeEach(async () => {
    watched = await browser.open(history.origin, { expected: /^4[12]2 / })
    page = watched.page
    await page.goto(`${history.origin}/app/metadata/set/edit`)
    await field('Publisher').waitFor()
  })

  const field = (label: string) => page.getByRole('textbox', { name: label })
  const button = (name: string) => page.getByRole('button', { name })
  const focusedId = () => page.evaluate<string>('document.activeElement.id')
  const hasFocus = (target: Locator) => target.and(page.locator(':focus')).waitFor()
  const described = async (target: Locator) =>
    await page.locator(`[id="${await target.getAttribute('aria-describedby')}"]`).innerText()
  const status = (text: string) => page.getByRole('status').filter({ hasText: text }).waitFor()
  /** What a screen reader has: names, roles and announcements. */
  const tree = () => page.locator('body').ariaSnapshot()
  const hears = (what: RegExp) => waitUntil(String(what), async () => what.test(await tree()))
  /** The findings of a check are beside the fields. */
  const checked = async () => {
    await page.keyboard.press('Control+Enter')
    await page.getByText(/^The server has \d+ findings?:$|^The text is valid/).waitFor()
  }

  for (const label of ['Publisher', 'Description']) {
    it(`types 200 characters into ${label} and deletes them: one element keeps the focus`, async () => {
      const typed = 'A long text of words. '.repeat(10).slice(0, 200)
      await field(label).focus()
      await page.keyboard.press('Control+A')
      const id = await focusedId()

      await page.keyboard.type(typed)

      expect(await focusedId()).to.equal(id)
      expect(await field(label).inputValue()).to.equal(typed)
      for (let key = 0; key < typed.length - 1; key++) await page.keyboard.press('Backspace')
      expect(await focusedId()).to.equal(id)
      expect(await field(label).inputValue()).to.equal('A')
    })
  }

  it('loses no letter of fast typing while findings come', async () => {
    await field('Publisher').fill('Too short')
    await page.getByText(/^The server has/).waitFor()
    const name = field('Full name').first()
    const typed = 'Kind, Bea and many other people whose names are typed fast. '.repeat(4)

    await name.focus()
    await page.keyboard.press('Control+A')
    await page.keyboard.type(typed, { delay: 5 })

    expect(await name.inputValue()).to.equal(typed)
  })

  it('reaches every field of the open groups with Tab, and goes back with Shift+Tab', async () => {
    const places = [
      field('Resource Type'),
      page.getByLabel('Resource Type General'),
      ...[0, 1].flatMap(at => [
        page.getByLabel('Name Type').nth(at),
        field('Full name').nth(at),
        field('Given Name').nth(at),
      ]),
      field('Container Title'),
      field('Volume'),
    ]
    await button('As text').focus()
    for (const place of places) await pressUntilFocused(page, 'Tab', place)
    for (const place of places.toReversed()) await pressUntilFocused(page, 'Shift+Tab', place)
    await watched.check()
  })

  it('hears what was found at a list', async () => {
    await button('Remove item 2 of Creators').press('Enter')
    await checked()

    for (const target of [page.getByRole('group', { name: 'Creators' }), button('Add to Creators')]) {
      expect(await target.getAttribute('aria-invalid')).to.equal('true')
      expect(await described(target)).to.contain('must NOT have fewer than 2 items')
    }
    await watched.check()
  })

  it('removes a group: the focus stays at its row, and a required group cannot be removed', async () => {
    await button('Remove Container').press('Enter')
    const group = page.locator('summary').filter({ hasText: 'Container' })
    await hasFocus(group)
    await status('Container removed.')
    expect(await button('Remove Types').count()).to.equal(0)
  })

  it('adds an item: it is not marked before it was left', async () => {
    await button('Add to Creators').press('Enter')
    await hasFocus(page.getByLabel('Name Type').nth(2))
    const name = field('Full name').nth(2)
    await page.getByText(/^The server has/).waitFor()
    expect(await name.getAttribute('aria-invalid')).to.equal('false')

    await pressUntilFocused(page, 'Tab', button('Add to Creators'))

    expect(await name.getAttribute('aria-invalid')).to.equal('true')
    expect(await described(name)).to.contain("must have required property 'name'")
  })

  it('keeps its place when items are removed and moved, and hears what has happened', async () => {
    await button('Move item 1 of Subjects down').press('Enter')
    await status('Now item 2 of 3.')
    await hasFocus(button('Move item 2 of Subjects down'))
    await page.keyboard.press('Enter')
    await status('Now item 3 of 3.')
    await hasFocus(button('Move item 3 of Subjects up'))
    await button('Remove item 1 of Subjects').press('Enter')
    await status('Item 1 removed, 2 left.')
    await hasFocus(field('Item 1'))
    expect(await field('Item 1').inputValue()).to.equal('welds')
    await button('Remove item 2 of Subjects').press('Enter')
    await status('Item 2 removed, 1 left.')
    await hasFocus(button('Add to Subjects'))
    await button('Remove item 1 of Creators').press('Enter')
    await hasFocus(page.locator('summary').filter({ hasText: 'Roe, Jo' }))
  })

  it('knows items by their names, and reads as much of a hint as is wanted', async () => {
    await page.locator('summary').filter({ hasText: 'Creator 1 Doe, Jane' }).waitFor()
    const hint = page.getByText('The name of the entity that holds')
    const height = async () => (await hint.boundingBox())?.height ?? 0
    expect(await hint.innerText()).to.match(/^The name/)
    const folded = await height()
    await button('More').press('Enter')
    expect(await height()).to.be.above(folded)
    await button('Less').press('Enter')
    expect(await height()).to.equal(folded)
    const [row, remove] = await Promise.all([
      page.locator('summary').filter({ hasText: 'Doe, Jane' }).boundingBox(),
      button('Remove item 1 of Creators').boundingBox(),
    ])
    expect(Math.abs((row?.y ?? 0) - (remove?.y ?? 100))).to.be.below(16)
    await watched.check()
  })

  it('sees that the fields of a document that is open in another window cannot be changed', async () => {
    const other = await page.context().newPage()
    await other.goto(`${history.origin}/app/metadata/set/edit`)
    const fieldOfBoth = [page, other].map(each => each.getByRole('textbox', { name: 'Publisher' }))
    await fieldOfBoth[1]?.waitFor()

    expect(await Promise.all(fieldOfBoth.map(each => each.isEnabled()))).to.deep.equal([true, false])
    const colours = fieldOfBoth.map(async each => {
      const id = (await each.getAttribute('id')) ?? ''
      const script = `getComputedStyle(document.getElementById(${JSON.stringify(id)})).backgroundColor`
      return await each.page().evaluate<string>(script)
    })
    const [own, others] = await Promise.all(colours)
    expect(others).to.not.equal(own)
  })

  it('is not told anew what a pause of typing has not changed', async () => {
    await field('Publisher').fill('Too short')
    await page.getByText(/^The server has 1 finding:$/).waitFor()
    await page.evaluate(watchAnnouncements)

    const checks = page.waitForResponse(/\/validate/)
    await field('Publisher').press('End')
    await page.keyboard.type('x')
    await checks
    await button('Check without storing').waitFor()

    expect(await page.evaluate('globalThis.announced')).to.deep.equal([])
  })

  it('25. loses the network, opens the page again and stores the text, by names, roles and announcements alone', async () => {
    await pressUntilFocused(page, 'Tab', field('Description'))
    await page.context().setOffline(true)
    await page.keyboard.press('Control+A')
    await page.keyboard.type('Offline')
    await hears(/- status:\s+- paragraph: Not connected to the server\. Your text is kept in this browser\./)
    await waitUntil('the draft', async () => (await page.evaluate('localStorage.length')) === 1)
    await page.context().setOffline(false)

    await page.reload()

    await hears(
      /- region "[^"]+":\n\s+- alert:\s+- text: This browser has kept a text that you have not stored/,
    )
    await pressUntilFocused(page, 'Tab', button('Continue with it'))
    await page.keyboard.press('Enter')
    await hasFocus(page.getByRole('heading', { level: 1 }))
    await hears(/- textbox "Description": Offline/)
    await page.keyboard.press('Control+s')
    await hears(/- status: .*Stored as version 2\./)
    await page.reload()
    await hears(/- textbox "Description": Offline/)
    expect(await tree()).not.to.contain('This browser has kept a text')
  })

  it('25. is told that somebody has stored, and stores both changes, by names, roles and announcements alone', async () => {
    const stored = async () => (await history.service.http.get('/api/v1/metadata/set').expect(200)).body
    await pressUntilFocused(page, 'Tab', field('Description'))
    await page.keyboard.press('Control+A')
    await page.keyboard.type('Mine')
    const theirs = JSON.stringify(
      { ...(await stored()), publisher: 'Another publisher with a long name' },
      null,
      2,
    )
    await history.service.putMetadata('set', '*', undefined, theirs).expect(200)

    await hears(/- alert: Version \d+ was stored by someone without a login while you were editing/)
    await page.keyboard.press('Control+s')

    await hears(/- status: .*Its changes and yours are in version \d+\./)
    await hears(/- textbox "Publisher \(required\)": Another publisher with a long name/)
    expect(await stored()).to.include({ abstract: 'Mine', publisher: 'Another publisher with a long name' })
  })
})

/** A script for the page. Its types are not those of the tests. */
const watchAnnouncements = `globalThis.announced = []
new MutationObserver(records => {
  for (const { target, addedNodes } of records)
    for (const node of [target, ...addedNodes]) {
      const live = (node.nodeType === 1 ? node : node.parentElement)?.closest('[role=status], [role=alert]')
      if (live) announced.push(live.outerHTML)
    }
}).observe(document.body, { subtree: true, childList: true, characterData: true })`
