import { basename, join } from 'node:path'
import { parseStrictJson } from '../../core/json/strict-json.js'
import { malformedRequest, ProblemError } from '../../core/problem.js'
import { type Collection, collections, documentFileNames } from '../../core/records/collection.js'
import { parseId } from '../../core/value-types.js'
import {
  type FolderEntry,
  faultOf,
  filesBelow,
  listFolder,
  readRegularFile,
} from '../../store/file-system/regular-files.js'
import { decodeId, documentTypeOfFile, recordFile } from '../../store/records/repository-layout.js'
import type { InterchangeItem, SourceItem } from './interchange-format.js'

/** The folder with earlier revisions of a record, each in a folder whose name is its number. */
export const versionsFolder = '.versions'

/**
 * Reads items from a folder tree. Each folder with a `record.json` is a record; the name of the document says whether
 * it is a schema. Schemas come first, then metadata, each in the order of paths. Hidden folders are skipped. An entry
 * that is neither a file nor a folder, such as a symbolic link, is a failure.
 * @param root may be a symbolic link
 */
export async function* readTree(root: string): AsyncGenerator<SourceItem> {
  for (const kind of collections) yield* below(root, '', kind)
}

async function* below(root: string, path: string, wanted: Collection): AsyncGenerator<SourceItem> {
  const entries = await listFolder(root, path)
  if (entries.some(entry => entry.name === recordFile && entry.kind !== 'folder')) {
    // A folder without a document is reported once, with the metadata.
    if ((kindOf(entries) ?? 'metadata') === wanted) yield* revisions(root, path, entries, wanted)
    return
  }
  for (const { name, kind } of entries) {
    if (name.startsWith('.')) continue
    const inner = inFolder(path, name)
    if (kind === 'folder') yield* below(root, inner, wanted)
    else if (kind === 'other' && wanted === 'metadata')
      yield { place: inner, content: await faultOf(root, inner) }
  }
}

async function* revisions(
  root: string,
  path: string,
  entries: readonly FolderEntry[],
  kind: Collection,
): AsyncGenerator<SourceItem> {
  const versions = inFolder(path, versionsFolder)
  const found = entries.find(({ name }) => name === versionsFolder)
  if (found?.kind === 'other') yield { place: versions, content: await faultOf(root, versions) }
  const earlier = (found?.kind === 'folder' ? await listFolder(root, versions) : [])
    .filter(({ name }) => /^[1-9]\d{0,8}$/.test(name))
    .map(({ name }) => Number(name))
  const home = { root, kind, name: basename(join(root, path)) }
  for (const number of earlier.sort((a, b) => a - b)) {
    yield await readRecord(home, inFolder(versions, String(number)), number)
  }
  yield await readRecord(home, path, earlier.length === 0 ? undefined : Math.max(...earlier) + 1)
}

interface Home {
  readonly root: string
  readonly kind: Collection
  /** Name of the record's folder. */
  readonly name: string
}

async function readRecord(home: Home, path: string, number: number | undefined): Promise<SourceItem> {
  const place = path === '' ? '.' : path
  try {
    return { place, content: await itemIn(home, path, number) }
  } catch (error) {
    if (error instanceof ProblemError) return { place, content: error }
    throw error
  }
}

async function itemIn(
  { root, kind, name }: Home,
  folder: string,
  number: number | undefined,
): Promise<InterchangeItem> {
  const paths = await filesBelow(root, folder, entry => !entry.startsWith('.'))
  const files = paths.map(path => path.slice(inFolder(folder, '').length))
  const read = (file: string) => readRegularFile(root, inFolder(folder, file))
  const [document, ...others] = files.filter(file => documentTypeOfFile(kind, file) !== undefined)
  if (document === undefined || others.length > 0) {
    const names = Object.values(documentFileNames[kind]).join(' or ')
    throw malformedRequest(`The folder with ${recordFile} must have one document: ${names}.`)
  }
  const parsed = parseStrictJson(await read(recordFile))
  if ('fault' in parsed) {
    throw malformedRequest(`${recordFile} cannot be read. ${parsed.fault.message}`)
  }
  const record = parsed.value
  if (typeof record !== 'object' || record === null || Array.isArray(record)) {
    throw malformedRequest(`${recordFile} must be a JSON object.`)
  }
  const further = files.filter(file => file !== recordFile && file !== document)
  return {
    kind,
    // The name of the folder is the id, if the record has none.
    id: parseId((record as { readonly id?: unknown }).id ?? decodeId(name), 'The id'),
    ...(number !== undefined && { number }),
    state: {
      record: record as Readonly<Record<string, unknown>>,
      document: await read(document),
      files: new Map(await Promise.all(further.map(async file => [file, await read(file)] as const))),
    },
  }
}

function inFolder(folder: string, name: string): string {
  return folder === '' ? name : `${folder}/${name}`
}

function kindOf(entries: readonly FolderEntry[]): Collection | undefined {
  return collections.find(kind => entries.some(entry => documentTypeOfFile(kind, entry.name) !== undefined))
}
