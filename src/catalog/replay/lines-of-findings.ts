import { linesOfPointers } from '../../core/json/source-locations.js'
import type { Finding } from '../../core/problem.js'
import type { Collection } from '../../core/records/collection.js'
import type { ObjectReader } from '../../store/objects/object-reader.js'
import { documentTypeOfFile } from '../../store/records/repository-layout.js'
import type { DirectoryFiles } from '../database/directory-files.js'
import { isPlain } from './record-directory.js'

/** Limit of a file that is searched for line numbers, in bytes, because the search blocks the event loop. */
const maxSearchedBytes = 4 * 2 ** 20

/**
 * Adds line numbers to findings with a JSON Pointer into a JSON file. Other findings, and those in files above 4 MiB,
 * stay unchanged.
 */
export async function withLineNumbers(
  findings: readonly Finding[],
  {
    kind,
    files,
    objects,
  }: { readonly kind: Collection; readonly files: DirectoryFiles; readonly objects: ObjectReader },
): Promise<readonly Finding[]> {
  const document = [...files.keys()].find(file => documentTypeOfFile(kind, file))
  let left = findings
  for (const file of new Set(findings.map(finding => finding.file ?? document))) {
    const text = file?.endsWith('.json') ? await textOf(file, files, objects) : undefined
    if (text === undefined) continue
    const isHere = (finding: Finding) => (finding.file ?? document) === file && finding.line === undefined
    const pointers = left.flatMap(finding => (isHere(finding) ? (finding.path ?? []) : []))
    const lines = linesOfPointers(text, pointers)
    left = left.map(finding => {
      const line = isHere(finding) && finding.path !== undefined ? lines.get(finding.path) : undefined
      return line === undefined ? finding : { ...finding, line }
    })
  }
  return left
}

async function textOf(
  file: string,
  files: DirectoryFiles,
  objects: ObjectReader,
): Promise<string | undefined> {
  const entry = files.get(file)
  if (!entry || !isPlain(entry.mode)) return undefined
  const { type, bytes } = await objects.read(entry.oid)
  return type === 'blob' && bytes.byteLength <= maxSearchedBytes ? new TextDecoder().decode(bytes) : undefined
}
