/** A mutable JSON object. */
type Node = { [member: string]: unknown }

const name = '__proto__'

/**
 * ajv ignores a member called `__proto__` of `properties`, `patternProperties` and `dependencies`. Adds keywords to the
 * schema that say the same and that ajv does not ignore.
 */
export function repeatProtoMember(schema: Node): void {
  const property = protoOf(schema.properties)
  const pattern = protoOf(schema.patternProperties)
  const dependency = protoOf(schema.dependencies)
  if (property !== undefined) addPattern(schema, `^${name}$`, property)
  if (pattern !== undefined) addPattern(schema, `(?:${name})`, pattern)
  if (dependency !== undefined) {
    const needed = Array.isArray(dependency) ? { required: dependency } : dependency
    addToAll(schema, { anyOf: [{ not: { required: [name] } }, needed] })
  }
}

function protoOf(map: unknown): unknown {
  return typeof map === 'object' && map !== null && Object.hasOwn(map, name) ? (map as Node)[name] : undefined
}

function addPattern(schema: Node, pattern: string, inner: unknown): void {
  const patterns = (schema.patternProperties ?? {}) as Node
  if (Object.hasOwn(patterns, pattern)) addToAll(schema, { patternProperties: { [pattern]: inner } })
  else schema.patternProperties = { ...patterns, [pattern]: inner }
}

function addToAll(schema: Node, inner: unknown): void {
  schema.allOf = [...((schema.allOf ?? []) as unknown[]), inner]
}
