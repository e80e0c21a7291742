/** All collections; schemas come before the metadata that follow them. */
export const collections = ['schema', 'metadata'] as const

/** The collection of a record. */
export type Collection = (typeof collections)[number]

/** The rank of a change in its commit: removals come first, of metadata before their schemas; then schemas, metadata. */
export function changeRank(kind: Collection, isRemoval: boolean): number {
  const rank = collections.indexOf(kind) + 1
  return isRemoval ? -rank : rank
}

/** The other collection. */
export const otherCollection = { schema: 'metadata', metadata: 'schema' } as const satisfies Record<
  Collection,
  Collection
>

/** The name of each collection in URLs, and of its folder in a repository. */
export const collectionNames = { schema: 'schemas', metadata: 'metadata' } as const satisfies Record<
  Collection,
  string
>

/** What the content of a record is called, in forms and messages. */
export const contentNames = { schema: 'schema', metadata: 'document' } as const satisfies Record<
  Collection,
  string
>

/** The name of each collection in operation ids, resource types and messages. */
export const collectionLabels = { schema: 'Schema', metadata: 'Metadata' } as const satisfies Record<
  Collection,
  string
>

/** What a record is called on pages and in exports. */
export const recordLabels = { schema: 'Schema', metadata: 'Metadata document' } as const satisfies Record<
  Collection,
  string
>

/** The language of a schema or document. */
export type DocumentType = 'JSON' | 'XML'

/** The file name of a document in the folder of its record, and in exports. */
export const documentFileNames = {
  schema: { JSON: 'schema.json', XML: 'schema.xsd' },
  metadata: { JSON: 'document.json', XML: 'document.xml' },
} as const satisfies Record<Collection, Record<DocumentType, string>>

/** The resource type of a record, which follows from its document. */
export function resourceTypeOf(kind: Collection, type: DocumentType): string {
  return `${type}_${collectionLabels[kind]}`
}
