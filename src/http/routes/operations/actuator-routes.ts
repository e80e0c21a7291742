import type Router from '@koa/router'
import type { Principal } from '../../../core/access-control.js'
import type { Collection } from '../../../core/records/collection.js'
import type { DiskSpace } from '../../../service/operations/disk-space.js'
import type { Services } from '../../../service/services.js'
import { refuseAtOnCurrentOnly } from '../../request/at-parameter.js'
import { sendJson } from '../../response/record-and-list-responses.js'
import type { UnversionedContext } from '../../route-context.js'

/** `/actuator/health` and `/actuator/info`, as monitors of that interface read them. @see contract, 7 */
export function actuatorRoutes(router: Router, { services, callerOf, build }: UnversionedContext): void {
  router.get('/actuator/health', refuseAtOnCurrentOnly, async ctx => {
    const caller = callerOf(ctx)
    const [health, details] = await Promise.all([services.health(caller), detailsOf(services, caller)])
    const works = health.status === 'UP'
    const components = {
      MetadataRepo: component(works && details.metadata !== undefined, details.metadata),
      SchemaRepo: component(works && details.schema !== undefined, details.schema),
      // why, where it is down
      git: component(works, { head: health.head, catalog: health.catalog, checks: health.checks }),
    }
    const up = Object.values(components).every(({ status }) => status === 'UP')
    ctx.set('Cache-Control', 'no-store')
    sendJson(ctx, { status: up ? 'UP' : 'DOWN', components }, 'application/json', up ? 200 : 503)
  })

  router.get('/actuator/info', refuseAtOnCurrentOnly, async ctx => {
    const { schema, metadata } = await detailsOf(services, callerOf(ctx))
    ctx.set('Cache-Control', 'no-store')
    sendJson(ctx, { build, schemaRepo: schema, metadataRepo: metadata }, 'application/json')
  })
}

function component(up: boolean, details: object | undefined): { readonly status: string } {
  return { status: up ? 'UP' : 'DOWN', ...(details ? { details } : {}) }
}

/** What there is to say of each kind to this caller; nothing of one whose folder cannot be written to. */
async function detailsOf(
  services: Services,
  caller: Principal,
): Promise<Partial<Record<Collection, object>>> {
  const space = await services.space()
  const count = (kind: Collection) => {
    const records = kind === 'schema' ? services.schemas : services.metadata
    return String(records.list(caller, {}, { offset: 0, limit: 1 }).total)
  }
  return {
    ...(space.schema
      ? { schema: { ...spaceTexts(space.schema), 'No of schema documents': count('schema') } }
      : {}),
    ...(space.metadata
      ? { metadata: { ...spaceTexts(space.metadata), 'No of metadata documents': count('metadata') } }
      : {}),
  }
}

/** `1.00 GB` is 2^30 bytes, as existing servers count. */
function spaceTexts({ total, free }: DiskSpace): object {
  const gigabytes = (bytes: number) => `${(bytes / 2 ** 30).toFixed(2)} GB`
  const percent = total === 0 ? 0 : Math.round((free / total) * 100)
  return { 'Total space': gigabytes(total), 'Free space': `${gigabytes(free)} (${percent}%)` }
}
