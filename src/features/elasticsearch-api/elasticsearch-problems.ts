import type { Context } from 'koa'
import type { ProblemError } from '../../core/problem.js'
import { pathBelow, version1Mounts, version2Mounts } from '../../http/mounts.js'
import { schemaRef } from '../../http/openapi/specification-types.js'
import { statusByKind } from '../../http/problems/problem-status.js'
import { problemResponsesAlsoAs } from '../../http/route-declaration/problem-responses.js'
import type { ProblemRepresentation } from '../../http/route-declaration/route.js'
import { errorAnswer } from './answers/error-answer.js'

/**
 * Answers a problem in the shape of Elasticsearch's errors, whose member `reason` clients show. This includes problems
 * that are found before the route is known, such as those of tokens and rate limits.
 * @returns false if no client of Elasticsearch sent the request
 */
export function answerAsElasticsearch(ctx: Context, problem: ProblemError): boolean {
  if (!expectsElasticsearch(ctx)) return false
  const status = statusByKind[problem.kind]
  ctx.status = status
  ctx.set('Content-Type', 'application/json')
  ctx.body = JSON.stringify(errorAnswer(problem, status))
  return true
}

/** The responses with such problems, for the OpenAPI description. */
export const problemsAsElasticsearch: ProblemRepresentation<unknown> = {
  responses: meanings =>
    problemResponsesAlsoAs({ 'application/json': { schema: schemaRef('ElasticsearchError') } }, meanings),
}

/** Paths of searches in the Elasticsearch query language: of both interface versions; of version 1 only. */
const searchPaths = [
  pathBelow([...version1Mounts, ...version2Mounts], 'metadata/(?:[^/]+/)?search'),
  pathBelow(version1Mounts, '(?:search|[^/]+/_search)'),
]
/** The search path on which every request counts as one of a client of Elasticsearch, whatever its method. */
const ownPath = pathBelow(version1Mounts, '[^/]+/_search')

/** Whether a client of Elasticsearch sent a request, and expects errors of Elasticsearch. */
function expectsElasticsearch({ method, path }: Context): boolean {
  return (method === 'POST' && searchPaths.some(pattern => pattern.test(path))) || ownPath.test(path)
}
