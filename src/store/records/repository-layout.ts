import { hash } from 'node:crypto'
import {
  type Collection,
  collectionNames,
  type DocumentType,
  documentFileNames,
} from '../../core/records/collection.js'
import { type Id, isId } from '../../core/value-types.js'

/*
 * The paths of the files of a repository.
 *
 *   metastore.json                         layout version and name of the repository
 *   purged.json                            ids of purged records of which harvesters are told
 *   schemas/<name>/record.json             <name> is the id, encoded
 *   schemas/<name>/schema.json|schema.xsd
 *   schemas/<name>/<further files>         at their path relative to the schema document
 *   metadata/<a>/<b>/<c>/<d>/<name>/record.json
 *   metadata/<a>/<b>/<c>/<d>/<name>/document.json|document.xml
 */

/** Version of this layout, as `metastore.json` has it. A repository with a higher version is refused. */
export const layoutVersion = 1
export const metastoreFileName = 'metastore.json'
export const recordFile = 'record.json'

/** Name of the document inside a record's directory. */
export function documentFileName(kind: Collection, type: DocumentType): string {
  return documentFileNames[kind][type]
}

/** The type of a document by its file name; undefined for any other file. */
export function documentTypeOfFile(kind: Collection, name: string): DocumentType | undefined {
  if (name === documentFileNames[kind].JSON) return 'JSON'
  if (name === documentFileNames[kind].XML) return 'XML'
  return undefined
}

