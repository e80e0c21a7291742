import type { Finding } from '../../core/problem.js'
import type { Collection } from '../../core/records/collection.js'
import type { InvalidRevision } from '../../core/records/revision.js'
import type { Oid } from '../../core/value-types.js'

/** One thing a commit does that the rules of the repository forbid. */
export interface CommitViolation {
  readonly commit: Oid
  /** File or folder of the tree; undefined where it is about the commit as a whole. */
  readonly path?: string
  readonly kind?: Collection
  readonly id?: string
  /** Line of the file, from 1, where it is known. */
  readonly line?: number
  /** JSON Pointer into the file. */
  readonly pointer?: string
  readonly message: string
}

/** What is wrong with a revision, each thing by itself. */
export function violationsOfRevision({
  kind,
  id,
  directory,
  commit,
  findings,
  document,
}: InvalidRevision): readonly CommitViolation[] {
  return findings.map((finding): CommitViolation => {
    const { message, line, path: pointer } = finding
    const file = finding.file ?? (isInside(finding) ? document : undefined)
    return {
      commit,
      path: file === undefined ? directory : `${directory}/${file}`,
      kind,
      ...(id !== undefined && { id }),
      ...(line !== undefined && { line }),
      ...(pointer !== undefined && pointer !== '' && { pointer }),
      message,
    }
  })
}

/** A finding without a file is about the document where it names a place, else about the directory. */
function isInside({ line, path }: Finding): boolean {
  return line !== undefined || path !== undefined
}

/** A commit's name, short enough for a line and long enough to be found by. */
export function abbreviateCommit(commit: Oid): string {
  return commit.slice(0, 10)
}

/**
 * One line for people: `<commit>  <path>:<line>: at <pointer>: <message>`, as far as there are such.
 * @param name what the commit is called
 */
export function violationLine({ path, line, pointer, message }: CommitViolation, name: string): string {
  const place = [path, line].filter(part => part !== undefined).join(':')
  const inside = pointer === undefined ? '' : `at ${pointer}: `
  return `${name}  ${place === '' ? '' : `${place}: `}${inside}${message}`
}
