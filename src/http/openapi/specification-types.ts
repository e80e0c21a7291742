/*
 * The parts of OpenAPI 3.1 that the description uses.
 * @see https://spec.openapis.org/oas/v3.1.0
 */

/** A JSON Schema (2020-12). */
export type Schema = Readonly<Record<string, unknown>>

export interface Reference {
  readonly $ref: string
  /** Replaces the description of the component. */
  readonly description?: string
}

export interface Example {
  readonly value: unknown
}

export interface MediaType {
  readonly schema: Schema
  readonly examples?: Readonly<Record<string, Example>>
  readonly encoding?: Readonly<Record<string, { readonly contentType: string }>>
}
export type Content = Readonly<Record<string, MediaType>>

export interface Header {
  readonly description: string
  /** Every response has the header. */
  readonly required?: true
  readonly schema: Schema
  readonly example?: unknown
  /** Responses of every operation may have the header, so the operations do not list it. */
  readonly 'x-on-any-answer'?: true
}

export type Headers = Readonly<Record<string, Header | Reference>>

export interface Response {
  readonly description: string
  readonly headers?: Headers
  /** Absent: a response without a body. */
  readonly content?: Content
}
/** The responses of an operation, by status. */
export type Responses = Readonly<Record<string, Response | Reference>>

export interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly description: string
  readonly required?: true
  readonly deprecated?: true
  readonly schema: Schema
  readonly style?: 'form'
  readonly explode?: boolean
  readonly example?: unknown
  /** A path parameter that may contain slashes. OpenAPI has no keyword for it. */
  readonly 'x-has-slashes'?: true
}

export interface RequestBody {
  readonly description?: string
  readonly required: boolean
  readonly content: Content
}

export interface Operation {
  readonly tags: readonly string[]
  /** Name of the operation, unique in the description. */
  readonly operationId: string
  readonly summary: string
  readonly description: string
  readonly parameters?: readonly (Parameter | Reference)[]
  readonly requestBody?: RequestBody
  /** Replaces `security` of the whole description. */
  readonly security?: OpenApiDocument['security']
  readonly responses: Responses
}

export const methods = ['get', 'put', 'post', 'delete'] as const
export type Method = (typeof methods)[number]

export interface PathItem extends Partial<Readonly<Record<Method, Operation>>> {
  readonly servers?: readonly Server[]
  readonly parameters?: readonly (Parameter | Reference)[]
  /** Further paths of the same operations. In OpenAPI, other paths would be other operations. */
  readonly 'x-also-at'?: readonly string[]
}
export type Paths = Readonly<Record<string, PathItem>>

export interface Server {
  readonly url: string
  readonly description: string
}

export interface OpenApiDocument {
  readonly openapi: '3.1.0'
  readonly info: {
    readonly title: string
    readonly version: string
    readonly summary: string
    readonly description: string
    readonly license: { readonly name: string; readonly identifier: string }
  }
  readonly servers: readonly Server[]
  readonly tags: readonly { readonly name: string; readonly description: string }[]
  readonly paths: Paths
  /** Alternative ways of authentication; an empty object means none. */
  readonly security: readonly Readonly<Record<string, readonly string[]>>[]
  readonly components: {
    readonly securitySchemes: Readonly<Record<string, Schema>>
    readonly schemas: Readonly<Record<string, Schema>>
    readonly responses: Readonly<Record<string, Response>>
    readonly parameters: Readonly<Record<string, Parameter>>
    readonly headers: Readonly<Record<string, Header>>
  }
}

/** The name in a reference to a component. */
export function componentName(reference: string): string {
  return reference.slice(reference.lastIndexOf('/') + 1)
}

/** The content of a body with one of these media types. @param examples values of the body, by name */
export function contentOf(
  mediaTypes: readonly string[],
  schema: Schema,
  examples: Readonly<Record<string, unknown>> = {},
): Content {
  const named = Object.entries(examples).map(([name, value]) => [name, { value }] as const)
  const content = { schema, ...(named.length > 0 && { examples: Object.fromEntries(named) }) }
  return Object.fromEntries(mediaTypes.map(type => [type, content]))
}

export function schemaRef(name: string): Schema {
  return { $ref: `#/components/schemas/${name}` }
}

export function headerRef(name: string): Reference {
  return { $ref: `#/components/headers/${name}` }
}

export function parameterRef(name: string): Reference {
  return { $ref: `#/components/parameters/${name}` }
}
