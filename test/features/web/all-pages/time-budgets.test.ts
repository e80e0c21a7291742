// test-schedule: alone
import { expect } from 'chai'
import type { Page } from 'playwright-core'
import type { Id } from '../../../../src/core/value-types.js'
import { recordDirectory } from '../../../../src/store/records/repository-layout.js'
import { type ServiceWithHistory, serviceWithHistory } from '../../../support/browser/example-history.js'
import { describeInBrowser, phone } from '../../../support/browser/open-browser.js'
import {
  metadataRecordV1,
  startServiceWithWorkTree,
  type TestService,
} from '../../../support/http/test-service.js'
import { removeRepositories } from '../../../support/repository/test-repository.js'

/*
 * The budgets of time. Another process can only make a page slower, so one of some tries must be within the budget.
 */

/** Tries until one is within the budget, in milliseconds. @returns the times of the tries */
async function triesWithin(budget: number, attempt: (number: number) => Promise<number>): Promise<number[]> {
  const times: number[] = []
  for (let number = 0; number < 3 && Math.min(...times) > budget; number++) times.push(await attempt(number))
  return times
}

const groups = 35
const fieldsOfGroup = 20
const member = (group: number, field: number) => `field-${group}-${field}`
const inGroups = <T>(field: (group: number, at: number) => readonly [string, T]) =>
  Array.from({ length: groups }, (_, group) => [
    `group-${group}`,
    Object.fromEntries(Array.from({ length: fieldsOfGroup }, (_, at) => field(group, at))),
  ])

/** A schema with 700 fields: texts, numbers, choices and truth values. */
const largeSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  properties: Object.fromEntries(
    inGroups((group, at) => [
      member(group, at),
      [{ type: 'string', minLength: 1 }, { type: 'number' }, { enum: ['a', 'b'] }, { type: 'boolean' }][
        at % 4
      ] as object,
    ]).map(([name, properties]) => [name, { type: 'object', properties }]),
  ),
}

const largeDocument = Object.fromEntries(
  inGroups((group, at) => [member(group, at), ['text', 1, 'a', true][at % 4]]),
)

describeInBrowser('the budgets of time', browser => {
  let history: ServiceWithHistory
  before(async () => {
    history = await serviceWithHistory()
    const { service } = history
    await service.postSchema({ schemaId: 'large' }, JSON.stringify(largeSchema)).expect(201)
    const record = {
      id: 'fields',
      schema: { identifier: 'large', identifierType: 'INTERNAL' },
      relatedResource: { identifier: 'https://example.org/large', identifierType: 'URL' },
    }
    await service.postMetadata(record, JSON.stringify(largeDocument, null, 2)).expect(201)
  })
  after(removeRepositories)

  for (const [address, complete] of [
    ['metadata/rod/versions', 'button:text("Compare the chosen versions")'],
    ['metadata/rod/edit', '.schema-form .fields'],
  ] as const)
    it(`show the largest part of ${address} on a slow phone within 2.5 s`, async () => {
      const paints = await triesWithin(2500, async () => {
        const { page } = await browser.open(history.origin, { ...phone, isAlone: true })
        await throttle(page)
        await page.goto(`${history.origin}/app/${address}`)
        await page.locator(complete).first().waitFor()
        const paint = await page.evaluate<number>(largestPaint)
        await page.context().close()
        return paint
      })

      expect(Math.min(...paints), `ms: ${paints.join(', ')}`).to.be.within(1, 2500)
    })

  it('answer a key in a form of 700 fields within 50 ms', async () => {
    const { page } = await browser.open(history.origin, { isAlone: true })
    await page.goto(`${history.origin}/app/metadata/fields/edit`)
    const field = page.getByLabel('Field 17 0', { exact: true })
    await field.waitFor()
    expect(await page.locator('.schema-form :is(input, select, textarea)').count()).to.be.at.least(
      groups * fieldsOfGroup,
    )
    await page.evaluate(watchKeys)

    await field.focus()
    for (let key = 0; key < 30; key++) {
      await page.keyboard.press('x')
      // Checks of the server begin in a pause, and are not a part of what a key takes.
      await page.evaluate('new Promise(resolve => setTimeout(resolve, 20))')
    }

    const times = (await page.evaluate<readonly number[]>('keyTimes')).toSorted((one, other) => one - other)
    expect(times).to.have.length(30)
    // Not the worst: beside other programs it was 36 to 188 ms in three runs, where the median was 13 to 17 ms.
    expect(times[15], `median of ms: ${times.join(', ')}`).to.be.at.most(50)
    expect(await field.inputValue()).to.equal(`text${'x'.repeat(30)}`)
  })

  it('mark a wrong value at its place within 1 s', async () => {
    const times = await triesWithin(1000, async () => {
      const { page } = await browser.open(history.origin, { isAlone: true })
      await page.goto(`${history.origin}/app/metadata/rod/edit?view=text`)
      await page.locator('.cm-content').focus()
      await page.keyboard.press('Control+a')
      await page.keyboard.press('Delete')
      await page.keyboard.insertText('{ "name": 17 }')
      const typed = Date.now()
      await page.locator('.cm-lintRange-error').waitFor()
      const time = Date.now() - typed
      expect(await page.locator('.cm-lintRange-error').allInnerTexts()).to.deep.equal(['"name"'])
      await page.context().close()
      return time
    })

    expect(Math.min(...times), `ms: ${times.join(', ')}`).to.be.at.most(1000)
  })
})

