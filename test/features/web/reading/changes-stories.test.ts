import { expect } from 'chai'
import type { Page, Route } from 'playwright-core'
import type { Id } from '../../../../src/core/value-types.js'
import { recordDirectory } from '../../../../src/store/records/repository-layout.js'
import { describeInBrowser, isChangeStream, whileHeldBack } from '../../../support/browser/open-browser.js'
import {
  etagOf,
  jsonSchema,
  metadataType,
  startServiceWithWorkTree,
  type TestService,
} from '../../../support/http/test-service.js'
import { removeRepositories, waitUntil } from '../../../support/repository/test-repository.js'

describeInBrowser('a person who follows changes in the browser', browser => {
  let service: TestService
  let origin: string
  /** The commit of the document `rod`. */
  let commit: string
  before(async () => {
    service = await startServiceWithWorkTree()
    origin = `http://127.0.0.1:${service.port}`
    for (const [schemaId, label] of [
      ['rods', 'Rods'],
      ['beams', 'Beams'],
    ])
      await service.postSchema({ schemaId, label }, jsonSchema('name')).expect(201)
    const post = (id: string, schema: string) => {
      const relatedIdentifiers = [
        { value: `https://example.org/${id}`, identifierType: 'URL', relationType: 'IS_METADATA_FOR' },
        { value: schema, identifierType: 'INTERNAL', relationType: 'HAS_METADATA' },
      ]
      return service.http
        .post('/api/v2/metadata')
        .field('record', JSON.stringify({ id, titles: [{ value: `The ${id}` }], relatedIdentifiers }))
        .attach('document', Buffer.from('{ "name": "A" }'), 'document')
        .expect(201)
    }
    commit = etagOf(await post('rod', 'rods')).replaceAll('"', '')
    await post('beam', 'beams')
    const gone = await post('gone', 'rods')
    await service.http.delete('/api/v1/metadata/gone').set('If-Match', etagOf(gone)).expect(204)
    const again = await service.http.get('/api/v1/metadata/gone').set('Accept', recordType)
    if (again.status === 200)
      await service.http.delete('/api/v1/metadata/gone').set('If-Match', etagOf(again)).expect(204)
  })
  after(removeRepositories)

  const feed = (page: Page) => page.getByRole('region', { name: 'What changed' })

  it('23. sees a change made with git in the feed, the list and the open record', async () => {
    const windows = await Promise.all(
      ['changes', 'search', 'metadata/rod/versions'].map(async address => {
        const window = await browser.open(origin)
        await window.page.goto(`${origin}/app/${address}`)
        return window
      }),
    )
    const [changes, list, record] = windows.map(({ page }) => page) as [Page, Page, Page]
    await feed(changes).getByRole('listitem').first().waitFor()
    await list.getByRole('row').nth(1).waitFor()
    await record.getByRole('status').filter({ hasText: '1 version' }).waitFor()

    const file = `${recordDirectory('metadata', 'rod' as Id)}/document.json`
    await service.repository.commit('Straighten the rod', { [file]: '{ "name": "B" }' })

    const entry = feed(changes).getByRole('listitem').first().filter({ hasText: 'Jane changed the document' })
    await Promise.all([
      entry.waitFor(),
      list.getByText('1 record has changed since this list was read: rod').waitFor(),
      record.getByText('Jane has just stored version 2.').waitFor(),
    ])
    for (const { check } of windows) await check()
    await entry.getByRole('link').click()
    await changes.getByRole('heading', { name: 'The rod: version 1 and version 2' }).waitFor()
    await record.getByRole('button', { name: 'Show it' }).click()
    await record.getByRole('status').filter({ hasText: '2 versions' }).waitFor()
    await record.getByText('Straighten the rod').waitFor()
  })

  it('sees the newest change first, with who, what and when', async () => {
    const { page, check } = await browser.open(origin)
    await page.goto(`${origin}/app/changes`)
    const entries = feed(page).getByRole('listitem')
    await entries.nth(3).waitFor()
    await feed(page).getByRole('link', { name: 'Rods', exact: true }).waitFor()
    const texts = (await entries.allInnerTexts()).map(text => text.replace(/\s+/g, ' '))
    expect(texts.at(-1)).to.match(/^Someone without a login added the schema Rods .* Version 1, rods$/)
    expect(texts.some(text => /^Deleted: gone/.test(text))).to.equal(true)
    // The list of each day has the day as its heading.
    const days = await feed(page).getByRole('heading', { level: 2 }).allInnerTexts()
    expect(days[0]).to.match(/^\w+day,? \d{1,2} \w+ 20\d\d$/)
    expect(await feed(page).getByRole('list').count()).to.equal(days.length)
    await check()
  })

  it('sees the title of a record that comes while the page is open', async () => {
    const { page } = await browser.open(origin)
    await page.goto(`${origin}/app/changes`)
    await feed(page).getByRole('listitem').first().waitFor()
    await service
      .postSchema({ schemaId: 'pipes', label: 'Pipes of all kinds' }, jsonSchema('name'))
      .expect(201)
    await feed(page).getByRole('link', { name: 'Pipes of all kinds' }).waitFor()
  })

  it('narrows by kind, schema and person, and the address keeps it', async () => {
    const { page, check } = await browser.open(origin)
    await page.goto(`${origin}/app/changes`)
    await feed(page).getByRole('listitem').first().waitFor()
    await page.getByRole('combobox', { name: 'Documents or schemas' }).selectOption('metadata')
    await page.getByRole('combobox', { name: 'Schema', exact: true }).selectOption({ label: 'Beams' })
    await page.getByRole('button', { name: 'Show', exact: true }).click()

    await page.waitForURL('**/app/changes?kind=metadata&schema=beams')
    await feed(page).getByRole('link', { name: 'The beam' }).waitFor()
    expect(await feed(page).getByRole('link').count()).to.equal(1)
    await check()
    const person = page.getByRole('textbox', { name: 'Name of the person' })
    await person.fill('someone without a login')
    await page.getByRole('button', { name: 'Show', exact: true }).click()
    await page.waitForURL('**/app/changes?kind=metadata&schema=beams&author=SELF')
    await feed(page).getByRole('link', { name: 'The beam' }).waitFor()
    expect(await person.inputValue()).to.equal('someone without a login')
    await page.goto(`${origin}/app/changes?author=Nobody`)
    await page.getByText('There is no such change.').waitFor()
    await check()
  })

  it('sees only what has changed since a commit', async () => {
    const { page } = await browser.open(origin)
    await page.goto(`${origin}/app/changes?since=${commit}&kind=metadata`)
    await feed(page).getByText('The beam').waitFor()
    expect(await feed(page).getByText('added the document The rod').count()).to.equal(0)
    expect(await feed(page).getByText('added the document The beam').count()).to.equal(1)
    expect(await page.getByRole('button', { name: 'Show older changes' }).count()).to.equal(0)
  })

  it('reads one stream in all windows of a browser; when its window is closed, the next one goes on', async () => {
    const { page, check } = await browser.open(origin)
    const streams: string[] = []
    page.context().on('request', request => isChangeStream(request) && streams.push('opened'))
    const open = async (window: Page) => {
      const caughtUp = window.waitForResponse(each => each.url().includes('/api/changes?since='))
      await window.goto(`${origin}/app/metadata/beam/versions`)
      await caughtUp
    }
    const change = (text: string) =>
      service.repository.commit('Change the beam', {
        [`${recordDirectory('metadata', 'beam' as Id)}/document.json`]: JSON.stringify({ name: text }),
      })
    await open(page)
    await waitUntil('the stream', () => streams.length === 1)
    const second = await page.context().newPage()
    await open(second)
    await change('B')
    for (const window of [page, second]) await window.getByText('Jane has just stored version 2.').waitFor()
    expect(streams).to.have.length(1)
    await check()

    await page.close()
    await waitUntil('the stream of the second window', () => streams.length === 2)
    await change('C')

    await second.getByText('Jane has just stored version 3.').waitFor()
    expect(streams).to.have.length(2)
  })

  it('sees in lists and pickers that are open which titles somebody else changes', async () => {
    const rename = async (path: string, title: string) => {
      const address = `/api/v2/${path}`
      const { body } = await service.http.get(address).set('Accept', 'application/vnd.datacite.org+json')
      const { titles, relatedIdentifiers = [], ...record } = body
      const related = relatedIdentifiers.filter(
        ({ relationType }: Relation) => relationType !== 'HAS_METADATA',
      )
      const renamed = { ...record, titles: [{ ...titles[0], value: title }], relatedIdentifiers: related }
      await service.http
        .put(address)
        .set('If-Match', '*')
        .field('record', JSON.stringify(renamed))
        .expect(200)
    }
    const open = async (address: string) => {
      const window = await browser.open(origin)
      // Changes are told from the state on that the page shows.
      const told = window.page.waitForResponse(each => each.url().includes('/api/changes?'))
      await window.page.goto(`${origin}/app/${address}`)
      await told
      return window
    }
    const [list, picker, changes] = await Promise.all(['search', 'new', 'changes'].map(open))
    if (!list || !picker || !changes) throw new Error('A window is missing.')
    await list.page.getByRole('checkbox', { name: /^Beams,/ }).waitFor()
    await picker.page.getByRole('link', { name: 'Beams' }).waitFor()

    await rename('schemas/beams', 'Beams of steel')
    await rename('metadata/beam', 'The long beam')

    await list.page.getByRole('checkbox', { name: /^Beams of steel,/ }).waitFor()
    await list.page.getByRole('row').getByRole('link', { name: 'The long beam' }).waitFor()
    await picker.page.getByRole('link', { name: 'Beams of steel' }).waitFor()
    await feed(changes.page).getByRole('link', { name: 'The long beam' }).first().waitFor()
    expect(await feed(changes.page).getByRole('link', { name: 'The beam' }).count()).to.equal(0)
    for (const { check } of [list, picker, changes]) await check()
    // What changes while no list is open is read when one is opened again.
    await list.page.getByRole('link', { name: 'Drafts' }).first().click()
    await list.page.getByRole('heading', { level: 1, name: 'Drafts in this browser' }).waitFor()
    await rename('schemas/beams', 'Other beams')
    await list.page.goBack()
    await list.page.getByRole('checkbox', { name: /^Other beams,/ }).waitFor()
  })

  it('narrows by the title of a schema, of any number of schemas', async () => {
    const many = Array.from({ length: 210 }, (_, index) => `Kind ${String(index).padStart(3, '0')}`)
    const changes = many.map((title, index) => ({
      ...{ kind: 'schema', action: 'create', document: 'document' },
      record: { id: `kind-${index}`, titles: [{ value: title }], resourceType: jsonSchemaType },
    }))
    await service.http
      .post('/api/changesets')
      .field('changeset', JSON.stringify({ message: 'Many', changes }))
      .attach('document', Buffer.from(jsonSchema('name')), 'document')
      .expect(200)
    const { page, check } = await browser.open(origin, { expected: /^404 .*schemas/ })
    await page.goto(`${origin}/app/changes?kind=schema`)
    const field = page.getByRole('combobox', { name: 'Schema', exact: true })
    await field.fill('Kind 2')
    await page.getByRole('button', { name: 'Show', exact: true }).click()
    await page.getByRole('alert').filter({ hasText: 'Choose one of those that are offered' }).waitFor()
    await check()
    await page.locator('datalist option[value="Kind 209"]').waitFor({ state: 'attached' })
    await field.fill('Kind 209')
    await page.getByRole('button', { name: 'Show', exact: true }).click()

    await page.waitForURL('**/app/changes?kind=schema&schema=kind-209')
    await feed(page).getByRole('link', { name: 'Kind 209' }).waitFor()
    expect(await feed(page).getByRole('link').count()).to.equal(1)
    await waitUntil('the title', async () => (await field.inputValue()) === 'Kind 209')
    await check()

    const person = page.getByRole('textbox', { name: 'Name of the person' })
    await field.fill('Kind 208')
    await whileHeldBack(page, '**/api/v2/schemas?*', {
      ask: () => field.press('Enter'),
      work: () => person.fill('Jane'),
    })
    await page.waitForURL('**/app/changes?kind=schema&schema=kind-208')
    expect(await person.inputValue()).to.equal('Jane')
    await person.and(page.locator(':focus')).waitFor()
  })

  it('writes a filter while older changes are read: they do not take the focus', async () => {
    const { page } = await browser.open(origin)
    await page.goto(`${origin}/app/changes?kind=schema`)
    const person = page.getByRole('textbox', { name: 'Name of the person' })
    const entries = feed(page).getByRole('listitem')
    await entries.nth(99).waitFor()
    await whileHeldBack(page, '**/api/changes?*', {
      ask: () => page.getByRole('button', { name: 'Show older changes' }).click(),
      work: () => person.fill('Ja'),
    })
    await entries.nth(100).waitFor()
    await page.keyboard.type('ne')
    expect(await person.inputValue()).to.equal('Jane')
  })

  it('types on in the field that finds a schema when the server does not answer', async () => {
    const { page, check } = await browser.open(origin, { expected: /^503 / })
    await page.goto(`${origin}/app/new`)
    const field = page.getByRole('searchbox', { name: 'Find a schema by its title' })
    await field.focus()
    const refuse = (route: Route) => route.fulfill({ status: 503, body: '' })
    await page.route('**/api/v2/schemas?*q=*', refuse, { times: 1 })
    await page.keyboard.type('k')
    await page.getByRole('alert').first().waitFor()
    await check()
    await page.keyboard.type('ind 20')
    await page.getByRole('link', { name: 'Kind 209' }).waitFor()
    expect(await field.inputValue()).to.equal('kind 20')
    await check()
  })
})

interface Relation {
  readonly relationType: string
}

const jsonSchemaType = { value: 'JSON_Schema', typeGeneral: 'MODEL' }
const recordType = metadataType
