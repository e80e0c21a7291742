import type Router from '@koa/router'
import { malformedRequest, ProblemError, shuttingDown } from '../../../core/problem.js'
import type {
  AffectedDocument,
  Assessment,
  ImpactCounts,
  ImpactStep,
} from '../../../service/records/schema-impact.js'
import type { LongLivedResponses } from '../../limits/long-lived-responses.js'
import { recordUrl } from '../../record-formats/record-urls.js'
import { refuseAtOnChange } from '../../request/at-parameter.js'
import { prefersEventStream, requireJsonAccepted } from '../../request/content-negotiation.js'
import { schemaParts } from '../../request/multipart-form.js'
import { integerParameter } from '../../request/paging.js'
import { problemAnswer } from '../../response/problem-details.js'
import { sendJson } from '../../response/record-and-list-responses.js'
import { sendEvents } from '../../response/server-sent-events.js'
import { type ApiContext, apiRootUrl, partsIn } from '../../route-context.js'

/** Documents a result lists: where nothing is asked for, and at most. */
export const impactLimit = { usual: 100, most: 1000 }

/** How a result and a listed document are told. */
interface Shown {
  readonly limit: number
  /** What URLs begin with. */
  readonly root: string
}

/** What a change of a schema would break. @see docs/history.md */
export function impactRoutes(
  router: Router,
  api: ApiContext,
  waiting: Pick<LongLivedResponses, 'track'>,
): void {
  router.post('/schemas/:id/impact', async ctx => {
    refuseAtOnChange(ctx.query)
    const limit = Math.min(integerParameter(ctx.query, 'limit', 0, impactLimit.usual), impactLimit.most)
    ctx.vary('Accept')
    const asEvents = prefersEventStream(ctx.headers.accept)
    if (!asEvents) requireJsonAccepted(ctx.headers.accept)
    const { accepted: bases } = api.basesOf(ctx)
    const { id = '' } = ctx.params
    const parts = await partsIn(api, ctx, () => api.services.impact.demandAllowed(api.callerOf(ctx), id))
    const upload = schemaParts(parts)
    if (!upload) throw malformedRequest('There is no schema to look at: send a part schema or include.')
    const signal = waiting.track(ctx)
    const assessment = await api.services.impact.assess(api.callerOf(ctx), id, upload, { bases }, signal)
    const shown: Shown = { limit, root: apiRootUrl(api, ctx) }
    if (!asEvents) {
      const result = await resultOf(assessment, shown)
      ctx.set('Cache-Control', 'no-store')
      sendJson(ctx, result, 'application/json')
      return
    }
    sendEvents(ctx, eventsOf(assessment, shown, ctx.path))
  })
}

/** @throws ProblemError `unavailable` where the server stops */
async function resultOf({ steps, ...about }: Assessment, shown: Shown): Promise<object> {
  const result = openResult(about, shown)
  for await (const step of steps) {
    if (step.kind === 'document') result.add(step.document)
    if (step.kind === 'end') return result.end(step.tally)
  }
  throw shuttingDown()
}

async function* eventsOf(
  { steps, ...about }: Assessment,
  shown: Shown,
  path: string,
): AsyncGenerator<string> {
  const result = openResult(about, shown)
  try {
    for await (const step of steps) {
      if (step.kind === 'document') result.add(step.document)
      yield step.kind === 'end' ? event('result', result.end(step.tally)) : eventOf(step, shown.root)
      if (step.kind === 'end') return
    }
    throw shuttingDown()
  } catch (error) {
    // The answer has begun: what is wrong is told in it.
    if (!(error instanceof ProblemError)) throw error
    yield `event: problem\ndata: ${problemAnswer(error, path).body}\n\n`
  }
}

function eventOf(step: Exclude<ImpactStep, { kind: 'end' }>, root: string): string {
  return step.kind === 'progress'
    ? event('progress', step.tally)
    : event('document', shownDocument(step.document, root))
}

function event(name: string, data: object): string {
  return `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`
}

/** Gathers the documents that are listed, and no more than those. */
function openResult({ schema, commit }: Omit<Assessment, 'steps'>, { limit, root }: Shown) {
  const documents: object[] = []
  return {
    add(document: AffectedDocument): void {
      if (documents.length < limit) documents.push(shownDocument(document, root))
    },
    end({ checked, breaking, invalidBefore }: ImpactCounts): object {
      const more = breaking + invalidBefore > documents.length
      return { schema, commit, checked, breaking, invalidBefore, documents, more }
    },
  }
}

function shownDocument(document: AffectedDocument, root: string): object {
  const { id, version } = document
  return { ...document, links: { version: recordUrl(root, 'metadata', id, version) } }
}