describeInBrowser('the budget of time of a change that is made with git', browser => {
  let service: TestService
  before(async () => {
    service = await startServiceWithWorkTree()
    await service.postSchema({ schemaId: 'rods' }, '{"type":"object"}').expect(201)
    const record = metadataRecordV1('https://example.org/rod', 'rods', { id: 'rod' })
    await service.postMetadata(record, '{ "name": "A" }').expect(201)
  })
  after(removeRepositories)

  it('has it in the feed, the list and the open record within 2 s', async () => {
    const origin = `http://127.0.0.1:${service.port}`
    const times = await triesWithin(2000, async number => {
      const version = number + 2
      const [changes, list, record] = await Promise.all(
        ['changes', 'search', 'metadata/rod/versions'].map(async address => {
          const { page } = await browser.open(origin, { isAlone: true })
          await page.goto(`${origin}/app/${address}`)
          return page
        }),
      )
      if (!changes || !list || !record) throw new Error('Three pages were opened.')
      const newest = changes.getByRole('region', { name: 'What changed' }).getByRole('listitem').first()
      await newest.waitFor()
      await list.getByRole('row').nth(1).waitFor()
      await record
        .getByRole('status')
        .filter({ hasText: /^\d versions?$/ })
        .waitFor()

      const file = `${recordDirectory('metadata', 'rod' as Id)}/document.json`
      await service.repository.commit(`Version ${version}`, { [file]: `{ "name": "${version}" }` })
      const committed = Date.now()
      await Promise.all([
        newest.filter({ hasText: `Version ${version}` }).waitFor(),
        list.getByText('1 record has changed since this list was read: rod').waitFor(),
        record.getByText(`Jane has just stored version ${version}.`).waitFor(),
      ])
      const time = Date.now() - committed
      for (const page of [changes, list, record]) await page.context().close()
      return time
    })

    expect(Math.min(...times), `ms: ${times.join(', ')}`).to.be.at.most(2000)
  })
})

/** A fast 3G network of a phone, and a processor that is four times slower. */
async function throttle(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page)
  await session.send('Network.enable')
  await session.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: 150,
    downloadThroughput: (1.6 * 2 ** 20) / 8,
    uploadThroughput: (750 * 2 ** 10) / 8,
  })
  await session.send('Emulation.setCPUThrottlingRate', { rate: 4 })
}

/*
 * Scripts for the page.
 */

const largestPaint = `new Promise(resolve => new PerformanceObserver(list => resolve(list.getEntries().at(-1).startTime))
  .observe({ type: 'largest-contentful-paint', buffered: true }))`

/** Notes the time from each key to the frame that shows its effect, in milliseconds. */
const watchKeys = `globalThis.keyTimes = []
addEventListener('keydown', () => {
  const start = performance.now()
  requestAnimationFrame(() => setTimeout(() => keyTimes.push(Math.round(performance.now() - start))))
}, true)`
