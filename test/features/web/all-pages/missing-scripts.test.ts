import { expect } from 'chai'
import { type ServiceWithHistory, serviceWithHistory } from '../../../support/browser/example-history.js'
import { describeInBrowser } from '../../../support/browser/open-browser.js'
import { removeRepositories, waitUntil } from '../../../support/repository/test-repository.js'

describeInBrowser('a person who writes while the server is updated', browser => {
  let history: ServiceWithHistory
  before(async () => {
    history = await serviceWithHistory()
  })
  after(removeRepositories)

  it('404 of a script: reads why a page is not there and loads it anew; nothing that was typed is lost', async () => {
    const { page, check } = await browser.open(history.origin, { expected: /^404 \/assets\// })
    await page.goto(`${history.origin}/app/metadata/rod/edit`)
    page.setDefaultTimeout(15_000)
    const name = page.getByRole('textbox', { name: /^Name/ })
    await name.fill('Typed before the update')
    await waitUntil('the draft', async () => (await page.evaluate('localStorage.length')) === 1)
    // A server of a later version has other names for its scripts.
    await page.route('**/assets/*.js', route => route.fulfill({ status: 404, body: '' }))

    await page.getByRole('button', { name: 'As text' }).click()
    await page.getByRole('alert').filter({ hasText: 'the server has a newer version' }).waitFor()
    await page.getByRole('link', { name: 'Versions', exact: true }).click()
    await page.getByRole('alert').filter({ hasText: 'the server has a newer version' }).waitFor()
    await check()
    await page.unroute('**/assets/*.js')
    await page.getByRole('button', { name: 'Load the page anew' }).click()

    await page.getByText('5 versions').waitFor()
    await page.getByRole('link', { name: 'Edit', exact: true }).click()
    await page.getByRole('button', { name: 'Continue with it' }).click()
    expect(await name.inputValue()).to.equal('Typed before the update')
    await check()
  })
})
