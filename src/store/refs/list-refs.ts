import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ProblemError } from '../../core/problem.js'
import { openEventLoopPauses } from '../../core/scheduling/event-loop-pauses.js'
import { type Oid, toOid } from '../../core/value-types.js'
import { undefinedIfMissing } from '../file-system/file-errors.js'
import { MissingObject } from '../objects/object-errors.js'
import {
  type GitObject,
  type ObjectReader,
  type ObjectType,
  readIfPresent,
} from '../objects/object-reader.js'
import { isObjectName, packedRefsFile, parsePackedRefs, type RefValue, readRef } from './read-refs.js'

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
  return new Map([...packedRefs(gitDir), ...loose])
}

/**
 * The contents of the refs that have a file of their own. The contents are not checked. Synchronous but for pauses: most
 * repositories have few such files, and each asynchronous operation on a file costs more than the operation.
 */
export async function readLooseRefs(gitDir: string): Promise<ReadonlyMap<string, RefValue>> {
  const refs = new Map<string, RefValue>()
  const pauses = openEventLoopPauses()
  for (const path of filesBelow(join(gitDir, 'refs'))) {
    await pauses.ifDue()
    if (path.endsWith('.lock')) continue
    const text = undefinedIfMissing(() => readFileSync(path, 'latin1'))
    if (text !== undefined) refs.set(path.slice(gitDir.length + 1).replaceAll('\\', '/'), text.trim())
  }
  return refs
}

/** All files below a folder of refs. A folder may vanish meanwhile, because git removes empty folders at any time. */
function* filesBelow(folder: string): Generator<string> {
  for (const entry of undefinedIfMissing(() => readdirSync(folder, { withFileTypes: true })) ?? []) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) yield* filesBelow(path)
    else if (entry.isFile()) yield path
  }
}

function packedRefs(gitDir: string): ReadonlyMap<string, RefValue> {
  const text = undefinedIfMissing(() => readFileSync(join(gitDir, packedRefsFile), 'utf8'))
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

/*
 * The refs that requests may name: only tags and branches, because other refs (notes, a stash, refs of a forge) may
 * lead to private commits.
 */

const namespaces = ['refs/tags/', 'refs/heads/'] as const

interface TagOrBranch {
  /** Full name: `refs/tags/2026-spring`. */
  readonly ref: string
  readonly commit: Oid
}

/**
 * Finds the tag or branch of a name in git's order: a full name, then a tag, then a branch.
 * @returns undefined if there is none
 * @throws ProblemError `malformed-request` for a tag of an object that is not a commit
 * @see gitrevisions(7), "<refname>"
 */
export async function findTagOrBranch(
  gitDir: string,
  objects: ObjectReader,
  name: string,
): Promise<TagOrBranch | undefined> {
  const candidates = [name, `refs/${name}`, ...namespaces.map(namespace => namespace + name)]
  for (const ref of candidates.filter(isNameable)) {
    const oid = targetOfRef(gitDir, ref)
    if (oid === undefined) continue
    const peeled = await peelTag(objects, oid)
    if (peeled.type === 'commit') return { ref, commit: peeled.oid }
    throw new ProblemError('malformed-request', `"${name}" names no commit, but a ${peeled.type}.`)
  }
  return undefined
}

/**
 * The commits of all tags and branches.
 * @param signal aborts the search
 */
export async function listTagAndBranchCommits(
  gitDir: string,
  objects: ObjectReader,
  signal?: AbortSignal,
): Promise<readonly Oid[]> {
  const refs = (await listRefs(gitDir, objects)).filter(({ name }) => isNameable(name))
  const commits = new Set<Oid>()
  for (const { oid, peeled = oid, type } of refs) {
    signal?.throwIfAborted()
    if (commits.has(peeled)) continue
    // The object of a branch is read here, because a damaged branch may name a missing object.
    if ((type ?? (await readIfPresent(objects, peeled))?.type) === 'commit') commits.add(peeled)
  }
  return [...commits]
}

function isNameable(ref: string): boolean {
  return namespaces.some(namespace => ref.startsWith(namespace))
}

/** The object of a ref, if there is one. @throws ProblemError `malformed-request` for a symbolic or damaged ref */
function targetOfRef(gitDir: string, ref: string): Oid | undefined {
  try {
    return readRef(gitDir, ref)
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    throw new ProblemError(
      'malformed-request',
      `${ref} names no commit itself: name another tag or branch.`,
      {},
      { cause: error },
    )
  }
}

/*
 * Annotated tags, and the objects to which they lead. @see git-mktag(1)
 */

interface PeeledTag {
  readonly oid: Oid
  readonly type: ObjectType
}

/** The object that an annotated tag names; undefined for any other object. */
export function targetOfTag({ type, bytes }: GitObject): Oid | undefined {
  const target =
    type === 'tag' ? /^object ([0-9a-f]{40})\n/.exec(bytes.toString('latin1', 0, 50))?.[1] : undefined
  return target === undefined ? undefined : toOid(target)
}

/**
 * Follows annotated tags, which may name other tags, to an object that is no tag. Any other object leads to itself.
 * @returns a tag only if that tag is malformed
 * @throws MissingObject
 */
async function peelTag(objects: ObjectReader, oid: Oid): Promise<PeeledTag> {
  for (let next = oid; ; ) {
    const object = await objects.read(next)
    const target = targetOfTag(object)
    if (target === undefined) return { oid: next, type: object.type }
    next = target
  }
}
