import { argument, flag } from '../../../cli/arguments/option-table.js'
import { type CommonOptions, dataFolder } from '../../../cli/arguments/shared-options.js'
import { defineCommand } from '../../../cli/command.js'
import type { CommandContext } from '../../../cli/command-context.js'
import { exitCodes } from '../../../cli/output/exit-codes.js'
import type { Terminal } from '../../../cli/output/terminal.js'
import { withServices } from '../../../cli/sessions/local-or-remote.js'
import { lockWait } from '../../../cli/sessions/lock-wait.js'
import { withCommitChecker } from '../../../cli/sessions/named-clone.js'
import { selfPrincipal } from '../../../core/access-control.js'
import { ProblemError } from '../../../core/problem.js'
import { pluralize } from '../../../core/text/pluralize.js'
import { type Id, parseId } from '../../../core/value-types.js'
import type { CommitFault } from '../../../service/git/commit-fault.js'
import { isServerRunning } from '../../../store/locks/process-lock.js'
import { strayText } from '../../../store/repository/head-watch.js'
import { openRepository } from '../../../store/repository/open-repository.js'
import { unfinishedPurge } from '../../../store/repository-folder/unfinished-purge.js'
import { runExclusively } from '../../../store/write/writer-and-index-locks.js'
import {
  type PurgePlan,
  type PurgeRepository,
  type PurgeResult,
  planPurge,
  purgeRecord,
} from './purge-record.js'

export const purgeCommand = defineCommand({
  positionals: {
    id: { ...argument, describe: 'Id of the schema or metadata record, deleted or not' },
  },
  options: {
    yes: { ...flag, describe: 'Purge it; without this option the command only prints what it would do' },
    'tell-harvesters': {
      ...flag,
      describe:
        'Keep the id and the time in purged.json, so that harvesters are told that the record is deleted',
    },
  },
  async run(argv, context) {
    const { terminal } = context
    const id = parseId(argv.id, 'The id')
    const plan = await purgeOrPlan(argv, context, id, argv.yes, argv.tellHarvesters)
    if (!argv.yes) context.finish(exitCodes.refused)
    if (argv.json) return terminal.printJson(jsonOf(id, plan, argv.yes))
    for (const line of linesOf(terminal, id, plan, argv.yes)) await terminal.print(line)
  },
})

async function purgeOrPlan(
  options: CommonOptions,
  program: CommandContext,
  id: Id,
  yes: boolean,
  leavesNotice: boolean,
): Promise<PurgePlan | PurgeResult> {
  const { terminal } = program
  const place = await openPlace(options)
  try {
    refuseWhileServerRuns(place)
    if (unfinishedPurge(place.ownDir) === undefined) await refuseFollowed(options, program, id)
    const bar = terminal.longProgress('commits read')
    try {
      if (!yes) return await planPurge(place, id, bar.show)
      return await runExclusively(place, lockWait(terminal), async () => {
        refuseWhileServerRuns(place)
        return await purgeRecord(place, id, {
          agree: planned => agree(options, program, place, id, planned, leavesNotice),
          progress: bar.show,
          leavesNotice,
        })
      })
    } finally {
      bar.end()
    }
  } finally {
    await place.close()
  }
}

async function openPlace(options: CommonOptions): Promise<PurgeRepository> {
  const repository = await openRepository(dataFolder(options.data), { git: options.git, purging: true })
  const { git } = repository
  const stray = strayText(repository)
  if (git !== undefined && stray === undefined) return { ...repository, git }
  await repository.close()
  if (stray !== undefined) throw new ProblemError('conflict', stray)
  throw new ProblemError('unusable-repository', 'This command needs a git binary, of version 2.31 or newer.')
}

function refuseWhileServerRuns({ ownDir, dir }: PurgeRepository): void {
  if (!isServerRunning(ownDir)) return
  throw new ProblemError('conflict', `A server is running on ${dir}. Stop it first.`)
}

