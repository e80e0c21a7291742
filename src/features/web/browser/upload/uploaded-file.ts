import type { Finding } from '../api/interface-types.js'
import type { NewDocument, Rival } from '../api/new-records.js'
import { requestLimits } from '../api/request-limits.js'
import { words } from '../words.js'
import { writingWords } from '../words-of-writing.js'

/** What the server says of a file. */
export type FileCheck =
  /** A person types in it. */
  | { readonly kind: 'typing' }
  | { readonly kind: 'waiting' }
  | { readonly kind: 'checking' }
  | { readonly kind: 'valid' }
  /** `rival`: a record that describes the same already. */
  | { readonly kind: 'invalid'; readonly findings: readonly Finding[]; readonly rival?: Rival | undefined }
  | { readonly kind: 'failed'; readonly error: unknown }

/** A file that becomes a document. */
export interface UploadedFile {
  /** The id that its record gets. */
  readonly id: string
  /** Path in the dropped folder, or the name. */
  readonly path: string
  readonly content: Blob
  /** Undefined: the file is neither JSON nor XML. */
  readonly language: 'JSON' | 'XML' | undefined
  /** Id of the schema; undefined: nobody has chosen one, and none was guessed. */
  readonly schema: string | undefined
  /** Whether none was guessed because several have what the document names. */
  readonly isAmbiguous: boolean
  readonly resource: string
  readonly title: string
  /** Whether it is stored with the others. */
  readonly isIncluded: boolean
  /** How many times it was chosen. */
  readonly times: number
  readonly check: FileCheck
}

/** The path without the ending of the file. */
export function withoutEnding(path: string): string {
  return path.replace(/\.[^./]*$/, '')
}

/** The document as it is sent. */
export function documentOf(file: UploadedFile): NewDocument {
  const { id, title, resource, schema = '', content } = file
  return { record: { id, title, resource }, schema, content }
}

/** Whether both are sent in the same way. */
export function isSentAlike(a: UploadedFile, b: UploadedFile | undefined): boolean {
  return a.id === b?.id && a.content === b.content && a.schema === b.schema && a.resource === b.resource
}

/** What a file does not have, without asking the server. */
export function faultOf({
  language,
  schema,
  isAmbiguous,
  resource,
  content,
}: UploadedFile): string | undefined {
  if (!language) return writingWords.upload.noLanguage
  if (content.size > requestLimits.document)
    return writingWords.upload.tooLarge(words.size(content.size), words.size(requestLimits.document))
  if (schema === undefined)
    return isAmbiguous ? writingWords.upload.severalSchemas : writingWords.upload.noSchema
  return resource.trim() === '' ? writingWords.newDocument.missing.resource : undefined
}

/** The paths of the included files that describe the same by the same schema as a file before them, with its path. */
export function repeatedFiles(files: readonly UploadedFile[]): ReadonlyMap<string, string> {
  const first = new Map<string, string>()
  const repeated = new Map<string, string>()
  for (const { path, schema, resource, isIncluded } of files) {
    if (!isIncluded || schema === undefined) continue
    const key = JSON.stringify([schema, resource])
    const before = first.get(key)
    if (before === undefined) first.set(key, path)
    else repeated.set(path, before)
  }
  return repeated
}

/** All that is wrong with a file. @param repeats path of the file that describes the same */
export function findingsOfFile(file: UploadedFile, repeats: string | undefined): readonly Finding[] {
  const own = faultOf(file) ?? (repeats === undefined ? undefined : writingWords.upload.repeated(repeats))
  const { check } = file
  return [
    ...(own === undefined ? [] : [{ message: own }]),
    ...(check.kind === 'invalid' ? check.findings : []),
  ]
}
