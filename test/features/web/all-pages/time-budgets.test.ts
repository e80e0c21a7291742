// test-schedule: alone
import { expect } from 'chai'
import type { CDPSession, Page } from 'playwright-core'
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
    ['new', 'ul.records a'],
    ['new?schema=rods', '.schema-form .fields'],
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

  it('answer each key in a form of 700 fields within 50 ms, and the one after a pause', async () => {
    const { page } = await browser.open(history.origin, { isAlone: true })
    await page.goto(`${history.origin}/app/metadata/fields/edit`)
    const field = page.getByLabel('Field 17 0', { exact: true })
    await field.waitFor()
    expect(await page.locator('.schema-form :is(input, select, textarea)').count()).to.be.at.least(
      groups * fieldsOfGroup,
    )
    await page.evaluate(watchKeys)
    const session = await page.context().newCDPSession(page)
    await session.send('Performance.enable', { timeDomain: 'threadTicks' })
    await field.focus()

    const pressed: number[][] = []
    for (let round = 0; round < 3 && !pressed.some(isWithinBudget); round++) {
      const times: number[] = []
      for (let key = 0; key < 20; key++) {
        const isBeforePause = key % 10 === 9
        const checked = isBeforePause && page.waitForResponse(/\/validate/)
        times.push(
          await processorTime(session, async () => {
            await page.keyboard.press('x')
            await page.evaluate(nextFrame)
          }),
        )
        // A key may come while the form is drawn and checked after a pause.
        if (isBeforePause)
          times.push(
            await processorTime(
              session,
              async () => {
                await checked
                await page.evaluate(nextFrame)
              },
              'ScriptDuration',
            ),
          )
      }
      pressed.push(times)
    }

    expect(
      pressed.some(isWithinBudget),
      `processor time in ms: ${pressed.map(times => times.join(', ')).join('; ')}`,
    ).to.equal(true)
    const shown = (await page.evaluate<readonly number[]>('keyTimes')).toSorted((one, other) => one - other)
    // Beside other programs a frame comes late: the median says when a key is seen.
    expect(shown[shown.length >> 1], `median of ms: ${shown.join(', ')}`).to.be.at.most(50)
    expect(await field.inputValue()).to.equal(`text${'x'.repeat(20 * pressed.length)}`)
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

/** Whether each key, also the slowest one, has taken some time, and at most that of the budget. */
function isWithinBudget(times: readonly number[]): boolean {
  return Math.min(...times) > 0 && Math.max(...times) <= 50
}

/**
 * Processor time that the main thread of a page takes for some work, in milliseconds: other programs do not add to it.
 * @param metric of the DevTools protocol
 */
async function processorTime(
  session: CDPSession,
  work: () => Promise<unknown>,
  metric: 'ThreadTime' | 'ScriptDuration' = 'ThreadTime',
): Promise<number> {
  async function read(): Promise<number> {
    const { metrics } = await session.send('Performance.getMetrics')
    return (metrics.find(({ name }) => name === metric)?.value ?? Number.NaN) * 1000
  }
  const before = await read()
  await work()
  return Math.round((await read()) - before)
}

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

const nextFrame = 'new Promise(resolve => requestAnimationFrame(() => setTimeout(resolve)))'

/** Notes the time from each key to the frame that shows its effect, in milliseconds. */
const watchKeys = `globalThis.keyTimes = []
addEventListener('keydown', () => {
  const start = performance.now()
  requestAnimationFrame(() => setTimeout(() => keyTimes.push(Math.round(performance.now() - start))))
}, true)`
