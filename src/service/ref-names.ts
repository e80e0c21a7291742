import type { RefMove } from '../store/push-hook.js'

/**
 * Why a ref must not be created: commands of git would take it for another one.
 * @param served the branch that is served, such as `refs/heads/main`
 * @returns undefined where the name means one thing
 * @see gitrevisions(7): how a name is looked up
 */
export function confusionOf({ ref, to }: Pick<RefMove, 'ref' | 'to'>, served: string): string | undefined {
  if (to === undefined) return undefined
  const [, folder, name] = /^refs\/(heads|tags|remotes)\/(.+)$/.exec(ref) ?? []
  if (name === undefined) return undefined
  if (name.startsWith('-')) return 'git takes it for an option'
  if (/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/i.test(name)) return 'git takes it for the id of an object'
  if (name === '@' || /^(?:[A-Z]+_)?HEAD$/.test(name)) return 'git takes it for a ref of the work tree'
  if (/^(?:refs|heads|tags|remotes)\//.test(name)) return 'git takes it for the ref of another folder'
  const isServedName = folder === 'tags' && `refs/heads/${name}` === served
  return isServedName ? 'it has the name of the branch that is served' : undefined
}
