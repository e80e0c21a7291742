import type Router from '@koa/router'
import type { Context } from 'koa'
import type { Principal } from '../../../core/access-control.js'
import { ProblemError } from '../../../core/problem.js'
import { formatInstant, type Oid, truncate } from '../../../core/value-types.js'
import type { ChangeItem, ChangesPage } from '../../../service/record-history/changes-since.js'
import { recordUrl } from '../../record-formats/record-urls.js'
import { refuseAtOnCurrentOnly } from '../../request/at-parameter.js'
import { prefersEventStream } from '../../request/content-negotiation.js'
import { integerParameter } from '../../request/paging.js'
import { singleParameter } from '../../request/query-parameters.js'
import { sendJson } from '../../response/record-and-list-responses.js'
import { sendEvents } from '../../response/server-sent-events.js'
import type { UnversionedContext } from '../../route-context.js'

/** Revisions of an answer: where nothing is asked for, and at most. */
export const changesLimit = { usual: 100, most: 1000 }
/** Seconds an answer waits at most. */
export const maxWaitSeconds = 60
/** Revisions a stream reads at a time; it reads on when the client has taken them. */
const streamed = 100

/** What was changed, in order: page by page, waiting for more, or as a stream of events. */
export function changesRoutes(router: Router, site: UnversionedContext): void {
  const { services, callerOf, basesOf, mount, waiting } = site

  router.get('/api/changes', refuseAtOnCurrentOnly, async ctx => {
    const caller = callerOf(ctx)
    const limit = Math.min(integerParameter(ctx.query, 'limit', 1, changesLimit.usual), changesLimit.most)
    const wait = Math.min(integerParameter(ctx.query, 'wait', 0, 0), maxWaitSeconds)
    const root = basesOf(ctx).canonical + mount
    ctx.vary('Accept')
    if (prefersEventStream(ctx.headers.accept)) {
      const since = parseCommit(ctx.get('Last-Event-ID') || singleParameter(ctx.query, 'since'))
      sendEvents(ctx, eventsOf(await openStream(ctx, caller, since, site), root))
      return
    }
    const since = parseCommit(singleParameter(ctx.query, 'since'))
    const patience = wait > 0 ? { milliseconds: wait * 1000, signal: waiting.admit(ctx) } : undefined
    const part = await services.changes.read(caller, since, limit, patience)
    ctx.set('Cache-Control', 'no-store')
    ctx.set('Link', `<${nextUrl(`${root}/api/changes`, ctx.querystring, part.next)}>; rel="next"`)
    const items = part.items.map(item => shown(item, root))
    sendJson(ctx, { items, next: part.next, more: part.more }, 'application/json')
  })
}

interface Stream {
  /** Read before the answer begins, so that what is wrong with the request is told as a problem. */
  readonly first: ChangesPage
  next(since: Oid): Promise<ChangesPage>
  readonly signal: AbortSignal
}

async function openStream(
  ctx: Context,
  caller: Principal,
  since: Oid | undefined,
  { services: { changes }, waiting }: UnversionedContext,
): Promise<Stream> {
  const signal = waiting.admit(ctx)
  return {
    first: await changes.read(caller, since, streamed),
    next: commit => changes.read(caller, commit, streamed, { milliseconds: waiting.heartbeat, signal }),
    signal,
  }
}

/**
 * One event a revision. The name of a commit is the id of its last event alone, so that whoever is cut off within a
 * commit gets all of it again; a commit without one is told by an id without an event.
 * @see https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation
 */
async function* eventsOf({ first, next, signal }: Stream, root: string): AsyncGenerator<string> {
  yield 'retry: 2000\n\n'
  let part = first
  for (let told: Oid | undefined; ; ) {
    const { items } = part
    for (const [at, item] of items.entries()) {
      const isLast = items[at + 1]?.commit !== item.commit
      if (isLast) told = item.commit
      yield `event: ${item.change}\ndata: ${JSON.stringify(shown(item, root))}\n${isLast ? `id: ${item.commit}\n` : ''}\n`
    }
    if (signal.aborted) return
    if (told !== part.next) yield `id: ${part.next}\n\n`
    else if (items.length === 0) yield ': still here\n\n'
    told = part.next
    try {
      part = await next(part.next)
    } catch (error) {
      // The client comes again with its last id, and is told then.
      if (error instanceof ProblemError) return
      throw error
    }
    if (signal.aborted) return
  }
}

function shown({ kind, id, commit, time, change, undoes, state }: ChangeItem, root: string): object {
  const facts = { kind, id, commit, time: formatInstant(time), change, ...(undoes && { undoes }) }
  if (!state) return facts
  const { version, author, schema } = state
  return {
    ...facts,
    version,
    author,
    ...(schema && { schema: { id: schema.schemaId, version: schema.version } }),
    links: {
      v1: recordUrl(`${root}/api/v1`, kind, id, version),
      v2: recordUrl(`${root}/api/v2`, kind, id, version),
    },
  }
}

/** @throws ProblemError `malformed-request` */
function parseCommit(text: string | undefined): Oid | undefined {
  if (text === undefined) return undefined
  if (/^[0-9a-f]{40}$/i.test(text)) return text.toLowerCase() as Oid
  throw new ProblemError(
    'malformed-request',
    `Changes are told since a commit, by its 40 hex digits as an answer has them in next; "${truncate(text)}" is none.`,
  )
}

function nextUrl(url: string, querystring: string, next: Oid): string {
  const query = new URLSearchParams(querystring)
  query.set('since', next)
  return `${url}?${query.toString()}`
}
