import { version1Schemas } from './openapi/record-v1-schemas.js'
import { version2Schemas } from './openapi/record-v2-schemas.js'
import { headers } from './openapi/response-headers.js'
import type { Description, Schema, Server } from './openapi/specification-types.js'
import { valueSchemas } from './openapi/value-schemas.js'
import { v1 } from './record-formats/v1/record-format.js'
import { defaultUploadLimits, type UploadLimits } from './request/multipart-form.js'
import type { DescribedApiVersion } from './route/api-version.js'
import {
  type DescribedRoutes,
  describeRoutes,
  parameterComponents,
  schemaComponents,
} from './route/describe-routes.js'
import { problemResponses, problemSchemas } from './route/problem-responses.js'
import type { DescribedRoute } from './route/route.js'
import { introduction } from './routes/api-docs/introduction.js'
import { openRoutes, type Routes } from './routes.js'

/** Where the description is asked for. */
export interface DescriptionOptions {
  /** What comes before every path, without a slash at the end. */
  readonly base: string
  /** The mount that is offered first, as a proxy may pass on nothing else; default: the root. */
  readonly mount?: string
  /** In bytes. */
  readonly limits?: UploadLimits
}

/**
 * Describes everything that is served, for tools and for people. Each path stands there once; what it can have in
 * front is said by the servers.
 * @see https://spec.openapis.org/oas/v3.1.0
 */
export function buildOpenApiDocument({
  base,
  mount = '',
  limits = defaultUploadLimits,
}: DescriptionOptions): Description {
  return describeInterface(openRoutes(limits), base, mount)
}

/** @see buildOpenApiDocument */
export function describeInterface(
  { versions, unversioned }: Routes,
  base: string,
  mount: string,
): Description {
  function serversOf({ wire, prefix }: Pick<DescribedApiVersion, 'wire' | 'prefix'>): readonly Server[] {
    const mounts = wire.mounts.map(each => each.slice(0, -prefix.length))
    return [mount, ...mounts.filter(other => other !== mount)].map(each => ({
      url: base + each || '/',
      description: about[each as keyof typeof about] ?? 'The same',
    }))
  }
  const described: readonly DescribedRoutes[] = [
    ...versions.map(({ api, routes }) => ({
      prefix: api.prefix,
      routes,
      // What the description says of all paths is what version 1 has.
      ...(api.wire !== v1 && { servers: serversOf(api) }),
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
    servers: serversOf({ wire: v1, prefix: '/api/v1' }),
    security: [{}, { bearer: [] }],
    tags: [
      {
        name: 'Schemas, version 2',
        description: 'JSON Schemas and XML Schemas, with citation-style records.',
      },
      { name: 'Metadata, version 2', description: 'Documents about resources, with citation-style records.' },
      { name: 'Schemas, version 1', description: 'JSON Schemas and XML Schemas, with flat records.' },
      { name: 'Metadata, version 1', description: 'Documents about resources, with flat records.' },
      {
        name: 'Changes',
        description: 'What was changed, in order; and several changes as one.',
      },
      { name: 'Pages', description: 'For people, in a browser; they need no JavaScript.' },
      { name: 'Frontends', description: 'What existing frontends read.' },
      { name: 'Git', description: 'What git clients speak.' },
      { name: 'Operation', description: 'For those who run the service.' },
      { name: 'Description', description: 'What you are reading.' },
    ],
    paths: describeRoutes(described, { url: base || '/', description: about[''] }),
    components: {
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'JWT',
          description:
            'A token signed with the secret of the server (`git-metastore token` makes one), or by the issuer it trusts. ' +
            'A server that was started without `--auth` asks for none, and looks at none.',
        },
        password: {
          type: 'http',
          scheme: 'basic',
          description: 'For git clients: a token as the password, with any name.',
        },
      },
      schemas: { ...recordSchemas, ...schemaComponents(routes), ...problemSchemas },
      responses: problemResponses,
      parameters: parameterComponents(routes),
      headers,
    },
  }
}

/** Schemas of the records of both versions, and of the values in them. */
export const recordSchemas: Readonly<Record<string, Schema>> = {
  ...version2Schemas,
  ...version1Schemas,
  ...valueSchemas,
}

const about = {
  '': 'Paths as they are described',
  '/metastore': 'Below /metastore, as clients of other servers of this interface expect it',
  '/repository': 'Below /repository, where the interface has its version 2',
} as const
