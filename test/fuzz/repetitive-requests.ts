import type { Random } from '../../bench/data/seeded-random.js'
import type {
  OpenApiDocument,
  Parameter,
  Reference,
  Schema,
} from '../../src/http/openapi/specification-types.js'
import { headerNames } from './mutate-request.js'
import type { Part, Request } from './shrinkable-request.js'
import type { Recorder } from './valid-requests.js'

/*
 * Puts a long value of one or two repeated pieces at every place of every operation, one place at a time. Regular
 * expressions that match a run in two ways take long for such a value. So do nested loops.
 */

/** Repetitive texts. Two of them begin like valid values. */
const texts: readonly string[] = [
  `a${'T'.repeat(4000)}${'+'.repeat(4000)}!`,
  `2026-01-01T00:00:00.${'0'.repeat(7900)}x`,
  `"${', '.repeat(2000)}${'\\"'.repeat(1500)}`,
]
/** Further values for members of records. */
const lists: readonly (readonly unknown[])[] = [
  Array.from({ length: 20_000 }, () => ''),
  Array.from({ length: 10_000 }, () => ({})),
]
/** Percent-encodes a text and cuts it to the length that an address may have. */
const inAddress = (text: string) => encodeURIComponent(text).slice(0, 12_000).replace(/%.?$/, '')

type Requests = readonly (() => Request)[]

/** @returns requests in any order; each changes a valid request of its operation */
export function repetitionsOf(description: OpenApiDocument, random: Random, recorder: Recorder): Requests {
  const resolve = <T extends object>(value: T | Reference): T =>
    '$ref' in value ? (resolveIn(description, String(value.$ref)) as T) : value

  function atParameter({ name, in: where }: Parameter, operationId: string): () => Request {
    return () => {
      const text = random.pick(texts)
      const request = recorder.recordOf(operationId)
      if (where === 'header') return withHeader(request, name, text)
      if (where === 'query') {
        const others = request.query.filter(each => !each.startsWith(`${name}=`))
        return { ...request, query: [...others, `${name}=${inAddress(text)}`] }
      }
      const pieces = request.path.split('/')
      return { ...request, path: pieces.with(pieces.length - 1, inAddress(text)).join('/') }
    }
  }

  /** Paths of the members of a schema, down to the depth of records. */
  function membersOf(schema: Schema, depth = 5): readonly (readonly string[])[] {
    const { $ref, properties, items, anyOf, oneOf, allOf } = schema as {
      readonly $ref?: string
      readonly properties?: Readonly<Record<string, Schema>>
      readonly items?: Schema
    } & Readonly<Partial<Record<'anyOf' | 'oneOf' | 'allOf', readonly Schema[]>>>
    if (depth === 0) return []
    const parts = [...(items ? [items] : []), ...(anyOf ?? []), ...(oneOf ?? []), ...(allOf ?? [])]
    return [
      ...($ref === undefined ? [] : membersOf(resolveIn(description, $ref) as Schema, depth)),
      ...parts.flatMap(part => membersOf(part, depth)),
      ...Object.entries(properties ?? {}).flatMap(([name, inner]) => [
        [name],
        ...membersOf(inner, depth - 1).map(path => [name, ...path]),
      ]),
    ]
  }

  function atParts(schema: Schema, operationId: string): Requests {
    const { properties = {} } = resolve<Schema>(schema) as {
      readonly properties?: Readonly<Record<string, Schema>>
    }
    return Object.entries(properties).flatMap(([part, inner]) => {
      const change = (body: (part: Part) => Buffer) => () =>
        withPart(recorder.recordOf(operationId), part, body)
      const members = new Map(membersOf(inner).map(path => [path.join('.'), path]))
      return [
        change(() => Buffer.from(random.pick(texts))),
        ...[...members.values()].map(path =>
          change(({ body }) => withMember(body, path, random.pick([...texts, ...lists]))),
        ),
      ]
    })
  }

  const operations = Object.values(description.paths).flatMap(item =>
    (['get', 'put', 'post', 'delete'] as const).flatMap(method => {
      const operation = item[method]
      return operation ? [{ operation, shared: item.parameters ?? [] }] : []
    }),
  )
  return operations.flatMap(({ operation, shared }) => {
    const { operationId, parameters = [], requestBody } = operation
    const form = requestBody?.content['multipart/form-data']
    return [
      ...[...shared, ...parameters].flatMap(each => {
        const parameter = resolve<Parameter>(each)
        // The fuzzer does not wait for changes.
        return parameter.name === 'wait' ? [] : [atParameter(parameter, operationId)]
      }),
      // Sends headers that the description does not list to a few operations, because all operations read them in the
      // same way.
      ...(usual.has(operationId)
        ? headerNames.map(name => () => withHeader(recorder.recordOf(operationId), name, random.pick(texts)))
        : []),
      ...(form ? atParts(form.schema, operationId) : []),
    ]
  })
}

/** Operations that receive headers from outside the description. */
const usual: ReadonlySet<string> = new Set(['listMetadataV1', 'readMetadataV1', 'createMetadataV2'])

function resolveIn(description: OpenApiDocument, reference: string): unknown {
  return reference
    .slice(2)
    .split('/')
    .reduce<unknown>((at, name) => (at as Record<string, unknown> | undefined)?.[name], description)
}

function withHeader(request: Request, name: string, text: string): Request {
  const others = request.headers.filter(([other]) => other.toLowerCase() !== name.toLowerCase())
  return { ...request, headers: [...others, [name, text]] }
}

function withPart(request: Request, name: string, body: (part: Part) => Buffer): Request {
  const isIt = ({ headers }: Part) => headers.some(line => line.includes(` name="${name}"`))
  return {
    ...request,
    ...(request.parts && {
      parts: request.parts.map(part => (isIt(part) ? { ...part, body: body(part) } : part)),
    }),
  }
}

/** Sets a member of a JSON text. Adds missing objects on the path; uses the first entry of a list. */
function withMember(body: Buffer, path: readonly string[], value: unknown): Buffer {
  let json: unknown
  try {
    json = JSON.parse(body.toString())
  } catch (error) {
    if (error instanceof SyntaxError) return body
    throw error
  }
  const put = (at: unknown, [name, ...inner]: readonly string[]): unknown => {
    if (name === undefined) return value
    if (Array.isArray(at)) return [put(at[0], [name, ...inner]), ...at.slice(1)]
    const object = typeof at === 'object' && at !== null ? (at as Record<string, unknown>) : {}
    return { ...object, [name]: put(object[name], inner) }
  }
  return Buffer.from(JSON.stringify(put(json, path)))
}
