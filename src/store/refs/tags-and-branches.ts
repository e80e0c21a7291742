import { ProblemError } from '../../core/problem.js'
import { type Oid, toOid } from '../../core/value-types.js'
import type { ObjectReader } from '../objects/object-reader.js'
import { readRef } from './compare-and-swap.js'
import { listRefs } from './list-refs.js'

/*
 * Refs as a reader of history names them. Of all namespaces, tags and branches alone are looked into: what others keep
 * beside them (notes, a stash, refs of a forge) is not for everybody.
 */

const namespaces = ['refs/tags/', 'refs/heads/'] as const

export interface TagOrBranch {
  /** Full name: `refs/tags/2026-spring`. */
  readonly ref: string
  readonly commit: Oid
}

/**
 * The tag or branch of a name, in the order git looks for it: a full name, then a tag, then a branch.
 * @throws ProblemError `malformed-request` for a tag of something that is no commit
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
 * The commits that all tags and branches lead to.
 * @param signal ends it
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
    // A tag can be of anything, and a damaged branch of nothing.
    if ((await objects.has(oid)) && (await objects.read(oid)).type === 'commit') commits.push(oid)
  }
  return commits
}

function isLookedInto(ref: string): boolean {
  return namespaces.some(namespace => ref.startsWith(namespace))
}

/** @throws ProblemError `malformed-request` for a symbolic ref, or a damaged one */
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

const tagged = /^object ([0-9a-f]{40})\ntype ([a-z]+)\n/

/** The commit that an object is or, for an annotated tag, leads to. */
async function peeled(objects: ObjectReader, oid: Oid, name: string): Promise<Oid> {
  for (let next = oid; ; ) {
    const { type, bytes } = await objects.read(next)
    if (type === 'commit') return next
    const target = type === 'tag' ? tagged.exec(bytes.toString('latin1', 0, 200))?.[1] : undefined
    if (target === undefined)
      throw new ProblemError('malformed-request', `"${name}" names no commit, but a ${type}.`)
    next = toOid(target)
  }
}
