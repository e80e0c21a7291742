import { problemResponsesFor } from '../../openapi/problem-responses.js'
import {
  headerRef,
  type Parameter,
  type Paths,
  type Schema,
  schemaRef,
} from '../../openapi/specification-types.js'
import { closedObject, listOf } from '../../openapi/value-schemas.js'
import { changesLimit, maxWaitSeconds } from './change-feed-routes.js'

const uri: Schema = { type: 'string', format: 'uri' }

export const changesSchemas: Readonly<Record<string, Schema>> = {
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

const commit = '5f2a1c0d9b8e7f6a5b4c3d2e1f0a9b8c7d6e5f4a'
const example = {
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

const asked: readonly Parameter[] = [
  {
    name: 'since',
    in: 'query',
    description:
      'The commit to continue behind, as `next` of an answer names it. Absent: from the beginning.',
    schema: { type: 'string', pattern: '^[0-9A-Fa-f]{40}$' },
  },
  {
    name: 'limit',
    in: 'query',
    description: `Revisions of an answer. More than ${changesLimit.most} are taken as ${changesLimit.most}. Those of one commit come together, even where they are more.`,
    schema: { type: 'integer', minimum: 1, default: changesLimit.usual },
  },
  {
    name: 'wait',
    in: 'query',
    description: `Seconds to wait where there is nothing new; the answer comes as soon as there is something, else empty. More than ${maxWaitSeconds} are taken as ${maxWaitSeconds}.`,
    schema: { type: 'integer', minimum: 0, default: 0 },
  },
  {
    name: 'Last-Event-ID',
    in: 'header',
    description:
      'Of a stream: the id of the last event, in place of `since`. An `EventSource` sends it when it comes again.',
    schema: { type: 'string', pattern: '^[0-9A-Fa-f]{40}$' },
  },
]

/** What programs keep up with the repository by. */
export const changesPaths: Paths = {
  '/api/changes': {
    get: {
      tags: ['Changes'],
      operationId: 'changes',
      summary: 'What was changed, in order',
      description:
        'Every revision of every record, oldest first, whoever made it. The cursor is a commit: whoever continues behind ' +
        '`next` misses nothing and gets nothing twice, whenever that is. What the caller may not read is left out. ' +
        'With `Accept: text/event-stream` the answer is a stream of server-sent events that does not end: one event a ' +
        'revision, called as its `change`, the last one of a commit with the name of the commit as its id.',
      parameters: asked,
      responses: {
        200: {
          description: 'The revisions; as a stream each is the data of an event.',
          headers: {
            'Cache-Control': headerRef('CacheControl'),
            Link: {
              description: 'The address to continue at (RFC 8288), `rel="next"`; not of a stream.',
              schema: { type: 'string', pattern: '^<[^>]+>; rel="next"$' },
              example: `<http://localhost:8040/api/changes?since=${commit}>; rel="next"`,
            },
            'X-Accel-Buffering': {
              description: 'With a stream: proxies are to pass on each event at once.',
              schema: { const: 'no' },
            },
          },
          content: {
            'application/json': { schema: schemaRef('Changes'), examples: { one: { value: example } } },
            'text/event-stream': { schema: { type: 'string', pattern: '^retry: \\d+\\n\\n' } },
          },
        },
        ...problemResponsesFor({
          'not-found': 'The served history has no commit `since`: begin again without it.',
          unavailable: 'Too many clients wait already; ask later, or without waiting. Or the server stops.',
        }),
      },
    },
  },
}
