import type { Context } from 'koa'
import type { Principal } from '../../../core/access-control.js'
import { ProblemError } from '../../../core/problem.js'
import { formatInstant, type Oid, truncate } from '../../../core/value-types.js'
import type { ChangeItem, ChangesPage } from '../../../service/record-history/changes-since.js'
import { headerRef, type Schema, schemaRef } from '../../openapi/specification-types.js'
import { closedObject, listOf } from '../../openapi/value-schemas.js'
import { recordUrl } from '../../record-formats/record-urls.js'
import { prefersEventStream } from '../../request/content-negotiation.js'
import { limitParameter } from '../../request/paging.js'
import { singleParameter } from '../../request/query-parameters.js'
import { headerParameter, queryParameter } from '../../request/request-parameter.js'
import { sendJson } from '../../response/record-and-list-responses.js'
import { eventStreamHeaders, sendEvents } from '../../response/server-sent-events.js'
import { routesWith } from '../../route/route.js'
import type { UnversionedContext } from '../../route-context.js'

/** Revisions of an answer. */
const listed = { least: 1, usual: 100, most: 1000 }
/** Seconds an answer waits. */
const waited = { least: 0, usual: 0, most: 60 }
/** Revisions a stream reads at a time; it reads on when the client has taken them. */
const streamed = 100

const commitSchema: Schema = { type: 'string', pattern: '^[0-9A-Fa-f]{40}$' }

const since = queryParameter(
  'since',
  {
    description:
      'The commit to continue behind, as `next` of an answer names it. Absent: from the beginning.',
    schema: commitSchema,
  },
  (query, name) => parseCommit(singleParameter(query, name)),
)

const lastEventId = headerParameter(
  'Last-Event-ID',
  {
    description:
      'Of a stream: the id of the last event, in place of `since`. An `EventSource` sends it when it comes again.',
    schema: commitSchema,
  },
  parseCommit,
)

const route = routesWith<UnversionedContext>()

/** What was changed, in order: page by page, waiting for more, or as a stream of events. */
export const changesRoutes = [
  route({
    method: 'get',
    path: '/api/changes',
    tags: ['Changes'],
    operationId: 'changes',
    summary: 'What was changed, in order',
    description:
      'Every revision of every record, oldest first, whoever made it. The cursor is a commit: whoever continues behind ' +
      '`next` misses nothing and gets nothing twice, whenever that is. What the caller may not read is left out. ' +
      'With `Accept: text/event-stream` the answer is a stream of server-sent events that does not end: one event a ' +
      'revision, called as its `change`, the last one of a commit with the name of the commit as its id.',
    parameters: {
      since,
      limit: limitParameter(
        'limit',
        `Revisions of an answer. More than ${listed.most} are taken as ${listed.most}. Those of one commit come together, even where they are more.`,
        listed,
      ),
      wait: limitParameter(
        'wait',
        `Seconds to wait where there is nothing new; the answer comes as soon as there is something, else empty. More than ${waited.most} are taken as ${waited.most}.`,
        waited,
      ),
      lastEventId,
    },
    schemas: changesSchemas(),
    responses: {
      200: {
        description: 'The revisions; as a stream each is the data of an event.',
        headers: {
          'Cache-Control': headerRef('CacheControl'),
          Link: {
            description: 'The address to continue at (RFC 8288), `rel="next"`; not of a stream.',
            schema: { type: 'string', pattern: '^<[^>]+>; rel="next"$' },
            example: `<http://localhost:8040/api/changes?since=5f2a1c0d9b8e7f6a5b4c3d2e1f0a9b8c7d6e5f4a>; rel="next"`,
          },
          ...eventStreamHeaders,
        },
        content: {
          'application/json': {
            schema: schemaRef('Changes'),
            examples: { one: { value: exampleOfChanges() } },
          },
          'text/event-stream': { schema: { type: 'string', pattern: '^retry: \\d+\\n\\n' } },
        },
      },
    },
    problems: {
      'not-found': 'The served history has no commit `since`: begin again without it.',
      unavailable: 'Too many clients wait already; ask later, or without waiting. Or the server stops.',
    },
    async handle(ctx, context, asked) {
      const { services, basesOf, mount, waiting } = context
      const caller = context.callerOf(ctx)
      const { limit, wait } = asked
      const root = basesOf(ctx).canonical + mount
      ctx.vary('Accept')
      if (prefersEventStream(ctx.headers.accept)) {
        const stream = await openStream(ctx, caller, asked.lastEventId ?? asked.since, context)
        sendEvents(ctx, eventsOf(stream, root))
        return
      }
      const { since: begin } = asked
      const patience = wait > 0 ? { milliseconds: wait * 1000, signal: waiting.admit(ctx) } : undefined
      const part = await services.changes.read(caller, begin, limit, patience)
      ctx.set('Cache-Control', 'no-store')
      ctx.set('Link', `<${nextUrl(`${root}/api/changes`, ctx.querystring, part.next)}>; rel="next"`)
      const items = part.items.map(item => shown(item, root))
      sendJson(ctx, { items, next: part.next, more: part.more }, 'application/json')
    },
  }),
]

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