/** Names of devices of Windows, in lower case, alone and with any extension. */
const deviceName = /^(con|prn|aux|nul|clock\$|con(in|out)\$|(com|lpt)[0-9¹²³]) *(\.|$)/
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const forbiddenCharacters = /[\u0000-\u001f\u007f\\:*?"<>|]/
const maxNameLength = 200
/** Matches the characters of an id that do not stand for themselves: in the name of a device, the first one too. */
const encodedCharacters = /[A-Z*]|^[-.]|\.$/g
const encodedInDeviceName = /[A-Z*]|^.|\.$/g

/**
 * The name of a record's directory. Lower case letters, digits, `_`, `-` and `.` stand for themselves. An upper case
 * letter becomes `=` and its lower case. Any other character, a leading `-` or `.`, a trailing `.` and the first letter
 * of a device name (`con`, `nul`…) become `=` and two hex digits. A name longer than 200 characters becomes `=~` and
 * the SHA-256 of the id. Distinct ids have distinct names, also on case-insensitive file systems.
 */
export function encodeId(id: Id): string {
  const encoded = deviceName.test(id) ? encodedInDeviceName : encodedCharacters
  const name = id.replace(encoded, char => (/[A-Z]/.test(char) ? `=${char.toLowerCase()}` : hex(char)))
  return name.length <= maxNameLength ? name : `=~${hash('sha256', id)}`
}

function hex(char: string): string {
  return `=${char.charCodeAt(0).toString(16).padStart(2, '0')}`
}

/** The id for a result of {@link encodeId}; undefined if the name is a hash, or is no such result. */
export function decodeId(name: string): Id | undefined {
  const id = name.replace(/=([a-z]|[0-9][0-9a-f])/g, (_, code: string) =>
    code.length === 1 ? code.toUpperCase() : String.fromCharCode(Number.parseInt(code, 16)),
  )
  return isId(id) && encodeId(id) === name ? id : undefined
}

const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** Directory of a record, without a trailing slash. */
export function recordDirectory(kind: Collection, id: Id): string {
  const folder = collectionNames[kind]
  if (kind === 'schema') return `${folder}/${encodeId(id)}`
  const key = uuidPattern.test(id) ? id : hash('sha1', id)
  return `${folder}/${key[0]}/${key[1]}/${key[2]}/${key[3]}/${encodeId(id)}`
}

/** A path of the tree that belongs to a record. */
interface RecordPath {
  readonly kind: Collection
  readonly directory: string
  /** Path relative to the directory. */
  readonly file: string
}

/** The record to which a path belongs; undefined for other paths (`README.md`, …). */
export function parseRecordPath(path: string): RecordPath | undefined {
  const parts = path.split('/')
  if (parts[0] === 'schemas' && parts.length >= 3) {
    return { kind: 'schema', directory: parts.slice(0, 2).join('/'), file: parts.slice(2).join('/') }
  }
  if (parts[0] === 'metadata' && parts.length >= 7) {
    return { kind: 'metadata', directory: parts.slice(0, 6).join('/'), file: parts.slice(6).join('/') }
  }
  // A person left out the four digits of the path: it is a record in the wrong directory.
  const file = parts.at(-1) ?? ''
  if (parts[0] === 'metadata' && parts.length >= 3 && isOwnFile('metadata', file)) {
    return { kind: 'metadata', directory: parts.slice(0, -1).join('/'), file }
  }
  return undefined
}

function isOwnFile(kind: Collection, file: string): boolean {
  return file === recordFile || documentTypeOfFile(kind, file) !== undefined
}

/** The id of the record in a directory; undefined if no id has this directory. */
export function idOfDirectory(kind: Collection, directory: string): Id | undefined {
  const id = decodeId(directory.slice(directory.lastIndexOf('/') + 1))
  return id !== undefined && recordDirectory(kind, id) === directory ? id : undefined
}

/**
 * Why no file with this path can lie on some file system, that of Windows among them; undefined if it can. The files of
 * schemas have further rules: {@link findFilePathFault}.
 * @see https://learn.microsoft.com/windows/win32/fileio/naming-a-file
 */
export function findFileSystemFault(path: string): string | undefined {
  if (forbiddenCharacters.test(path)) return 'it has a character that file systems do not permit'
  const parts = path.split('/')
  if (parts.some(part => deviceName.test(part.toLowerCase()))) return 'a part of it is the name of a device'
  return parts.some(part => /[. ]$/.test(part)) ? 'a part of it ends with a dot or space' : undefined
}

/**
 * The fault in the path of an additional file of a schema; undefined if it is valid. A valid path is relative, uses
 * `/`, has no part that is special to a file system or Git, and is not one of our own names. A folder may begin
 * with a dash, as those of ISO 19115-3 do. A file may not, because programs that run in its folder take its name for an
 * option.
 */
export function findFilePathFault(path: string): string | undefined {
  if (path === '' || path.length > 500) return 'it must have 1 to 500 characters'
  if (/[\u0080-\uffff]/.test(path))
    return 'it has a character outside ASCII, which file systems spell differently'
  const parts = path.split('/')
  if (parts.some(part => part === '' || part === '.' || part === '..'))
    return 'it must stay below the schema document'
  if (parts.some(part => part.length > maxNameLength))
    return `a part of it is longer than ${maxNameLength} characters`
  if (parts.some(part => /^ |[. ]$/.test(part)))
    return 'a part ends with a dot, or begins or ends with a space'
  if (parts.at(-1)?.startsWith('-')) return 'its last part begins with a dash, as options of programs do'
  if (parts.some(part => /^\.|^git~\d+$/i.test(part))) return 'a part of it is hidden or special to Git'
  const fault = findFileSystemFault(path)
  if (fault !== undefined) return fault
  const first = path.toLowerCase()
  if (
    [recordFile, ...Object.values(documentFileNames.schema)].some(
      own => first === own || first.startsWith(`${own}/`),
    )
  ) {
    return `${parts[0]} is a name of the repository's own`
  }
  return undefined
}

/**
 * What is wrong with the names of the further files of a record, as sentences for the findings of requests and commits.
 * @param paths relative to the document
 */
export function findFileNameFaults(
  kind: Collection,
  paths: Iterable<string>,
): readonly { readonly message: string; readonly file: string }[] {
  const all = [...paths]
  const faults = all.flatMap(file => {
    const fault = kind === 'metadata' ? 'a metadata record has no further files' : findFilePathFault(file)
    const message = `The file name ${JSON.stringify(file)} cannot be used: ${fault}.`
    return fault === undefined ? [] : [{ message, file }]
  })
  const clash = findCaseFoldClash(all)
  if (!clash) return faults
  const [first, second] = clash
  const message = `The files "${first}" and "${second}" cannot lie in one folder where upper and lower case are the same.`
  return [...faults, { message, file: second }]
}

/** Two paths that collide on a file system where upper and lower case are the same; undefined if there are none. */
export function findCaseFoldClash(paths: Iterable<string>): readonly [string, string] | undefined {
  const seen = new Map<string, { path: string; isFile: boolean }>()
  for (const path of paths) {
    const parts = path.split('/')
    for (let depth = 1; depth <= parts.length; depth++) {
      const prefix = parts.slice(0, depth).join('/')
      const isFile = depth === parts.length
      const other = seen.get(prefix.toLowerCase())
      if (other && (other.isFile || isFile || !other.path.startsWith(prefix))) return [other.path, path]
      if (!other) seen.set(prefix.toLowerCase(), { path: isFile ? path : `${prefix}/`, isFile })
    }
  }
  return undefined
}
