import {
  type Operation,
  type Parameter,
  type PathItem,
  type Paths,
  parameterRef,
  type Reference,
  type Schema,
  type Server,
} from '../openapi/specification-types.js'
import type { RequestParameter } from '../parameters/request-parameter.js'
import { problemResponsesFor } from './problem-responses.js'
import { prefer } from './request-names.js'
import type { DescribedRoute } from './route.js'

/** Routes below one prefix, such as `/api/v1`. */
export interface RouteGroup {
  readonly prefix: string
  /** Absent: the servers of the whole description. */
  readonly servers?: readonly Server[]
  readonly routes: readonly DescribedRoute[]
}

/** Builds the paths of the OpenAPI description. @param root the server without a mount */
export function describeRoutes(groups: readonly RouteGroup[], root: Server): Paths {
  const paths: Record<string, PathItem> = {}
  for (const group of groups) {
    for (const route of group.routes) {
      const path = group.prefix + route.path
      paths[path] = {
        ...(paths[path] ?? pathItemOf(route, group, root)),
        [route.method]: operationOf(route),
      }
    }
  }
  return paths
}

/** What all operations of a path share. */
function pathItemOf(route: DescribedRoute, { prefix, servers }: RouteGroup, root: Server): PathItem {
  const ownServers = route.onlyAtRoot ? [root] : servers
  const inPath = Object.values(route.parameters).filter(({ described }) => described.in === 'path')
  return {
    ...(ownServers && { servers: ownServers }),
    ...(route.alsoAt && { 'x-also-at': route.alsoAt.map(other => prefix + other) }),
    parameters: [...inPath, prefer].map(parameterOf),
  }
}

/** Every GET can have these problems. @see requireIfMatch */
const problemsOfReads = {
  'precondition-failed': 'No ETag in `If-Match` is that of the answer.',
} as const

function operationOf(route: DescribedRoute): Operation {
  const { tags, operationId, summary, description, security, responses } = route
  const problems = { ...(route.method === 'get' && problemsOfReads), ...route.problems }
  const body = route.form?.described ?? route.body
  const parameters = Object.values(route.parameters).filter(({ described }) => described.in !== 'path')
  const problemsOf = route.problemsAs?.responses ?? problemResponsesFor
  return {
    tags,
    operationId,
    summary,
    description,
    ...(security && { security }),
    ...(parameters.length > 0 && { parameters: parameters.map(parameterOf) }),
    ...(body && { requestBody: body }),
    responses: { ...problemsOf(problems), ...responses },
  }
}

function parameterOf({ component, described }: RequestParameter<unknown>): Parameter | Reference {
  return component === undefined ? described : parameterRef(component)
}

/** The parameters of routes that have a component name, by that name. */
export function parameterComponents(routes: readonly DescribedRoute[]): Readonly<Record<string, Parameter>> {
  const components: Record<string, Parameter> = {}
  const declared = routes.flatMap(({ parameters }) => Object.values(parameters))
  for (const { component, described } of [prefer, ...declared]) {
    if (component !== undefined) components[component] ??= described
  }
  return components
}

/** The schemas that routes declare, by name. */
export function schemaComponents(routes: readonly DescribedRoute[]): Readonly<Record<string, Schema>> {
  return Object.assign({}, ...routes.map(({ schemas }) => schemas ?? {}))
}
