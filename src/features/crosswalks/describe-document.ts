import type { DocumentType } from '../../core/records/collection.js'
import type { DocumentDescription } from '../../core/records/document-description.js'
import { applyCrosswalks } from './crosswalk/apply-crosswalk.js'
import type { Crosswalk } from './crosswalk/crosswalk-rules.js'
import { type DocumentTree, documentTree } from './crosswalk/described-tree.js'
import type { KnownSchema } from './known/document-facts.js'
import { knownCrosswalk } from './known/known-schemas.js'

/**
 * What a document says about itself: by the crosswalk of its schema, by that of a known schema, and by members whose
 * names leave no doubt, property by property.
 * @param crosswalk that of the record of its schema
 * @param known the known schema that documents of its schema follow, unless the document names another one
 * @returns an empty description for a document that cannot be read
 */
export function describeDocument(
  bytes: Uint8Array,
  type: DocumentType,
  crosswalk?: Crosswalk,
  known?: KnownSchema,
): DocumentDescription {
  const tree = documentTree(bytes, type)
  return tree ? describeTree(tree, crosswalk, known) : {}
}

/** {@link describeDocument} of a document that has been read. */
export function describeTree(
  tree: DocumentTree,
  crosswalk?: Crosswalk,
  known?: KnownSchema,
): DocumentDescription {
  const builtIn = knownCrosswalk(tree, known)
  const found = applyCrosswalks(crosswalk ? [{ root: tree.root, crosswalk }, builtIn] : [builtIn])
  const entries = [...found].map(([property, values]) => [
    property,
    values.map(({ value, node }) => ({ value, ...(node && { path: node.path }) })),
  ])
  return Object.fromEntries(entries)
}
