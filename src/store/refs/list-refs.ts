import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Oid } from '../../core/value-types.js'
import { undefinedIfMissingAsync } from '../file-system/file-errors.js'
import { MissingObject } from '../objects/object-errors.js'
import type { ObjectReader, ObjectType } from '../objects/object-reader.js'
import { peelTag } from '../objects/tag-format.js'
import { isObjectName, packedRefsFile, parsePackedRefs, type RefValue } from './packed-refs.js'

/*
 * Lists all refs, loose and packed. @see gitrepository-layout(5)
 */

/** A branch, a tag or any other ref. */
export interface Ref {
  readonly name: string
  readonly oid: Oid
  /** For an annotated tag, the object to which it leads: the first that is no tag. */
  readonly peeled?: Oid
  /** Type of that object, or of the object of the ref itself; undefined for a branch, whose object is not read. */
  readonly type?: ObjectType
}

/** All refs, sorted by name as git sorts them. Omits a ref that leads to a missing object, unless it is a branch. */
export async function listRefs(gitDir: string, objects: ObjectReader): Promise<readonly Ref[]> {
  const named = await readAllRefs(gitDir)
  const refs: Ref[] = []
  for (const name of [...named.keys()].sort()) {
    const oid = resolved(named, name)
    if (oid === undefined) continue
    // A branch cannot point at a tag object.
    const ref = name.startsWith('refs/heads/') ? { name, oid } : await readTarget(objects, name, oid)
    if (ref) refs.push(ref)
  }
  return refs
}

/** The contents of all refs by their full names. The contents are not checked. */
export async function readAllRefs(gitDir: string): Promise<ReadonlyMap<string, RefValue>> {
  // Read loose refs first: `git pack-refs` writes a packed ref before it removes the loose one, so none is missed.
  const loose = await readLooseRefs(gitDir)
  return new Map([...(await packedRefs(gitDir)), ...loose])
}

/** The contents of the refs that have a file of their own. The contents are not checked. */
export async function readLooseRefs(gitDir: string): Promise<ReadonlyMap<string, RefValue>> {
  const refs = new Map<string, RefValue>()
  for (const path of await filesBelow(join(gitDir, 'refs'))) {
    if (path.endsWith('.lock')) continue
    const text = await undefinedIfMissingAsync(readFile(path, 'latin1'))
    if (text !== undefined) refs.set(path.slice(gitDir.length + 1).replaceAll('\\', '/'), text.trim())
  }
  return refs
}

/** All files below a folder of refs. A folder may vanish meanwhile, because git removes empty folders at any time. */
async function filesBelow(folder: string): Promise<readonly string[]> {
  const entries = (await undefinedIfMissingAsync(readdir(folder, { withFileTypes: true }))) ?? []
  const found = entries.map(async entry => {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return await filesBelow(path)
    return entry.isFile() ? [path] : []
  })
  return (await Promise.all(found)).flat()
}

async function packedRefs(gitDir: string): Promise<ReadonlyMap<string, RefValue>> {
  const text = await undefinedIfMissingAsync(readFile(join(gitDir, packedRefsFile), 'utf8'))
  return new Map([...parsePackedRefs(text ?? '')].filter(([, value]) => isObjectName(value)))
}

/** Follows symbolic refs, such as `refs/remotes/origin/HEAD`, up to git's limit of steps. */
function resolved(named: ReadonlyMap<string, RefValue>, name: string): Oid | undefined {
  let value = named.get(name)
  for (let steps = 0; steps < 5 && value?.startsWith('ref: '); steps++) value = named.get(value.slice(5))
  return value !== undefined && isObjectName(value) ? value : undefined
}

/**
 * Reads the object to which a ref points, through tags.
 * @returns undefined if the object or the target of a tag is missing, or a tag is malformed
 */
async function readTarget(objects: ObjectReader, name: string, oid: Oid): Promise<Ref | undefined> {
  try {
    const { oid: peeled, type } = await peelTag(objects, oid)
    if (type === 'tag') return undefined
    return peeled === oid ? { name, oid, type } : { name, oid, peeled, type }
  } catch (error) {
    if (error instanceof MissingObject) return undefined
    throw error
  }
}
