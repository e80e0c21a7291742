import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import { type ServiceWithHistory, serviceWithHistory } from '../../../support/browser/example-history.js'
import { describeInBrowser } from '../../../support/browser/open-browser.js'
import { removeRepositories, waitUntil } from '../../../support/repository/test-repository.js'

/** What must fail a test in the browser: a script that does it, and how it is reported. */
const wrongs: readonly (readonly [what: string, script: string, fault: RegExp])[] = [
  ['a message of an error', `console.error('wrong')`, /^console: wrong$/],
  ['an exception', `setTimeout(() => { throw new Error('thrown') })`, /^error: thrown$/],
  ['a promise that nobody awaits', `void Promise.reject(new Error('rejected'))`, /^error: rejected$/],
  [
    'code that is made from a text',
    `setTimeout(() => { try { new Function('1') } catch {} })`,
    /policy: (?:script-src|require-trusted-types-for) /,
  ],
  [
    'a style element in the page',
    `document.head.append(Object.assign(document.createElement('style'), { textContent: 'p {}' }))`,
    /policy: style-src-elem inline/,
  ],
  [
    'markup from a text',
    `setTimeout(() => { try { document.body.innerHTML = '<p>' } catch {} })`,
    /policy: require-trusted-types-for /,
  ],
  [
    'a request of a script to another server',
    `void fetch('OTHER').catch(() => undefined)`,
    /policy: connect-src /,
  ],
  ['a page of another server', `location.assign('OTHER')`, /^foreign request: http/],
  ['an answer that was not expected', `void fetch('/missing')`, /^status 404: /],
]

describeInBrowser('a page of the tests', browser => {
  let history: ServiceWithHistory
  before(async () => {
    history = await serviceWithHistory()
  })
  after(removeRepositories)

  const openVersions = async () => {
    const watched = await browser.open(history.origin, { isFaulty: true })
    await watched.page.goto(`${history.origin}/app/metadata/rod/versions`)
    await watched.page.getByRole('heading', { name: 'Versions of Steel rod' }).waitFor()
    return watched
  }

  for (const [what, script, fault] of wrongs) {
    it(`reports ${what}`, async () => {
      const other = createServer((_, response) => response.end()).listen(0, '127.0.0.1')
      await once(other, 'listening')
      const watched = await openVersions()
      await watched.check()

      const url = `http://127.0.0.1:${(other.address() as AddressInfo).port}/`
      await watched.page.evaluate(script.replace('OTHER', url))

      await waitUntil('the fault', () => watched.faults.some(each => fault.test(each)))
      other.close()
    })
  }

  it('reports a field without a name, also in a shadow root', async () => {
    const watched = await openVersions()

    await watched.page.evaluate(`
      const host = document.querySelector('main').appendChild(document.createElement('div'))
      host.attachShadow({ mode: 'open' }).append(document.createElement('input'))`)

    expect((await watched.accessibilityFaults()).join()).to.match(/^label: <input>/)
  })
})
