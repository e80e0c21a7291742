import type { ObjectOwner } from '../../../catalog/read/object-owners.js'
import { text } from '../../../cli/arguments/option-table.js'
import { requireSafeRemote } from '../../../cli/arguments/remote-address.js'
import { configOf } from '../../../cli/arguments/shared-options.js'
import { defineCommand } from '../../../cli/command.js'
import { exitCodes } from '../../../cli/output/exit-codes.js'
import type { Terminal } from '../../../cli/output/terminal.js'
import { pluralize } from '../../../core/text/pluralize.js'
import type { LostObject, RefRepair, RepairReport } from './repair-report.js'

export const repairCommand = defineCommand({
  options: {
    from: {
      ...text,
      describe: 'The other copy: a remote, a URL or a path; without it only a damaged index is rebuilt',
    },
  },
  async run(argv, context) {
    const { terminal } = context
    if (argv.from !== undefined) requireSafeRemote(argv.from)
    const { repairRepository } = await import('./repair-repository.js')
    const { data, git } = configOf(argv)
    const report = await repairRepository({ data, git, from: argv.from })
    if (!report.sound) context.finish(exitCodes.invalid)
    if (argv.json) return terminal.printJson(report)
    await print(terminal, report, argv.from)
  },
})

/** What to do if git complains although no branch and no tag lacks anything. */
function adviceFor(fsck: readonly string[]): readonly string[] {
  const advice = [
    fsck.some(line => line.includes('invalid reflog entry')) &&
      'Reflogs name lost commits, which no branch and no tag needs, so another copy cannot help. In the data folder, ' +
        '`git reflog expire --stale-fix --all` removes these entries.',
    fsck.some(line => line.startsWith('missing blob ')) &&
      'Staged files have lost their content, so another copy cannot help. In the data folder, `git reset` forgets what ' +
        'is staged; then stage it again.',
  ]
  return advice.filter(line => line !== false)
}

async function print(terminal: Terminal, report: RepairReport, from: string | undefined): Promise<void> {
  const { damaged, lost, restored, remaining, refs, aside, fsck, sound, index } = report
  const fsckLines = fsck.map(line => `${terminal.paint('red', 'fsck')}  ${line}`)
  if (index) {
    const word = index.rebuilt ? terminal.paint('green', 'rebuilt') : terminal.paint('red', 'damaged')
    await terminal.print(`${word}  index: ${index.detail}`)
  }
  if (damaged.length + lost.length + refs.length === 0) {
    for (const line of fsckLines) await terminal.print(line)
    for (const line of adviceFor(fsck)) await terminal.print(line)
    if (fsck.length > 0 || index) return
    return await terminal.print(terminal.paint('green', 'Nothing is damaged, nothing is missing'))
  }
  for (const { path, what } of damaged)
    await terminal.print(`${terminal.paint('red', 'damaged')}  ${path}: ${what}`)
  for (const object of lost)
    await terminal.print(`${terminal.paint('red', 'missing')}  ${objectLine(object)}`)
  for (const ref of refs) for (const line of refLines(ref)) await terminal.print(line)
  if (from === undefined) {
    await terminal.print(
      `Nothing was changed. With --from <another copy>, missing objects would be restored from there and ` +
        `${pluralize(damaged.length, 'damaged file')} moved aside, into git-metastore/damaged of the Git directory.`,
    )
    return
  }
  for (const object of remaining) {
    await terminal.print(`${terminal.paint('red', 'not there either')}  ${objectLine(object)}`)
  }
  for (const line of fsckLines) await terminal.print(line)
  await terminal.print(`${pluralize(restored, 'object')} restored from ${from}`)
  if (aside !== undefined) await terminal.print(`Damaged files are kept in ${aside}`)
  await terminal.print(
    sound ? terminal.paint('green', 'Sound again') : terminal.paint('red', 'Not sound yet'),
  )
}

function objectLine({ type, oid, name, revisions }: LostObject): string {
  const belongs = revisions.length === 0 ? name : revisions.map(revisionText).join(', ')
  return `${type} ${oid}: ${belongs}`
}

function revisionText({ kind, id, directory, version, commit }: Partial<ObjectOwner>): string {
  const subject = id === undefined ? `${directory}` : `${kind} ${id}`
  const which = version === undefined ? '' : ` version ${version}`
  return `${subject}${which}${commit === undefined ? '' : ` (commit ${commit.slice(0, 10)})`}`
}

const states: Readonly<Record<RefRepair['was'], string>> = {
  garbage: 'is damaged',
  missing: 'is missing',
  lost: 'has lost its newest commit',
}

function refLines({ name, was, value, known, newest, lost }: RefRepair): readonly string[] {
  const said = `${name} ${states[was]}`
  if (value !== undefined) return [`${said}: it belongs at ${value}`]
  if (known === undefined) return [`${said}, and nothing is known of it`]
  const lines = [`${said}: it was at ${known}, which is not there any more`]
  if (newest === undefined) return lines
  return [
    ...lines,
    `The newest commit that exists: ${newest}. The branch would lose: ${lost ? lost.map(revisionText).join(', ') || 'nothing' : 'unknown revisions'}`,
    `To go back to it, delete git-metastore/catalog.sqlite* of the Git directory and write ${newest} into ${name} there`,
  ]
}
