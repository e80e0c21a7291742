import { problemsOf } from './problems.js'
import { headerRef, type Paths, type Schema, schemaRef } from './types.js'
import { closed, listOf } from './values.js'

const count: Schema = { type: 'string', pattern: '^\\d+$', examples: ['2'] }
const space: Readonly<Record<string, Schema>> = {
  'Total space': { type: 'string', examples: ['931.51 GB'] },
  'Free space': { type: 'string', examples: ['512.00 GB (55%)'] },
}

function component(details: Schema): Schema {
  return closed({ status: { type: 'string', enum: ['UP', 'DOWN'] }, details }, ['status'])
}

/** @see Health */
export const operationSchemas: Readonly<Record<string, Schema>> = {
  Health: closed(
    {
      status: { type: 'string', enum: ['UP', 'DOWN'] },
      head: { ...schemaRef('Commit'), description: 'The commit the branch points at.' },
      catalog: { ...schemaRef('Commit'), description: 'The commit the listings reflect.' },
      checks: schemaRef('HealthChecks'),
      faults: listOf(schemaRef('Fault')),
      remote: schemaRef('Standing'),
    },
    ['status', 'checks', 'faults'],
  ),
  Standing: closed(
    {
      role: {
        type: 'string',
        enum: ['source', 'mirror'],
        description: 'The other repository is followed, or gets every update.',
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
  MonitoredHealth: closed({
    status: { type: 'string', enum: ['UP', 'DOWN'] },
    components: closed({
      MetadataRepo: component(schemaRef('MetadataDetails')),
      SchemaRepo: component(schemaRef('SchemaDetails')),
      git: component(
        closed(
          { head: schemaRef('Commit'), catalog: schemaRef('Commit'), checks: schemaRef('HealthChecks') },
          ['checks'],
        ),
      ),
    }),
  }),
  SchemaDetails: closed({ ...space, 'No of schema documents': count }),
  MetadataDetails: closed({ ...space, 'No of metadata documents': count }),
  Info: closed(
    {
      build: closed({ name: { type: 'string' }, version: { type: 'string' } }, ['name']),
      schemaRepo: schemaRef('SchemaDetails'),
      metadataRepo: schemaRef('MetadataDetails'),
    },
    ['build'],
    { description: 'A section is missing where its folder cannot be written to.' },
  ),
  HealthChecks: closed({
    repository: schemaRef('HealthCheck'),
    writable: schemaRef('HealthCheck'),
    catalog: schemaRef('HealthCheck'),
  }),
  HealthCheck: closed(
    { ok: { type: 'boolean' }, detail: { type: 'string', description: 'What is wrong.' } },
    ['ok'],
  ),
  Fault: closed(
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
  faults: [],
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
        ...problemsOf({}),
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
  '/actuator/health': {
    get: {
      tags: ['Operation'],
      operationId: 'monitoredHealth',
      summary: 'The same, for monitors of existing servers',
      description: 'Whether the parts of the service are up, as other servers of this interface say it.',
      responses: {
        ...problemsOf({}),
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
        ...problemsOf({}),
      },
    },
  },
}
