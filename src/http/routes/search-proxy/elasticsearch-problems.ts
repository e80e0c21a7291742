import { errorAnswer } from '../../../search/elasticsearch/error-answer.js'
import { schemaRef } from '../../openapi/specification-types.js'
import { problemAnswer } from '../../response/problem-details.js'
import { answerProblems } from '../../response/problem-forms.js'
import type { ApiContext } from '../../route-context.js'
import { problemResponsesAlsoAs } from '../../route-declaration/problem-responses.js'
import type { ProblemRepresentation } from '../../route-declaration/route.js'

/** Problems in the shape of Elasticsearch's errors. Clients show the member `reason`. */
export const problemsAsElasticsearch: ProblemRepresentation<Pick<ApiContext, 'services'>> = {
  openMiddleware: ({ services }) =>
    answerProblems(
      services.isBehind,
      () => true,
      (ctx, problem) => {
        const { status, headers } = problemAnswer(problem, ctx.path)
        ctx.status = status
        ctx.set({ ...headers, 'Content-Type': 'application/json' })
        ctx.body = JSON.stringify(errorAnswer(problem, status))
      },
    ),
  responses: meanings =>
    problemResponsesAlsoAs({ 'application/json': { schema: schemaRef('ElasticsearchError') } }, meanings),
}
