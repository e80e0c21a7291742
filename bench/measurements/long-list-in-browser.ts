import { setTimeout as sleep } from 'node:timers/promises'
import { chromium, type Page } from 'playwright-core'
import { browserPath, startMeasuring } from '../../test/support/browser/open-browser.js'
import { say } from '../data/repository-cache.js'
import { indexed } from '../load/timed-searches.js'
import { type Bench, many } from '../support/measurement.js'
import { withServer } from '../support/server-process.js'

/*
 * The list of all records in the browser application: what a person who opens, scrolls, sorts and narrows it waits for. Each
 * step is measured at two sizes of the repository, whose documents have a title only.
 */

/** What a person does, and the milliseconds that it took. */
interface Step {
  readonly name: string
  /** The longest interval between two frames; of scrolling, in each of several rounds. */
  readonly frame: readonly number[]
  /** The longest request to the server. */
  readonly request: readonly number[]
  /** Until the page shows everything. None for scrolling, which takes as long as one scrolls. */
  readonly shown: readonly number[]
}

/** Pixels of one turn of the wheel. */
const turn = 2500
/** Rows of one round of scrolling, and the number of rounds. */
const roundRows = 700
const rounds = 5
/** Milliseconds without a request after which a page shows everything. */
const quiet = 300

export async function run({ options, repositories, table }: Bench): Promise<void> {
  // For CI, test/features/web/all-pages/long-list.test.ts shows that it works.
  if (options.brief) return
  const executablePath = browserPath()
  if (executablePath === undefined) {
    say(
      'SKIPPED: the list in the browser. This machine has no Chromium (Debian: apt-get install chromium-headless-shell).',
    )
    return
  }
  const browser = await chromium.launch({ executablePath })
  try {
    const measured = async (records: number) =>
      await repositories.withCopy({ records, bare: true, brief: true }, dir =>
        withServer(dir, async ({ port }) => {
          await indexed(port)
          const visits: (readonly Step[])[] = []
          for (let repeat = 0; repeat < options.repeats; repeat++) {
            const page = await browser.newPage({ viewport: { width: 1280, height: 800 } })
            page.setDefaultTimeout(120_000)
            visits.push(await visit(page, `http://127.0.0.1:${port}`))
            await page.close()
          }
          return visits
        }),
      )
    const { small, largest } = options.sizes
    const [few, all] = [await measured(small), await measured(largest)]
    for (const [index, { name }] of (all[0] ?? []).entries()) {
      const add = (what: keyof Omit<Step, 'name'>, work: string, below: number) => {
        const of = (visits: readonly (readonly Step[])[]) =>
          visits.flatMap(steps => steps[index]?.[what] ?? [])
        const [ours, theirs] = [of(all), of(few)]
        if (ours.length === 0 || theirs.length === 0) return
        table.add({
          work: `${name}: ${work}`,
          unit: 'ms',
          ours: { what: `in a list of ${many(largest)} records`, values: ours },
          against: { what: `in one of ${many(small)}`, values: theirs },
          goal: { below },
        })
      }
      add('frame', 'the longest pause', 200)
      add('request', 'the longest request', 1000)
      add('shown', 'until the page shows everything', 3000)
    }
  } finally {
    await browser.close()
  }
}

async function visit(page: Page, origin: string): Promise<readonly Step[]> {
  const steps: Step[] = []
  let open = 0
  let changed = performance.now()
  let longestRequest = 0
  const longestFrame = () => page.evaluate<number>('globalThis.longestFrame ?? 0')
  const isSearch = (url: string) => url.startsWith(`${origin}/api/v2/`)
  page.on('request', request => {
    if (isSearch(request.url())) open++
  })
  const end = (url: string) => {
    if (!isSearch(url)) return
    open--
    changed = performance.now()
  }
  page.on('requestfailed', request => end(request.url()))
  page.on('requestfinished', request => {
    if (isSearch(request.url()))
      longestRequest = Math.max(longestRequest, request.timing().responseEnd - request.timing().requestStart)
    end(request.url())
  })
  async function step(name: string, act: () => Promise<unknown>): Promise<void> {
    longestRequest = 0
    if (steps.length > 0) await page.evaluate(startMeasuring)
    const started = performance.now()
    changed = started
    await act()
    while (open > 0 || performance.now() - changed < quiet) await sleep(20)
    await page.locator('.found[aria-busy=false]').waitFor()
    const shown = [changed - started]
    steps.push({ name, shown, frame: [await longestFrame()], request: [longestRequest] })
  }
  async function scroll(): Promise<void> {
    longestRequest = 0
    const frame: number[] = []
    const reached = async () => Number(await page.getByRole('row').last().getAttribute('aria-rowindex'))
    const rows = Number(await page.getByRole('table').getAttribute('aria-rowcount'))
    for (let round = 0, last = 0; round < rounds; round++) {
      last = Math.min(last + roundRows, rows < 0 ? Number.POSITIVE_INFINITY : rows)
      if ((await reached()) >= last) continue
      await page.evaluate(startMeasuring)
      while ((await reached()) < last) {
        await page.mouse.wheel(0, turn)
        await sleep(20)
      }
      frame.push(await longestFrame())
    }
    steps.push({ name: 'scrolls', shown: [], frame, request: [longestRequest] })
  }
  const firstRow = page.getByRole('row').nth(1)

  await page.addInitScript(startMeasuring)
  await step('opens the list', async () => {
    await page.goto(`${origin}/app/search`)
    await firstRow.waitFor()
  })
  await scroll()
  await page.evaluate('scrollTo(0, 0)')
  await step('sorts by id', async () => {
    await page.getByRole('button', { name: 'Id', exact: true }).click()
    await page.locator('th[aria-sort=ascending]').waitFor()
  })
  await step('jumps to a date', () => page.getByLabel('Until').fill('2022-01-01'))
  await step('chooses a schema', () =>
    page.getByRole('group', { name: 'Schema', exact: true }).getByRole('checkbox').first().check(),
  )
  await step('searches a word that all have', async () => {
    await page.goto(`${origin}/app/search?q=specimen`)
    await page.locator('.records mark').first().waitFor()
  })
  return steps
}
