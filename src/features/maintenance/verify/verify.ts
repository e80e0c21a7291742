import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { flag, text } from '../../../cli/arguments/option-table.js'
import { type CommonOptions, configOf } from '../../../cli/arguments/shared-options.js'
import { defineCommand } from '../../../cli/command.js'
import { type CommandContext, UsageError } from '../../../cli/command-context.js'
import { faultJson, printFaults } from '../../../cli/output/check-report.js'
import { exitCodes } from '../../../cli/output/exit-codes.js'
import type { Terminal } from '../../../cli/output/terminal.js'
import { withServices } from '../../../cli/sessions/local-or-remote.js'
import { openNamedClone, withCommitChecker } from '../../../cli/sessions/named-clone.js'
import { findingLine, type ProblemError } from '../../../core/problem.js'
import { pluralize } from '../../../core/text/pluralize.js'
import type { Oid } from '../../../core/value-types.js'
import type { CheckResult } from '../../../service/git/check-clone-commits.js'
import { type SignatureReport, verifySignatures } from '../../../store/local-clone/verify-signatures.js'
import { isObjectDamage } from '../../../store/objects/object-errors.js'
import { DamagedConfiguration } from '../../../store/repository-folder/inspect-folder.js'
import type { Complaint } from './complaint.js'
import { damageComplaints } from './damage-complaints.js'
import { verifyRepository } from './verify-repository.js'

/** The result of verifying all versions of all records. */
interface Verified {
  readonly records: number
  /** Versions that were verified: a record and a document each. */
  readonly versions: number
  readonly complaints: readonly Complaint[]
}

/** The result of `--full`: every commit checked by the rules. */
interface Proof extends CheckResult {
  readonly commit: Oid
}

export const verifyCommand = defineCommand({
  options: {
    full: { ...flag, describe: 'Also check every commit against the rules, and print what was verified' },
    signatures: { ...flag, describe: 'Also check that every commit has a signature by an allowed signer' },
    'allowed-signers': {
      ...text,
      describe: 'With --signatures: file of the allowed ssh keys; default: the configuration of git',
    },
  },
  async run(argv, context) {
    const { terminal } = context
    const { full, signatures: signed, allowedSigners, json } = argv
    if (allowedSigners !== undefined && !signed) {
      throw new UsageError('--allowed-signers goes with --signatures.')
    }
    if (allowedSigners !== undefined && !existsSync(allowedSigners))
      throw new UsageError(`There is no file ${allowedSigners}.`)
    const started = performance.now()
    // This runs first: the records are verified at a later time, so they include the commit that is checked here.
    const damage: ProblemError[] = []
    const proof = full ? await unlessDamaged(damage, () => prove(argv, context)) : undefined
    const signatures = signed
      ? await unlessDamaged(damage, () => signaturesIn(argv, proof?.commit, allowedSigners))
      : undefined
    const found = await unlessDamaged(damage, () => verified(argv, context))
    const { records = 0, versions = 0 } = found ?? {}
    const complaints = [...(found?.complaints ?? []), ...(await complaintsOf(damage, argv, found))]
    const seconds = Math.round((performance.now() - started) / 100) / 10
    const unproven = signatures?.unproven.length ?? 0
    const good = complaints.length + (proof?.faults.length ?? 0) + unproven === 0
    if (!good) context.finish(exitCodes.invalid)
    const statement = proof && {
      ...{ commit: proof.commit, commits: proof.commits, revisions: proof.revisions },
      ...{ records, versions, documents: versions, seconds, proven: good },
    }
    if (json) {
      return terminal.printJson({
        checked: records,
        complaints,
        ...(proof && { faults: proof.faults.map(fault => faultJson(fault, false)), statement }),
        ...(signatures && { signatures }),
      })
    }
    if (proof) await printFaults(terminal, proof.faults)
    if (signatures) await printSignatures(terminal, signatures)
    for (const complaint of complaints) await printComplaint(terminal, complaint)
    const sum = complaints.length === 0 ? 'no complaint' : pluralize(complaints.length, 'complaint')
    const painted = terminal.paint(complaints.length === 0 ? 'green' : 'red', sum)
    await terminal.print(`${pluralize(records, 'record')} checked, ${painted}`)
    if (complaints.some(({ check }) => ofRepair.has(check))) {
      const { data } = configOf(argv)
      await terminal.print(
        `Restore what is damaged or missing from another copy: git-metastore repair --data ${data} --from <copy>`,
      )
    }
    if (!statement) return
    const proven = good ? terminal.paint('green', 'Proven') : terminal.paint('red', 'Not proven')
    await terminal.print(
      `${proven}: commit ${statement.commit}, ${pluralize(statement.commits, 'commit')} with ` +
        `${pluralize(statement.revisions, 'revision')}, ${pluralize(records, 'record')} in ${pluralize(versions, 'version')}, ` +
        `${pluralize(versions, 'document')}, in ${seconds} s`,
    )
  },
})

