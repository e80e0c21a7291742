import { readdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { makeTemporaryFolder } from '../file-system/temporary-folder.js'
import { outputOf, runGit } from '../git-commands/git-command.js'
import { quoteForShell } from '../process/run-program.js'

/**
 * Runs a push that sends all objects of a commit. Git omits objects that the other repository claims to have, although
 * they may be lost, and no option changes that. So the push runs with another folder of git's programs, in which a
 * wrapper keeps the list of objects to omit from `git pack-objects`. This works over every transport.
 * @param push runs the push with the additional environment variables that it gets
 * @see git-pack-objects(1), "--revs"; git(1), "GIT_EXEC_PATH"
 */
export async function sendingAll<T>(
  git: string,
  gitDir: string,
  push: (environment: NodeJS.ProcessEnv) => Promise<T>,
): Promise<T> {
  const temporary = makeTemporaryFolder('push')
  const folder = temporary.path
  try {
    const found = outputOf(await runGit(git, gitDir, ['--exec-path']), '--exec-path')
    const programs = found.toString().trim()
    for (const name of await readdir(programs)) {
      if (name !== 'git') await symlink(join(programs, name), join(folder, name))
    }
    await writeFile(join(folder, 'git'), wrapperOf(join(programs, 'git')), { mode: 0o755 })
    return await push({ GIT_EXEC_PATH: folder })
  } finally {
    await temporary.remove()
  }
}

/**
 * A wrapper of git that removes lines beginning with `^`, the objects to omit, from the input of `git pack-objects`.
 * Only `git send-pack` calls `git pack-objects` with this first option.
 * @param git absolute path of git, because the folder of the wrapper is searched first
 */
function wrapperOf(git: string): string {
  const real = quoteForShell(git)
  return [
    '#!/bin/sh',
    'case "$*" in',
    `"pack-objects --all-progress-implied "*) sed '/^\\^/d' | exec ${real} "$@" ;;`,
    `*) exec ${real} "$@" ;;`,
    'esac',
    '',
  ].join('\n')
}
