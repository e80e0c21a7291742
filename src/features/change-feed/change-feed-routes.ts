import type { Context } from 'koa'
import { malformedRequest, ProblemError } from '../../core/problem.js'
import { collections } from '../../core/records/collection.js'
import { formatInstant, type Oid, truncate } from '../../core/value-types.js'
import { prefersEventStream } from '../../http/negotiation/content-negotiation.js'
import type { FeatureContext } from '../../http/open-feature.js'
import { contentOf, headerRef, type Schema, schemaRef } from '../../http/openapi/specification-types.js'
import { closedObject, exampleCommit, listOf } from '../../http/openapi/value-schemas.js'
import { at } from '../../http/parameters/at-parameter.js'
import { limitParameter } from '../../http/parameters/page-parameters.js'
import { parsedBy, singleParameter } from '../../http/parameters/query-parameters.js'
import { headerParameter, queryParameter } from '../../http/parameters/request-parameter.js'
import { recordUrl } from '../../http/record-formats/record-urls.js'
import { sendJson } from '../../http/response/send-body.js'
import { eventStreamHeaders, sendEvents, serverSentEvent } from '../../http/response/server-sent-events.js'
import { routesWith } from '../../http/route-declaration/route.js'
import type { ChangeFilter, ChangeItem, ChangesPage, ChangesSince } from './changes-since.js'

/** Bounds of the parameter `limit`, in revisions of one response. */
const limits = { min: 1, usual: 100, max: 1000 }
/** Bounds of the parameter `wait`, in seconds. */
const waits = { min: 0, usual: 0, max: 60 }
/** Number of revisions that a stream reads at a time. It reads the next ones when the client has read these. */
const streamPageSize = 100

/** The names of the members that every change has. */
const requiredFacts = ['kind', 'id', 'commit', 'time', 'change']
const commitSchema: Schema = { type: 'string', pattern: '^[0-9A-Fa-f]{40}$' }

const since = queryParameter(
  'since',
  {
    description:
      'The commit after which to continue: `next` of the previous response. Absent: from the beginning.',
    schema: commitSchema,
  },
  (query, name) => parseCommit(singleParameter(query, name)),
)

/** `now`: from the newest change. */
const newest = 'now'

const before = queryParameter(
  'before',
  {
    description:
      'Lists the changes before this commit, newest first: `next` of the previous response. `now`: from the newest change.',
    schema: { anyOf: [commitSchema, { const: newest }] },
  },
  (query, name) => {
    const text = singleParameter(query, name)
    return text === newest ? newest : parseCommit(text)
  },
)

/** Which changes are listed. */
const filters = {
  kind: queryParameter(
    'kind',
    { description: 'Only changes of this kind of records.', schema: { type: 'string', enum: collections } },
    parsedBy(text => {
      const found = collections.find(kind => kind === text)
      if (found) return found
      throw malformedRequest(`The parameter kind is "${truncate(text)}": write ${collections.join(' or ')}.`)
    }),
  ),
  schemaId: queryParameter(
    'schemaId',
    {
      description:
        'Only changes of this schema, by its id or another name, and of metadata that followed it then. Changes of deleted metadata do not tell the schema.',
      schema: { type: 'string' },
    },
    singleParameter,
  ),
  author: queryParameter(
    'author',
    {
      description:
        'Only changes by this author, with the name as in the response. Of a deleted record, only the deletion tells the author.',
      schema: { type: 'string' },
    },
    singleParameter,
  ),
}

const lastEventId = headerParameter(
  'Last-Event-ID',
  {
    description:
      'For a stream: the id of the last event, in place of `since`. An `EventSource` sends it when it reconnects.',
    schema: commitSchema,
  },
  parseCommit,
)

const route = routesWith<FeatureContext<ChangesSince>>()

