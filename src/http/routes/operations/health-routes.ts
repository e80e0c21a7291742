import type { Context } from 'koa'
import { anonymousPrincipal } from '../../../core/access-control.js'
import { formatInstant } from '../../../core/value-types.js'
import type { Health } from '../../../service/operations/health-check.js'
import { headerRef, type Response, type Schema, schemaRef } from '../../openapi/specification-types.js'
import { closedObject, listOf } from '../../openapi/value-schemas.js'
import { sendJson } from '../../response/record-and-list-responses.js'
import { routesWith } from '../../route/route.js'
import type { UnversionedContext } from '../../route-context.js'

/*
 * `/health`: 200 where requests can be served and stored, else 503; what was looked at either way. For programs that
 * start and stop servers, `/health/live`: the process answers; and `/health/ready`: it can be sent all kinds of
 * requests.
 */

/** @see Health */
const healthSchemas: Readonly<Record<string, Schema>> = {
  Health: closedObject(
    {
      status: { type: 'string', enum: ['UP', 'DOWN'] },
      head: { ...schemaRef('Commit'), description: 'The commit the branch points at.' },
      catalog: { ...schemaRef('Commit'), description: 'The commit the listings reflect.' },
      checks: schemaRef('HealthChecks'),
      warnings: schemaRef('HealthWarnings'),
      faults: listOf(schemaRef('Fault')),
      undone: listOf(schemaRef('UndoneUpdate'), {
        description:
          'Updates that are missing because a commit undid them, of records that the caller may administrate.',
      }),
      locks: listOf(schemaRef('StaleLock'), { minItems: 1 }),
      remote: schemaRef('Standing'),
    },
    ['status', 'checks', 'warnings', 'faults', 'undone'],
  ),
  Standing: closedObject(
    {
      role: {
        type: 'string',
        enum: ['source', 'mirror', 'log'],
        description:
          'The other repository is followed; gets every update; or is shared with other servers and gets every update first.',
      },
      address: { type: 'string', description: 'Where it is, without a password.' },
      ok: { type: 'boolean' },
      detail: { type: 'string', description: 'What is wrong.' },
      since: { ...schemaRef('Instant'), description: 'Since when something is.' },
      seen: { ...schemaRef('Instant'), description: 'When all was well for the last time.' },
      commit: { ...schemaRef('Commit'), description: 'The commit its branch was at then.' },
      lag: {
        type: 'integer',
        minimum: 0,
        description: 'Commits that are served here and not known to be there.',
      },
    },
    ['role', 'address', 'ok'],
    {
      description:
        'How things stand with the repository that this server follows or pushes to. Where it cannot be reached, what is here is served on.',
    },
  ),
  Readiness: closedObject(
    {
      status: {
        type: 'string',
        enum: ['UP', 'READ_ONLY', 'DOWN'],
        description: '`READ_ONLY`: what is stored can be read, and no update is taken or no new commit seen.',
      },
      checks: closedObject({
        repository: { type: 'boolean' },
        writable: { type: 'boolean' },
        catalog: { type: 'boolean' },
      }),
      locks: listOf(schemaRef('StaleLock'), { minItems: 1 }),
    },
    ['status', 'checks'],
  ),
  StaleLock: closedObject(
    {
      file: { type: 'string', description: 'Path in the Git directory, such as `index.lock`.' },
      seconds: { type: 'integer', minimum: 0, description: 'How long it has been there.' },
      stops: { type: 'string', enum: ['updates', 'pushes', 'packing of refs'] },
      detail: { type: 'string', description: 'What to do.' },
    },
    ['file', 'seconds', 'stops', 'detail'],
    {
      description:
        "A lock of git's that has been there for longer than an update waits for it: a command that takes long, or one that was killed.",
    },
  ),
  HealthChecks: closedObject({
    repository: schemaRef('HealthCheck'),
    writable: schemaRef('HealthCheck'),
    catalog: schemaRef('HealthCheck'),
  }),
  HealthCheck: closedObject(
    { ok: { type: 'boolean' }, detail: { type: 'string', description: 'What is wrong.' } },
    ['ok'],
  ),
  HealthWarnings: closedObject(
    { branch: schemaRef('HealthCheck'), edits: schemaRef('HealthCheck') },
    ['branch', 'edits'],
    {
      description:
        'What a person has to put right, while all work goes on: HEAD of the data folder has left the branch that is ' +
        'served, or a commit has undone updates. The status does not tell of it.',
    },
  ),
  UndoneUpdate: closedObject(
    {
      kind: { type: 'string', enum: ['schema', 'metadata'] },
      id: schemaRef('Id'),
      path: { type: 'string', description: 'The file in the repository.' },
      commit: { ...schemaRef('Commit'), description: 'The commit that undid the updates.' },
      time: schemaRef('Instant'),
      author: { type: 'string', description: 'Name of who made the commit.' },
      version: {
        ...schemaRef('Version'),
        description: 'The version it made; absent: it removed the record.',
      },
      basedOn: { ...schemaRef('Version'), description: 'The version that its edit was based on.' },
      undone: schemaRef('UndoneState'),
    },
    ['kind', 'path', 'commit', 'time', 'author', 'undone'],
    { description: 'A commit made with plain git of an edit that was based on an older version.' },
  ),
  Fault: closedObject(
    {
      kind: { type: 'string', enum: ['schema', 'metadata'] },
      directory: { type: 'string', description: 'Folder of the record in the repository.' },
      id: schemaRef('Id'),
      commit: schemaRef('Commit'),
      findings: listOf(schemaRef('Finding'), { minItems: 1 }),
    },
    ['kind', 'directory', 'commit', 'findings'],
    {
      description:
        'A record whose newest revision, made with plain git, breaks a rule; the last good one is served instead.',
    },
  ),
}

