/** Applies a JSON Patch to a document, strictly by RFC 6902 and RFC 6901. @throws Error if an operation is invalid */
export function applyJsonPatch(document: unknown, patch: readonly JsonOperation[]): unknown {
  // Objects become maps, in which `__proto__` is a usual name.
  let root = unpacked(document)
  for (const { op, path, value } of patch) {
    if (path === '') {
      if (op !== 'replace') throw new Error(`A patch can only replace the whole document, not ${op} it.`)
      root = unpacked(value)
      continue
    }
    const names = path
      .split('/')
      .slice(1)
      .map(name => name.replaceAll('~1', '/').replaceAll('~0', '~'))
    const last = names.pop() ?? ''
    const holder = names.reduce<Unpacked>((node, name) => step(node, name), root)
    if (holder instanceof Map) {
      if (op !== 'add' && !holder.has(last)) throw new Error(`The document has nothing at ${path}.`)
      if (op === 'remove') holder.delete(last)
      else holder.set(last, unpacked(value))
    } else if (Array.isArray(holder)) {
      const at = Number(last)
      if (!/^\d+$/.test(last) || at > holder.length - (op === 'add' ? 0 : 1))
        throw new Error(`The document has nothing at ${path}.`)
      if (op === 'add') holder.splice(at, 0, unpacked(value))
      else if (op === 'remove') holder.splice(at, 1)
      else holder[at] = unpacked(value)
    } else throw new Error(`The document has nothing at ${path}.`)
  }
  return packed(root)
}

export interface JsonOperation {
  readonly op: string
  readonly path: string
  readonly value?: unknown
}

type Unpacked = Map<string, Unpacked> | Unpacked[] | null | boolean | number | string

function unpacked(value: unknown): Unpacked {
  if (Array.isArray(value)) return value.map(unpacked)
  if (typeof value !== 'object' || value === null) return value as Unpacked
  return new Map(Object.entries(value).map(([name, member]) => [name, unpacked(member)]))
}

function step(node: Unpacked, name: string): Unpacked {
  const found = node instanceof Map ? node.get(name) : Array.isArray(node) ? node[Number(name)] : undefined
  if (found === undefined) throw new Error(`The document has nothing at ${name}.`)
  return found
}

function packed(node: Unpacked): unknown {
  if (Array.isArray(node)) return node.map(packed)
  if (!(node instanceof Map)) return node
  const made = {}
  for (const [name, value] of node) {
    Object.defineProperty(made, name, { value: packed(value), enumerable: true, configurable: true })
  }
  return made
}
