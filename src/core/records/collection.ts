/** The collection of a record. */
export type Collection = 'schema' | 'metadata'

/** The language of a schema or document. */
export type DocumentType = 'JSON' | 'XML'