const commit = '5f2a1c0d9b8e7f6a5b4c3d2e1f0a9b8c7d6e5f4a'
const up = {
  status: 'UP',
  head: commit,
  catalog: commit,
  checks: { repository: { ok: true }, writable: { ok: true }, catalog: { ok: true } },
  warnings: { branch: { ok: true }, edits: { ok: true } },
  faults: [],
  undone: [],
}

const route = routesWith<UnversionedContext>()
const common = { method: 'get', tags: ['Operation'], parameters: {} } as const

function health(description: string, schema: Schema, example?: unknown): Response {
  const examples = example === undefined ? {} : { examples: { up: { value: example } } }
  return {
    description,
    headers: { 'Cache-Control': headerRef('CacheControl') },
    content: { 'application/json': { schema, ...examples } },
  }
}

export const healthRoutes = [
  route({
    ...common,
    path: '/health',
    operationId: 'health',
    summary: 'Is the service able to work?',
    description:
      'Looks whether the repository can be read and written to and whether the listings are up to date. Names every ' +
      'record whose newest revision is not served.',
    schemas: healthSchemas,
    responses: {
      200: health('Requests can be served and stored.', schemaRef('Health'), up),
      503: health('Something is wrong, and the answer says what.', schemaRef('Health')),
    },
    async handle(ctx, { services, callerOf }) {
      const found = await services.health(callerOf(ctx))
      send(ctx, { ...found, undone: found.undone.map(undoneShown) }, found.status === 'UP')
    },
  }),
  route({
    ...common,
    path: '/health/live',
    operationId: 'live',
    summary: 'Is the process alive?',
    description: 'It answers as long as it runs; nothing is looked at. Where it does not, start it again.',
    responses: { 200: health('It is.', closedObject({ status: { const: 'UP' } }, ['status'])) },
    handle: ctx => send(ctx, { status: 'UP' }, true),
  }),
  route({
    ...common,
    path: '/health/ready',
    operationId: 'ready',
    summary: 'Can it be sent all kinds of requests?',
    description:
      'Whether updates are taken and the listings are at the head of the branch, looked at once a second at most. Names ' +
      'only lock files of git that keep updates from being taken: `GET /health` says what else is wrong.',
    responses: {
      200: health('It can.', schemaRef('Readiness'), {
        status: 'UP',
        checks: { repository: true, writable: true, catalog: true },
      }),
      503: health('It cannot; reading may go on.', schemaRef('Readiness')),
    },
    async handle(ctx, { services }) {
      const readiness = readinessIn(await services.health(anonymousPrincipal))
      send(ctx, readiness, readiness.status === 'UP')
    },
  }),
]

function undoneShown({
  isMissing: _isMissing,
  blobs: _blobs,
  time,
  ...update
}: Health['undone'][number]): object {
  return { ...update, time: formatInstant(time) }
}

function send(ctx: Context, body: object, good: boolean): void {
  ctx.set('Cache-Control', 'no-store')
  sendJson(ctx, body, 'application/json', good ? 200 : 503)
}

interface Readiness {
  /** `READ_ONLY`: what is stored can be read, and no update is taken or no new commit seen. */
  readonly status: Health['status'] | 'READ_ONLY'
  readonly checks: Readonly<Record<keyof Health['checks'], boolean>>
  /** Files of the Git directory that keep updates from being taken. */
  readonly locks?: Health['locks']
}

/**
 * Which checks hold, and which locks do not let them; other details may name commits, and are for those who ask for
 * all.
 */
function readinessIn({ status, checks, locks }: Health): Readiness {
  const { repository, writable, catalog } = checks
  return {
    status: status === 'UP' || !repository.ok ? status : 'READ_ONLY',
    checks: { repository: repository.ok, writable: writable.ok, catalog: catalog.ok },
    ...(locks && { locks }),
  }
}
