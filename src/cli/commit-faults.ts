import type { Checked, CommitFault } from '../service/check.js'
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
    const place = [fault.path, fault.line].filter(part => part !== undefined).join(':')
    const inside = fault.pointer === undefined ? '' : `at ${fault.pointer}: `
    const where = `${terminal.paint('red', draft ?? fault.commit.slice(0, 10))}  ${place === '' ? '' : `${place}: `}`
    await terminal.print(`${where}${inside}${fault.message}`)
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
