import { ProblemError } from '../../../core/problem.js'
import { errorAnswer } from '../../../search/elasticsearch/error-answer.js'
import { schemaRef } from '../../openapi/specification-types.js'
import { problemAnswer } from '../../response/problem-details.js'
import { problemResponsesAlsoAs } from '../../route/problem-responses.js'
import type { ProblemRepresentation } from '../../route/route.js'

/** Problems in the shape of Elasticsearch's errors. Clients show the member `reason`. */
export const problemsAsElasticsearch: ProblemRepresentation<unknown> = {
  openMiddleware: () => async (ctx, next) => {
    try {
      await next()
    } catch (error) {
      // The log has the cause of internal errors.
      if (!(error instanceof ProblemError) || error.kind === 'internal' || error.kind === 'damaged')
        throw error
      const { status, headers } = problemAnswer(error, ctx.path)
      ctx.status = status
      ctx.set({ ...headers, 'Content-Type': 'application/json' })
      ctx.body = JSON.stringify(errorAnswer(error.kind, error.message, status))
    }
  },
  responses: meanings =>
    problemResponsesAlsoAs({ 'application/json': { schema: schemaRef('ElasticsearchError') } }, meanings),
}
