import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Oid, toOid } from '../../core/value-types.js'
import { undefinedIfMissingAsync } from '../file-system/file-errors.js'
import { type GitObject, MissingObject, type ObjectReader } from '../objects/object-reader.js'

/** A branch, a tag or any other ref. */
export interface Ref {
  readonly name: string
  readonly oid: Oid
  /** The object that an annotated tag leads to in the end. */
  readonly peeled?: Oid
}

/**
 * All refs, sorted by name like git. Omits refs that lead to missing objects.
 * @see gitrepository-layout(5), git-pack-refs(1)
 */
export async function listRefs(gitDir: string, objects: ObjectReader): Promise<readonly Ref[]> {
  const named = await readRefs(gitDir)
  const refs: Ref[] = []
  for (const name of [...named.keys()].sort()) {
    const oid = resolved(named, name)
    if (oid === undefined) continue
    // A branch cannot point at a tag object.
    const found = name.startsWith('refs/heads/') ? oid : await peeled(objects, oid)
    if (found !== undefined) refs.push({ name, oid, ...(found === oid ? {} : { peeled: found }) })
  }
  return refs
}

/** Content of a ref: an object name, or `ref: ` and the name of another ref. */
type Value = string

/** Contents of all refs by their full names, unchecked. */
export async function readRefs(gitDir: string): Promise<ReadonlyMap<string, Value>> {
  // Loose refs first: `git pack-refs` writes a packed ref before it removes the loose one.
  const loose = await looseRefs(gitDir)
  return new Map([...(await packedRefs(gitDir)), ...loose])
}

async function looseRefs(gitDir: string): Promise<ReadonlyMap<string, Value>> {
  const entries = await readdir(join(gitDir, 'refs'), { recursive: true, withFileTypes: true })
  const refs = new Map<string, Value>()
  for (const entry of entries) {
    if (!entry.isFile() || entry.name.endsWith('.lock')) continue
    const path = join(entry.parentPath, entry.name)
    const text = await undefinedIfMissingAsync(readFile(path, 'latin1'))
    if (text !== undefined) refs.set(path.slice(gitDir.length + 1).replaceAll('\\', '/'), text.trim())
  }
  return refs
}

async function packedRefs(gitDir: string): Promise<ReadonlyMap<string, Value>> {
  const text = (await undefinedIfMissingAsync(readFile(join(gitDir, 'packed-refs'), 'latin1'))) ?? ''
  const lines = text.matchAll(/^([0-9a-f]{40}) (refs\/\S+)$/gm)
  return new Map([...lines].map(([, oid = '', name = '']) => [name, oid]))
}

/** Follows symbolic refs, such as `refs/remotes/origin/HEAD`, up to git's limit of steps. */
function resolved(named: ReadonlyMap<string, Value>, name: string): Oid | undefined {
  let value = named.get(name)
  for (let steps = 0; steps < 5 && value?.startsWith('ref: '); steps++) value = named.get(value.slice(5))
  return value !== undefined && /^[0-9a-f]{40}$/.test(value) ? toOid(value) : undefined
}

/** The object that an annotated tag names; undefined for any other object. */
export function targetOfTag({ type, bytes }: GitObject): Oid | undefined {
  const target =
    type === 'tag' ? /^object ([0-9a-f]{40})\n/.exec(bytes.toString('latin1', 0, 50))?.[1] : undefined
  return target === undefined ? undefined : toOid(target)
}

/** @returns undefined if the object or the target of a tag is missing */
async function peeled(objects: ObjectReader, oid: Oid): Promise<Oid | undefined> {
  try {
    const object = await objects.read(oid)
    if (object.type !== 'tag') return oid
    const target = targetOfTag(object)
    return target === undefined ? undefined : await peeled(objects, target)
  } catch (error) {
    if (error instanceof MissingObject) return undefined
    throw error
  }
}
