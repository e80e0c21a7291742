import { mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { insistOn, runGit } from '../process/git-command.js'

/**
 * Has a push send everything a commit leads to. Git leaves out what the other repository says it has, and a branch there
 * may lead to objects that are gone; no option changes that. So the push is run with a folder of git's programs in which
 * `git pack-objects` does not hear what to leave out. It works over every transport, with the credentials of git.
 * @param push gets what to add to git's environment
 * @see git-pack-objects(1), "--revs"; git(1), "GIT_EXEC_PATH"
 */
export async function sendingAll<T>(
  git: string,
  gitDir: string,
  push: (environment: NodeJS.ProcessEnv) => Promise<T>,
): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'git-metastore-push-'))
  try {
    const programs = insistOn(await runGit(git, gitDir, ['--exec-path']), '--exec-path').trim()
    for (const name of await readdir(programs)) {
      if (name !== 'git') await symlink(join(programs, name), join(folder, name))
    }
    await writeFile(join(folder, 'git'), wrapperOf(join(programs, 'git')), { mode: 0o755 })
    return await push({ GIT_EXEC_PATH: folder })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/**
 * Only `git send-pack` calls it with this option first. What is to be left out begins with `^`.
 * @param git path of the program itself: git looks for others in the folder first
 */
function wrapperOf(git: string): string {
  const real = `'${git.replaceAll("'", String.raw`'\''`)}'`
  return [
    '#!/bin/sh',
    'case "$*" in',
    `"pack-objects --all-progress-implied "*) sed '/^\\^/d' | exec ${real} "$@" ;;`,
    `*) exec ${real} "$@" ;;`,
    'esac',
    '',
  ].join('\n')
}
