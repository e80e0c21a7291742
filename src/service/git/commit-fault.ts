import type { Finding } from '../../core/problem.js'
import type { Collection } from '../../core/records/collection.js'
import type { InvalidRevision } from '../../core/records/revision.js'
import type { Id, Oid } from '../../core/value-types.js'

/** A rule of the repository that a commit breaks. */
export interface CommitFault {
  readonly commit: Oid
  /** File or folder; undefined if the commit itself breaks the rule. */
  readonly path?: string
  readonly kind?: Collection
  readonly id?: string
  /** Line of the file, from 1, if it is known. */
  readonly line?: number
  /** JSON Pointer into the file. */
  readonly pointer?: string
  readonly message: string
}

/** Converts the findings about a revision to faults. */
export function faultsOfRevision({
  kind,
  id,
  directory,
  commit,
  findings,
  document,
}: InvalidRevision): readonly CommitFault[] {
  return findings.map((finding): CommitFault => {
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

/** A finding without a file is about the document if it has a line or path, else about the directory. */
function isInside({ line, path }: Finding): boolean {
  return line !== undefined || path !== undefined
}

/** The record of an edit in a message: `metadata "rod-7"`, or the path of a file outside records. */
export function editName({
  kind,
  id,
  path,
}: {
  readonly kind?: Collection
  readonly id?: Id
  readonly path: string
}): string {
  return kind === undefined || id === undefined ? path : `${kind} "${id}"`
}

/** Abbreviates the name of a commit for messages. */
export function abbreviateCommit(commit: Oid): string {
  return commit.slice(0, 10)
}

/**
 * One line for people: `<commit>  <path>:<line>: at <pointer>: <message>`, without the parts that are undefined.
 * @param name the name of the commit
 */
export function faultLine({ path, line, pointer, message }: CommitFault, name: string): string {
  const place = [path?.replaceAll('\n', '\\n'), line].filter(part => part !== undefined).join(':')
  const inside = pointer === undefined ? '' : `at ${pointer}: `
  return `${name}  ${place === '' ? '' : `${place}: `}${inside}${message}`
}
