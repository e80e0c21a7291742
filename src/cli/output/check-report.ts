import { pluralize } from '../../core/text/pluralize.js'
import type { CheckResult } from '../../service/git/check-clone-commits.js'
import { abbreviateCommit, type CommitFault, faultLine } from '../../service/git/commit-fault.js'
import type { Terminal } from './terminal.js'

/** What a report names instead of a commit, if edits are checked that are not committed. */
export type DraftName = 'staged' | 'work tree'

/** Prints one line for each fault: commit, place, what is wrong. */
export async function printFaults(
  terminal: Terminal,
  faults: readonly CommitFault[],
  draft?: DraftName,
): Promise<void> {
  for (const fault of faults) {
    await terminal.print(faultLine(fault, terminal.paint('red', draft ?? abbreviateCommit(fault.commit))))
  }
}

/** A fault as JSON. A commit that is not made yet has no id. */
export function faultJson({ commit, ...fault }: CommitFault, isDraft: boolean): object {
  return isDraft ? fault : { commit, ...fault }
}

/** The last line of a check, such as `2 commits, 3 revisions of records checked: no fault`. */
export function checkSummaryLine(terminal: Terminal, { commits, revisions, faults }: CheckResult): string {
  const sum = faults.length === 0 ? 'no fault' : pluralize(faults.length, 'fault')
  const painted = terminal.paint(faults.length === 0 ? 'green' : 'red', sum)
  return `${pluralize(commits, 'commit')}, ${pluralize(revisions, 'revision')} of records checked: ${painted}`
}
