/** Which of the two collections a record belongs to. */
export type Collection = 'schema' | 'metadata'

/** The two languages of schemas and documents, as the interface spells them. */
export type DocumentType = 'JSON' | 'XML'
