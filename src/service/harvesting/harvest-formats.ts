import type { Selection } from './harvest-sets.js'

/** Formats that every record has, made from the record. */
export const builtInPrefixes = ['oai_dc', 'datacite'] as const

export type BuiltInPrefix = (typeof builtInPrefixes)[number]

/** The form in which an item is given: made from its record, or its own document. */
export type Rendering = BuiltInPrefix | 'document'

export function isBuiltIn(prefix: string): prefix is BuiltInPrefix {
  return (builtInPrefixes as readonly string[]).includes(prefix)
}

/** The records that have a format: all, or those whose XML document follows the schema of this name. */
export function selectionOfPrefix(prefix: string): Selection {
  return isBuiltIn(prefix) ? {} : { schemaIds: [prefix], documentTypes: ['XML'] }
}

/** A stored document that follows a schema called `oai_dc` or `datacite` is given as it is. */
export function renderingOf(prefix: string, schemaId: string | undefined, documentType: string): Rendering {
  if (!isBuiltIn(prefix)) return 'document'
  return schemaId === prefix && documentType === 'XML' ? 'document' : prefix
}
