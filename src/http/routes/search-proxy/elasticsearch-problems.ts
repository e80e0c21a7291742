import type { Context } from 'koa'
import type { ProblemError } from '../../../core/problem.js'
import { errorAnswer } from '../../../search/elasticsearch/error-answer.js'
import { expectsElasticsearch } from '../../auth/search-paths.js'
import { schemaRef } from '../../openapi/specification-types.js'
import { statusByKind } from '../../response/problem-status.js'
import { problemResponsesAlsoAs } from '../../route-declaration/problem-responses.js'
import type { ProblemRepresentation } from '../../route-declaration/route.js'

/**
 * Answers a problem in the shape of Elasticsearch's errors, whose member `reason` clients show. Also problems before the
 * route, such as those of tokens and rate limits.
 * @returns false if the request is not of a client of Elasticsearch
 */
export function answerAsElasticsearch(ctx: Context, problem: ProblemError): boolean {
  if (!expectsElasticsearch(ctx)) return false
  const status = statusByKind[problem.kind]
  ctx.status = status
  ctx.set('Content-Type', 'application/json')
  ctx.body = JSON.stringify(errorAnswer(problem, status))
  return true
}

/** Their description. */
export const problemsAsElasticsearch: ProblemRepresentation<unknown> = {
  responses: meanings =>
    problemResponsesAlsoAs({ 'application/json': { schema: schemaRef('ElasticsearchError') } }, meanings),
}
