import type { Random } from '../../bench/data/seeded-random.js'
import type {
  OpenApiDocument,
  Operation,
  Parameter,
  Reference,
  Schema,
} from '../../src/http/openapi/specification-types.js'
import type { Kind, Model } from './expected-state.js'
import { nasty } from './mutate-request.js'
import { filePart, type Part, type Request } from './shrinkable-request.js'
import type { Recorder } from './valid-requests.js'

/** Makes requests from the OpenAPI description that the server returns. */
export interface Described {
  /** A function for each operation at each of its addresses. */
  readonly routes: readonly (() => Request)[]
}

const methods = ['get', 'put', 'post', 'delete'] as const

export function openDescribed(
  description: OpenApiDocument,
  random: Random,
  model: Model,
  recorder: Recorder,
): Described {
  function resolve<T extends object>(value: T | Reference): T {
    if (!('$ref' in value)) return value
    const found = String(value.$ref)
      .slice(2)
      .split('/')
      .reduce<unknown>((at, name) => (at as Record<string, unknown> | undefined)?.[name], description)
    if (found === undefined) throw new Error(`The description has nothing at ${value.$ref}.`)
    return found as T
  }

  /** A value that matches a schema, with occasional wrong values. */
  function valueFor(schema: Schema, depth = 4): unknown {
    if (random.oneIn(12)) return random.pick([...nasty, null, 7, [], {}])
    const {
      examples,
      enum: listed,
      type,
      properties,
      items,
      anyOf,
      oneOf,
      allOf,
      default: usual,
    } = schema as {
      readonly examples?: readonly unknown[]
      readonly enum?: readonly unknown[]
      readonly type?: string | readonly string[]
      readonly properties?: Readonly<Record<string, Schema>>
      readonly items?: Schema
      readonly anyOf?: readonly Schema[]
      readonly oneOf?: readonly Schema[]
      readonly allOf?: readonly Schema[]
      readonly default?: unknown
    }
    if (examples && random.oneIn(2)) return random.pick(examples)
    if ('$ref' in schema) return depth === 0 ? {} : valueFor(resolve<Schema>(schema), depth - 1)
    if (listed) return random.pick(listed)
    const choices = anyOf ?? oneOf ?? allOf
    if (choices && !properties) return valueFor(random.pick(choices), depth)
    if (usual !== undefined && random.oneIn(2)) return usual
    const kind = Array.isArray(type) ? random.pick(type as readonly string[]) : type
    if (kind === 'object' || properties) {
      const members = Object.entries(properties ?? {}).filter(() => depth > 0 && random.oneIn(2))
      return Object.fromEntries(members.map(([name, each]) => [name, valueFor(each, depth - 1)]))
    }
    if (kind === 'array') {
      const length = depth === 0 ? 0 : random.below(3)
      return Array.from({ length }, () => valueFor(items ?? {}, depth - 1))
    }
    if (kind === 'integer' || kind === 'number') return random.pick([0, 1, 2, 20, -1, 1e9])
    if (kind === 'boolean') return random.oneIn(2)
    return random.pick(['x', 'main', '2026', recorder.id('schemas'), recorder.id('metadata'), ...nasty])
  }

  function partsOf(schema: Schema): readonly Part[] {
    const { properties = {} } = resolve<Schema>(schema) as {
      readonly properties?: Readonly<Record<string, Schema>>
    }
    return Object.entries(properties).flatMap(([name, part]) => {
      if (random.oneIn(6)) return []
      if (name === 'schema') return [filePart(name, recorder.schema())]
      if (name === 'document') return [filePart(name, recorder.document(), 'application/octet-stream')]
      if (name === 'include')
        return random.oneIn(3) ? [filePart(name, '{}', 'application/json', 'a/b.json')] : []
      return [filePart(name, JSON.stringify(valueFor(part)))]
    })
  }

  function make(
    operation: Operation,
    method: string,
    template: string,
    shared: readonly (Parameter | Reference)[],
  ): Request {
    const kind: Kind = template.includes('schema') ? 'schemas' : 'metadata'
    const query: string[] = []
    const headers: (readonly [string, string])[] = []
    let path = template
    let named = ''
    for (const each of [...shared, ...(operation.parameters ?? [])]) {
      const parameter = resolve<Parameter>(each)
      const made =
        parameter.example !== undefined && random.oneIn(3) ? parameter.example : valueFor(parameter.schema)
      const text = String(typeof made === 'object' ? JSON.stringify(made) : made)
      if (parameter.in === 'path') {
        const isId = parameter.name === 'id' && !random.oneIn(5)
        const value = isId ? recorder.id(kind) : text
        if (parameter.name === 'id') named = value
        const written = encodeURIComponent(value) || 'x'
        path = path.replace(`{${parameter.name}}`, () => written)
      } else if (parameter.in === 'query') {
        // The fuzzer does not wait for changes.
        const known = /id/i.test(parameter.name) && random.oneIn(2) ? recorder.id(kind) : text
        const shown = parameter.name === 'wait' ? '1' : known
        if (parameter.required || random.oneIn(3))
          query.push(`${parameter.name}=${encodeURIComponent(shown)}`)
      } else if (/^if-match$/i.test(parameter.name)) {
        const etag = model.etag(kind, named)
        headers.push([parameter.name, random.oneIn(3) || etag === undefined ? '*' : etag])
      } else if (parameter.required || random.oneIn(3)) {
        headers.push([parameter.name, text.replace(/[^\x20-\x7e]/g, '')])
      }
    }
    const types = Object.values(operation.responses).flatMap(response =>
      Object.keys(resolve(response).content ?? {}),
    )
    if (types.length > 0 && random.oneIn(2)) headers.push(['Accept', random.pick(types)])
    const request = { method: method.toUpperCase(), path, query, headers }
    if (!operation.requestBody) return request
    const [type, media] = random.pick(Object.entries(operation.requestBody.content))
    if (type === 'multipart/form-data') return { ...request, parts: partsOf(media.schema) }
    const body = Buffer.from(
      type.includes('json') && !random.oneIn(5)
        ? JSON.stringify(valueFor(media.schema))
        : random.pick([
            '0000',
            '0014command=ls-refs\n0000',
            '',
            '00',
            'x',
            '{"query":{}}',
            'verb=Identify&verb=x',
          ]),
    )
    return { ...request, headers: [...headers, ['Content-Type', type]], body }
  }

  const routes = Object.entries(description.paths).flatMap(([path, item]) =>
    (item.servers ?? description.servers).flatMap(({ url }) =>
      [path, ...(item['x-also-at'] ?? [])].flatMap(each => {
        const template = new URL(url).pathname.replace(/\/$/, '') + each
        return methods.flatMap(method => {
          const operation = item[method]
          return operation ? [() => make(operation, method, template, item.parameters ?? [])] : []
        })
      }),
    ),
  )
  return { routes }
}
