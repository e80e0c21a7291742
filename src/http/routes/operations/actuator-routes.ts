import type { Principal } from '../../../core/access-control.js'
import type { Collection } from '../../../core/records/collection.js'
import type { DiskSpace } from '../../../service/operations/disk-space.js'
import type { Services } from '../../../service/services.js'
import { contentOf, headerRef, type Schema, schemaRef } from '../../openapi/specification-types.js'
import { closedObject } from '../../openapi/value-schemas.js'
import { sendJson } from '../../response/send-body.js'
import type { UnversionedContext } from '../../route-context.js'
import { routesWith } from '../../route-declaration/route.js'

/*
 * `/actuator/health` and `/actuator/info`, in the format of other servers of this interface.
 * @see docs/contract.md#health-and-information
 */

const count: Schema = { type: 'string', pattern: '^\\d+$', examples: ['2'] }
const space: Readonly<Record<string, Schema>> = {
  'Total space': { type: 'string', examples: ['931.51 GB'] },
  'Free space': { type: 'string', examples: ['512.00 GB (55%)'] },
}

function component(details: Schema): Schema {
  return closedObject({ status: { type: 'string', enum: ['UP', 'DOWN'] }, details }, ['status'])
}

const actuatorSchemas: Readonly<Record<string, Schema>> = {
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
    { description: 'A section is absent if the server cannot write to its folder.' },
  ),
}

const info = {
  build: { name: 'git-metastore', version: '0.1.0' },
  schemaRepo: { 'Total space': '931.51 GB', 'Free space': '512.00 GB (55%)', 'No of schema documents': '2' },
  metadataRepo: {
    'Total space': '931.51 GB',
    'Free space': '512.00 GB (55%)',
    'No of metadata documents': '9',
  },
}

const route = routesWith<UnversionedContext>()
const common = { method: 'get', tags: ['Operation'], parameters: {} } as const
const headers = { 'Cache-Control': headerRef('CacheControl') }
const health = { headers, content: contentOf(['application/json'], schemaRef('MonitoredHealth')) }

export const actuatorRoutes = [
  route({
    ...common,
    path: '/actuator/health',
    access: 'readable-records',
    operationId: 'monitoredHealth',
    summary: 'Check the service, for monitors of other servers',
    description: 'Whether the parts of the service work, in the format of other servers of this interface.',
    schemas: actuatorSchemas,
    responses: {
      200: { description: 'All parts work.', ...health },
      503: { description: 'A part does not work.', ...health },
    },
    async handle(ctx, { services, callerOf }) {
      const caller = callerOf(ctx)
      const [{ status, head, catalog, checks }, details] = await Promise.all([
        services.health(caller),
        detailsOf(services, caller),
      ])
      const works = status === 'UP'
      const components = {
        MetadataRepo: componentOf(works && details.metadata !== undefined, details.metadata),
        SchemaRepo: componentOf(works && details.schema !== undefined, details.schema),
        git: componentOf(works, { head, catalog, checks }),
      }
      const up = Object.values(components).every(each => each.status === 'UP')
      ctx.set('Cache-Control', 'no-store')
      sendJson(ctx, { status: up ? 'UP' : 'DOWN', components }, 'application/json', up ? 200 : 503)
    },
  }),
  route({
    ...common,
    path: '/actuator/info',
    access: 'readable-records',
    operationId: 'info',
    summary: 'Read the version of the program, numbers of records and disk space',
    description: 'Numbers of records and space on disk, in the format of other servers of this interface.',
    responses: {
      200: {
        description: 'All values are strings.',
        headers,
        content: contentOf(['application/json'], schemaRef('Info'), { info }),
      },
    },
    async handle(ctx, { services, callerOf, build }) {
      const { schema, metadata } = await detailsOf(services, callerOf(ctx))
      ctx.set('Cache-Control', 'no-store')
      sendJson(ctx, { build, schemaRepo: schema, metadataRepo: metadata }, 'application/json')
    },
  }),
]

function componentOf(up: boolean, details: object | undefined): { readonly status: string } {
  return { status: up ? 'UP' : 'DOWN', ...(details ? { details } : {}) }
}

/** Details of each collection for this caller; undefined if the server cannot write to the folder of the collection. */
async function detailsOf(
  services: Services,
  caller: Principal,
): Promise<Readonly<Record<Collection, object | undefined>>> {
  const space = await services.space()
  function details(kind: Collection): object | undefined {
    const disk = space[kind]
    if (!disk) return undefined
    const { total } = services.collections[kind].list(caller, {}, { offset: 0, limit: 1 })
    return { ...spaceTexts(disk), [`No of ${kind} documents`]: String(total) }
  }
  return { schema: details('schema'), metadata: details('metadata') }
}

/** `1.00 GB` is 2^30 bytes, as on other servers of this interface. */
function spaceTexts({ total, free }: DiskSpace): object {
  const gigabytes = (bytes: number) => `${(bytes / 2 ** 30).toFixed(2)} GB`
  const percent = total === 0 ? 0 : Math.round((free / total) * 100)
  return { 'Total space': gigabytes(total), 'Free space': `${gigabytes(free)} (${percent}%)` }
}
