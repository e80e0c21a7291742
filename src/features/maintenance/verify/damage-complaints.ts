import type { Finding } from '../../../core/problem.js'
import { restoreAdvice } from '../../../store/git-commands/git-failure.js'
import type { LostObject, RefRepair } from '../repair/repair-report.js'
import { findDamage } from '../repair/repair-repository.js'
import type { Complaint } from './complaint.js'

/**
 * Finds damaged and missing files of the Git directory, refs and objects. A complaint about an object names the records
 * that need it, if they are known. If the search for damage fails, the only complaint says why; nothing is thrown.
 * @param git the git binary, as in the configuration
 */
export async function damageComplaints(data: string, git: string): Promise<readonly Complaint[]> {
  try {
    const { damaged, lost, refs } = await findDamage({ data, git })
    return [
      ...damaged.map(({ path, what }) => ({
        check: 'file',
        findings: [{ message: `${what}.`, file: path }],
      })),
      ...refs.map(ref => ({ check: 'ref', findings: [{ message: refText(ref) }] })),
      ...lost.flatMap(lostObjectComplaints),
    ]
  } catch (error) {
    // The search needs a writable disk. Without it, the other checks are still reported.
    const message = `Lost objects cannot be named: ${error instanceof Error ? error.message : String(error)}`
    return [{ check: 'object', findings: [{ message }] }]
  }
}

function lostObjectComplaints({ type, oid, name, revisions }: LostObject): readonly Complaint[] {
  const findings: readonly Finding[] = [
    {
      message: `The ${type} ${oid} is missing or damaged. ${restoreAdvice}`,
      ...(name !== '' && { file: name }),
    },
  ]
  if (revisions.length === 0) return [{ check: 'object', findings }]
  return revisions.map(({ kind, id, version, commit }) => ({
    check: 'object',
    ...(kind !== undefined && { kind }),
    ...(id !== undefined && { id }),
    ...(version !== undefined && { version }),
    ...(commit !== undefined && { commit }),
    findings,
  }))
}

function refText({ name, was, value, known }: RefRepair): string {
  const place = value ?? known
  return `${name} is ${was === 'garbage' ? 'damaged' : 'missing'}${place === undefined ? '' : `; it was at ${place}`}. ${restoreAdvice}`
}
