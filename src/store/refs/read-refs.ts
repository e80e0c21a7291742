import { readdirSync, readFileSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Oid, toOid } from '../../core/value-types.js'
import { errorCode, undefinedIfMissing, undefinedIfMissingAsync } from '../file-system/file-errors.js'
import {
  type GitObject,
  MissingObject,
  type ObjectReader,
  type ObjectType,
} from '../objects/object-reader.js'

/*
 * Reads refs from their files: loose ones, and those of `packed-refs`. @see gitrepository-layout(5), git-pack-refs(1)
 */

/**
 * Reads a ref: its own file wins over `packed-refs`.
 * @param ref full name
 * @returns undefined if there is no such ref
 * @throws RangeError if its file contains no object name
 */
export function readRef(gitDir: string, ref: string): Oid | undefined {
  // Reads the loose ref again, because another process may move the ref between both places.
  return readLoose(gitDir, ref) ?? readPacked(gitDir, ref) ?? readLoose(gitDir, ref)
}

function readLoose(gitDir: string, ref: string): Oid | undefined {
  try {
    return undefinedIfMissing(() => toOid(readFileSync(join(gitDir, ref), 'latin1').trim()))
  } catch (error) {
    // A folder in place of the ref, or another ref in place of its folder.
    if (errorCode(error) === 'EISDIR' || errorCode(error) === 'ENOTDIR') return undefined
    throw error
  }
}

function readPacked(gitDir: string, ref: string): Oid | undefined {
  for (const [name, value] of readPackedRefs(gitDir)) if (name === ref) return toOid(value)
  return undefined
}

/** Whether there is any branch, or at least a file or folder in the place of one. */
export function hasBranches(gitDir: string): boolean {
  const loose = undefinedIfMissing(() => readdirSync(join(gitDir, 'refs', 'heads'))) ?? []
  if (loose.length > 0) return true
  for (const [name, value] of readPackedRefs(gitDir))
    if (name.startsWith('refs/heads/') && isObjectName(value)) return true
  return false
}

function readPackedRefs(gitDir: string): Iterable<PackedRef> {
  return parsePackedRefs(undefinedIfMissing(() => readFileSync(join(gitDir, packedRefsFile), 'utf8')) ?? '')
}

/** A branch, a tag or any other ref. */
export interface Ref {
  readonly name: string
  readonly oid: Oid
  /** The object that an annotated tag leads to in the end. */
  readonly peeled?: Oid
}

/** All refs, sorted by name like git. Omits refs that lead to missing objects. */
export async function listRefs(gitDir: string, objects: ObjectReader): Promise<readonly Ref[]> {
  const named = await readAllRefs(gitDir)
  const refs: Ref[] = []
  for (const name of [...named.keys()].sort()) {
    const oid = resolved(named, name)
    if (oid === undefined) continue
    // A branch cannot point at a tag object.
    const found = name.startsWith('refs/heads/') ? oid : await peeledIfPresent(objects, oid)
    if (found !== undefined) refs.push({ name, oid, ...(found === oid ? {} : { peeled: found }) })
  }
  return refs
}

/** Content of a ref: an object name, or `ref: ` and the name of another ref. */
type Value = string

/** Contents of all refs by their full names, unchecked. */
export async function readAllRefs(gitDir: string): Promise<ReadonlyMap<string, Value>> {
  // Loose refs first: `git pack-refs` writes a packed ref before it removes the loose one.
  const loose = await looseRefs(gitDir)
  return new Map([...(await packedRefs(gitDir)), ...loose])
}

async function looseRefs(gitDir: string): Promise<ReadonlyMap<string, Value>> {
  const refs = new Map<string, Value>()
  for (const path of await filesBelow(join(gitDir, 'refs'))) {
    if (path.endsWith('.lock')) continue
    const text = await undefinedIfMissingAsync(readFile(path, 'latin1'))
    if (text !== undefined) refs.set(path.slice(gitDir.length + 1).replaceAll('\\', '/'), text.trim())
  }
  return refs
}

/** Git removes empty folders of refs at any time. */
async function filesBelow(folder: string): Promise<readonly string[]> {
  const entries = (await undefinedIfMissingAsync(readdir(folder, { withFileTypes: true }))) ?? []
  const found = entries.map(async entry => {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return await filesBelow(path)
    return entry.isFile() ? [path] : []
  })
  return (await Promise.all(found)).flat()
}

async function packedRefs(gitDir: string): Promise<ReadonlyMap<string, Value>> {
  const text = await undefinedIfMissingAsync(readFile(join(gitDir, packedRefsFile), 'utf8'))
  return new Map([...parsePackedRefs(text ?? '')].filter(([, value]) => isObjectName(value)))
}

/** Name in the Git directory. */
const packedRefsFile = 'packed-refs'

type PackedRef = readonly [name: string, value: Value]

/**
 * The refs of `packed-refs`, with unchecked values. Skips the first line, which begins with `#`, and the peeled objects
 * of annotated tags, which begin with `^`.
 */
function* parsePackedRefs(text: string): Generator<PackedRef> {
  // Line by line, because most readers look for one of many refs.
  for (let start = 0, end = 0; start < text.length; start = end + 1) {
    const next = text.indexOf('\n', start)
    end = next < 0 ? text.length : next
    if (text[start] === '#' || text[start] === '^') continue
    const line = text.slice(start, end)
    const space = line.lastIndexOf(' ')
    const name = line.slice(space + 1)
    if (space > 0 && /^refs\/./.test(name)) yield [name, line.slice(0, space)]
  }
}

function isObjectName(value: Value): value is Oid {
  return /^[0-9a-f]{40}$/.test(value)
}

/** Follows symbolic refs, such as `refs/remotes/origin/HEAD`, up to git's limit of steps. */
function resolved(named: ReadonlyMap<string, Value>, name: string): Oid | undefined {
  let value = named.get(name)
  for (let steps = 0; steps < 5 && value?.startsWith('ref: '); steps++) value = named.get(value.slice(5))
  return value !== undefined && isObjectName(value) ? value : undefined
}

/** The object that an annotated tag names; undefined for any other object. */
export function targetOfTag({ type, bytes }: GitObject): Oid | undefined {
  const target =
    type === 'tag' ? /^object ([0-9a-f]{40})\n/.exec(bytes.toString('latin1', 0, 50))?.[1] : undefined
  return target === undefined ? undefined : toOid(target)
}

/**
 * The object that an annotated tag leads to in the end; any other object itself.
 * @returns a tag if it is malformed
 * @throws MissingObject
 */
export async function peelTag(
  objects: ObjectReader,
  oid: Oid,
): Promise<{ readonly oid: Oid; readonly type: ObjectType }> {
  for (let next = oid; ; ) {
    const object = await objects.read(next)
    const target = targetOfTag(object)
    if (target === undefined) return { oid: next, type: object.type }
    next = target
  }
}

/** @returns undefined if the object or the target of a tag is missing, or a tag is malformed */
async function peeledIfPresent(objects: ObjectReader, oid: Oid): Promise<Oid | undefined> {
  try {
    const peeled = await peelTag(objects, oid)
    return peeled.type === 'tag' ? undefined : peeled.oid
  } catch (error) {
    if (error instanceof MissingObject) return undefined
    throw error
  }
}
