import type { DocumentType } from '../../core/records/collection.js'
import type { Revision } from '../../core/records/revision.js'
import type { Oid } from '../../core/value-types.js'
import { blobId } from '../../store/objects/hash-object.js'
import type { FileContent } from '../../store/write/writer-interface.js'
import { attachedFiles } from './schema-source.js'

/** The files of a record's directory except `record.json`. */
export interface RecordContent {
  readonly type: DocumentType
  readonly document: FileContent
  /** Additional files of a schema. */
  readonly files: ReadonlyMap<string, FileContent>
}

/** The content of a stored revision. */
export function contentOf(revision: Revision): RecordContent {
  const { documentType: type, document } = revision
  return { type, document, files: attachedFiles(revision) }
}

/** Whether two revisions of a record have the same files, except `record.json`. */
export function sameContent(a: RecordContent, b: RecordContent): boolean {
  return a.type === b.type && nameOf(a.document) === nameOf(b.document) && sameFiles(a.files, b.files)
}

export function sameFiles(a: RecordContent['files'], b: RecordContent['files']): boolean {
  return a.size === b.size && [...a].every(([path, file]) => isSame(file, b.get(path)))
}

function isSame(file: FileContent, other: FileContent | undefined): boolean {
  return other !== undefined && nameOf(file) === nameOf(other)
}

function nameOf(content: FileContent): Oid {
  return typeof content === 'string' ? content : blobId(content)
}
