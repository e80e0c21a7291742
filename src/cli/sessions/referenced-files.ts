import { dirname } from 'node:path'
import { type Finding, ProblemError } from '../../core/problem.js'
import { isId } from '../../core/value-types.js'
import { findSchemaLanguage } from '../../service/rules/schema-rules.js'
import { errorCode } from '../../store/file-system/file-errors.js'
import { readRegularFile } from '../../store/file-system/regular-files.js'
import type { FileReference, Validator } from '../../validation/validator.js'

/**
 * The further files of a schema document on disk: follows its references, and those of the found files, through the
 * folder of the document. References to registered schemas (an id, a URL) are ignored.
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
  for (;;) {
    const { missing } = await validator.references(type, document, files)
    refuse(file, missing.filter(leavesFolder), 'is not below the folder of the schema document')
    const wanted = new Set(
      missing.flatMap(({ path }) => path ?? []).filter(path => !absent.has(path) && !files.has(path)),
    )
    if (wanted.size === 0) {
      const lost = missing.filter(reference => reference.path !== undefined && !isId(reference.target))
      refuse(file, lost, 'is not there')
      return files
    }
    for (const path of wanted) {
      const bytes = await readIfThere(dirname(file), path)
      if (bytes === undefined) absent.add(path)
      else files.set(path, bytes)
    }
  }
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
