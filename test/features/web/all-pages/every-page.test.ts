import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { type ServiceWithHistory, serviceWithHistory } from '../../../support/browser/example-history.js'
import { describeInBrowser, phone } from '../../../support/browser/open-browser.js'
import { base, metadataRecordV1 } from '../../../support/http/test-service.js'
import { isLongForm } from '../../../support/program/long-form.js'
import { removeRepositories, waitUntil } from '../../../support/repository/test-repository.js'

/** The pages of the application, and what is there when a page is complete. */
const pages: readonly (readonly [address: string, complete: string])[] = [
  ['metadata/rod', 'aside details'],
  ['schemas/rods', '.drawn .tree li'],
  ['metadata/rod/versions', 'button[type=submit]:text("Compare the chosen versions")'],
  ['metadata/rod/compare?from=2&to=4', '.cm-content'],
  ['metadata/rod/compare?from=2&to=4&view=list', 'table'],
  ['schemas/rods/compare?from=2&to=3&view=list', 'table'],
  ['metadata/rod/blame', 'table'],
  ['metadata/rod/restore?version=2', 'button:text("Store version 2")'],
  ['metadata/rod/edit', '.schema-form .fields'],
  ['metadata/rod/edit?view=text', '.cm-content'],
  ['new', 'a:text("rods")'],
  ['new?schema=rods', '.schema-form .fields'],
  ['metadata/rod/access', 'button:text("Store the rights")'],
  ['login', 'text=This server asks nobody to log in'],
  ['search', 'tbody td a'],
  ['search?q=rod', '.records mark'],
  ['changes', '.feed a'],
  ['schemas/new', '.cm-content'],
  ['schemas/rods/edit', '.cm-content'],
  ['schemas/rods/impact', 'text=All checked.'],
  ['upload', 'button:text("Choose files")'],
  ['drafts', 'text=There are no drafts.'],
]

/** Pages of a record without a title of its own: they show the title of its document, and of its schema. */
const untitledPages: typeof pages = [
  ['metadata/untitled/versions', 'h1:text("Titled rod")'],
  ['metadata/untitled/compare?from=1&to=2', '.cm-content'],
  ['metadata/untitled/compare', '.cm-content'],
  ['metadata/untitled/blame', 'table'],
  ['metadata/untitled/restore?version=1', 'button:text("Store version 1")'],
  ['metadata/untitled/edit', '.schema-form .fields'],
  ['metadata/untitled/access', 'button:text("Store the rights")'],
  ['changes', '.feed a:text("Titled rod")'],
  ['metadata/untitled/compare?from=1&to=2&at=main', '.cm-content'],
  ['changes?at=main', '.feed a:text("Titled rod")'],
]

/** Pages of the server, which are there without a script. */
const serverPages = [
  'dashboard',
  'metadata-management',
  'schema-management',
  'search?q=rod',
  'metadata-landing-page?id=rod',
  'compare/metadata/rod?from=2&to=4',
  'compare/schemas/rods?from=2&to=3',
]

/** Widths of windows at which the layout of pages changes, in pixels. */
const widths = [320, 360, 400, 600, 900]
const longWords = {
  id: 'relationtypeisidenticalto-0b8f3f7a52c4',
  title: `${'On the influence of heat, '.repeat(9)}${'Verbindungseigenschaftsuntersuchung'.repeat(3)}`,
}

interface Look {
  readonly name: string
  readonly media?: Parameters<Page['emulateMedia']>[0]
  readonly viewport?: { readonly width: number; readonly height: number }
  /** In the usual form, every second page has this look. Without it, every page has it in both forms. */
  readonly turn?: number
}

/** The first is there when a page loads; in the long form, each is. */
const looks: readonly Look[] = [
  { name: 'in dark colours', media: { colorScheme: 'dark', forcedColors: 'none' } },
  { name: 'in forced colours', media: { colorScheme: 'light', forcedColors: 'active' }, turn: 0 },
  { name: 'at 320 pixels, as at 400 % zoom', viewport: { width: 320, height: 256 }, turn: 1 },
]

/** What one touches that is less than 44 pixels high. A box is touched with its label. Links in texts are no targets. */
const smallTargets = `[...document.querySelectorAll(
  'button, input:not([type=hidden]), select, textarea, summary, .button, header a:not(.skip), .pager a, td:first-child > a, h2 > a'
)].map(element => /^(checkbox|radio)$/.test(element.type) ? element.closest('label') ?? element : element)
  .filter(element => element.checkVisibility() && element.getBoundingClientRect().height < 43.9)
  .map(element => element.outerHTML.slice(0, 120) + ' ' + element.getBoundingClientRect().height)`

/** Cells of tables that are narrower than their words. */
const wideCells = `[...document.querySelectorAll('td')]
  .filter(cell => cell.scrollWidth > cell.clientWidth + 1).map(cell => cell.outerHTML.slice(0, 200))`

