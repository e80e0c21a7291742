import type { Context } from 'koa'
import { anonymousPrincipal } from '../../../core/access-control.js'
import { collections } from '../../../core/records/collection.js'
import { formatInstant } from '../../../core/value-types.js'
import type { Health } from '../../../service/operations/health-check.js'
import {
  contentOf,
  headerRef,
  type Response,
  type Schema,
  schemaRef,
} from '../../openapi/specification-types.js'
import { closedObject, exampleCommit, listOf } from '../../openapi/value-schemas.js'
import { sendJson } from '../../response/send-body.js'
import type { UnversionedContext } from '../../route-context.js'
import { routesWith } from '../../route-declaration/route.js'

/*
 * `/health` has all checks and their details. `/health/live` and `/health/ready` are probes for orchestrators: whether
 * the process runs, and whether it accepts all kinds of requests.
 */

/** The schema of the answer. @param ofFeatures members of features @see Health */
const healthSchema = (ofFeatures: Readonly<Record<string, Schema>>): Schema =>
  closedObject(
    {
      status: { type: 'string', enum: ['UP', 'DOWN'] },
      head: { ...schemaRef('Commit'), description: 'The commit that the branch points at.' },
      catalog: { ...schemaRef('Commit'), description: 'The commit that the lists reflect.' },
      checks: schemaRef('HealthChecks'),
      warnings: schemaRef('HealthWarnings'),
      faults: listOf(schemaRef('Fault')),
      undone: listOf(schemaRef('UndoneUpdate'), {
        description:
          'Updates that a commit made with plain git has undone, of records that the caller may administrate.',
      }),
      locks: listOf(schemaRef('StaleLock'), { minItems: 1 }),
      ...ofFeatures,
    },
    ['status', 'checks', 'warnings', 'faults', 'undone'],
  )

