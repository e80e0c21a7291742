import { ProblemError, type ProblemKind } from '../../../core/problem.js'

/** Names of exceptions that clients of Elasticsearch know, by the kind of the problem. */
const exceptionOfKind: Partial<Record<ProblemKind, string>> = {
  'malformed-request': 'parsing_exception',
  'not-found': 'index_not_found_exception',
  'too-large': 'content_too_long_exception',
  unauthenticated: 'security_exception',
  forbidden: 'security_exception',
  unavailable: 'cluster_block_exception',
  'too-many-requests': 'rejected_execution_exception',
  'unsupported-media-type': 'media_type_header_exception',
}

class TooManyBuckets extends ProblemError {}

/** The error for an aggregation with more buckets than can be counted. */
export function tooManyBuckets(message: string): ProblemError {
  return new TooManyBuckets('malformed-request', message)
}

/**
 * A problem in the shape of Elasticsearch's errors.
 * @see https://www.elastic.co/guide/en/elasticsearch/reference/8.17/common-options.html#common-options-error-options
 */
export function errorAnswer(problem: ProblemError, status: number): object {
  const { kind, message } = problem
  const exception = problem instanceof TooManyBuckets ? 'too_many_buckets_exception' : exceptionOfKind[kind]
  const cause = { type: exception ?? 'exception', reason: message }
  return { error: { root_cause: [cause], ...cause }, status }
}
