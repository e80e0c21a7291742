import type { ProblemKind } from '../../../core/problem.js'
import type { Collection } from '../../../core/records/collection.js'
import {
  htmlPage,
  onPagesOnly,
  problemResponses,
  problemResponsesFor,
} from '../../openapi/problem-responses.js'
import { storedDocument } from '../../openapi/request-bodies.js'
import { bytesHeaders, redirect, unchanged } from '../../openapi/responses.js'
import {
  type Headers,
  headerRef,
  type Operation,
  type PathItem,
  type Paths,
  parameterRef,
  type Response,
  type Responses,
  type Schema,
  type Server,
} from '../../openapi/specification-types.js'
import { closedObject } from '../../openapi/value-schemas.js'

/** What one finds who knows the address of the service alone. */
export const pageSchemas: Readonly<Record<string, Schema>> = {
  Entry: closedObject(
    {
      name: { type: 'string' },
      version: { type: 'string' },
      links: { type: 'object', additionalProperties: { type: 'string', format: 'uri' } },
    },
    ['name', 'links'],
  ),
}

const pageHeaders: Headers = {
  'Cache-Control': headerRef('CacheControl'),
}

function page(description: string, more: Headers = {}): Response {
  return { description, headers: { ...pageHeaders, ...more }, content: htmlPage }
}

/** Problems as pages too, where a browser asks. */
export function problemPagesOf(told: Partial<Record<ProblemKind, string | true>>): Responses {
  return Object.fromEntries(
    Object.entries(problemResponsesFor(told)).map(([status, response]) => {
      const component = problemResponses[response.$ref.replace(/^.*\//, '')]
      return [
        status,
        {
          description: response.description ?? component?.description ?? '',
          headers: { ...component?.headers, ...onPagesOnly },
          content: { ...component?.content, ...htmlPage },
        },
      ]
    }),
  )
}

const listPage: Responses = {
  200: page('The page.'),
  ...problemPagesOf({ 'not-found': 'There is no point of history `at`.', 'page-out-of-range': true }),
}

/**
 * The pages for people.
 * @param root the server without anything in front
 * @see contract, 7
 */
export function pagePaths(root: Server): Paths {
  return {
    '/': { get: entry },
    '/metastore': {
      servers: [root],
      get: {
        ...about('entryBelow', 'The same with a slash', 'Leads to the address with a slash at its end.'),
        responses: {
          302: redirect,
          ...problemResponsesFor({}),
        },
      },
    },
    '/schema-landing-page': landingPage('schema', 1),
    '/metadata-landing-page': landingPage('metadata', 1),
    '/schema-landing-page-v2': landingPage('schema', 2),
    '/metadata-landing-page-v2': landingPage('metadata', 2),
    '/dashboard': {
      get: {
        ...about('dashboard', 'Dashboard', 'What was stored last, and whether the service is well.'),
        responses: { 200: page('The page.'), ...problemPagesOf({}) },
      },
    },
    '/schema-management': {
      get: {
        ...about('schemaManagement', 'Schemas as a page', 'All schemas, page by page.'),
        parameters: ['pageFrom1', 'at'].map(parameterRef),
        responses: listPage,
      },
    },
    '/metadata-management': {
      get: {
        ...about('metadataManagement', 'Metadata records as a page', 'All metadata records, page by page.'),
        parameters: ['schemaOfRecord', 'resourceId', 'pageFrom1', 'at'].map(parameterRef),
        responses: listPage,
      },
    },
    '/download/schemas/{id}': download('schema'),
    '/download/metadata/{id}': download('metadata'),
  }
}

function about(
  operationId: string,
  summary: string,
  description: string,
): Pick<Operation, 'tags' | 'operationId' | 'summary' | 'description'> {
  return { tags: ['Pages'], operationId, summary, description }
}

const entry: Operation = {
  ...about('entry', 'Where to begin', 'The dashboard for people, addresses of everything for programs.'),
  responses: {
    200: {
      description: 'For `text/html` the dashboard, else addresses.',
      headers: onPagesOnly,
      content: {
        'application/json': {
          schema: { $ref: '#/components/schemas/Entry' },
          examples: {
            entry: {
              value: { name: 'git-metastore', links: { schemas: 'http://localhost:8040/api/v1/schemas' } },
            },
          },
        },
        ...htmlPage,
      },
    },
    ...problemPagesOf({}),
  },
}

function landingPage(kind: Collection, version: 1 | 2): PathItem {
  const what = kind === 'schema' ? 'schema' : 'document'
  const name = kind === 'schema' ? 'schemaNamed' : 'recordNamed'
  return {
    get: {
      ...about(
        `${kind}LandingPageV${version}`,
        `The page of a ${what}, version ${version}`,
        `Shows a ${what} with its record and links to all its versions; without \`version\` the newest. For programs the ` +
          `links stand in \`Link\` and in the head of the page (FAIR Signposting), and lead to version ${version} of the interface.`,
      ),
      parameters: [
        ...[name, ...(kind === 'schema' ? ['schemaNamedById'] : [])],
        ...['versionOrNone', 'at', 'pageFrom1'],
      ].map(parameterRef),
      responses: {
        200: page('The page.', { Link: headerRef('Signposts') }),
        ...problemPagesOf({
          'malformed-request':
            version === 1
              ? 'The request names no record, or one of the other kind.'
              : 'The request names no record, or has a parameter that cannot be.',
          'not-found': 'There is no such record or version, or was none at the point `at`.',
          'page-out-of-range': true,
        }),
      },
    },
  }
}

function download(kind: Collection): PathItem {
  const what = kind === 'schema' ? 'schema' : 'document'
  const disposition = { 'Content-Disposition': headerRef('ContentDisposition') }
  return {
    parameters: [parameterRef(kind === 'schema' ? 'schemaId' : 'metadataId')],
    get: {
      ...about(
        `${kind}AsFile`,
        `A ${what} as a file`,
        `The bytes of a ${what}, which a browser saves under a name of its own.`,
      ),
      parameters: ['versionOrNone', 'at', 'ifNoneMatch'].map(parameterRef),
      responses: {
        200: {
          description: `The ${what}, byte for byte.`,
          headers: { ...bytesHeaders, ...disposition },
          content: storedDocument,
        },
        304: { ...unchanged, headers: { ...unchanged.headers, ...disposition } },
        ...problemPagesOf({
          'not-found': 'There is no such record or version, or was none at the point `at`.',
        }),
      },
    },
  }
}
