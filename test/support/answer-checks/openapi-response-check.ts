import { Ajv2020, type AnySchema, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import type {
  Header,
  MediaType,
  OpenApiDocument,
  Operation,
  Parameter,
  PathItem,
  Reference,
  Response,
  Schema,
} from '../../../src/http/openapi/specification-types.js'
import { interfaceDescription } from '../http/interface-description.js'

/** A request and its answer as they were sent. */
export interface RequestAndResponse {
  readonly method: string
  /** The path and the query. */
  readonly url: string
  readonly status: number
  /** The headers, with names in lower case. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>
  /** Undefined if the body is too large for the comparison. */
  readonly body: Uint8Array | undefined
}

/** Checks answers against the OpenAPI description. @returns a function that returns each difference with its place */
export function openResponseCheck(
  options: SchemaOptions = {},
): (exchange: RequestAndResponse) => readonly string[] {
  const description = interfaceDescription()
  const routes = routesOf(description)
  const schemas = compileOpenApiSchemas(description, options)
  const anywhere = Object.entries(description.components.headers).filter(
    ([, header]) => header['x-on-any-answer'],
  )

  function resolve<T extends object>(value: T | Reference): T {
    if (!('$ref' in value)) return value
    const found = pointed(description, value.$ref)
    if (found === undefined) throw new Error(`The description has nothing at ${value.$ref}.`)
    return found as T
  }

  // Remembers the routes of paths: tests request the same paths repeatedly, and each path is compared with hundreds of
  // patterns.
  const itemsOfPaths = new Map<string, readonly PathItem[]>()
  function itemsAt(path: string): readonly PathItem[] {
    const items =
      itemsOfPaths.get(path) ?? routes.filter(({ pattern }) => pattern.test(path)).map(({ item }) => item)
    if (itemsOfPaths.size < 10_000) itemsOfPaths.set(path, items)
    return items
  }

  const headersOfResponses = new WeakMap<Response, ReadonlyMap<string, Header>>()
  /** Headers that the description allows for a response, with names in lower case. */
  function headersOf(response: Response): ReadonlyMap<string, Header> {
    const headers =
      headersOfResponses.get(response) ??
      new Map(
        [...anywhere, ...Object.entries(response.headers ?? {})].map(([name, header]) => [
          name.toLowerCase(),
          resolve<Header>(header),
        ]),
      )
    headersOfResponses.set(response, headers)
    return headers
  }

  /** Returns the described response for an exchange, or a difference if there is none. */
  function described(exchange: RequestAndResponse): Response | string {
    const { components } = description
    const path = /^[^?]*/.exec(exchange.url)?.[0] ?? ''
    const items = itemsAt(path)
    const method = exchange.method === 'HEAD' ? 'get' : exchange.method.toLowerCase()
    const operation = items.map(item => item[method as keyof PathItem] as Operation | undefined).find(Boolean)
    if (operation) {
      const response = operation.responses[exchange.status]
      return response ? resolve<Response>(response) : `${operation.operationId} has no such status`
    }
    const component = (name: string): Response => {
      const response = resolve<Response>({ $ref: `#/components/responses/${name}` })
      const isOfFrontends = items.length > 0 && path.endsWith('/_search')
      return isOfFrontends ? { ...response, content: elasticsearchError } : response
    }
    // The server refused the request before it looked at the path.
    if (exchange.status === 400) return component('BadRequest')
    if (exchange.status === 401) return component('Unauthorized')
    if (exchange.status === 421) return component('MisdirectedRequest')
    if (exchange.status === 403) return component('Forbidden')
    if (exchange.method === 'OPTIONS' && exchange.status === 204) {
      const preflight = 'access-control-allow-methods' in exchange.headers
      if (preflight) return { description: 'preflight' }
      if (items.length > 0)
        return { description: 'options', headers: { Allow: { $ref: '#/components/headers/Allow' } } }
    }
    const [status, name] = items.length === 0 ? [404, 'NotFound'] : [405, 'MethodNotAllowed']
    if (exchange.status !== status) {
      return items.length === 0 ? 'the path is not described' : 'the path has no such method'
    }
    return components.responses[name] ? component(name) : `the description has no response ${name}`
  }

  function wrongHeaders(exchange: RequestAndResponse, response: Response): readonly string[] {
    const known = headersOf(response)
    const missing = [...known]
      .filter(([name, header]) => header.required && exchange.headers[name] === undefined)
      .map(([name]) => `the header ${name} is missing`)
    const wrong = Object.entries(exchange.headers).flatMap(([name, values]) => {
      if (transport.has(name)) return []
      const header = known.get(name)
      if (!header) return [`the header ${name} is not described`]
      return [values].flat().flatMap(value => {
        const problems = schemas.problems(
          header.schema,
          header.schema.type === 'integer' ? Number(value) : value,
        )
        return problems.map(problem => `the header ${name} is "${value}": ${problem}`)
      })
    })
    return [...missing, ...wrong]
  }

  function wrongBody(exchange: RequestAndResponse, response: Response): readonly string[] {
    const type = String(exchange.headers['content-type'] ?? '')
      .replace(/\s*;.*/, '')
      .toLowerCase()
    const length = exchange.body?.length ?? Number.POSITIVE_INFINITY
    if (response.content === undefined) {
      const found = [
        ...(type === '' ? [] : [`it has the type ${type}, and is described without a body`]),
        ...(length === 0 ? [] : [`it has a body of ${length} bytes, and is described without`]),
      ]
      return found
    }
    const media: MediaType | undefined = response.content[type]
    if (!media) return [`the type "${type}" is not among ${Object.keys(response.content).join(', ')}`]
    if (exchange.method === 'HEAD') return length === 0 ? [] : ['an answer to HEAD has a body']
    if (exchange.body === undefined || Object.keys(media.schema).length === 0) return []
    const text = Buffer.from(exchange.body).toString()
    const isJson = /[/+]json$/.test(type)
    if (isJson && !isJsonText(text)) return ['the body is no JSON']
    return schemas
      .problems(media.schema, isJson ? JSON.parse(text) : text)
      .map(problem => `the body is not as described: ${problem}`)
  }

  return exchange => {
    const response = described(exchange)
    const wrong =
      typeof response === 'string'
        ? [response]
        : [...wrongHeaders(exchange, response), ...wrongBody(exchange, response)]
    if (wrong.length === 0) return []
    const body = Buffer.from(exchange.body?.subarray(0, 500) ?? '').toString()
    return wrong.map(
      problem => `${exchange.method} ${exchange.url} → ${exchange.status}: ${problem}\n${body}`,
    )
  }
}

/** Problems of any request to a path that only Elasticsearch clients use. */
const elasticsearchError = {
  'application/json': { schema: { $ref: '#/components/schemas/ElasticsearchError' } },
}

/** Headers of HTTP, which no operation describes. */
const transport = new Set([
  'content-type',
  'content-length',
  'connection',
  'date',
  'keep-alive',
  'transfer-encoding',
])

function isJsonText(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch (error) {
    if (error instanceof SyntaxError) return false
    throw error
  }
}

interface Route {
  readonly pattern: RegExp
  readonly template: string
  readonly item: PathItem
}

/** Every path at every server of the description. */
export function routesOf(description: OpenApiDocument): readonly Route[] {
  return Object.entries(description.paths).flatMap(([path, item]) =>
    (item.servers ?? description.servers).flatMap(({ url }) =>
      [path, ...(item['x-also-at'] ?? [])].map(each => {
        const template = new URL(url, 'http://localhost').pathname.replace(/\/$/, '') + each
        return { template, item, pattern: patternOf(description, template, item) }
      }),
    ),
  )
}

function patternOf(description: OpenApiDocument, template: string, item: PathItem): RegExp {
  const slashes = new Set(
    [item, item.get]
      .flatMap(place => place?.parameters ?? [])
      .map(parameter =>
        '$ref' in parameter ? (pointed(description, parameter.$ref) as Parameter) : parameter,
      )
      .filter(parameter => parameter['x-has-slashes'])
      .map(parameter => parameter.name),
  )
  const source = template
    .split(/(\{[^}]+\})/)
    .map(part => {
      if (!part.startsWith('{')) return part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
      return slashes.has(part.slice(1, -1)) ? '.+' : '[^/]+'
    })
    .join('')
  return new RegExp(`^${source}$`)
}