/** The change feed: page by page, with long polling, or as server-sent events. */
export const changesRoutes = [
  route({
    method: 'get',
    path: '/api/changes',
    tags: ['Change feed'],
    operationId: 'changes',
    summary: 'List all changes, oldest first, or newest first',
    description:
      'Every revision of every record that the caller may read. The cursor is a commit: a client that continues from ' +
      '`next`, at any later time, misses nothing and gets nothing twice. With `before` it lists the changes backwards, ' +
      'newest first; with `before=now` and `at` those up to that point. With `Accept: text/event-stream` the response ' +
      'is an endless stream of server-sent events, one for each revision. The name of the event is its `change`; the ' +
      'last event of a commit has the commit as its id.',
    access: 'readable-records',
    parameters: {
      since,
      before,
      at,
      ...filters,
      limit: limitParameter(
        'limit',
        `Revisions in the response. More than ${limits.max} count as ${limits.max}. The revisions of one commit are never split, even if they exceed the limit.`,
        limits,
      ),
      wait: limitParameter(
        'wait',
        `Seconds to wait if there is nothing new. The response comes with the next change, or empty after that time. More than ${waits.max} count as ${waits.max}.`,
        waits,
      ),
      lastEventId,
    },
    schemas: changesSchemas(),
    responses: {
      200: {
        description: 'The revisions. In a stream, each is the data of an event.',
        headers: {
          'Cache-Control': headerRef('CacheControl'),
          Link: {
            description:
              'Address of the next page (RFC 8288), `rel="next"`; not for a stream, nor after the oldest change.',
            schema: { type: 'string', pattern: '^<[^>]+>; rel="next"$' },
            example: `<http://localhost:8040/api/changes?since=${exampleCommit}>; rel="next"`,
          },
          ...eventStreamHeaders,
        },
        content: {
          ...contentOf(['application/json'], schemaRef('Changes'), { one: exampleOfChanges() }),
          'text/event-stream': { schema: { type: 'string', pattern: '^retry: \\d+\\n\\n' } },
        },
      },
    },
    problems: {
      'not-found': 'The served history has no commit `since` or `before`. Begin again without it.',
      unavailable: 'Too many clients wait already: try again later, or without `wait`. Or the server stops.',
    },
    async handle(ctx, context, parameters) {
      const { feature: changes, basesOf, mount, longLived, signals } = context
      const caller = context.callerOf(ctx)
      const { limit, wait } = parameters
      const root = basesOf(ctx).canonical + mount
      const filter = filterIn(parameters)
      ctx.vary('Accept')
      const isStream = prefersEventStream(ctx.headers.accept)
      const point = parameters.at
      if (point && parameters.before !== newest)
        throw malformedRequest('The parameter at says where a list begins: send it with before=now.')
      if (parameters.before !== undefined) {
        if (parameters.since !== undefined || wait > 0 || isStream)
          throw malformedRequest(
            'The parameter before reads backwards: send it without since, wait or a stream.',
          )
        const end = parameters.before === newest ? undefined : parameters.before
        const upTo = point && (await context.services.past.find(caller, point, adviseForChanges)).commit
        const part = await changes.readBack(caller, end, limit, filter, upTo)
        sendPart(ctx, root, part, part.more ? 'before' : undefined)
        return
      }
      if (isStream) {
        const begin = parameters.lastEventId ?? parameters.since
        longLived.admit(ctx)
        const patience = { milliseconds: longLived.heartbeat, signal: signals.of(ctx) }
        // Read before the response begins, so that an invalid request is still answered with a problem.
        const first = await changes.read(caller, begin, streamPageSize, undefined, filter)
        const next = (commit: Oid) => changes.read(caller, commit, streamPageSize, patience, filter)
        sendEvents(ctx, eventsOf(first, next, patience.signal, root))
        return
      }
      const { since: begin } = parameters
      if (wait > 0) longLived.admit(ctx)
      const patience = wait > 0 ? { milliseconds: wait * 1000, signal: signals.of(ctx) } : undefined
      sendPart(ctx, root, await changes.read(caller, begin, limit, patience, filter), 'since')
    },
  }),
]

/** What to do instead, for a point outside the served history. @param base the commit where its branch began */
function adviseForChanges(base: string): string {
  return `There is no change feed there. Read the changes up to where the branch began with at=${base}.`
}

/** Answers with a part of the feed. @param cursor the parameter that continues; undefined: there is nothing more */
function sendPart(
  ctx: Context,
  root: string,
  { items, next, more }: ChangesPage,
  cursor: 'since' | 'before' | undefined,
): void {
  ctx.set('Cache-Control', 'no-store')
  if (cursor) {
    const url = nextUrl(`${root}/api/changes`, ctx.querystring, cursor, next)
    ctx.set('Link', `<${url}>; rel="next"`)
  }
  const rendered = items.map(item => renderChange(item, root))
  sendJson(ctx, { items: rendered, next, more }, 'application/json')
}

function filterIn({
  kind,
  schemaId,
  author,
}: {
  readonly [Name in keyof typeof filters]: ReturnType<(typeof filters)[Name]['read']>
}): ChangeFilter {
  return {
    ...(kind && { kind }),
    ...(schemaId !== undefined && { schemaId }),
    ...(author !== undefined && { author }),
  }
}

/**
 * One event for each revision. Only the last event of a commit has the commit as its id, so a client that loses the
 * connection within a commit gets all events of the commit again. For a commit without events, only an id is sent.
 * @see https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation
 */
