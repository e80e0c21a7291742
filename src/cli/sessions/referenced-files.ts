import { dirname } from 'node:path'
import { type Finding, ProblemError } from '../../core/problem.js'
import { isId } from '../../core/value-types.js'
import { findSchemaLanguage } from '../../service/rules/record-rules.js'
import { errorCode } from '../../store/file-system/file-errors.js'
import { readRegularFile } from '../../store/file-system/regular-files.js'
import { segmentsOfUrl } from '../../validation/reference-resolver.js'
import type { FileReference, Validator } from '../../validation/validator.js'

/**
 * The further files of a schema document on disk: follows its references, and those of the found files, through the
 * folder of the document. A URL leads to the file with host and path of the URL, or the end of it, if there is one. Other
 * URLs, and ids of registered schemas, are ignored.
 * @param file path of the schema document, which may be a link; the files it comes with may not
 * @returns bytes by path relative to the document
 * @throws ProblemError `unprocessable` if a reference leaves the folder or names a missing file,
 *   `malformed-request` if it names something else than a regular file
 */
export async function collectReferencedFiles(
  validator: Pick<Validator, 'references'>,
  file: string,
  document: Uint8Array,
): Promise<ReadonlyMap<string, Uint8Array>> {
  const type = findSchemaLanguage(document, undefined)
  if (typeof type !== 'string') throw new ProblemError(type.problem, `${file}: ${type.message}`)
  const files = new Map<string, Uint8Array>()
  const absent = new Set<string>()
  async function isThere(path: string): Promise<boolean> {
    if (files.has(path)) return true
    const bytes = absent.has(path) ? undefined : await readIfThere(dirname(file), path)
    if (bytes) files.set(path, bytes)
    else absent.add(path)
    return bytes !== undefined
  }
  for (;;) {
    const { missing } = await validator.references(type, document, files)
    refuse(file, missing.filter(leavesFolder), 'is not below the folder of the schema document')
    const { size } = files
    for (const reference of missing) {
      for (const path of pathsOf(reference)) if (await isThere(path)) break
    }
    if (files.size > size) continue
    const lost = missing.filter(reference => reference.path !== undefined && !isId(reference.target))
    refuse(file, lost, 'is not there')
    return files
  }
}

/** The paths of the file that a reference can mean, the best one first. */
function pathsOf({ target, path }: FileReference): readonly string[] {
  if (path !== undefined) return [path]
  const segments = segmentsOfUrl(target) ?? []
  return segments
    .slice(0, segments.length > 1 ? undefined : 0)
    .map((_, index) => segments.slice(index).join('/'))
}

/** Whether a reference is a path outside of the folder, rather than a URL of the web or of a registered schema. */
function leavesFolder({ target, path }: FileReference): boolean {
  return (
    path === undefined && (/^(file:|[\\/]|[A-Za-z]:\\)/i.test(target) || target.split(/[\\/]/).includes('..'))
  )
}

function refuse(file: string, references: readonly FileReference[], fault: string): void {
  if (references.length === 0) return
  const findings = references.map((reference): Finding => {
    const place = reference.line === undefined ? {} : { line: reference.line }
    return { message: `${reference.target} ${fault}.`, file: reference.file ?? file, ...place }
  })
  throw new ProblemError('unprocessable', `${file} refers to files that cannot be stored with it.`, {
    findings,
  })
}

async function readIfThere(folder: string, path: string): Promise<Buffer | undefined> {
  try {
    return await readRegularFile(folder, path)
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'ENAMETOOLONG'].includes(errorCode(error) ?? '')) return undefined
    throw error
  }
}
