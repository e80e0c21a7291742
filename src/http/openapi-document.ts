import { headers } from './openapi/response-headers.js'
import type { OpenApiDocument, Schema, Server } from './openapi/specification-types.js'
import { valueSchemas } from './openapi/value-schemas.js'
import type { RecordFormat } from './record-formats/record-format-interface.js'
import { v1 } from './record-formats/v1/record-format.js'
import { version1Schemas } from './record-formats/v1/version-1-members.js'
import { version2Schemas } from './record-formats/v2/version-2-members.js'
import { prefixOf } from './route-declaration/api-version.js'
import {
  describeRoutes,
  parameterComponents,
  type RouteGroup,
  schemaComponents,
} from './route-declaration/describe-routes.js'
import { problemResponses, problemSchemas } from './route-declaration/problem-responses.js'
import type { DescribedRoute } from './route-declaration/route.js'
import { introduction } from './routes/api-docs/introduction.js'
import type { DescribedRoutes } from './routes.js'

/**
 * The OpenAPI description of everything that is served. Each path appears once. The mounts below which it exists are
 * the `servers`.
 * @param base base URL of the request, without a slash at the end
 * @param mount the mount (path prefix) of the first of the `servers`: a proxy may forward only this one
 * @see https://spec.openapis.org/oas/v3.1.0
 */
export function describeInterface(
  { versions, unversioned, tags, components }: DescribedRoutes,
  base: string,
  mount: string,
): OpenApiDocument {
  function serversOf({ version, mounts: below }: RecordFormat): readonly Server[] {
    const mounts = below.map(each => each.slice(0, -prefixOf(version).length))
    return [mount, ...mounts.filter(other => other !== mount)].map(each => ({
      url: base + each || '/',
      description: about[each as keyof typeof about] ?? 'The same interface below another mount',
    }))
  }
  const described: readonly RouteGroup[] = [
    ...versions.map(({ api, routes }) => ({
      prefix: api.prefix,
      routes,
      // The servers of the whole description are those of version 1.
      ...(api.recordFormat !== v1 && { servers: serversOf(api.recordFormat) }),
    })),
    { prefix: '', routes: unversioned },
  ]
  const routes = described.flatMap((each): readonly DescribedRoute[] => each.routes)
  return {
    openapi: '3.1.0',
    info: {
      title: 'MetaStore interface of git-metastore',
      version: '2',
      summary: 'A repository for metadata schemas and metadata documents.',
      description: introduction,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: serversOf(v1),
    security: [{}, { bearer: [] }],
    tags: [
      {
        name: 'Schemas, version 2',
        description: 'JSON Schemas and XML Schemas, with citation-style records.',
      },
      { name: 'Metadata, version 2', description: 'Metadata documents, with citation-style records.' },
      { name: 'Schemas, version 1', description: 'JSON Schemas and XML Schemas, with flat records.' },
      { name: 'Metadata, version 1', description: 'Metadata documents, with flat records.' },
      { name: 'Changes', description: 'Change sets, which are applied as one commit.' },
      { name: 'Frontends', description: 'Lists for existing frontends.' },
      ...tags,
      { name: 'Operation', description: 'Health, metrics and information for administrators.' },
      { name: 'Description', description: 'This description, as JSON and as a page.' },
    ],
    paths: describeRoutes(described, { url: base || '/', description: about[''] }),
    components: {
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'JWT',
          description:
            'A token signed with the secret of the server (`git-metastore token` creates one), or by the OpenID Connect ' +
            'issuer that the server trusts. A server without `--auth` ignores tokens.',
        },
        ...components.securitySchemes,
      },
      schemas: { ...recordSchemas, ...schemaComponents(routes), ...problemSchemas, ...components.schemas },
      responses: problemResponses,
      parameters: parameterComponents(routes),
      headers: { ...headers, ...components.headers },
    },
  }
}

/** Schemas of records and their values, for both versions of the interface. */
export const recordSchemas: Readonly<Record<string, Schema>> = {
  ...version2Schemas,
  ...version1Schemas,
  ...valueSchemas,
}

const about = {
  '': 'The root',
  '/metastore': 'Below /metastore, for clients of other servers of this interface',
  '/repository': 'Below /repository, for clients of version 2',
} as const
