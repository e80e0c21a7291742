import type { ParsedUrlQuery } from 'node:querystring'
import type { Context } from 'koa'
import { malformedRequest } from '../../core/problem.js'
import { parseVersion, type Version } from '../../core/value-types.js'
import { parsedBy, singleParameter } from './query-parameters.js'
import { pathParameter, queryParameter } from './request-parameter.js'

const readVersion = parsedBy(parseVersion)

/** As {@link readVersion}. @throws ProblemError `malformed-request` also if the parameter is missing */
function readRequiredVersion(query: ParsedUrlQuery, name: string): Version {
  const version = readVersion(query, name)
  if (version !== undefined) return version
  throw malformedRequest(`The parameter ${name} is missing: name two versions, as in ?from=1&to=2.`)
}

const versionSchema = { type: 'integer', minimum: 1 }

export const version = queryParameter(
  'version',
  {
    component: 'version',
    description: 'Number of a version. Absent: the newest.',
    schema: versionSchema,
  },
  readVersion,
)

export const versionInPath = {
  ...pathParameter('number', {
    component: 'versionInPath',
    description: 'Number of a version.',
    schema: versionSchema,
    example: 1,
  }),
  read: ({ params }: Context) => parseVersion(params.number),
}

export const ignoredVersion = queryParameter(
  'version',
  {
    component: 'ignoredVersion',
    isReadFirst: true,
    description:
      'Ignored, because `If-Match` names the state to change; but it must be a whole number of at least 1.',
    deprecated: true,
    schema: versionSchema,
  },
  readVersion,
)

export const fromVersion = queryParameter(
  'from',
  {
    component: 'fromVersion',
    description: 'Number of the version to compare from.',
    required: true,
    schema: versionSchema,
    example: 1,
  },
  readRequiredVersion,
)

export const toVersion = queryParameter(
  'to',
  {
    component: 'toVersion',
    description: 'Number of the version to compare to. It may be older than `from`.',
    required: true,
    schema: versionSchema,
    example: 2,
  },
  readRequiredVersion,
)

/** `version=` without a number means the newest version: templates of landing-page URLs produce it. */
export const versionOrNone = queryParameter(
  'version',
  {
    component: 'versionOrNone',
    description: 'Number of a version. Absent or empty: the newest.',
    schema: { type: 'string', pattern: '^\\d*$' },
  },
  (query, name) => (singleParameter(query, name) === '' ? undefined : readVersion(query, name)),
)
