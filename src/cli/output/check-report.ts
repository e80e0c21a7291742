import type { Checked } from '../../service/git/check-commits.js'
import { type CommitFault, faultLine, shortName } from '../../service/git/commit-violations.js'
import type { Terminal } from './terminal.js'

/** How a commit that exists nowhere yet is called. */
export type DraftName = 'staged' | 'work tree'

/** One line each: commit, place, what is wrong. */
export async function printFaults(
  terminal: Terminal,
  faults: readonly CommitFault[],
  draft?: DraftName,
): Promise<void> {
  for (const fault of faults) {
    await terminal.print(faultLine(fault, terminal.paint('red', draft ?? shortName(fault.commit))))
  }
}

/** A fault for machines; a commit that exists nowhere yet has no name. */
export function faultJson({ commit, ...fault }: CommitFault, isDraft: boolean): object {
  return isDraft ? fault : { commit, ...fault }
}

/** `2 commits, 3 revisions of records checked: no fault` */
export function checkedLine(terminal: Terminal, { commits, revisions, faults }: Checked): string {
  const sum = faults.length === 0 ? 'no fault' : count(faults.length, 'fault')
  const painted = terminal.paint(faults.length === 0 ? 'green' : 'red', sum)
  return `${count(commits, 'commit')}, ${count(revisions, 'revision')} of records checked: ${painted}`
}

export function count(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? '' : 's'}`
}
