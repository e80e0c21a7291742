import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { ProblemError } from '../../../core/problem.js'
import type { Id, Oid } from '../../../core/value-types.js'
import { linesOf } from '../../../store/git-commands/git-command.js'
import { hashObject } from '../../../store/objects/hash-object.js'
import type { NewObject } from '../../../store/packs/pack-writer.js'
import { recordDirectory } from '../../../store/records/repository-layout.js'
import { targetOfTag } from '../../../store/refs/list-refs.js'
import { unfinishedPurge } from '../../../store/repository-folder/unfinished-purge.js'
import { conflict, directoriesOf, gitOutput, named, type PurgeRepository } from './purge-commands.js'
import { type RewrittenHistory, rewriteHistory, rewriteTag } from './rewrite-history.js'

/** The effects of a purge on a repository. */
export interface PurgePlan {
  /** Branches and tags to move, or to delete if `to` is undefined. */
  readonly refs: readonly { readonly name: string; readonly from: Oid; readonly to: Oid | undefined }[]
  /** The commits of the served branch before and after the purge. */
  readonly head: { readonly from: Oid; readonly to: Oid }
  /** Number of commits that get another name. */
  readonly rewritten: number
  readonly dropped: number
  readonly unsigned: number
  /** Whether the record is a schema, which other records may use. */
  readonly schema: boolean
  readonly renamed: RewrittenHistory['renamed']
  readonly erased: RewrittenHistory['erased']
}

interface FoundRef {
  readonly name: string
  readonly oid: Oid
  readonly type: string
}

/** Rewrites the history without a record, and finds the refs to move. */
export async function rewriteWithoutRecord(
  place: PurgeRepository,
  id: Id,
  write: (object: NewObject) => Promise<void>,
  progress: (done: number, total: number) => void,
): Promise<PurgePlan> {
  const { objects, branch } = place
  const refs = await refsOf(place)
  const stashed = await stashesOf(place)
  const listed = await gitOutput(place, ['rev-list', '--topo-order', '--reverse', '--all', ...stashed])
  const commits = linesOf(listed) as Oid[]
  const rewritten = await rewriteHistory({
    objects,
    commits,
    directories: directoriesOf(id),
    write,
    progress,
  })
  const { renamed, dropped, unsigned, erased, touched } = rewritten
  if (renamed.size === 0 && unfinishedPurge(place.ownDir) === undefined) {
    throw new ProblemError('not-found', `There is nothing of "${id}" in the history of ${place.dir}.`)
  }

  const keeping: string[] = []
  const moved: PurgePlan['refs'][number][] = []
  for (const { name, oid, type } of refs) {
    const isOurs = /^refs\/(?:heads|tags)\//.test(name)
    if (type === 'tag') {
      const to = await retagged(place, oid, renamed, write)
      if (to === oid) continue
      if (isOurs) moved.push({ name, from: oid, to })
      else keeping.push(name)
    } else if (type !== 'commit') keeping.push(`${name} (a ${type})`)
    else if (renamed.has(oid)) {
      if (isOurs) moved.push({ name, from: oid, to: renamed.get(oid) })
      else keeping.push(name)
    }
  }
  if (stashed.some(oid => renamed.has(oid)) && !keeping.includes('refs/stash')) keeping.push('refs/stash')
  if (keeping.length > 0) {
    throw conflict(
      `These still lead to it, and are not rewritten: ${named(keeping)}. Do away with them first: remote-tracking ` +
        'branches with git remote remove, stashed edits with git stash drop, others with git update-ref -d.',
    )
  }
  const from = await place.head()
  const to = renamed.has(from) ? renamed.get(from) : from
  if (to === undefined) throw new Error(`Nothing would be left of ${branch}.`)
  return {
    ...{ refs: moved, head: { from, to }, rewritten: renamed.size - dropped, dropped, unsigned },
    ...{ schema: touched.has(recordDirectory('schema', id)), renamed, erased },
  }
}

/** @see git-for-each-ref(1) */
async function refsOf(place: PurgeRepository): Promise<readonly FoundRef[]> {
  const format = '--format=%(objectname) %(objecttype) %(symref) %(refname)'
  return linesOf(await gitOutput(place, ['for-each-ref', format])).flatMap(line => {
    const [oid, type, symref, name] = line.split(' ')
    // Skip symbolic refs.
    return symref === '' ? [{ name, oid, type } as FoundRef] : []
  })
}

/** The commits of all stashed edits. Only the newest has a ref; the older ones are only in the reflog. */
async function stashesOf(place: PurgeRepository): Promise<readonly Oid[]> {
  if (!existsSync(join(place.gitDir, 'logs', 'refs', 'stash'))) return []
  return linesOf(await gitOutput(place, ['reflog', 'show', '--format=%H', 'refs/stash'])) as Oid[]
}

/**
 * Rewrites a tag for the new name of its target.
 * @returns the same tag if its target keeps its name; undefined if nothing is left of its target
 */
async function retagged(
  place: PurgeRepository,
  oid: Oid,
  renamed: RewrittenHistory['renamed'],
  write: (object: NewObject) => Promise<void>,
): Promise<Oid | undefined> {
  const tag = await place.objects.read(oid)
  const target = targetOfTag(tag)
  if (target === undefined) return renamed.has(oid) ? renamed.get(oid) : oid
  const now = await retagged(place, target, renamed, write)
  if (now === target || now === undefined) return now && oid
  const made = rewriteTag(tag.bytes, now)
  const name = hashObject('tag', made)
  await write({ oid: name, type: 'tag', bytes: made })
  return name
}
