import type { Selection } from './harvest-sets.js'

/** Names of the formats in which every record can be harvested. They are exports. */
export const builtInPrefixes = ['oai_dc', 'datacite'] as const

export type BuiltInPrefix = (typeof builtInPrefixes)[number]

/** The content of an item: an export of its record, or its document. */
export type Rendering = BuiltInPrefix | 'document'

export function isBuiltIn(prefix: string): prefix is BuiltInPrefix {
  return (builtInPrefixes as readonly string[]).includes(prefix)
}

/** The records that have a format: all, or those whose XML document follows the schema of this name. */
export function selectionOfPrefix(prefix: string): Selection {
  return isBuiltIn(prefix) ? {} : { schemaIds: [prefix], documentTypes: ['XML'] }
}

/** What an item contains. A document of a schema with the id `oai_dc` or `datacite` replaces the export of its name. */
export function renderingOf(prefix: string, schemaId: string | undefined, documentType: string): Rendering {
  if (!isBuiltIn(prefix)) return 'document'
  return schemaId === prefix && documentType === 'XML' ? 'document' : prefix
}
