import type { DocumentType } from '../../core/records/collection.js'
import type { Revision } from '../../core/records/revision.js'
import type { Id, Oid } from '../../core/value-types.js'
import { documentTypeOfFile, findFileNameFaults, recordFile } from '../../store/records/repository-layout.js'
import type { FileReference, References, Validator, Work } from '../../validation/validator.js'

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
  const own = ownNames.find(
    name =>
      references.missing.some(reference => mayMean(reference, name)) &&
      findFileNameFaults('schema', [...files.keys(), name]).length === 0,
  )
  if (own === undefined) return { source, references }
  const named = { ...source, files: new Map([...files, [own, document]]) }
  const followed = await validator.references(type, document, named.files, work)
  const isOfDocument = ({ file }: FileReference) => file === undefined || file === own
  const isNearer =
    followed.missing.length < references.missing.length ||
    // More files are reached, which may lack others.
    followed.missing.filter(isOfDocument).length < references.missing.filter(isOfDocument).length
  return isNearer ? { source: named, references: followed } : { source, references }
}

/** Whether a reference may be resolved once the document is a file with this name. */
function mayMean({ path, file, target }: FileReference, name: string): boolean {
  // A name in a folder says to what the document's own references are relative.
  return path === name || target.endsWith(`/${name}`) || (name.includes('/') && file === undefined)
}

const noFiles: ReadonlyMap<string, Oid> = new Map()

/** The files of a revision except its record and its document. Only schemas have such files. */
export function attachedFiles(revision: Pick<Revision, 'kind' | 'files'>): ReadonlyMap<string, Oid> {
  if (revision.kind === 'metadata') return noFiles
  const further = [...revision.files].filter(
    ([path]) => path !== recordFile && documentTypeOfFile('schema', path) === undefined,
  )
  return new Map(further)
}
