// test-schedule: alone
import { expect } from 'chai'
import { generate } from '../../../../bench/data/generate-repository.js'
import { describeInBrowser, startMeasuring } from '../../../support/browser/open-browser.js'
import { startService } from '../../../support/http/test-service.js'
import { isLongForm } from '../../../support/program/long-form.js'
import { removeRepositories, temporaryRepository } from '../../../support/repository/test-repository.js'

/** A repository with a million records takes minutes to make. What a page keeps does not depend on the number of all. */
const records = isLongForm ? 1_000_000 : 5000
/** Rows to scroll in a round: more than a list keeps. */
const rowsOfRound = isLongForm ? 2100 : 700
const maxRounds = 6
/** Records that a list keeps. */
const maxKept = 500
const longestPause = 200
const maxMemory = 200 * 2 ** 20

describeInBrowser('a long list in the browser', browser => {
  let origin: string
  before(async function () {
    this.timeout(isLongForm ? 3_600_000 : 600_000)
    const make = async (folder: string) => {
      const size = { records, versions: 1, schemas: 1, seed: 'long list', together: 1000 }
      await generate(folder, { ...size, bare: true, brief: true })
    }
    const service = await startService({}, {}, await temporaryRepository({ bare: true, make }))
    origin = `http://127.0.0.1:${service.port}`
    const since = await service.head()
    const hasAll = () => service.http.get(`/api/v1/search?size=1&since=${since}&wait=60`)
    for (let answer = await hasAll(); answer.status !== 200; answer = await hasAll())
      expect(answer.status, answer.text).to.equal(503)
  })
  after(removeRepositories)

  it('4. scrolls without a pause of 200 ms, keeps at most 500 rows and little memory, and goes back up', async () => {
    const { page, check } = await browser.open(origin, { isAlone: true })
    await page.goto(`${origin}/app/search`)
    await page
      .getByRole('status')
      .filter({ hasText: `${(records + 1).toLocaleString('en')} records` })
      .waitFor()
    await page.getByRole('row').nth(50).waitFor()
    const first = await page.getByRole('row').nth(1).getByRole('link').first().innerText()
    const client = await page.context().newCDPSession(page)
    await client.send('Performance.enable')
    const longest: number[] = []
    const reached = async () => Number(await page.getByRole('row').last().getAttribute('aria-rowindex'))

    // A machine with other work may take a frame from some of the rounds, but not from all of them.
    for (let round = 0; round < maxRounds && Math.min(...longest) >= longestPause; round++) {
      await page.evaluate(startMeasuring)
      const before = await reached()
      for (let end = before; end < before + rowsOfRound; end = await reached()) {
        await page.mouse.wheel(0, 2500)
        await page.waitForTimeout(20)
        expect(await page.locator('tbody > tr').count()).to.be.at.most(maxKept)
      }
      longest.push(await page.evaluate<number>('longestFrame'))
    }

    expect(Math.min(...longest), `longest frames of the rounds: ${longest.join(', ')} ms`).to.be.below(
      longestPause,
    )
    const { metrics } = await client.send('Performance.getMetrics')
    const memory = metrics.find(({ name }) => name === 'JSHeapUsedSize')?.value ?? Number.NaN
    expect(memory).to.be.below(maxMemory)
    await check()
    const above = await page.evaluate<number>('scrollY')
    while ((await page.evaluate<number>('scrollY')) > 0) {
      await page.mouse.wheel(0, -8000)
      await page.waitForTimeout(20)
    }
    await page.getByRole('link', { name: first, exact: true }).waitFor()
    expect(above).to.be.above(maxKept * 30)
  })
})