function changesSchemas(): Readonly<Record<string, Schema>> {
  const uri: Schema = { type: 'string', format: 'uri' }
  return {
    Changes: closedObject({
      items: listOf(schemaRef('Change'), { description: 'In the order of history, oldest first.' }),
      next: { ...schemaRef('Commit'), description: 'The commit to continue behind: the next `since`.' },
      more: {
        type: 'boolean',
        description:
          'There is more at once. Even then `items` can be empty, where the caller may read nothing of it.',
      },
    }),
    Change: {
      anyOf: [schemaRef('ReadableChange'), schemaRef('DeletedChange')],
      description: 'One revision of one record.',
    },
    UndoneState: closedObject({ commit: schemaRef('Commit'), version: schemaRef('Version') }, ['commit'], {
      description:
        'The newest state that the revision undid: it was committed with plain git, and its edit was based on an older version.',
    }),
    ReadableChange: closedObject(
      {
        kind: { type: 'string', enum: ['schema', 'metadata'] },
        id: schemaRef('Id'),
        commit: schemaRef('Commit'),
        time: schemaRef('Instant'),
        change: { type: 'string', enum: ['created', 'updated'] },
        undoes: schemaRef('UndoneState'),
        version: schemaRef('Version'),
        author: { type: 'string', description: 'Name of who made the commit.' },
        schema: closedObject({ id: schemaRef('Id'), version: schemaRef('Version') }, ['id', 'version'], {
          description: 'What the document follows; of metadata.',
        }),
        links: closedObject({ v1: uri, v2: uri }, ['v1', 'v2'], {
          description: 'Addresses of the version, in both versions of the interface.',
        }),
      },
      ['kind', 'id', 'commit', 'time', 'change', 'version', 'author', 'links'],
      { description: 'A revision that can be read.' },
    ),
    DeletedChange: closedObject(
      {
        kind: { type: 'string', enum: ['schema', 'metadata'] },
        id: schemaRef('Id'),
        commit: schemaRef('Commit'),
        time: schemaRef('Instant'),
        change: { type: 'string', enum: ['created', 'updated', 'deleted'] },
        undoes: schemaRef('UndoneState'),
      },
      ['kind', 'id', 'commit', 'time', 'change'],
      { description: 'The deletion of a record, or an earlier revision of one that is deleted.' },
    ),
  }
}

function exampleOfChanges(): object {
  const commit = '5f2a1c0d9b8e7f6a5b4c3d2e1f0a9b8c7d6e5f4a'
  return {
    items: [
      {
        kind: 'metadata',
        id: 'overview-7',
        commit,
        time: '2026-03-14T09:26:53.59Z',
        change: 'created',
        version: 1,
        author: 'SELF',
        schema: { id: 'measurement', version: 1 },
        links: {
          v1: 'http://localhost:8040/api/v1/metadata/overview-7?version=1',
          v2: 'http://localhost:8040/api/v2/metadata/overview-7?version=1',
        },
      },
    ],
    next: commit,
    more: false,
  }
}
