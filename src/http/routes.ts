import type { UploadLimits } from './forms/upload-limits.js'
import type { FeatureApiContext, FeatureRoutes } from './open-feature.js'
import type { ApiContext, UnversionedContext } from './route-context.js'
import { type DescribedApiVersion, describedApiVersions } from './route-declaration/api-version.js'
import type { ListNarrowing } from './route-declaration/list-narrowing.js'
import type { DescribedRoute, Route } from './route-declaration/route.js'
import { descriptionRoutes } from './routes/api-docs/docs-routes.js'
import { changeSetRoutes } from './routes/changes/change-set-routes.js'
import { actuatorRoutes } from './routes/operations/actuator-routes.js'
import { healthRoutes } from './routes/operations/health-routes.js'
import { metricsRoutes } from './routes/operations/metrics-routes.js'
import { recordRoutes } from './routes/records/record-routes.js'
import { schemaRoutes } from './routes/records/schema-routes.js'
import { tableRoutes } from './routes/records/table-routes.js'
import { versionRoutes } from './routes/records/version-list-route.js'

export interface Routes {
  /** The routes of each version of the interface, in the order of the OpenAPI description. */
  readonly versions: readonly {
    readonly api: DescribedApiVersion
    readonly routes: readonly Route<ApiContext>[]
  }[]
  /** Routes without an interface version: change sets, pages, Git, monitoring, the description. */
  readonly unversioned: readonly Route<UnversionedContext>[]
}

/** The declarations of all routes, for the OpenAPI description. */
export interface DescribedRoutes {
  readonly versions: readonly {
    readonly api: DescribedApiVersion
    readonly routes: readonly DescribedRoute[]
  }[]
  readonly unversioned: readonly DescribedRoute[]
  /** Tags of the routes of features, and components that they refer to. */
  readonly tags: NonNullable<FeatureRoutes<never>['tags']>
  readonly components: Components
}

type Components = NonNullable<FeatureRoutes<never>['components']>

/** Adds the routes of features to those of the core. */
export function withFeatures(
  { versions, unversioned }: Routes,
  features: readonly FeatureRoutes<never>[],
): DescribedRoutes {
  const componentsOf = (kind: keyof Components) =>
    Object.assign({}, ...features.map(({ components }) => components?.[kind]))
  return {
    versions: versions.map(({ api, routes }) => ({
      api,
      routes: [...routes, ...features.flatMap(feature => feature.versionRoutes?.(api) ?? [])],
    })),
    unversioned: [...unversioned, ...features.flatMap(({ routes = [] }) => routes)],
    tags: features.flatMap(({ tags = [] }) => tags),
    components: {
      schemas: componentsOf('schemas'),
      headers: componentsOf('headers'),
      securitySchemes: componentsOf('securitySchemes'),
    },
  }
}

/**
 * The routes of the core.
 * @param limits of uploads, in bytes, for the descriptions of forms
 * @param features with their states, if they are open
 */
export function openRoutes(
  limits: UploadLimits,
  features: readonly (FeatureRoutes<never> & { readonly state?: unknown })[],
): Routes {
  const [narrowing] = features.flatMap(({ listNarrowing, state }) =>
    listNarrowing ? boundTo(listNarrowing, state as never) : [],
  )
  return {
    versions: describedApiVersions(limits).map(api => ({
      api,
      routes: [
        ...recordRoutes(api, 'schema', narrowing),
        ...schemaRoutes(api),
        ...recordRoutes(api, 'metadata', narrowing),
        ...versionRoutes(api),
        ...(api.recordFormat.version === 1 ? tableRoutes(api) : []),
      ],
    })),
    unversioned: [
      ...changeSetRoutes,
      ...healthRoutes(Object.assign({}, ...features.map(({ healthMembers }) => healthMembers))),
      ...metricsRoutes,
      ...actuatorRoutes,
      ...descriptionRoutes(),
    ],
  }
}

/** Gives the answers of a feature its state. */
function boundTo<S>(narrowing: ListNarrowing<FeatureApiContext<S>>, feature: S): ListNarrowing<ApiContext> {
  return {
    ...narrowing,
    answer: (ctx, context, list) => narrowing.answer(ctx, { ...context, feature }, list),
  }
}
