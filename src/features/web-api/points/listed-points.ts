import type { CoreParts } from '../../../compose/compose.js'
import { type Principal, seesEverything } from '../../../core/access-control.js'
import { ProblemError } from '../../../core/problem.js'
import type { Instant, Oid } from '../../../core/value-types.js'
import { visibilityOf } from '../../../service/access/visible-lists.js'
import { MissingObject } from '../../../store/objects/object-errors.js'
import { findTagOrBranch, readAllRefs } from '../../../store/refs/list-refs.js'
import type { VisibleCommits, VisibleCommitsQuery } from './visible-commits-reader.js'

/** A tag or branch, by which the parameter `at` names a point of history. */
export interface ListedPoint {
  readonly kind: 'tag' | 'branch'
  /** The name without `refs/tags/` or `refs/heads/`. */
  readonly name: string
  /** What `at` takes: the name, or the full name if the name alone would mean something else. */
  readonly at: string
  /** Whether it is the branch that is served. */
  readonly served: boolean
  /**
   * The commit that it names; for a caller who does not see everything, the last one up to there that changed something
   * which the caller sees. Undefined if there is none, or for such a caller if it is outside the served history.
   */
  readonly commit?: Oid
  /** The time of that commit. */
  readonly time?: Instant
}

export interface ListedPoints {
  /**
   * Tags and branches in the order of their full names: branches first.
   * @param after full name after which the part begins
   * @returns `next`: the `after` of the next part, if there is one
   * @throws ProblemError `unavailable` while the history is being read
   */
  list(
    caller: Principal,
    after: string | undefined,
    limit: number,
  ): Promise<{ readonly items: readonly ListedPoint[]; readonly next?: string }>
}

const namespaces = { 'refs/heads/': 'branch', 'refs/tags/': 'tag' } as const

/** A ref with the commit that it names. */
interface Named {
  readonly ref: string
  readonly commit: Oid
}

const script = new URL('./visible-commits-reader.js', import.meta.url)

export function openListedPoints({ repository, catalog }: CoreParts): ListedPoints {
  const { gitDir, branch, objects, history } = repository
  const { committed, rows } = catalog

  /** The commit of a ref; undefined if it names no commit, such as a tag of a file. */
  async function commitOf(ref: string): Promise<Oid | undefined> {
    // The ref of the served branch may be ahead of the served commit.
    if (ref === branch) return catalog.head()
    try {
      const commit = (await findTagOrBranch(gitDir, objects, ref))?.commit
      // A damaged branch may name a missing object.
      return commit && (await history.commit(commit)).oid
    } catch (error) {
      const isNone = error instanceof ProblemError && ['malformed-request', 'damaged'].includes(error.kind)
      if (isNone || error instanceof MissingObject) return undefined
      throw error
    }
  }

  /** The commits and times of points, as far as the caller may know them. */
  async function placesOf(caller: Principal, points: readonly Named[]): Promise<VisibleCommits> {
    if (seesEverything(caller)) {
      const infos = await Promise.all(points.map(({ commit }) => history.commit(commit)))
      return infos.map(({ oid, recordedAt, committedAt }) => ({
        commit: oid,
        time: recordedAt ?? committedAt,
      }))
    }
    const visibility = visibilityOf(committed, caller)
    const query: VisibleCommitsQuery = { commits: points.map(({ commit }) => commit), visibility }
    return (await rows.read(script, query, caller.client)) as VisibleCommits
  }

  return {
    async list(caller, after = '', limit) {
      const refs = [...(await readAllRefs(gitDir)).keys()]
        .filter(isNameable)
        .sort((one, other) => (one < other ? -1 : 1))
      const all = new Set(refs)
      const points: Named[] = []
      let next: string | undefined
      for (const ref of refs.filter(each => each > after)) {
        if (points.length === limit) {
          next = points.at(-1)?.ref
          break
        }
        const commit = await commitOf(ref)
        if (commit !== undefined) points.push({ ref, commit })
      }
      const places = await placesOf(caller, points)
      const items = points.map(({ ref }, index) => ({
        ...nameOf(ref, all),
        served: ref === branch,
        ...places[index],
      }))
      return { items, ...(next !== undefined && { next }) }
    },
  }
}

function isNameable(ref: string): boolean {
  return Object.keys(namespaces).some(namespace => ref.startsWith(namespace))
}

function nameOf(ref: string, all: ReadonlySet<string>): Pick<ListedPoint, 'kind' | 'name' | 'at'> {
  const kind = ref.startsWith('refs/tags/') ? 'tag' : 'branch'
  const name = ref.replace(/^refs\/(?:tags|heads)\//, '')
  // A tag goes before a branch, a commit before both, and a full name before all.
  const isOther =
    (kind === 'branch' && all.has(`refs/tags/${name}`)) ||
    /^[0-9a-f]{40}$/i.test(name) ||
    /^(?:refs|tags|heads)\//.test(name)
  return { kind, name, at: isOther ? ref : name }
}
