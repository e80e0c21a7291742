import type Router from '@koa/router'
import type { Context } from 'koa'
import { ProblemError } from '../../../core/problem.js'
import { parseVersion, truncate } from '../../../core/value-types.js'
import { attachedFiles } from '../../../service/rules/assemble-schema-bundle.js'
import { recordCommit } from '../../observability/request-log.js'
import { mediaTypeOf } from '../../record-formats/render-json-properties.js'
import {
  atParameter,
  pageAsked,
  readRequestedRevision,
  refuseAtOnChange,
} from '../../request/at-parameter.js'
import { parseIfMatch } from '../../request/conditional-headers.js'
import { requireJsonAccepted } from '../../request/content-negotiation.js'
import { schemaFilters } from '../../request/filter-parameters.js'
import { includedFiles, optionalPart, requiredPart, schemaParts } from '../../request/multipart-form.js'
import { parsePageParameters } from '../../request/paging.js'
import { singleParameter, versionParameter } from '../../request/query-parameters.js'
import {
  answerBytes,
  answerChange,
  answerItem,
  answerList,
} from '../../response/record-and-list-responses.js'
import {
  type ApiContext,
  apiRootUrl,
  callerWhoMayCreate,
  callerWithToken,
  draftIn,
  partsIn,
} from '../../route-context.js'

/** `/schemas` of one interface version under one mount. @see spec, "Schemas (version 1)"; contract, 3 */
export function schemaRoutes(router: Router, api: ApiContext): void {
  const { services, wire } = api
  const collection = ['/schemas', '/schemas/']

  router.get(collection, async ctx => {
    const window = parsePageParameters(ctx.query)
    const id = singleParameter(ctx.query, 'schemaId')
    const asked = id ? { versionsOf: id } : { filters: schemaFilters(ctx.query) }
    await answerList(ctx, api, 'schema', await pageAsked(ctx, api, 'schema', asked, window))
  })

  router.post(collection, async ctx => {
    refuseAtOnChange(ctx.query)
    const caller = callerWhoMayCreate(api, ctx)
    requireJsonAccepted(ctx.headers.accept)
    const { accepted: bases } = api.basesOf(ctx)
    const parts = await partsIn(api, ctx)
    const record = requiredPart(parts, 'record')
    const document = requiredPart(parts, 'schema').bytes
    const files = includedFiles(parts)
    const revision = await services.schemas.register(
      caller,
      await draftIn(api, ctx, 'schema', record, wire.parseNewSchema),
      { document, ...(files ? { files } : {}) },
      { bases },
    )
    answerChange(ctx, api, revision, 201)
  })

  router.get('/schemas/:id', async ctx => {
    await answerItem(ctx, api, 'schema', ctx.params.id ?? '')
  })

  router.put('/schemas/:id', async ctx => {
    refuseAtOnChange(ctx.query)
    const precondition = parseIfMatch(ctx.headers['if-match'])
    const caller = callerWithToken(api, ctx)
    requireJsonAccepted(ctx.headers.accept)
    const { accepted: bases } = api.basesOf(ctx)
    const parts = await partsIn(api, ctx, () =>
      services.schemas.demandChangeable(caller, ctx.params.id ?? '', precondition),
    )
    versionParameter(ctx.query) // ignored, but it must be one
    const record = optionalPart(parts, 'record')
    const upload = schemaParts(parts)
    if (!record && !upload) throw nothingSent('record, schema or include')
    const revision = await services.schemas.revise(
      caller,
      ctx.params.id ?? '',
      precondition,
      {
        ...(record ? { draft: await draftIn(api, ctx, 'schema', record, wire.parseSchemaChange) } : {}),
        ...upload,
      },
      { bases },
    )
    answerChange(ctx, api, revision, 200)
  })

  router.delete('/schemas/:id', async ctx => {
    refuseAtOnChange(ctx.query)
    const precondition = parseIfMatch(ctx.headers['if-match'])
    const caller = callerWithToken(api, ctx)
    const { id: name = '' } = ctx.params
    refuseOtherName(ctx, api, name)
    recordCommit(ctx, await services.schemas.remove(caller, name, precondition))
    ctx.status = 204
  })

  router.post('/schemas/:id/validate', async ctx => {
    const { id = '' } = ctx.params
    const caller = api.callerOf(ctx)
    const at = atParameter(ctx.query)
    const parts = await partsIn(api, ctx, () =>
      services.schemas.demandUsable(caller, id, versionParameter(ctx.query), at),
    )
    const document = requiredPart(parts, 'document').bytes
    // a form's own field counts where the query says nothing. @see contract, "ETag"
    const field = optionalPart(parts, 'version')?.bytes.toString()
    const version =
      versionParameter(ctx.query) ?? (field === undefined ? undefined : parseVersion(field.trim()))
    const findings = await services.schemas.validate(caller, id, version, document, at)
    if (findings.length > 0) {
      const newest = at ? 'the version then' : 'the newest version'
      const which = version === undefined ? newest : `version ${version}`
      throw new ProblemError('unprocessable', `The document is not valid against ${which} of schema ${id}.`, {
        findings,
      })
    }
    ctx.status = 204
  })

  router.get('/schemas/:id/files', async ctx => {
    const revision = await readRequestedRevision(
      ctx,
      api,
      'schema',
      ctx.params.id ?? '',
      versionParameter(ctx.query),
    )
    const files = [...attachedFiles(revision.files).keys()]
    await answerBytes(ctx, api, revision, mediaTypeOf.JSON, async () =>
      Buffer.from(JSON.stringify({ files })),
    )
  })

  router.get('/schemas/:id/files/*path', async ctx => {
    const { id, path = '' } = ctx.params
    const revision = await readRequestedRevision(ctx, api, 'schema', id ?? '', versionParameter(ctx.query))
    await answerBytes(ctx, api, revision, typeOfFile(path), () => services.schemas.file(revision, path))
  })
}

/** A schema is deleted by its id only. @throws ProblemError `elsewhere` @see contract, 1.8 */
function refuseOtherName(ctx: Context, api: ApiContext, name: string): void {
  const id = api.services.schemas.idOf(api.callerOf(ctx), name)
  if (id === undefined || id === name) return
  throw new ProblemError('elsewhere', `"${truncate(name, 200)}" is another name of the schema "${id}".`, {
    location: `${apiRootUrl(api, ctx)}/schemas/${id}`,
  })
}

function typeOfFile(path: string): string {
  if (/\.json$/i.test(path)) return mediaTypeOf.JSON
  return /\.(?:xsd|xml|dtd)$/i.test(path) ? mediaTypeOf.XML : 'application/octet-stream'
}

function nothingSent(names: string): ProblemError {
  return new ProblemError('malformed-request', `The request changes nothing: send a part ${names}.`)
}