/** Positions of the first lines of the cells in the row with the long title, in pixels. */
const firstLines = `[...[...document.querySelectorAll('tbody tr')].find(
  row => row.textContent.includes('${longWords.title}')).cells].map(cell => {
    const range = document.createRange()
    range.selectNodeContents(document.createTreeWalker(cell, NodeFilter.SHOW_TEXT).nextNode())
    return range.getClientRects()[0].top
  })`

/** Words of the interface, of HTTP and of validators. The rights of a record name SELF beside the plain words. */
const unexplained =
  /\b(?:VOLATILE|FIXED|REVOKED|GONE|READ|WRITE|ADMINISTRATE|anonymousUser|ETag|Linkset|catalog good|undefined)\b|must NOT|(?<!\()\bSELF\b/g

describeInBrowser('every page of the browser application', browser => {
  let history: ServiceWithHistory
  before(async () => {
    history = await serviceWithHistory()
    const { id, title } = longWords
    const relatedIdentifiers = [
      { identifierType: 'URL', relationType: 'IS_METADATA_FOR', value: `https://example.org/${id}` },
      { identifierType: 'URL', relationType: 'HAS_METADATA', value: `${base}/api/v2/schemas/rods?version=3` },
    ]
    await history.service.http
      .post('/api/v2/metadata')
      .field('record', JSON.stringify({ id, titles: [{ value: title }], relatedIdentifiers }))
      .attach('document', Buffer.from('{ "name": "Rod D" }'), 'document')
      .expect(201)
    const untitled = metadataRecordV1('https://example.org/untitled', 'rods', { id: 'untitled' })
    const text = JSON.stringify({ name: 'Rod', title: 'Titled rod' }, null, 2)
    await history.service.postMetadata(untitled, text).expect(201)
    await history.service.http
      .put('/api/v1/metadata/untitled')
      .set('If-Match', '*')
      .attach('document', Buffer.from(text.replace('"Rod"', '"Rod E"')), 'document')
      .expect(200)
  })
  after(removeRepositories)

  it(`has no findings of accessibility, and does not scroll to the side, ${looks.map(({ name }) => name).join(', ')}`, async () => {
    const { page, check } = await browser.open(history.origin)
    for (const [at, [address, complete]] of pages.entries()) {
      for (const [number, { name, media, viewport, turn }] of looks.entries()) {
        if (!isLongForm && turn !== undefined && at % 2 !== turn) continue
        await page.emulateMedia(media ?? { colorScheme: 'light', forcedColors: 'none' })
        await page.setViewportSize(viewport ?? { width: 1280, height: 800 })
        if (number === 0 || isLongForm) {
          await page.goto(`${history.origin}/app/${address}`)
          await page.locator(complete).first().waitFor()
        }
        await check().catch((cause: Error) => {
          throw new Error(`${address}, ${name}: ${cause.message}`, { cause })
        })
      }
    }
  })

  it('does not scroll to the side in windows of any width, has targets of 44 pixels and plain words, on a phone', async () => {
    const { page, sideScroll } = await browser.open(history.origin, phone)
    const scrolling: string[] = []
    const small: string[] = []
    const strange: string[] = []
    const look = async (address: string) => {
      const text = await page.locator('body').innerText()
      strange.push(...(text.match(unexplained) ?? []).map(word => `${address}: ${word}`))
      small.push(...(await page.evaluate<readonly string[]>(smallTargets)).map(each => `${address}: ${each}`))
      for (const width of widths) {
        await page.setViewportSize({ width, height: 740 })
        if ((await sideScroll()) > 0) scrolling.push(`${address} at ${width}`)
      }
    }
    for (const [address, complete] of pages) {
      await page.goto(`${history.origin}/app/${address}`)
      await page.locator(complete).first().waitFor()
      await look(address)
    }
    for (const address of serverPages) {
      await page.goto(`${history.origin}/${address}`)
      await look(address)
    }
    expect(scrolling).to.deep.equal([])
    expect(small.join('\n')).to.equal('')
    expect(strange).to.deep.equal([])
  })

  it('has its whole navigation, and links to what stands below the document, at the top on a phone', async () => {
    const { page } = await browser.open(history.origin, phone)
    await page.goto(`${history.origin}/metadata-landing-page?id=rod`)
    const header = page.getByRole('navigation', { name: 'Pages', exact: true })
    expect(await header.evaluate(nav => nav.scrollWidth - nav.clientWidth)).to.equal(0)
    const jumps = page.getByRole('navigation', { name: 'On this page' })
    expect((await jumps.boundingBox())?.y).to.be.below(740)
    expect(await jumps.getByRole('link').allInnerTexts()).to.deep.equal([
      'About',
      'Cite',
      'Export',
      'History',
      'Download, JSON, 131 bytes',
    ])
    for (const id of ['about', 'cite', 'export', 'versions']) {
      await jumps.locator(`a[href="#${id}"]`).click()
      expect(await page.locator(`h2#${id}`).count()).to.equal(1)
      expect(await page.evaluate<boolean>('scrollY > 0')).to.equal(true)
      await page.evaluate('scrollTo(0, 0)')
    }
    await page.setViewportSize({ width: 1280, height: 800 })
    await jumps.waitFor({ state: 'hidden' })
  })

  it('keeps long words in the cell of their column, and shows ids in lines of words', async () => {
    const { page } = await browser.open(history.origin)
    for (const address of ['app/search', 'metadata-management']) {
      await page.goto(`${history.origin}/${address}`)
      const row = page.getByRole('row').filter({ hasText: longWords.title })
      await row.waitFor()
      expect(await page.evaluate<readonly string[]>(wideCells), address).to.deep.equal([])
      const id = await row.getByRole('cell').nth(1).boundingBox()
      expect(id?.width, `width of the id in ${address}`).to.be.at.least(100)
      const [titleTop = 0, ...others] = await page.evaluate<readonly number[]>(firstLines)
      for (const top of others) expect(top, address).to.be.closeTo(titleTop, 6)
    }
  })

  it('shows all columns of a table of a drawn document, on a phone', async () => {
    const text = (name: string) => `${name} of the third measurement`
    const measurement = {
      instrument: text('The instrument'),
      operator: text('The operator'),
      sample: text('The sample'),
      result: text('The result'),
    }
    const record = metadataRecordV1('https://example.org/table', 'rods', { id: 'table' })
    const document = { name: 'Rod T', measurements: [measurement, measurement] }
    await history.service.postMetadata(record, JSON.stringify(document)).expect(201)
    const { page, check } = await browser.open(history.origin, phone)
    await page.goto(`${history.origin}/metadata-landing-page?id=table`)

    const cells = page.locator('.drawn td')
    expect(await cells.count()).to.equal(8)
    for (const cell of await cells.all()) {
      const { x = 0, width = 0 } = (await cell.boundingBox()) ?? {}
      expect(width).to.be.above(0)
      expect(x + width).to.be.at.most(360)
    }
    const heading = "getComputedStyle(document.querySelector('.drawn td'), '::before').content"
    expect(await page.evaluate<string>(heading)).to.equal('"Instrument"')
    await check()
  })

  it('has a title of its own, and asks for little: at most four requests to the interface before anything is done', async () => {
    const { page } = await browser.open(history.origin)
    let asked: string[] = []
    page.on('request', request => {
      const { pathname } = new URL(request.url())
      if (pathname.startsWith('/api/')) asked.push(pathname)
    })
    const titles = new Set<string>()
    for (const [address, complete] of [...pages, ...untitledPages]) {
      // What the page before still asks for is not counted.
      await page.goto('about:blank')
      asked = []
      await page.goto(`${history.origin}/app/${address}`)
      await page.locator(complete).first().waitFor()
      // The name of a record can come after the rest of its page.
      const name = address.startsWith('metadata/untitled') ? 'Titled rod' : 'Steel rod'
      if (address.startsWith('metadata/'))
        await waitUntil(`${address} has its title`, async () => (await page.title()).includes(name))
      titles.add(await page.title())
      if (address !== 'metadata/rod') expect(asked.length, `${address}: ${asked.join(' ')}`).to.be.at.most(4)
    }
    // Both views of a comparison, both of the editor, both comparisons of two versions, and both lists of changes have one title.
    expect(titles.size).to.equal(pages.length + untitledPages.length - 4)
  })

  it('asks for a record, what it describes, its document and its form; for the rest when these are drawn', async () => {
    const { page } = await browser.open(history.origin)
    // The feed of changes is read a second later.
    const asked: string[] = []
    page.on('request', request => {
      const { pathname } = new URL(request.url())
      if (pathname.startsWith('/api/v2/')) asked.push(pathname)
    })
    let release = () => {}
    const isReleased = new Promise<void>(resolve => {
      release = resolve
    })
    await page.route('**/bundle?*', async route => {
      await isReleased
      await route.continue()
    })
    const form = page.waitForRequest('**/bundle?*')

    await page.goto(`${history.origin}/app/metadata/rod`)
    await form
    await page.getByRole('heading', { level: 1, name: 'Steel rod' }).waitFor()
    await page.locator('aside details').waitFor()

    const path = '/api/v2/metadata/rod'
    expect(asked).to.have.members([
      path,
      `${path}/overview`,
      `${path}/description`,
      '/api/v2/schemas/rods/bundle',
    ])
    release()
    await page.locator('aside').getByText('5, the newest').waitFor()
  })

  it('asks for the facts beside a document when a person comes to them, on a phone', async () => {
    const { page } = await browser.open(history.origin, phone)
    const asked: string[] = []
    page.on('request', request => asked.push(new URL(request.url()).pathname))
    const feed = page.waitForRequest('**/api/changes?*')
    await page.goto(`${history.origin}/app/metadata/rod`)
    await page.locator('.schema-form .fields').first().waitFor()
    await feed
    expect(asked).to.not.include('/api/v2/metadata/rod/versions')

    await page.locator('#facts').scrollIntoViewIfNeeded()

    await page.locator('aside').getByText('5, the newest').waitFor()
    expect(asked).to.include('/api/v2/metadata/rod/versions')
  })
})
