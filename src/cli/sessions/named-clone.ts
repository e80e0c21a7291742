import type { CommitCheckSession } from '../../compose/compose-commit-check.js'
import { type Clone, openClone } from '../../store/local-clone/open-clone.js'
import { type CommonOptions, configOf, dataFolder } from '../arguments/shared-options.js'
import type { CommandContext } from '../command-context.js'

/**
 * Opens the clone that the options name.
 * @param evenDamaged whether also a clone whose newest commit cannot be read
 * @throws ProblemError `unusable-repository`, `damaged`
 */
export async function openNamedClone(options: CommonOptions, evenDamaged = false): Promise<Clone> {
  return await openClone(dataFolder(options.data), { git: options.git, evenDamaged })
}

/** Calls a function with the clone that the options name. Shows progress while a long history is read. */
export async function withCommitChecker<T>(
  options: CommonOptions,
  { terminal, features }: CommandContext,
  quarantine: boolean,
  use: (room: CommitCheckSession) => Promise<T>,
): Promise<T> {
  const { composeCommitCheck } = await import('../../compose/compose-commit-check.js')
  const bar = terminal.longProgress('commits read')
  const progress = (commits: number) => bar.show(commits, undefined)
  const room = await composeCommitCheck(configOf(options), { quarantine, progress, features: features.rules })
  try {
    return await use(room)
  } finally {
    bar.end()
    await room.close()
  }
}