/** Refuses a schema that has documents, as DELETE does, before the history is read. */
async function refuseFollowed(options: CommonOptions, program: CommandContext, id: Id): Promise<void> {
  const { total } = await withServices(options, program, async services =>
    services.collections.metadata.list(selfPrincipal, { schemaIds: [id] }, { offset: 0, limit: 1 }),
  )
  if (total === 0) return
  throw new ProblemError(
    'conflict',
    `${pluralize(total, 'document')} that ${total === 1 ? 'follows' : 'follow'} the schema "${id}" would have none. Purge them first.`,
  )
}

/** Refuses to purge a schema if other revisions would break a rule without it. */
async function agree(
  options: CommonOptions,
  program: CommandContext,
  { git, dir }: PurgeRepository,
  id: Id,
  { head, schema, renamed }: PurgePlan,
  leavesNotice: boolean,
): Promise<void> {
  if (schema && leavesNotice)
    throw new ProblemError('conflict', 'Schemas are not harvested: leave --tell-harvesters out.')
  if (!schema || head.from === head.to) return
  const where = { ...options, data: dir, git }
  const [before, after] = await withCommitChecker(where, program, false, async room => [
    await room.check(undefined, head.from),
    await room.check(undefined, head.to),
  ])
  const nameOf = ({ path, message }: CommitFault, commit: string) => `${commit} ${path} ${message}`
  const known = new Set(before.faults.map(fault => nameOf(fault, renamed.get(fault.commit) ?? fault.commit)))
  const broken = after.faults.filter(fault => !known.has(nameOf(fault, fault.commit)))
  if (broken.length === 0) return
  const findings = broken.slice(0, maxTold).map(({ path, message }) => ({
    message,
    ...(path !== undefined && { file: path }),
  }))
  throw new ProblemError('conflict', `Without the schema "${id}" other revisions would break rules:`, {
    findings,
  })
}

/** Limit of the faults that a refusal lists. */
const maxTold = 20

function jsonOf(id: Id, { head, refs, rewritten, dropped, unsigned }: PurgePlan, done: boolean): object {
  return {
    id,
    done,
    head,
    refs: refs.map(ref => ({ ...ref, to: ref.to ?? null })),
    rewritten,
    dropped,
    unsigned,
  }
}

function linesOf(
  terminal: Terminal,
  id: Id,
  plan: PurgePlan | PurgeResult,
  done: boolean,
): readonly string[] {
  const { refs, head, rewritten, dropped, unsigned } = plan
  const shared = 'shared' in plan ? plan.shared : []
  const bold = (text: string) => terminal.paint('bold', text)
  const change = (to: string | undefined) =>
    done ? (to ?? 'removed') : to === undefined ? 'is removed' : 'another commit'
  const first = done
    ? `Purged ${bold(id)} from the history.`
    : `${bold('Nothing is done yet')}: give --yes to purge ${id} from the history.`
  return [
    first,
    '',
    done
      ? `Rewritten commits: ${rewritten}; dropped commits, which changed nothing else: ${dropped}.`
      : `Commits to rewrite: ${rewritten}; commits to drop, which change nothing else: ${dropped}.`,
    ...refs.map(({ name, from, to }) => `  ${name}: ${from} → ${change(to)}`),
    ...shared.map(path => `  ${path} has the same bytes. They stay there.`),
    ...(refs.some(({ from }) => from === head.from) ? [] : [`  The head is ${head.to}.`]),
    '',
    'What this breaks:',
    '- The ids of those commits: ETags, points (at=…), cursors of /api/changes. Version numbers of other records stay.',
    '- Clones, followers and backups: they still have the record. Replace each by a new clone (git clone).',
    ...(unsigned > 0 ? [`- ${pluralize(unsigned, 'signature')}: of commits that have been rewritten.`] : []),
    '- Reflogs: they are emptied.',
    'More in docs/run/purge.md.',
  ]
}
