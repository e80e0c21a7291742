import type { DocumentType } from '../../core/records/collection.js'
import type { Id } from '../../core/value-types.js'
import { findFileNameFaults } from '../../store/records/repository-layout.js'
import type { References, Validator, Work } from '../../validation/validator.js'

/** A schema document and its additional files. */
export interface SchemaSource {
  readonly id: Id
  readonly type: DocumentType
  readonly document: Uint8Array
  readonly files: ReadonlyMap<string, Uint8Array>
  /** File names under which the document was uploaded. References to them lead to the document. */
  readonly ownNames?: readonly string[]
}

/** A schema with the files that its references need, and these references. */
export interface FollowedSource {
  readonly source: SchemaSource
  readonly references: References
}

/**
 * Follows the references of a schema. If one of them is the name under which the document was uploaded, the document
 * becomes a further file with this name too. Then the reference also leads to it in a clone and for other validators.
 * @throws ProblemError `unprocessable` with findings if a file cannot be parsed
 */
export async function followReferences(
  validator: Pick<Validator, 'references'>,
  source: SchemaSource,
  work?: Work,
): Promise<FollowedSource> {
  const { type, document, files, ownNames = [] } = source
  const references = await validator.references(type, document, files, work)
  const wanted = new Set(references.missing.map(({ path }) => path))
  const own = ownNames.find(
    name => wanted.has(name) && findFileNameFaults('schema', [...files.keys(), name]).length === 0,
  )
  if (own === undefined) return { source, references }
  const named = { ...source, files: new Map([...files, [own, document]]) }
  return { source: named, references: await validator.references(type, document, named.files, work) }
}
