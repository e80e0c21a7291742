import type { DocumentType } from '../../core/records/collection.js'
import type { DocumentDescription } from '../../core/records/document-description.js'
import { applyCrosswalks } from './crosswalk/apply-crosswalk.js'
import type { Crosswalk } from './crosswalk/crosswalk-rules.js'
import { documentTree } from './crosswalk/described-tree.js'
import { knownCrosswalk } from './known/known-schemas.js'

/** What is known about the schema of a document. */
export interface DocumentSchema {
  /** The crosswalk in the record of the schema. */
  readonly crosswalk: Crosswalk | undefined
  /** `$id` of a JSON Schema, or the target namespace of an XML Schema. */
  readonly name: string | undefined
}

/**
 * What a document says about itself: by the crosswalk of its schema, by that of a known schema, and by members whose
 * names leave no doubt, property by property.
 * @returns an empty description for a document that cannot be read
 */
export function describeDocument(
  bytes: Uint8Array,
  type: DocumentType,
  { crosswalk, name }: DocumentSchema,
): DocumentDescription {
  const tree = documentTree(bytes, type)
  if (!tree) return {}
  const known = knownCrosswalk(tree, name)
  const found = applyCrosswalks(crosswalk ? [{ root: tree.root, crosswalk }, known] : [known])
  const entries = [...found].map(([property, values]) => [
    property,
    values.map(({ value, node }) => ({ value, ...(node && { path: node.path }) })),
  ])
  return Object.fromEntries(entries)
}