/** Checks whose complaints another copy of the repository can resolve. */
const ofRepair: ReadonlySet<string> = new Set(['repository', 'fsck', 'file', 'ref', 'object', 'hash'])

/** Catches a problem `damaged`, so that other checks run. @param damage receives it @returns undefined if caught */
async function unlessDamaged<T>(damage: ProblemError[], verify: () => Promise<T>): Promise<T | undefined> {
  try {
    return await verify()
  } catch (error) {
    if (!isObjectDamage(error)) throw error
    damage.push(error)
    return undefined
  }
}

/** Complaints about damage that stopped checks. @param found undefined if damage stopped the check of the records */
async function complaintsOf(
  damage: readonly ProblemError[],
  options: CommonOptions,
  found: Verified | undefined,
): Promise<readonly Complaint[]> {
  if (damage.length === 0) return []
  const unreadable = damage.find(error => error instanceof DamagedConfiguration)
  if (unreadable) return [{ check: 'configuration', findings: [{ message: unreadable.message }] }]
  const messages = [...new Set(damage.map(({ message }) => message))]
  const whole = { check: 'repository', findings: messages.map(message => ({ message })) }
  if (found) return [whole]
  const { data, git } = configOf(options)
  return [whole, ...(await damageComplaints(data, git))]
}

async function verified(options: CommonOptions, program: CommandContext): Promise<Verified> {
  const complaints: Complaint[] = []
  return await withServices(options, program, async services => {
    const bar = program.terminal.progress('verify')
    let [records, versions] = [0, 0]
    try {
      const found = verifyRepository(services.parts, (done, total, seen) => {
        records = total
        versions = seen
        bar.show(done, total)
      })
      for await (const complaint of found) complaints.push(complaint)
    } finally {
      bar.end()
    }
    return { records, versions, complaints }
  })
}

async function prove(options: CommonOptions, program: CommandContext): Promise<Proof> {
  return await withCommitChecker(options, program, false, async room => {
    const { head } = room.clone
    if (head === undefined) throw new UsageError(`${room.clone.dir} has no commit to verify.`)
    return { commit: head, ...(await room.check(undefined, head)) }
  })
}

async function signaturesIn(
  options: CommonOptions,
  commit: Oid | undefined,
  allowedSigners: string | undefined,
): Promise<SignatureReport> {
  const clone = await openNamedClone(options)
  const to = commit ?? clone.head
  if (to === undefined) throw new UsageError(`${clone.dir} has no commit to verify.`)
  return await verifySignatures(clone, to, allowedSigners && resolve(allowedSigners))
}

async function printSignatures(terminal: Terminal, { commits, unproven }: SignatureReport): Promise<void> {
  for (const { commit, signature, reason } of unproven) {
    await terminal.print(
      `${terminal.paint('red', `signature ${signature}`)}  ${commit.slice(0, 10)}: ${reason}`,
    )
  }
  await terminal.print(
    `${commits - unproven.length} of ${pluralize(commits, 'commit')} with a signature by an allowed signer`,
  )
}

async function printComplaint(terminal: Terminal, complaint: Complaint): Promise<void> {
  const subject = [
    complaint.kind,
    complaint.id,
    complaint.version === undefined ? undefined : `version ${complaint.version}`,
    complaint.commit?.slice(0, 10),
  ].filter(part => part !== undefined)
  await terminal.print(`${terminal.paint('red', complaint.check)}  ${subject.join(' ')}`)
  for (const finding of complaint.findings) await terminal.print(`  ${findingLine(finding)}`)
}
