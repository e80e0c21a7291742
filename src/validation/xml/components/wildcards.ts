import type { Place } from './schema-files.js'
import { attributeOf } from './schema-tree.js'

/** An `xs:any` or `xs:anyAttribute`. */
export interface Wildcard {
  readonly process: string
  /** The namespaces that are written in it, or meant by `##targetNamespace` and `##other`. */
  readonly mentioned: readonly string[]
  accepts(namespace: string): boolean
}

export function wildcard({ node, schema }: Place): Wildcard {
  const process = attributeOf(node, 'processContents') ?? 'strict'
  const namespace = attributeOf(node, 'namespace') ?? '##any'
  if (namespace === '##any') return { process, mentioned: [], accepts: () => true }
  if (namespace === '##other') {
    const mentioned = [schema.target]
    return { process, mentioned, accepts: other => other !== schema.target && other !== '' }
  }
  const listed = namespace.split(/[ \t\r\n]+/).map(each => {
    if (each === '##local') return ''
    return each === '##targetNamespace' ? schema.target : each
  })
  return { process, mentioned: listed, accepts: other => listed.includes(other) }
}
