import { malformedRequest } from '../../core/problem.js'
import { truncate } from '../../core/value-types.js'

/** One part of a form, sent as a file or as a plain field. */
export interface FormPart {
  readonly name: string
  readonly bytes: Buffer
  /** Undefined for a plain field. */
  readonly fileName?: string
  readonly contentType?: string
}

/**
 * The part of a form with this name, which may appear only once.
 * @returns undefined if there is none
 * @throws ProblemError `malformed-request` if the part is repeated or empty
 */
export function optionalPart(parts: readonly FormPart[], name: string): FormPart | undefined {
  const [part, second] = parts.filter(other => other.name === name)
  if (second) throw malformedRequest(`The part ${name} may appear only once.`)
  if (part?.bytes.length === 0) throw malformedRequest(`The part ${name} is empty.`)
  return part
}

/**
 * The part of a form that must be there exactly once.
 * @throws ProblemError `malformed-request` if it is missing, repeated, or empty
 */
export function requiredPart(parts: readonly FormPart[], name: string): FormPart {
  const part = optionalPart(parts, name)
  if (part) return part
  const sent = truncate([...new Set(parts.map(other => other.name))].join(', '), 200)
  throw malformedRequest(
    `The part ${name} is missing; ${sent ? `sent parts: ${sent}` : 'the form has no parts'}.`,
  )
}

/** The document of a schema with the name of its file, by which its further files may refer to it. */
export function namedDocument({ bytes, fileName }: FormPart): { document: Buffer; fileName?: string } {
  return fileName === undefined ? { document: bytes } : { document: bytes, fileName }
}

/**
 * The further files of a schema, by path: the parts with this name, whose file names are the paths.
 * @returns undefined if there are none
 * @throws ProblemError `malformed-request`
 */
export function includedFiles(
  parts: readonly FormPart[],
  name: string,
): ReadonlyMap<string, Buffer> | undefined {
  const files = new Map<string, Buffer>()
  for (const { fileName, bytes } of parts.filter(part => part.name === name)) {
    // Pages with a form send a file that was not chosen so.
    if (fileName === undefined && bytes.length === 0) continue
    if (fileName === undefined)
      throw malformedRequest(`A part ${name} has no file name: it is the path of the file.`)
    if (bytes.length === 0) throw malformedRequest(`The part ${name} for ${truncate(fileName)} is empty.`)
    if (files.has(fileName))
      throw malformedRequest(`Two parts ${name} have the file name ${truncate(fileName)}.`)
    files.set(fileName, bytes)
  }
  return files.size === 0 ? undefined : files
}
