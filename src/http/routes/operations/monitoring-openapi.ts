import { problemResponsesFor } from '../../openapi/problem-responses.js'
import { headerRef, type Paths, type Schema, schemaRef } from '../../openapi/specification-types.js'
import { closedObject, listOf } from '../../openapi/value-schemas.js'

const count: Schema = { type: 'string', pattern: '^\\d+$', examples: ['2'] }
const space: Readonly<Record<string, Schema>> = {
  'Total space': { type: 'string', examples: ['931.51 GB'] },
  'Free space': { type: 'string', examples: ['512.00 GB (55%)'] },
}

function component(details: Schema): Schema {
  return closedObject({ status: { type: 'string', enum: ['UP', 'DOWN'] }, details }, ['status'])
}

/** @see Health */
export const operationSchemas: Readonly<Record<string, Schema>> = {
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
  MonitoredHealth: closedObject({
    status: { type: 'string', enum: ['UP', 'DOWN'] },
    components: closedObject({
      MetadataRepo: component(schemaRef('MetadataDetails')),
      SchemaRepo: component(schemaRef('SchemaDetails')),
      git: component(
        closedObject(
          { head: schemaRef('Commit'), catalog: schemaRef('Commit'), checks: schemaRef('HealthChecks') },
          ['checks'],
        ),
      ),
    }),
  }),
  SchemaDetails: closedObject({ ...space, 'No of schema documents': count }),
  MetadataDetails: closedObject({ ...space, 'No of metadata documents': count }),
  Info: closedObject(
    {
      build: closedObject({ name: { type: 'string' }, version: { type: 'string' } }, ['name']),
      schemaRepo: schemaRef('SchemaDetails'),
      metadataRepo: schemaRef('MetadataDetails'),
    },
    ['build'],
    { description: 'A section is missing where its folder cannot be written to.' },
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
const info = {
  build: { name: 'git-metastore', version: '0.1.0' },
  schemaRepo: { 'Total space': '931.51 GB', 'Free space': '512.00 GB (55%)', 'No of schema documents': '2' },
  metadataRepo: {
    'Total space': '931.51 GB',
    'Free space': '512.00 GB (55%)',
    'No of metadata documents': '9',
  },
}
const up = {
  status: 'UP',
  head: commit,
  catalog: commit,
  checks: { repository: { ok: true }, writable: { ok: true }, catalog: { ok: true } },
  warnings: { branch: { ok: true }, edits: { ok: true } },
  faults: [],
  undone: [],
}

/** What those who run the service look at. */
export const operationPaths: Paths = {
  '/health': {
    get: {
      tags: ['Operation'],
      operationId: 'health',
      summary: 'Is the service able to work?',
      description:
        'Looks whether the repository can be read and written to and whether the listings are up to date. Names every ' +
        'record whose newest revision is not served.',
      responses: {
        ...problemResponsesFor({}),
        200: {
          description: 'Requests can be served and stored.',
          headers: { 'Cache-Control': headerRef('CacheControl') },
          content: { 'application/json': { schema: schemaRef('Health'), examples: { up: { value: up } } } },
        },
        503: {
          description: 'Something is wrong, and the answer says what.',
          headers: { 'Cache-Control': headerRef('CacheControl') },
          content: { 'application/json': { schema: schemaRef('Health') } },
        },
      },
    },
  },
  '/health/live': {
    get: {
      tags: ['Operation'],
      operationId: 'live',
      summary: 'Is the process alive?',
      description: 'It answers as long as it runs; nothing is looked at. Where it does not, start it again.',
      responses: {
        ...problemResponsesFor({}),
        200: {
          description: 'It is.',
          headers: { 'Cache-Control': headerRef('CacheControl') },
          content: { 'application/json': { schema: closedObject({ status: { const: 'UP' } }, ['status']) } },
        },
      },
    },
  },
  '/health/ready': {
    get: {
      tags: ['Operation'],
      operationId: 'ready',
      summary: 'Can it be sent all kinds of requests?',
      description:
        'Whether updates are taken and the listings are at the head of the branch, looked at once a second at most. Names ' +
        'only lock files of git that keep updates from being taken: `GET /health` says what else is wrong.',
      responses: {
        ...problemResponsesFor({}),
        200: {
          description: 'It can.',
          headers: { 'Cache-Control': headerRef('CacheControl') },
          content: {
            'application/json': {
              schema: schemaRef('Readiness'),
              examples: {
                up: { value: { status: 'UP', checks: { repository: true, writable: true, catalog: true } } },
              },
            },
          },
        },
        503: {
          description: 'It cannot; reading may go on.',
          headers: { 'Cache-Control': headerRef('CacheControl') },
          content: { 'application/json': { schema: schemaRef('Readiness') } },
        },
      },
    },
  },
  '/metrics': {
    get: {
      tags: ['Operation'],
      operationId: 'metrics',
      summary: 'What the server counts and measures',
      description:
        'Requests, the queue, flushes, validations, how far the listings are behind, packs, faults and the process, in the ' +
        'text format of Prometheus. Numbers only: they name no record and nobody. Where callers are told apart they are for ' +
        'administrators.',
      responses: {
        200: {
          description: 'All of them.',
          headers: { 'Cache-Control': headerRef('CacheControl') },
          content: { 'text/plain': { schema: { type: 'string', pattern: '^# HELP ' } } },
        },
        ...problemResponsesFor({
          unauthenticated: true,
          forbidden: 'The caller is no administrator.',
          'not-found': 'The server does not measure: see `--metrics`.',
        }),
      },
    },
  },
  '/actuator/health': {
    get: {
      tags: ['Operation'],
      operationId: 'monitoredHealth',
      summary: 'The same, for monitors of existing servers',
      description: 'Whether the parts of the service are up, as other servers of this interface say it.',
      responses: {
        ...problemResponsesFor({}),
        200: {
          description: 'Everything is up.',
          headers: { 'Cache-Control': headerRef('CacheControl') },
          content: { 'application/json': { schema: schemaRef('MonitoredHealth') } },
        },
        503: {
          description: 'Something is down.',
          headers: { 'Cache-Control': headerRef('CacheControl') },
          content: { 'application/json': { schema: schemaRef('MonitoredHealth') } },
        },
      },
    },
  },
  '/actuator/info': {
    get: {
      tags: ['Operation'],
      operationId: 'info',
      summary: 'What the program is, how much it holds, and how much room there is',
      description: 'Numbers of records and space on disk, as other servers of this interface say it.',
      responses: {
        200: {
          description: 'All values but those of `build` are texts.',
          headers: { 'Cache-Control': headerRef('CacheControl') },
          content: { 'application/json': { schema: schemaRef('Info'), examples: { info: { value: info } } } },
        },
        ...problemResponsesFor({}),
      },
    },
  },
}
