/** All collections; schemas come before the metadata that follow them. */
export const collections = ['schema', 'metadata'] as const

/** The collection of a record. */
export type Collection = (typeof collections)[number]

/** The language of a schema or document. */
export type DocumentType = 'JSON' | 'XML'
