import type Router from '@koa/router'
import { ProblemError } from '../../../core/problem.js'
import { noteCommit } from '../../observability/request-log.js'
import { pageAsked, refusePoint } from '../../request/at-parameter.js'
import { parseIfMatch } from '../../request/conditional-headers.js'
import { demandJson } from '../../request/content-negotiation.js'
import { metadataFilters } from '../../request/filter-parameters.js'
import { metadataDraft } from '../../request/metadata-draft.js'
import { optionalPart, requiredPart } from '../../request/multipart-form.js'
import { parseWindow } from '../../request/paging.js'
import { single, versionOf } from '../../request/query-parameters.js'
import { answerChange, answerItem, answerList } from '../../response/record-and-list-responses.js'
import { type Api, creatorIn, draftIn, editorIn, partsIn } from '../../route-context.js'

/** `/metadata` of one interface version under one mount. @see spec, "Metadata records (version 1)"; contract, 5 */
export function metadataRoutes(router: Router, api: Api): void {
  const { services, wire } = api
  const collection = ['/metadata', '/metadata/']

  router.get(collection, async ctx => {
    const window = parseWindow(ctx.query)
    const id = single(ctx.query, 'id')
    const asked = id ? { versionsOf: id } : { filters: metadataFilters(ctx.query, api.basesOf(ctx).all) }
    await answerList(ctx, api, 'metadata', await pageAsked(ctx, api, 'metadata', asked, window))
  })

  router.post(collection, async ctx => {
    refusePoint(ctx.query)
    const caller = creatorIn(api, ctx)
    demandJson(ctx.headers.accept)
    const { all: bases } = api.basesOf(ctx)
    const parts = await partsIn(api, ctx)
    const record = requiredPart(parts, 'record')
    const document = requiredPart(parts, 'document').bytes
    const draft = await draftIn(api, ctx, 'metadata', record, json => wire.parseNewMetadata(json, bases))
    answerChange(ctx, api, await services.metadata.create(caller, draft, document), 201)
  })

  router.get('/metadata/:id', async ctx => {
    await answerItem(ctx, api, 'metadata', ctx.params.id ?? '')
  })

  router.put('/metadata/:id', async ctx => {
    refusePoint(ctx.query)
    const precondition = parseIfMatch(ctx.headers['if-match'])
    const caller = editorIn(api, ctx)
    demandJson(ctx.headers.accept)
    const { id = '' } = ctx.params
    const parts = await partsIn(api, ctx, () => services.metadata.demandChangeable(caller, id, precondition))
    versionOf(ctx.query) // ignored, but it must be one
    const record = optionalPart(parts, 'record')
    const document = optionalPart(parts, 'document')?.bytes
    if (!record && !document) {
      throw new ProblemError(
        'malformed-request',
        'The request changes nothing: send a part record or document.',
      )
    }
    const context = { wire, services, caller, bases: api.basesOf(ctx).all }
    const draft =
      record && (await draftIn(api, ctx, 'metadata', record, json => metadataDraft(json, id, context)))
    const revision = await services.metadata.revise(caller, id, precondition, {
      ...(draft ? { draft } : {}),
      ...(document ? { document } : {}),
    })
    answerChange(ctx, api, revision, 200)
  })

  router.delete('/metadata/:id', async ctx => {
    refusePoint(ctx.query)
    const precondition = parseIfMatch(ctx.headers['if-match'])
    noteCommit(ctx, await services.metadata.remove(editorIn(api, ctx), ctx.params.id ?? '', precondition))
    ctx.status = 204
  })
}
