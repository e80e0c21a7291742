import { accessSync, constants } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { delimiter, join } from 'node:path'
import { expect } from 'chai'
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  type CDPSession,
  chromium,
  type Page,
  type Request,
} from 'playwright-core'

/*
 * Opens pages in a real browser: that of METASTORE_BROWSER, else a Chromium on the path.
 */

/** The first is Chromium without windows: a page takes an eighth less processor time there. */
const names = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome']
const missing =
  'the tests of the browser application. This machine has no Chromium (Debian: apt-get install chromium-headless-shell; ' +
  'else METASTORE_BROWSER names one).'
const axeFile = createRequire(import.meta.url).resolve('axe-core/axe.min.js')

/**
 * Features that the browser starts without. For each context it would load pages of its own for its address bar, which
 * headless tests never see: they take more processor time than most pages of the tests. The last list of features counts,
 * so this one repeats that of Playwright.
 */
const withoutFeatures = [
  'WebUIOmniboxPopup',
  'WebUIOmniboxAimPopup',
  'AimEnabled',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsFirstBalancedModeAutoEnable',
  'HttpsUpgrades',
  'LensOverlay',
  'MediaRouter',
  'NetworkTimeServiceQuerying',
  'OptimizationHints',
  'PaintHolding',
  'PreconnectToSearch',
  'ThirdPartyStoragePartitioning',
]

