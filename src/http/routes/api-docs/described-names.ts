import type { Context } from 'koa'
import type { Collection } from '../../../core/records/collection.js'
import { routeOf, withoutMount } from '../../mounts.js'
import { type Description, methods, type Schema } from '../../openapi/specification-types.js'
import type { WireFormat } from '../../record-formats/record-format-interface.js'
import { isStrict } from '../../request/prefer-header.js'
import { type NameCheck, openNameCheck, type RequestNames } from '../../request/unknown-names.js'
import { buildOpenApiDocument } from './openapi-document.js'

/*
 * The names that requests may have, as the description of the interface says them.
 */

/** Members of an object, with those of the objects in them; of a list those of its items. */
interface Members {
  readonly names: ReadonlySet<string>
  readonly inner: ReadonlyMap<string, Members>
}

/** Names by {@link operationKey}. */
type NamesOfOperations = ReadonlyMap<string, ReadonlySet<string>>

interface DescribedNames {
  /** Names of query parameters. */
  readonly parameters: NamesOfOperations
  /** Names of the parts of forms. */
  readonly parts: NamesOfOperations
  readonly records: Readonly<Record<WireFormat['version'], Readonly<Record<Collection, Members>>>>
}

export function openRequestNames(): RequestNames {
  const { parameters, parts: formParts, records } = namesIn(buildOpenApiDocument({ base: '' }))
  const anyParameter = allIn(parameters)
  const anyPart = allIn(formParts)

  function lookAtParameters(ctx: Context): void {
    const known = namesAt(parameters, ctx)
    if (!known) return
    const names = Object.keys(ctx.query)
    // The same address has another answer to clients that ask for it.
    if (names.some(name => !known.has(name))) ctx.vary('Prefer')
    const check = openNameCheck(isStrict(ctx))
    for (const name of names) check.look(name, known, anyParameter, 'There is no parameter')
  }

  return {
    refuseUnknownParameters(ctx, next) {
      if (ctx.querystring.length > 0) lookAtParameters(ctx)
      return next()
    },
    refuseUnknownParts(ctx, parts) {
      const known = namesAt(formParts, ctx)
      if (!known) return
      const check = openNameCheck(isStrict(ctx))
      for (const { name } of parts) check.look(name, known, anyPart, 'The form has no part')
    },
    refuseUnknownMembers(json, version, kind, strict) {
      const { schema, metadata } = records[version]
      const [own, other] = kind === 'schema' ? [schema, metadata] : [metadata, schema]
      lookAtMembers(json, own, other.names, '', openNameCheck(strict))
    },
  }
}

/** Names that the operation has which a request asks for; also below a mount that the description does not name. */
function namesAt(names: NamesOfOperations, ctx: Context): ReadonlySet<string> | undefined {
  const method = ctx.method === 'HEAD' ? 'GET' : ctx.method
  const route = routeOf(ctx)
  if (route === undefined) return undefined
  return names.get(operationKey(method, route)) ?? names.get(operationKey(method, withoutMount(route)))
}

function allIn(names: NamesOfOperations): ReadonlySet<string> {
  return new Set([...names.values()].flatMap(each => [...each]))
}

/** @param path as the description has it, or as a route: what its parameters are called does not matter */
function operationKey(method: string, path: string): string {
  return `${method.toLowerCase()} ${path.replace(/\{\w+\}|[:*]\w+/g, '{}')}`
}

function namesIn(description: Description): DescribedNames {
  const { components } = description
  const parameters = new Map<string, ReadonlySet<string>>()
  const parts = new Map<string, ReadonlySet<string>>()
  for (const [path, item] of Object.entries(description.paths)) {
    for (const method of methods) {
      const operation = item[method]
      if (!operation) continue
      const all = [...(item.parameters ?? []), ...(operation.parameters ?? [])].map(parameter =>
        '$ref' in parameter ? components.parameters[lastPart(parameter.$ref)] : parameter,
      )
      const names = new Set(all.flatMap(each => (each?.in === 'query' ? [each.name] : [])))
      const inForm = operation.requestBody?.content['multipart/form-data']?.schema?.properties
      for (const each of [path, ...(item['x-also-at'] ?? [])]) {
        parameters.set(operationKey(method, each), names)
        if (inForm) parts.set(operationKey(method, each), new Set(Object.keys(inForm)))
      }
    }
  }
  const members = (name: string) => membersOf({ $ref: name }, components.schemas) as Members
  const version2 = members('SentRecord')
  return {
    parameters,
    parts,
    records: {
      1: { schema: members('SentSchemaRecord'), metadata: members('SentMetadataRecord') },
      2: { schema: version2, metadata: version2 },
    },
  }
}

function lastPart(reference: string): string {
  return reference.slice(reference.lastIndexOf('/') + 1)
}

/** @returns undefined where the schema says nothing of members */
function membersOf(schema: Schema, components: Description['components']['schemas']): Members | undefined {
  const { $ref, properties, items } = schema as Schema & Record<'$ref' | 'properties' | 'items', never>
  const named = $ref === undefined ? undefined : components[lastPart($ref)]
  const parts = [
    ...(named ? [named] : []),
    ...(items ? [items as Schema] : []),
    ...['anyOf', 'oneOf', 'allOf'].flatMap(name => (schema[name] as readonly Schema[] | undefined) ?? []),
  ].flatMap(part => membersOf(part, components) ?? [])
  if (properties === undefined && parts.length === 0) return undefined
  const own = Object.entries((properties ?? {}) as Readonly<Record<string, Schema>>)
  return {
    names: new Set([...own.map(([name]) => name), ...parts.flatMap(part => [...part.names])]),
    inner: new Map([
      ...parts.flatMap(part => [...part.inner]),
      ...own.flatMap(([name, inner]) => {
        const found = membersOf(inner, components)
        return found ? [[name, found] as const] : []
      }),
    ]),
  }
}

const none: ReadonlySet<string> = new Set()

function lookAtMembers(
  value: unknown,
  members: Members,
  elsewhere: ReadonlySet<string>,
  at: string,
  check: NameCheck,
): void {
  if (Array.isArray(value)) {
    for (const [place, item] of value.entries()) lookAtMembers(item, members, none, `${at}[${place}]`, check)
    return
  }
  if (typeof value !== 'object' || value === null) return
  for (const [name, inner] of Object.entries(value)) {
    check.look(name, members.names, elsewhere, at === '' ? 'The record has no member' : `${at} has no member`)
    const found = members.inner.get(name)
    if (found) lookAtMembers(inner, found, none, at === '' ? name : `${at}.${name}`, check)
  }
}
