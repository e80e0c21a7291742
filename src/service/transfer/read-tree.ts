import type { Dirent } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { malformed, ProblemError } from '../../core/problem.js'
import { type Kind, parseId } from '../../core/values.js'
import { parseJson } from '../../store/json-text.js'
import { decodeId, documentType, recordFile } from '../../store/layout.js'
import type { Read } from './import.js'
import type { Item } from './interchange.js'

/** Below the folder of a record: earlier revisions, each in a folder with its number for a name. */
export const versionsFolder = '.versions'

/**
 * Items from a folder tree: every folder with a `record.json` is a record, wherever it lies; its document beside it
 * says by its name what it is. Schemas come first, then metadata, each by path. Hidden folders are not looked into.
 */
export async function* readTree(root: string): AsyncGenerator<Read> {
  for (const kind of ['schema', 'metadata'] as const) yield* below(root, '', kind)
}

async function* below(root: string, path: string, wanted: Kind): AsyncGenerator<Read> {
  const entries = (await readdir(join(root, path), { withFileTypes: true })).sort(byName)
  if (entries.some(entry => entry.name === recordFile && entry.isFile())) {
    // A folder without a document is told of once, among the metadata.
    if ((kindOf(entries) ?? 'metadata') === wanted) yield* revisions(root, path, wanted)
    return
  }
  for (const entry of entries) {
    if (entry.isDirectory() && !entry.name.startsWith('.')) yield* below(root, join(path, entry.name), wanted)
  }
}

async function* revisions(root: string, path: string, kind: Kind): AsyncGenerator<Read> {
  const entries = await readdir(join(root, path))
  const earlier = entries.includes(versionsFolder)
    ? (await readdir(join(root, path, versionsFolder)))
        .filter(name => /^[1-9]\d{0,8}$/.test(name))
        .map(Number)
    : []
  const home = { root, kind, name: basename(join(root, path)) }
  for (const number of earlier.sort((a, b) => a - b)) {
    yield await readRecord(home, join(path, versionsFolder, String(number)), number)
  }
  yield await readRecord(home, path, earlier.length === 0 ? undefined : Math.max(...earlier) + 1)
}

interface Home {
  readonly root: string
  readonly kind: Kind
  /** Name of the record's folder. */
  readonly name: string
}

async function readRecord(home: Home, path: string, number: number | undefined): Promise<Read> {
  const place = path === '' ? '.' : path.replaceAll('\\', '/')
  try {
    return { place, content: await itemIn(home, join(home.root, path), number) }
  } catch (error) {
    if (error instanceof ProblemError) return { place, content: error }
    throw error
  }
}

async function itemIn({ kind, name }: Home, folder: string, number: number | undefined): Promise<Item> {
  const files = await filesIn(folder, '')
  const [document, ...others] = files.filter(file => documentType(kind, file) !== undefined)
  if (document === undefined || others.length > 0) {
    const names = kind === 'schema' ? 'schema.json or schema.xsd' : 'document.json or document.xml'
    throw malformed(`Beside ${recordFile} there has to be one document: ${names}.`)
  }
  const parsed = parseJson(await readFile(join(folder, recordFile)))
  if ('fault' in parsed) {
    throw malformed(`${recordFile} cannot be read. ${parsed.fault.message}`)
  }
  const record = parsed.value
  if (typeof record !== 'object' || record === null || Array.isArray(record)) {
    throw malformed(`${recordFile} has to be a JSON object.`)
  }
  const further = files.filter(file => file !== recordFile && file !== document)
  if (kind === 'metadata' && further.length > 0) throw malformed(`"${further[0]}" does not belong here.`)
  return {
    kind,
    // A person may leave out what the name of the folder says.
    id: parseId((record as { readonly id?: unknown }).id ?? decodeId(name), 'The id'),
    ...(number !== undefined && { number }),
    state: {
      record: record as Readonly<Record<string, unknown>>,
      document: await readFile(join(folder, document)),
      files: new Map(
        await Promise.all(further.map(async file => [file, await readFile(join(folder, file))] as const)),
      ),
    },
  }
}

/** Paths of all files below a folder, but for hidden ones. */
async function filesIn(folder: string, path: string): Promise<readonly string[]> {
  const found: string[] = []
  for (const entry of (await readdir(join(folder, path), { withFileTypes: true })).sort(byName)) {
    if (entry.name.startsWith('.')) continue
    const name = path === '' ? entry.name : `${path}/${entry.name}`
    if (entry.isDirectory()) found.push(...(await filesIn(folder, name)))
    else found.push(name)
  }
  return found
}

function kindOf(entries: readonly Dirent[]): Kind | undefined {
  return (['schema', 'metadata'] as const).find(kind =>
    entries.some(entry => documentType(kind, entry.name) !== undefined),
  )
}

function byName(a: Dirent, b: Dirent): number {
  return a.name < b.name ? -1 : 1
}