/** The browser of the tests; undefined if the machine has none. */
export function browserPath(): string | undefined {
  const { METASTORE_BROWSER: given, PATH = '' } = process.env
  if (given) return given === 'none' ? undefined : given
  const candidates = PATH.split(delimiter).flatMap(folder => names.map(name => join(folder, name)))
  return candidates.find(isExecutable)
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** The screen of a phone, with touch. */
export const phone: BrowserContextOptions = {
  viewport: { width: 360, height: 740 },
  hasTouch: true,
  isMobile: true,
}

export interface OpenOptions extends BrowserContextOptions {
  /** Requests whose status from 400 on is a part of the test: `status path` matches. */
  readonly expected?: RegExp
  /** The origin of the issuer at which people log in. The page may ask it, too. */
  readonly issuer?: string
  /** The page has a process and a context of its own, such as to measure it or to set its clock. */
  readonly isAlone?: boolean
  /** The test makes faults: the page is not checked at the end of the test. */
  readonly isFaulty?: boolean
}

/** A page that notices what must not happen in any test. */
export interface WatchedPage {
  readonly page: Page
  /** What has happened that must not. */
  readonly faults: readonly string[]
  /** Findings of axe about the page as it is now, shadow roots included: rules of WCAG 2.2 A and AA. */
  accessibilityFaults(): Promise<readonly string[]>
  /** Pixels that the page scrolls to the side. */
  sideScroll(): Promise<number>
  /**
   * Fails if something has happened that must not, or if the page has faults of accessibility. At the end of each test, all
   * of its pages are examined for what must not happen, but for refusals: a test that types has them at any time.
   */
  check(): Promise<void>
}

export interface TestBrowser {
  /**
   * Opens a page that shares no storage with other open pages. It closes at the end of the test, or of the suite if a hook
   * opens it.
   * @param origin the only server that the page may ask
   */
  open(origin: string, options?: OpenOptions): Promise<WatchedPage>
}

/**
 * A suite in a browser. Without a browser it is skipped, which standard error says. With `CI` set that is a failure,
 * unless METASTORE_BROWSER is `none`.
 */
export function describeInBrowser(title: string, suite: (browser: TestBrowser) => void): void {
  const path = browserPath()
  describe(title, () => {
    if (path === undefined) {
      it('runs in a browser', function () {
        if (process.env.CI && process.env.METASTORE_BROWSER !== 'none') throw new Error(`Missing: ${missing}`)
        console.error(`SKIPPED: ${missing}`)
        this.skip()
      })
      return
    }
    /** Options of the shared contexts that the test uses. */
    const used = new Set<string>()
    let isInTest = false
    /** Close what the test, or the suite, has opened. */
    let ofTest: ((isFailed: boolean) => Promise<unknown>)[] = []
    const ofSuite: BrowserContext[] = []
    /** What has happened in the pages of the test, and of the suite. */
    const faultsOfTest: (readonly string[])[] = []
    const faultsOfSuite: (readonly string[])[] = []
    beforeEach(() => {
      isInTest = true
    })
    // Open pages would go on with their timers and event streams while other tests run.
    afterEach(async function () {
      const isFailed = this.currentTest?.state === 'failed'
      await Promise.all(ofTest.map(close => close(isFailed)))
      ofTest = []
      used.clear()
      isInTest = false
      const found = faultsOfTest.splice(0)
      if (!isFailed) expectNoFaults(found)
    })
    after(async () => {
      await Promise.all(ofSuite.map(context => context.close()))
      expectNoFaults(faultsOfSuite)
    })
    async function openWatched(
      context: BrowserContext,
      origin: string,
      { expected, issuer, isFaulty = false }: OpenOptions,
    ): Promise<WatchedPage> {
      const watched = await openPage(context, origin, expected, issuer)
      const ofPage = isInTest ? faultsOfTest : faultsOfSuite
      if (!isFaulty) ofPage.push(watched.faults)
      return watched
    }
    suite({
      async open(origin, given = {}) {
        const { expected: _, issuer, isAlone = false, isFaulty: __, ...options } = given
        const key = JSON.stringify(options)
        const newContext = async () =>
          (await openBrowser(path)).newContext({ viewport: { width: 1280, height: 800 }, ...options })
        if (isAlone || !isInTest || used.has(key)) {
          const context = await newContext()
          if (isInTest) ofTest.push(() => context.close())
          else ofSuite.push(context)
          return openWatched(context, origin, given)
        }
        used.add(key)
        const taken = shared.get(key) ?? (await shareContext(await newContext(), origin))
        shared.set(key, taken)
        ofTest.push(async isFailed => {
          if (isFailed) shared.delete(key)
          await (isFailed ? taken.context.close() : clearContext(taken, issuer ? [origin, issuer] : [origin]))
        })
        return openWatched(taken.context, origin, given)
      },
    })
  })
}

let browser: Promise<Browser> | undefined

/** Returns the browser for all tests of this process. Its start takes more processor time than a page. */
async function openBrowser(executablePath: string): Promise<Browser> {
  // With the last flag, pages of a context share a process.
  const args = [`--disable-features=${withoutFeatures.join(',')}`, '--process-per-site']
  browser ??= chromium.launch({ executablePath, args })
  return await browser
}
// Processes without mocha use other exports of this file.
if ('after' in globalThis) after(async () => (await browser)?.close())

/*
 * Starting a process for a page, and compiling the application and axe there, takes more processor time than most pages of
 * the tests. So tests that run in turn share a context and its process, in which a page without content stays open. The
 * pages of a test close at its end, and then the storages of the context are cleared.
 */
interface SharedContext {
  readonly context: BrowserContext
  /** The page that keeps the process. */
  readonly keeper: Page
  readonly session: CDPSession
}

/** By the options of the context. */
const shared = new Map<string, SharedContext>()

async function shareContext(context: BrowserContext, origin: string): Promise<SharedContext> {
  const keeper = await context.newPage()
  await keeper.route('**', route => route.fulfill({ contentType: 'text/html', body: '' }))
  await keeper.goto(origin)
  return { context, keeper, session: await context.newCDPSession(keeper) }
}

/** Closes the pages of a test, and removes what they have stored. */
async function clearContext(
  { context, keeper, session }: SharedContext,
  origins: readonly string[],
): Promise<void> {
  await Promise.all(context.pages().map(page => page !== keeper && page.close()))
  await context.clearCookies()
  for (const origin of origins)
    await session.send('Storage.clearDataForOrigin', { origin, storageTypes: 'all' })
  await session.send('Network.clearBrowserCache')
}

async function openPage(
  context: BrowserContext,
  origin: string,
  expected: RegExp | undefined,
  issuer: string | undefined,
): Promise<WatchedPage> {
  const page = await context.newPage()
  page.setDefaultTimeout(120_000)
  const faults: string[] = []
  const isExpected = (status: number, url: string) =>
    expected?.test(`${status} ${url.slice(origin.length)}`) ?? false
  page.on('console', message => {
    if (message.type() !== 'error') return
    // The browser writes each failed request to the console; `response` below judges those.
    if (!message.text().startsWith('Failed to load resource')) faults.push(`console: ${message.text()}`)
  })
  page.on('pageerror', error => faults.push(`error: ${error.message}`))
  page.on('request', request => {
    const isOwn = [origin, issuer].some(each => each && request.url().startsWith(`${each}/`))
    // Nobody ever stores over what others have stored.
    if (request.headers()['if-match'] === '*') faults.push(`If-Match: * ${request.url()}`)
    if (!isOwn && !/^(?:data|blob):/.test(request.url())) faults.push(`foreign request: ${request.url()}`)
  })
  page.on('response', response => {
    if (response.status() >= 400 && !isExpected(response.status(), response.url()))
      faults.push(`status ${response.status()}: ${response.url()}`)
  })
  page.on('crash', () => faults.push('the page has crashed'))
  await page.addInitScript(reportViolations)
  const axe = await readFile(axeFile, 'utf8')
  const watched: WatchedPage = {
    page,
    faults,
    async accessibilityFaults() {
      if (!(await page.evaluate('"axe" in globalThis'))) await page.evaluate(axe)
      return await page.evaluate<readonly string[]>(runAxe)
    },
    async sideScroll() {
      // A phone shows a page that is too wide smaller, and then says that its window is as wide as the page.
      const width = page.viewportSize()?.width ?? 0
      return (await page.evaluate<number>('document.documentElement.scrollWidth')) - width
    },
    async check() {
      expect((await watched.accessibilityFaults()).join('\n'), 'accessibility').to.equal('')
      expect(await watched.sideScroll(), 'pixels that the page scrolls to the side').to.be.at.most(0)
      expect(await page.locator('h1').count(), 'headings of the first level').to.equal(1)
      expect(faults.join('\n')).to.equal('')
    },
  }
  return watched
}

/** Fails if something has happened that must not. Refusals, with a status below 500, are left to `check`. */
function expectNoFaults(faults: readonly (readonly string[])[]): void {
  const wrong = faults.flat().filter(fault => !fault.startsWith('status 4'))
  expect(wrong.join('\n'), 'what must not happen in a page').to.equal('')
}

/**
 * Holds requests back as long as the work runs, such as to type while an answer is awaited.
 * @param work begins when the first request is held back
 * @param ask leads to the request
 */
export async function whileHeldBack(
  page: Page,
  url: string,
  { ask, work, method }: { ask(): unknown; work(): Promise<unknown>; readonly method?: string },
): Promise<void> {
  let noteFirst = () => {}
  let release = () => {}
  const isAsked = new Promise<void>(resolve => {
    noteFirst = resolve
  })
  const isReleased = new Promise<void>(resolve => {
    release = resolve
  })
  await page.route(url, async route => {
    if (method === undefined || route.request().method() === method) {
      noteFirst()
      await isReleased
    }
    await route.fallback()
  })
  await ask()
  await isAsked
  await work()
  release()
}

/** Whether a request is one for the stream of changes. */
export function isChangeStream(request: Request): boolean {
  return request.url().includes('/api/changes') && request.headers().accept === 'text/event-stream'
}

/*
 * Scripts for the page. They are texts, because the types of the tests have no document.
 */

const reportViolations = `addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) =>
  console.error('policy: ' + violatedDirective + ' ' + blockedURI))`

const rules = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']
// axe takes a button that the bar at the bottom covers for a small one, but one scrolls to it.
const runAxe = `(async () => {
  const bars = [...document.querySelectorAll('.store-bar')]
  for (const { style } of bars) style.position = 'static'
  const { violations } = await axe.run(document, { runOnly: ${JSON.stringify(rules)}, resultTypes: ['violations'] })
  for (const { style } of bars) style.position = ''
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => id + ': ' + html + ' ' + failureSummary))
})()`

/** Measures the interval between frames from now on: the longest one is in `longestFrame`. */
export const startMeasuring = `globalThis.longestFrame = 0
if (!globalThis.measures) {
  globalThis.measures = true
  let last = performance.now()
  const measure = now => {
    longestFrame = Math.max(longestFrame, now - last)
    last = now
    requestAnimationFrame(measure)
  }
  requestAnimationFrame(measure)
}`
