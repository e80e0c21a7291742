import type { Oid } from '../../core/value-types.js'

/** The change of a branch or tag. */
export interface RefUpdate {
  readonly ref: string
  /** Undefined: the ref is new. */
  readonly from: Oid | undefined
  /** Undefined: the ref is removed. */
  readonly to: Oid | undefined
}

/** Refs of git outside `refs/`, in lower case. @see gitglossary(7), "pseudoref" */
const rootRef =
  /^(?:@|(?:[a-z]+_)?head|auto_merge|bisect_expected_rev|merge_autostash|notes_merge_(?:partial|ref))$/

/**
 * The reason why a ref must not be created: git or a person would take its name for another one. Case is ignored,
 * because some file systems have one file for `main` and `Main`.
 * @param served the served branch, such as `refs/heads/main`
 * @returns undefined for a name without ambiguity
 * @see gitrevisions(7): how a name is looked up
 */
export function refNameFault({ ref, to }: Pick<RefUpdate, 'ref' | 'to'>, served: string): string | undefined {
  if (to === undefined || ref === served) return undefined
  const [, folder, exact] = /^refs\/(heads|tags|remotes)\/(.+)$/.exec(ref) ?? []
  if (exact === undefined) return undefined
  if (/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(exact)) return 'it has invisible characters'
  const name = exact.toLowerCase()
  if (name.startsWith('-')) return 'git takes it for an option'
  if (/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(name)) return 'git takes it for the id of an object'
  if (rootRef.test(name)) return 'git takes it for a ref of the work tree'
  if (/^(?:(?:refs|heads|tags|remotes|worktrees|main-worktree)\/|stash$)/.test(name))
    return 'git takes it for the ref of another folder'
  // In clones such a tag hides the branch of the server.
  if (folder === 'tags' && name.startsWith('origin/'))
    return 'git takes it for the branch of a remote repository'
  const isServedName = `refs/heads/${name}` === served.toLowerCase()
  return isServedName ? 'it has the name of the served branch' : undefined
}

/** The refusal of a ref. @param why from {@link refNameFault} */
export function refNameRefusal(ref: string, why: string): string {
  return `${ref} cannot be used as a name: ${why}. Choose another name.`
}
