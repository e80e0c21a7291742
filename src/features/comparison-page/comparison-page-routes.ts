import type { Context } from 'koa'
import { ProblemError } from '../../core/problem.js'
import { type Collection, collectionNames, contentNames } from '../../core/records/collection.js'
import type { Revision } from '../../core/records/revision.js'
import type { FeatureContext } from '../../http/open-feature.js'
import { addressesAt } from '../../http/page-urls/page-urls.js'
import { at } from '../../http/parameters/at-parameter.js'
import { recordIds } from '../../http/parameters/record-parameters.js'
import { fromVersion, toVersion } from '../../http/parameters/version-parameters.js'
import { readRequestedRevision } from '../../http/request/read-requested.js'
import { type Route, routesWith } from '../../http/route-declaration/route.js'
import type { Comparison } from '../comparison/open-comparison.js'
import type { Difference } from '../comparison/revisions/revision-difference.js'
import {
  aboutPage,
  addressesIn,
  frameOf,
  type PagesState,
  pageResponse,
  problemsAsPages,
  sendPage,
} from '../pages/routes/page-responses.js'
import { comparisonPage, type Refused } from './comparison-page.js'

/** What the handlers of the page get. */
export type ComparisonPageState = PagesState & Comparison

type ComparisonPageContext = FeatureContext<ComparisonPageState>
const route = routesWith<ComparisonPageContext>()

export const comparisonPageRoutes = [pageOf('schema'), pageOf('metadata')]

function pageOf(kind: Collection): Route<ComparisonPageContext> {
  const what = contentNames[kind]
  return route({
    ...aboutPage(
      `${kind}ComparisonPage`,
      `Compare two versions of a ${what}, as a page`,
      'The changes of values as a list, and those of all files line by line. What is too large to compare is left out, and the page says so.',
    ),
    method: 'get',
    path: `/compare/${collectionNames[kind]}/{id}`,
    access: 'READ',
    parameters: { id: recordIds[kind], fromVersion, toVersion, at },
    responses: { 200: pageResponse('The page.') },
    problems: { 'not-found': 'There is no such record or version, or there was none at the point `at`.' },
    problemsAs: problemsAsPages,
    async handle(ctx, site, { id, fromVersion: first, toVersion: second, at: point }) {
      const [from, to] = [
        await readRequestedRevision(ctx, site, kind, id, { version: first, at: point }),
        await readRequestedRevision(ctx, site, kind, id, { version: second, at: point }),
      ]
      const addresses = addressesIn(ctx, site)
      const { unserved } = to
      const page = comparisonPage(
        frameOf(ctx, site),
        unserved ? addressesAt(addresses, unserved.point) : addresses,
        {
          ...{ from, to, at: point?.text },
          ...(await compare(ctx, site, from, to)),
          application: site.feature.shown.applicationComparisonOf?.(to, first, point?.text),
        },
      )
      sendPage(ctx, page)
    },
  })
}

async function compare(
  ctx: Context,
  { feature: { diffAndBlame }, signals }: ComparisonPageContext,
  from: Revision,
  to: Revision,
) {
  const client = signals.clientOf(ctx)
  return {
    difference: await unlessRefused<Difference>(() =>
      diffAndBlame.difference(from, to, ({ record }) => JSON.stringify(record), client),
    ),
    text: await unlessRefused(() => diffAndBlame.text(from, to, client)),
  }
}

/** What is too large or cannot be decoded has no comparison. The rest of the page is there. */
async function unlessRefused<T>(work: () => Promise<T>): Promise<T | Refused> {
  try {
    return await work()
  } catch (error) {
    const isRefused =
      error instanceof ProblemError && (error.kind === 'too-large' || error.kind === 'unprocessable')
    if (!isRefused) throw error
    return { refusal: error.message }
  }
}
