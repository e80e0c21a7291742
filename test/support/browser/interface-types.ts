import { interfaceDescription } from '../http/interface-description.js'

/*
 * Writes the types of the interface that the browser application uses, in the form that openapi-fetch reads, from the
 * OpenAPI description. `node bin/interface-types.js` stores the result.
 */

/** The operations that the application calls. */
const operations: ReadonlySet<string> = new Set([
  ...[
    'readSchemaV2',
    'reviseSchemaV2',
    'registerSchemaV2',
    'validateDocumentV2',
    'impactOfSchemaV2',
    'outlineOfSchemaV2',
    'tryDocumentV2',
  ],
  ...['readMetadataV2', 'reviseMetadataV2', 'createMetadataV2', 'listSchemasV2'],
  ...['listMetadataV2', 'applyChangeSet'],
  ...['versionsOfSchemaV2', 'diffOfSchemaV2', 'blameOfSchemaV2', 'listSchemaFilesV2', 'bundleOfSchemaV2'],
  ...['versionsOfMetadataV2', 'diffOfMetadataV2', 'blameOfMetadataV2', 'descriptionOfMetadataV2'],
  ...['searchV2', 'changes', 'namedPoints'],
  ...['login', 'whoami', 'permissionsOnSchemaV2', 'permissionsOnMetadataV2'],
  ...['overviewOfSchemaV2', 'overviewOfMetadataV2'],
  ...['deleteSchemaV2', 'deleteMetadataV2'],
])

interface Described {
  readonly [name: string]: unknown
  readonly $ref?: string
}

/** The text of `src/features/web/browser/api/interface-types.ts`. */
export function interfaceTypes(): string {
  const { paths, components } = JSON.parse(JSON.stringify(interfaceDescription())) as {
    readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>
    readonly components: Readonly<Record<string, Readonly<Record<string, Described>>>>
  }
  const named = new Map<string, string>()

  function componentOf($ref: string): Described {
    const [, , kind = '', name = ''] = $ref.split('/')
    return components[kind]?.[name] ?? {}
  }

  /** The type of a JSON Schema. Components become types of their own. */
  function typeOf(schema: Described): string {
    if (schema.$ref !== undefined) {
      const name = schema.$ref.split('/').at(-1) ?? ''
      if (!named.has(name)) {
        named.set(name, '')
        named.set(name, typeOf(componentOf(schema.$ref)))
      }
      return name
    }
    const { const: only, enum: values, type, format } = schema
    if (only !== undefined) return literal(only)
    if (Array.isArray(values)) return values.map(literal).join(' | ')
    const choices = (schema.oneOf ?? schema.anyOf) as readonly Described[] | undefined
    if (choices && type === undefined) return unique(choices.map(typeOf)).join(' | ')
    if (Array.isArray(type)) return unique(type.map(each => typeOf({ ...schema, type: each }))).join(' | ')
    if (type === 'array') return `(${typeOf((schema.items ?? {}) as Described)})[]`
    if (type === 'object' || schema.properties !== undefined) return objectType(schema)
    if (type === 'integer' || type === 'number') return 'number'
    if (type === 'string') return format === 'binary' ? 'Blob | string' : 'string'
    return type === 'boolean' || type === 'null' ? type : 'unknown'
  }

  function objectType({ properties = {}, required = [], additionalProperties }: Described): string {
    const members = Object.entries(properties as Readonly<Record<string, Described>>).map(
      ([name, schema]) =>
        `${JSON.stringify(name)}${(required as readonly string[]).includes(name) ? '' : '?'}: ${typeOf(schema)}`,
    )
    if (members.length > 0) return `{ ${members.join('; ')} }`
    const rest =
      typeof additionalProperties === 'object' ? typeOf(additionalProperties as Described) : 'unknown'
    return `{ [name: string]: ${rest} }`
  }

  /** Types by media type, of a body or a response. */
  function contentType({ content = {} }: Described): string {
    const types = Object.entries(content as Readonly<Record<string, { readonly schema: Described }>>)
    return `{ ${types.map(([name, { schema }]) => `${JSON.stringify(name)}: ${typeOf(schema)}`).join('; ')} }`
  }

  function operationType(operation: Described, ofPath: readonly Described[]): string {
    const own = (operation.parameters ?? []) as readonly Described[]
    const parameters = [...ofPath, ...own].map(each => (each.$ref ? componentOf(each.$ref) : each))
    const places = ['path', 'query', 'header'].flatMap(place => {
      const found = parameters.filter(each => each.in === place)
      const members = found.map(
        ({ name, required, schema }) =>
          `${JSON.stringify(name)}${required ? '' : '?'}: ${typeOf(schema as Described)}`,
      )
      const isOptional = found.every(({ required }) => !required)
      return members.length > 0 ? [`${place}${isOptional ? '?' : ''}: { ${members.join('; ')} }`] : []
    })
    const responses = Object.entries(operation.responses as Readonly<Record<string, Described>>)
      .filter(([status]) => status.startsWith('2'))
      .map(([status, response]) => `${status}: { content: ${contentType(response)} }`)
    const problem = `default: { content: { 'application/problem+json': ${typeOf({ $ref: '#/components/schemas/Problem' })} } }`
    const body = operation.requestBody as Described | undefined
    const sent = body ? `; requestBody: { content: ${contentType(body)} }` : ''
    return `{ parameters: { ${places.join('; ')} }${sent}; responses: { ${[...responses, problem].join('; ')} } }`
  }

  const missing = new Set(operations)
  const lines = Object.entries(paths).flatMap(([path, item]) => {
    const { parameters = [], ...methods } = item
    const used = Object.entries(methods).filter(([, { operationId }]) => operations.has(String(operationId)))
    if (used.length === 0) return []
    for (const [, { operationId }] of used) missing.delete(String(operationId))
    const types = used.map(
      ([method, operation]) =>
        `${method}: ${operationType(operation, parameters as unknown as readonly Described[])}`,
    )
    return [`  ${JSON.stringify(path)}: { ${types.join('; ')} }`]
  })
  if (missing.size > 0) throw new Error(`There are no operations ${[...missing].join(', ')}.`)
  const types = [...named].map(([name, type]) => `export type ${name} = ${type}`)
  return `// Written by \`node bin/interface-types.js\` from the OpenAPI description.\n\nexport interface paths {\n${lines.join('\n')}\n}\n\n${types.join('\n')}\n`
}

function literal(value: unknown): string {
  return JSON.stringify(value)
}

function unique(types: readonly string[]): readonly string[] {
  return [...new Set(types)]
}