async function* eventsOf(
  first: ChangesPage,
  next: (since: Oid) => Promise<ChangesPage>,
  signal: AbortSignal,
  root: string,
): AsyncGenerator<string> {
  yield 'retry: 2000\n\n'
  let part = first
  for (let lastId: Oid | undefined; ; ) {
    const { items } = part
    for (const [index, item] of items.entries()) {
      const isLast = items[index + 1]?.commit !== item.commit
      if (isLast) lastId = item.commit
      const data = JSON.stringify(renderChange(item, root))
      yield serverSentEvent(item.change, data, isLast ? item.commit : undefined)
    }
    if (signal.aborted) return
    if (lastId !== part.next) yield `id: ${part.next}\n\n`
    else if (items.length === 0) yield ': still here\n\n'
    lastId = part.next
    try {
      part = await next(part.next)
    } catch (error) {
      // The client reconnects with its last id, and gets the problem then.
      if (error instanceof ProblemError) return
      throw error
    }
    if (signal.aborted) return
  }
}

function renderChange(
  { kind, id, commit, time, change, undoes, deletedBy, state }: ChangeItem,
  root: string,
): object {
  const facts = {
    ...{ kind, id, commit, time: formatInstant(time), change },
    ...(undoes && { undoes }),
    ...(deletedBy !== undefined && { author: deletedBy }),
  }
  if (!state) return facts
  const { version, author, message, schema } = state
  return {
    ...facts,
    version,
    author,
    message,
    ...(schema && { schema: { id: schema.schemaId, version: schema.version } }),
    links: {
      v1: recordUrl(`${root}/api/v1`, kind, id, version),
      v2: recordUrl(`${root}/api/v2`, kind, id, version),
    },
  }
}

/** Reads the cursor of the feed, a commit; undefined if absent. @throws ProblemError `malformed-request` */
function parseCommit(text: string | undefined): Oid | undefined {
  if (text === undefined) return undefined
  if (/^[0-9a-f]{40}$/i.test(text)) return text.toLowerCase() as Oid
  throw malformedRequest(
    `The cursor of the change feed is a commit, with 40 hex digits, as in next of a response; "${truncate(text)}" is not.`,
  )
}

function nextUrl(url: string, querystring: string, cursor: 'since' | 'before', next: Oid): string {
  const query = new URLSearchParams(querystring)
  // The commit is of the same history.
  query.delete('at')
  query.set(cursor, next)
  return `${url}?${query.toString()}`
}

function changesSchemas(): Readonly<Record<string, Schema>> {
  const uri: Schema = { type: 'string', format: 'uri' }
  return {
    Changes: closedObject({
      items: listOf(schemaRef('Change'), {
        description: 'In the order of history, oldest first; with `before` newest first.',
      }),
      next: { ...schemaRef('Commit'), description: 'The cursor: the next `since`, or the next `before`.' },
      more: {
        type: 'boolean',
        description:
          'True: more revisions are available now. `items` can still be empty, if the caller may read none of them.',
      },
    }),
    Change: {
      anyOf: [schemaRef('ReadableChange'), schemaRef('DeletedChange')],
      description: 'One revision of one record.',
    },
    ReadableChange: closedObject(
      {
        ...factsOf('created', 'updated'),
        version: schemaRef('Version'),
        author: { type: 'string', description: 'Name of the author of the commit.' },
        message: { type: 'string', description: 'First line of the commit’s message.' },
        schema: closedObject({ id: schemaRef('Id'), version: schemaRef('Version') }, ['id', 'version'], {
          description: 'For metadata: the schema version that the document follows.',
        }),
        links: closedObject({ v1: uri, v2: uri }, ['v1', 'v2'], {
          description: 'Addresses of this version, in both versions of the interface.',
        }),
      },
      [...requiredFacts, 'version', 'author', 'message', 'links'],
      { description: 'A revision that can be read.' },
    ),
    DeletedChange: closedObject(
      {
        ...factsOf('created', 'updated', 'deleted'),
        author: { type: 'string', description: 'Name of the author of the commit, for the deletion only.' },
      },
      requiredFacts,
      { description: 'The deletion of a record, or an earlier revision of one that is deleted.' },
    ),
  }
}

/** The members of every change. @param changes what it may have done to the record */
function factsOf(...changes: readonly string[]): Readonly<Record<string, Schema>> {
  return {
    kind: { type: 'string', enum: collections },
    id: schemaRef('Id'),
    commit: schemaRef('Commit'),
    time: schemaRef('Instant'),
    change: { type: 'string', enum: changes },
    undoes: schemaRef('UndoneState'),
  }
}

function exampleOfChanges(): object {
  return {
    items: [
      {
        kind: 'metadata',
        id: 'overview-7',
        commit: exampleCommit,
        time: '2026-03-14T09:26:53.59Z',
        change: 'created',
        version: 1,
        author: 'SELF',
        message: 'Create metadata overview-7 (measurement, version 1)',
        schema: { id: 'measurement', version: 1 },
        links: {
          v1: 'http://localhost:8040/api/v1/metadata/overview-7?version=1',
          v2: 'http://localhost:8040/api/v2/metadata/overview-7?version=1',
        },
      },
    ],
    next: exampleCommit,
    more: false,
  }
}
