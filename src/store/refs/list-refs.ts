import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Oid, toOid } from '../../core/value-types.js'
import { undefinedIfMissingAsync } from '../file-system/durable-files.js'
import { MissingObject, type ObjectReader } from '../objects/object-reader.js'

/** A branch, a tag, or whatever else has a name below `refs/`. */
export interface Ref {
  readonly name: string
  readonly oid: Oid
  /** What an annotated tag is about in the end. */
  readonly peeled?: Oid
}

/**
 * All refs, sorted by name as git does it. One that leads nowhere is left out.
 * @see gitrepository-layout(5), git-pack-refs(1)
 */
export async function listRefs(gitDir: string, objects: ObjectReader): Promise<readonly Ref[]> {
  const named = await readRefs(gitDir)
  const refs: Ref[] = []
  for (const name of [...named.keys()].sort(byBytes)) {
    const oid = resolved(named, name)
    if (oid === undefined) continue
    // A branch never is a tag.
    const found = name.startsWith('refs/heads/') ? oid : await peeled(objects, oid)
    if (found !== undefined) refs.push({ name, oid, ...(found === oid ? {} : { peeled: found }) })
  }
  return refs
}

/** What stands in the file of a ref: a commit, or `ref: ` and the name of another. */
type Value = string

/** What all refs say, by their full names, whatever that is. */
export async function readRefs(gitDir: string): Promise<ReadonlyMap<string, Value>> {
  // Loose ones first: `git pack-refs` writes the packed one before it takes the loose one away.
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

/** Follows symbolic refs, such as `refs/remotes/origin/HEAD`, as far as git does. */
function resolved(named: ReadonlyMap<string, Value>, name: string): Oid | undefined {
  let value = named.get(name)
  for (let steps = 0; steps < 5 && value?.startsWith('ref: '); steps++) value = named.get(value.slice(5))
  return value !== undefined && /^[0-9a-f]{40}$/.test(value) ? toOid(value) : undefined
}

/** @returns undefined where it leads to what is not there */
async function peeled(objects: ObjectReader, oid: Oid): Promise<Oid | undefined> {
  try {
    const { type, bytes } = await objects.read(oid)
    if (type !== 'tag') return oid
    const about = /^object ([0-9a-f]{40})$/m.exec(bytes.toString('latin1'))?.[1]
    return about === undefined ? undefined : await peeled(objects, toOid(about))
  } catch (error) {
    if (error instanceof MissingObject) return undefined
    throw error
  }
}

function byBytes(a: string, b: string): number {
  return a < b ? -1 : 1
}