export interface OpenApiSchemas {
  /** Returns the problems of a value. */
  problems(schema: Schema, value: unknown): readonly string[]
}

export interface SchemaOptions {
  /** Whether to validate the schemas as JSON Schemas, which takes a tenth of a second. Default: true. */
  readonly validatesSchemas?: boolean
}

/** Compiles the schemas of a description. They may refer to its components. */
export function compileOpenApiSchemas(
  description: OpenApiDocument,
  { validatesSchemas = true }: SchemaOptions = {},
): OpenApiSchemas {
  const ajv = new Ajv2020({
    allErrors: true,
    strictTypes: false,
    strictRequired: false,
    validateSchema: validatesSchemas,
  })
  addFormats.default(ajv)
  ajv.addFormat('binary', true)
  for (const [name, schema] of Object.entries(description.components.schemas)) {
    ajv.addSchema(standalone(schema), `schemas:${name}`)
  }
  const compiled = new WeakMap<Schema, ValidateFunction>()
  return {
    problems(schema, value) {
      const validate = compiled.get(schema) ?? ajv.compile(standalone(schema))
      compiled.set(schema, validate)
      return validate(value) ? [] : (validate.errors ?? []).map(told)
    },
  }
}

function standalone(schema: Schema): AnySchema {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/components/schemas/', '"schemas:')) as AnySchema
}

function told({ instancePath, message, params }: ErrorObject): string {
  return `${instancePath || 'it'} ${message ?? 'is wrong'} ${JSON.stringify(params)}`
}

function pointed(description: OpenApiDocument, pointer: string): unknown {
  return pointer
    .slice(2)
    .split('/')
    .reduce<unknown>((value, name) => (value as Record<string, unknown> | undefined)?.[name], description)
}