/** Schemas of parts of the responses. */
const partSchemas: Readonly<Record<string, Schema>> = {
  Readiness: closedObject(
    {
      status: {
        type: 'string',
        enum: ['UP', 'READ_ONLY', 'DOWN'],
        description:
          '`READ_ONLY`: the server answers reads, but refuses updates or does not see new commits.',
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
      seconds: { type: 'integer', minimum: 0, description: 'Age of the lock.' },
      stops: { type: 'string', enum: ['updates', 'pushes', 'packing of refs'] },
      detail: { type: 'string', description: 'What to do.' },
    },
    ['file', 'seconds', 'stops', 'detail'],
    {
      description:
        'A lock file of git that is older than the time for which an update waits: its command takes long, or was killed.',
    },
  ),
  HealthChecks: closedObject({
    repository: schemaRef('HealthCheck'),
    writable: schemaRef('HealthCheck'),
    catalog: schemaRef('HealthCheck'),
  }),
  HealthCheck: closedObject(
    { ok: { type: 'boolean' }, detail: { type: 'string', description: 'What is wrong, if `ok` is false.' } },
    ['ok'],
  ),
  HealthWarnings: closedObject(
    { branch: schemaRef('HealthCheck'), edits: schemaRef('HealthCheck'), records: schemaRef('HealthCheck') },
    ['branch', 'edits', 'records'],
    {
      description:
        'Problems that do not affect `status`, but need a person: HEAD of the data folder is not on the served branch, ' +
        'a commit has undone updates, or the newest commit of a record breaks a rule and is not served.',
    },
  ),
  UndoneUpdate: closedObject(
    {
      kind: { type: 'string', enum: collections },
      id: schemaRef('Id'),
      path: { type: 'string', description: 'The file in the repository.' },
      commit: { ...schemaRef('Commit'), description: 'The commit that undid the updates.' },
      time: schemaRef('Instant'),
      author: { type: 'string', description: 'Name of the author of the commit.' },
      version: {
        ...schemaRef('Version'),
        description: 'The version that the commit made. Absent: the commit removed the record.',
      },
      basedOn: { ...schemaRef('Version'), description: 'The version that its edit was based on.' },
      undone: schemaRef('UndoneState'),
    },
    ['kind', 'path', 'commit', 'time', 'author', 'undone'],
    { description: 'A commit made with plain git, with an edit that was based on an older version.' },
  ),
  UndoneState: closedObject({ commit: schemaRef('Commit'), version: schemaRef('Version') }, ['commit'], {
    description:
      'The newest state that the revision undid. The revision was committed with plain git, and its edit was based on an older version.',
  }),
  Fault: closedObject(
    {
      kind: { type: 'string', enum: collections },
      directory: { type: 'string', description: 'Folder of the record in the repository.' },
      id: schemaRef('Id'),
      commit: schemaRef('Commit'),
      findings: listOf(schemaRef('Finding'), { minItems: 1 }),
    },
    ['kind', 'directory', 'commit', 'findings'],
    {
      description:
        'A record whose newest revision was made with plain git and breaks a rule. The server serves its last valid revision.',
    },
  ),
}
const up = {
  status: 'UP',
  head: exampleCommit,
  catalog: exampleCommit,
  checks: { repository: { ok: true }, writable: { ok: true }, catalog: { ok: true } },
  warnings: { branch: { ok: true }, edits: { ok: true }, records: { ok: true } },
  faults: [],
  undone: [],
}

const route = routesWith<UnversionedContext>()
const common = { method: 'get', tags: ['Operation'], parameters: {} } as const

function health(description: string, schema: Schema, example?: object): Response {
  return {
    description,
    headers: { 'Cache-Control': headerRef('CacheControl') },
    content: contentOf(['application/json'], schema, example && { up: example }),
  }
}

/** @param ofFeatures schemas of the members that features add to `/health` */
export const healthRoutes = (ofFeatures: Readonly<Record<string, Schema>>) => [
  route({
    ...common,
    path: '/health',
    access: 'readable-records',
    operationId: 'health',
    summary: 'Check the service',
    description:
      'Checks that the server can read and write the repository, and that the lists are up to date. `faults` has every ' +
      'record whose newest revision is not served.',
    schemas: { Health: healthSchema(ofFeatures), ...partSchemas },
    responses: {
      200: health('The server can answer reads and store updates.', schemaRef('Health'), up),
      503: health('A check has failed; its `detail` says why.', schemaRef('Health')),
    },
    async handle(ctx, { services, callerOf }) {
      const { ofFeatures, ...found } = await services.health(callerOf(ctx))
      const undone = found.undone.map(renderUndone)
      send(ctx, { ...found, undone, ...ofFeatures }, found.status === 'UP')
    },
  }),
  route({
    ...common,
    path: '/health/live',
    access: 'none',
    operationId: 'live',
    summary: 'Check that the process runs',
    description:
      'Answers as long as the process runs, without any check. If there is no response, restart the process.',
    responses: { 200: health('The process runs.', closedObject({ status: { const: 'UP' } }, ['status'])) },
    handle: ctx => send(ctx, { status: 'UP' }, true),
  }),
  route({
    ...common,
    path: '/health/ready',
    access: 'none',
    operationId: 'ready',
    summary: 'Check that the server accepts all kinds of requests',
    description:
      'Whether the server accepts updates and the lists are at the head of the branch, checked at most once a second. ' +
      '`locks` has the lock files of git that prevent updates. `GET /health` has all other details.',
    responses: {
      200: health('The server accepts all kinds of requests.', schemaRef('Readiness'), {
        status: 'UP',
        checks: { repository: true, writable: true, catalog: true },
      }),
      503: health(
        'The server does not accept updates; `status` says whether it answers reads.',
        schemaRef('Readiness'),
      ),
    },
    async handle(ctx, { services }) {
      const readiness = readinessIn(await services.health(anonymousPrincipal))
      send(ctx, readiness, readiness.status === 'UP')
    },
  }),
]

function renderUndone({
  isMissing: _isMissing,
  blobs: _blobs,
  time,
  ...update
}: Health['undone'][number]): object {
  return { ...update, time: formatInstant(time) }
}

function send(ctx: Context, body: object, isHealthy: boolean): void {
  ctx.set('Cache-Control', 'no-store')
  sendJson(ctx, body, 'application/json', isHealthy ? 200 : 503)
}

/**
 * The checks without their details, which may contain commits, and the lock files that prevent updates. Everyone may
 * read the result.
 */
function readinessIn({ status, checks, locks }: Health) {
  const { repository, writable, catalog } = checks
  return {
    status: status === 'UP' || !repository.ok ? status : 'READ_ONLY',
    checks: { repository: repository.ok, writable: writable.ok, catalog: catalog.ok },
    ...(locks && { locks }),
  }
}
