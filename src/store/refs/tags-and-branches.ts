import { ProblemError } from '../../core/problem.js'
import type { Oid } from '../../core/value-types.js'
import { type ObjectReader, readIfPresent } from '../objects/object-reader.js'
import { peelTag } from '../objects/tag-format.js'
import { listRefs } from './list-refs.js'
import { readRef } from './read-refs.js'

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
