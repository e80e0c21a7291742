import { ProblemError } from '../../core/problem.js'
import type { Oid } from '../../core/value-types.js'
import type { ObjectReader } from '../objects/object-reader.js'
import { listRefs, readRef, targetOfTag } from './read-refs.js'

/*
 * The refs that requests may name. Only tags and branches: other namespaces (notes, a stash, refs of a forge) may hold
 * private commits.
 */

const namespaces = ['refs/tags/', 'refs/heads/'] as const

interface TagOrBranch {
  /** Full name: `refs/tags/2026-spring`. */
  readonly ref: string
  readonly commit: Oid
}

/**
 * Finds the tag or branch of a name in git's order: a full name, then a tag, then a branch.
 * @throws ProblemError `malformed-request` for a tag of an object that is not a commit
 * @see gitrevisions(7), "<refname>"
 */
export async function findTagOrBranch(
  gitDir: string,
  objects: ObjectReader,
  name: string,
): Promise<TagOrBranch | undefined> {
  const candidates = [name, `refs/${name}`, ...namespaces.map(namespace => namespace + name)]
  for (const ref of candidates.filter(isLookedInto)) {
    const oid = objectOf(gitDir, ref)
    if (oid !== undefined) return { ref, commit: await peeled(objects, oid, name) }
  }
  return undefined
}

/**
 * The commits of all tags and branches.
 * @param signal aborts
 */
export async function listTagAndBranchCommits(
  gitDir: string,
  objects: ObjectReader,
  signal?: AbortSignal,
): Promise<readonly Oid[]> {
  const refs = (await listRefs(gitDir, objects)).filter(({ name }) => isLookedInto(name))
  const found = new Set(refs.map(({ oid, peeled: target }) => target ?? oid))
  const commits: Oid[] = []
  for (const oid of found) {
    signal?.throwIfAborted()
    // A tag may name any object, and a damaged branch a missing one.
    if ((await objects.has(oid)) && (await objects.read(oid)).type === 'commit') commits.push(oid)
  }
  return commits
}

function isLookedInto(ref: string): boolean {
  return namespaces.some(namespace => ref.startsWith(namespace))
}

/** @throws ProblemError `malformed-request` for a symbolic or damaged ref */
function objectOf(gitDir: string, ref: string): Oid | undefined {
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

/** The commit of an object; for an annotated tag, the commit that it leads to. */
async function peeled(objects: ObjectReader, oid: Oid, name: string): Promise<Oid> {
  for (let next = oid; ; ) {
    const object = await objects.read(next)
    if (object.type === 'commit') return next
    const target = targetOfTag(object)
    if (target === undefined)
      throw new ProblemError('malformed-request', `"${name}" names no commit, but a ${object.type}.`)
    next = target
  }
}
