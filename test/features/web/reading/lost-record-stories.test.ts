import { expect } from 'chai'
import { type ServiceWithHistory, serviceWithHistory } from '../../../support/browser/example-history.js'
import { describeInBrowser } from '../../../support/browser/open-browser.js'
import { replaceText } from '../../../support/browser/ways-of-input.js'
import { metadataRecordV1 } from '../../../support/http/test-service.js'
import { removeRepositories, waitUntil } from '../../../support/repository/test-repository.js'

/** Name of the links to the pages of a record. */
const tabs = 'This record'

describeInBrowser('404 and REVOKED: a person who looks for a record that is deleted', browser => {
  let history: ServiceWithHistory
  before(async () => {
    history = await serviceWithHistory()
  })
  after(removeRepositories)

  const remove = async (id: string) => {
    await history.service.http.delete(`/api/v1/metadata/${id}`).set('If-Match', '*').expect(204)
  }
  const add = async (id: string) => {
    const record = metadataRecordV1(`https://example.org/${id}`, 'rods', { id })
    await history.service.postMetadata(record, '{ "name": "Lost" }').expect(201)
  }

  it('sees what is known of it: when it was added and deleted, the text of this browser, and a search for its name', async () => {
    await add('lost')
    const { page, check } = await browser.open(history.origin, { expected: /^404 / })
    await page.goto(`${history.origin}/app/metadata/lost/edit?view=text`)
    await replaceText(page, '{ "name": "Typed, not stored" }')
    await waitUntil('the draft', async () => (await page.evaluate('localStorage.length')) === 1)
    await remove('lost')
    await remove('lost')
    page.on('dialog', dialog => void dialog.accept())
    await page.reload()

    const known = page.getByRole('region', { name: 'What is known of it' })
    await known.getByText('Deleted for good').waitFor()
    expect(await known.locator('dt').allInnerTexts()).to.deep.equal(['Title', 'State', 'Deleted', 'Added'])
    expect(await known.locator('time').count()).to.equal(2)
    expect(await known.locator('dd').nth(2).innerText()).to.match(/, someone without a login$/)
    expect(await page.getByRole('navigation', { name: tabs }).count()).to.equal(0)
    await known.getByText('Its versions cannot be read here any more').waitFor()
    await check()
    const download = page.waitForEvent('download')
    await page
      .getByRole('region', { name: 'A text that was not stored' })
      .getByRole('button', { name: 'Save it as a file' })
      .click()
    await download
    await page.getByRole('link', { name: 'Search for “lost”' }).click()
    await page.getByRole('heading', { level: 1, name: 'lost – Search' }).waitFor()
  })

  it('is told no more of a record that never was', async () => {
    const { page, check } = await browser.open(history.origin, { expected: /^404 / })
    const fed = page.waitForResponse(/\/api\/changes\?.*before=now/)
    await page.goto(`${history.origin}/app/metadata/never`)

    await fed
    await page.getByRole('link', { name: 'Search for “never”' }).waitFor()
    await page.getByRole('navigation', { name: tabs }).waitFor({ state: 'detached' })
    expect(await page.getByText('What is known of it').count()).to.equal(0)
    await check()
  })

  it('keeps the other pages of a record whose version is missing', async () => {
    await add('young')
    const { page, check } = await browser.open(history.origin, { expected: /^404 / })
    const read = page.waitForResponse(/\/metadata\/young\/overview$/)
    await page.goto(`${history.origin}/app/metadata/young?version=9`)

    await read
    await page.getByRole('link', { name: 'Search for “young”' }).waitFor()
    await page.getByRole('navigation', { name: tabs }).getByRole('link', { name: 'Versions' }).click()
    await page.getByText('1 version').first().waitFor()
    await check()
  })

  it('reads a record that is withdrawn with its versions, if it may, and is led to what can be done', async () => {
    await add('withdrawn')
    await remove('withdrawn')
    const { page, check } = await browser.open(history.origin)
    await page.goto(`${history.origin}/app/metadata/withdrawn`)

    await page.getByText('This record is withdrawn').waitFor()
    await page.getByRole('link', { name: 'Versions' }).waitFor()
    await page.getByText('Withdrawn: only people who may do everything').waitFor()
    await check()
    await page.getByRole('link', { name: 'Bring it back, or delete it for good' }).click()
    await page.getByRole('button', { name: 'Bring it back' }).waitFor()
  })
})
