import type Router from '@koa/router'
import { ProblemError } from '../../../core/problem.js'
import { recordCommit } from '../../observability/request-log.js'
import { pageAsked, refuseAtOnChange } from '../../request/at-parameter.js'
import { parseIfMatch } from '../../request/conditional-headers.js'
import { requireJsonAccepted } from '../../request/content-negotiation.js'
import { metadataFilters } from '../../request/filter-parameters.js'
import { parseMetadataDraft } from '../../request/metadata-draft.js'
import { optionalPart, requiredPart } from '../../request/multipart-form.js'
import { parsePageParameters } from '../../request/paging.js'
import { singleParameter, versionParameter } from '../../request/query-parameters.js'
import { answerChange, answerItem, answerList } from '../../response/record-and-list-responses.js'
import {
  type ApiContext,
  callerWhoMayCreate,
  callerWithToken,
  draftIn,
  partsIn,
} from '../../route-context.js'

/** `/metadata` of one interface version under one mount. @see spec, "Metadata records (version 1)"; contract, 5 */
export function metadataRoutes(router: Router, api: ApiContext): void {
  const { services, wire } = api
  const collection = ['/metadata', '/metadata/']

  router.get(collection, async ctx => {
    const window = parsePageParameters(ctx.query)
    const id = singleParameter(ctx.query, 'id')
    const asked = id ? { versionsOf: id } : { filters: metadataFilters(ctx.query, api.basesOf(ctx).accepted) }
    await answerList(ctx, api, 'metadata', await pageAsked(ctx, api, 'metadata', asked, window))
  })

  router.post(collection, async ctx => {
    refuseAtOnChange(ctx.query)
    const caller = callerWhoMayCreate(api, ctx)
    requireJsonAccepted(ctx.headers.accept)
    const { accepted: bases } = api.basesOf(ctx)
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
    refuseAtOnChange(ctx.query)
    const precondition = parseIfMatch(ctx.headers['if-match'])
    const caller = callerWithToken(api, ctx)
    requireJsonAccepted(ctx.headers.accept)
    const { id = '' } = ctx.params
    const parts = await partsIn(api, ctx, () => services.metadata.demandChangeable(caller, id, precondition))
    versionParameter(ctx.query) // ignored, but it must be one
    const record = optionalPart(parts, 'record')
    const document = optionalPart(parts, 'document')?.bytes
    if (!record && !document) {
      throw new ProblemError(
        'malformed-request',
        'The request changes nothing: send a part record or document.',
      )
    }
    const context = { wire, services, caller, bases: api.basesOf(ctx).accepted }
    const draft =
      record && (await draftIn(api, ctx, 'metadata', record, json => parseMetadataDraft(json, id, context)))
    const revision = await services.metadata.revise(caller, id, precondition, {
      ...(draft ? { draft } : {}),
      ...(document ? { document } : {}),
    })
    answerChange(ctx, api, revision, 200)
  })

  router.delete('/metadata/:id', async ctx => {
    refuseAtOnChange(ctx.query)
    const precondition = parseIfMatch(ctx.headers['if-match'])
    recordCommit(
      ctx,
      await services.metadata.remove(callerWithToken(api, ctx), ctx.params.id ?? '', precondition),
    )
    ctx.status = 204
  })
}
