import { chmod, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join, sep } from 'node:path'
import { ProblemError } from '../../core/problem.js'
import { undefinedIfMissingAsync } from '../../store/file-system/file-errors.js'
import { makeFolder } from '../../store/file-system/make-folder.js'
import { type Clone, linesOrThrow } from '../../store/local-clone/open-clone.js'
import { quoteForShell } from '../../store/process/run-program.js'

/** Name of a hook that we write. @see githooks(5) */
type HookName = 'pre-commit' | 'pre-merge-commit' | 'pre-receive'

/** A line by which we recognize our own hooks. */
const mark = '# A hook of git-metastore.'
/** Ending of a user's hook that was moved aside. */
const keptEnding = '.before-git-metastore'
/** Environment variable with the name of the tree that `git-metastore commit` checked before it ran `git commit`. */
export const checkedTreeVariable = 'GIT_METASTORE_CHECKED'

export interface HookChanges {
  /** The folder of git's hooks. */
  readonly folder: string
  readonly hooks: readonly HookName[]
  /** Paths of the user's own hooks: where they were moved aside to (install), or restored to (remove). */
  readonly kept: readonly string[]
}

/** The hooks for a clone. In a bare repository, git never commits. */
function hooksFor({ bare }: Clone): readonly HookName[] {
  return bare ? ['pre-receive'] : ['pre-commit', 'pre-merge-commit', 'pre-receive']
}

/**
 * Writes hooks that run `git-metastore check`.
 * @param program absolute path of the program to run, and its first arguments
 * @param force moves the user's hooks aside
 * @throws ProblemError `conflict` if the user has hooks of these names, with advice how to combine them
 */
export async function installCheckHooks(
  clone: Clone,
  program: readonly string[],
  force: boolean,
): Promise<HookChanges> {
  const folder = await folderOf(clone)
  const hooks = hooksFor(clone)
  const taken: HookName[] = []
  for (const name of hooks) if ((await stateOf(join(folder, name))) === 'theirs') taken.push(name)
  if (taken.length > 0 && !force) throw refusal(folder, taken)
  await makeFolder(folder)
  const kept: string[] = []
  for (const name of taken) {
    const path = join(folder, name)
    await rename(path, path + keptEnding)
    kept.push(path + keptEnding)
  }
  const isShared = !`${folder}${sep}`.startsWith(`${clone.commonDir}${sep}`)
  for (const name of hooks) {
    const path = join(folder, name)
    await writeFile(path, script(name, program, isShared))
    await chmod(path, 0o755)
  }
  return { folder, hooks, kept }
}

/** Removes our hooks and restores the user's hooks that were moved aside. */
export async function removeCheckHooks(clone: Clone): Promise<HookChanges> {
  const folder = await folderOf(clone)
  const hooks: HookName[] = []
  const kept: string[] = []
  for (const name of ['pre-commit', 'pre-merge-commit', 'pre-receive'] as const) {
    const path = join(folder, name)
    if ((await stateOf(path)) !== 'ours') continue
    await rm(path)
    hooks.push(name)
    if ((await stateOf(path + keptEnding)) !== 'theirs') continue
    await rename(path + keptEnding, path)
    kept.push(path)
  }
  return { folder, hooks, kept }
}

/** @see git-config(1), core.hooksPath */
async function folderOf(clone: Clone): Promise<string> {
  const found = await clone.git(['rev-parse', '--path-format=absolute', '--git-path', 'hooks'])
  return linesOrThrow(found, 'git rev-parse')[0] as string
}

async function stateOf(path: string): Promise<'missing' | 'ours' | 'theirs'> {
  const text = await undefinedIfMissingAsync(readFile(path, 'utf8'))
  if (text === undefined) return 'missing'
  return text.includes(mark) ? 'ours' : 'theirs'
}

function refusal(folder: string, names: readonly HookName[]): ProblemError {
  const lines = names.map(name => `${name}: ${commandOf(name)}`)
  return new ProblemError(
    'conflict',
    `There are hooks of your own in ${folder}: ${names.join(', ')}. Add our check to them (${lines.join('; ')}), ` +
      `or run this again with --force: then they are kept under the name <hook>${keptEnding} and no longer run.`,
  )
}

function commandOf(name: HookName): string {
  const what = name === 'pre-receive' ? '-' : '--staged'
  return `git-metastore check ${what} --data . || exit 1`
}

/**
 * The text of the hook script.
 * @param isShared whether other repositories may use the folder; the hook then ignores repositories of another layout
 */
function script(name: HookName, program: readonly string[], isShared: boolean): string {
  const isPush = name === 'pre-receive'
  const [, entry = ''] = program
  return [
    '#!/bin/sh',
    `${mark} It checks what is ${isPush ? 'pushed' : 'committed'} by the rules of the repository;`,
    '# `git-metastore hooks remove` takes it away.',
    ...(isShared ? ['git cat-file -e HEAD:metastore.json 2> /dev/null || exit 0'] : []),
    // `git-metastore commit` has checked this tree.
    ...(isPush
      ? []
      : [
          `if [ -n "\${${checkedTreeVariable}:-}" ] && [ "$${checkedTreeVariable}" = "$(git write-tree)" ]; then exit 0; fi`,
        ]),
    `if [ -x ${quoteForShell(program[0] ?? '')} ] && [ -f ${quoteForShell(entry)} ]; then`,
    `  set -- ${program.map(quoteForShell).join(' ')}`,
    'elif command -v git-metastore > /dev/null 2>&1; then',
    '  set -- git-metastore',
    'else',
    `  echo ${quoteForShell(`git-metastore is neither at ${entry} nor on the PATH, so nothing can be checked. Put it back, or run its "hooks install" again.`)} >&2`,
    ...(isPush ? [] : ["  echo 'To commit unchecked: git commit --no-verify' >&2"]),
    '  exit 1',
    'fi',
    `exec "$@" check ${isPush ? '-' : '--staged'} --data .`,
    '',
  ].join('\n')
}
