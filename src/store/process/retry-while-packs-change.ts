import { readdir, readFile } from 'node:fs/promises'
import { delimiter, isAbsolute, join, resolve } from 'node:path'
import { ProblemError } from '../../core/problem.js'
import { undefinedIfMissingAsync } from '../file-system/durable-files.js'

/*
 * Merging packs writes the new pack before it removes the old ones. Even so, a reader that has listed the packs before
 * the new one came, and opens them after the old ones have gone, finds an object in none of them. So "it is not there"
 * counts only where the packs were the same before and after a complete look.
 */

/** Milliseconds for which a read is repeated while packs change. Each look takes milliseconds, each merge longer. */
const longest = 20_000

/** Repeats a read that fails while packs come and go. */
export type Rereading = <T>(read: () => Promise<T>, isSuspect: (error: unknown) => boolean) => Promise<T>

/**
 * A read that succeeds costs nothing more.
 * @param more of git's environment: where else objects lie
 * @returns what runs a read, and runs it again where it fails with a suspect error. That error is thrown once the packs
 *   were the same before and after a failed read
 */
export function whilePacksChange(
  gitDir: string,
  more: NodeJS.ProcessEnv = {},
  patience = longest,
): Rereading {
  return async (read, isSuspect) => {
    let end: number | undefined
    let before: string | undefined
    for (;;) {
      try {
        return await read()
      } catch (error) {
        if (!isSuspect(error)) throw error
        const after = await packsOf(gitDir, more).catch(() => undefined)
        // Where the folder cannot be listed, the failed read says so too.
        if (after === undefined || after === before) throw error
        before = after
        end ??= performance.now() + patience
        if (performance.now() > end) throw restless(error)
      }
    }
  }
}

function restless(cause: unknown): ProblemError {
  const message = 'The packs of the repository kept changing while it was read. Try again in a moment.'
  return new ProblemError('unavailable', message, { retryAfter: 2 }, { cause })
}

/** The packs that git looks at, as a text that differs where they differ. */
async function packsOf(gitDir: string, more: NodeJS.ProcessEnv): Promise<string> {
  const listed: string[] = []
  for (const folder of await objectFolders(gitDir, more)) {
    const names = (await undefinedIfMissingAsync(readdir(join(folder, 'pack')))) ?? []
    listed.push(folder, ...names.filter(name => name.endsWith('.idx') || name === 'multi-pack-index').sort())
  }
  return listed.join('\n')
}

/** @see git(1), GIT_OBJECT_DIRECTORY; gitrepository-layout(5), "objects/info/alternates" */
async function objectFolders(gitDir: string, more: NodeJS.ProcessEnv): Promise<readonly string[]> {
  const named = (more.GIT_ALTERNATE_OBJECT_DIRECTORIES ?? '').split(delimiter).filter(folder => folder !== '')
  const found = new Set(
    [more.GIT_OBJECT_DIRECTORY || join(gitDir, 'objects'), ...named].map(folder => resolve(gitDir, folder)),
  )
  // Those that are added on the way are visited as well.
  for (const folder of found) {
    const text = (await undefinedIfMissingAsync(readFile(join(folder, 'info', 'alternates'), 'utf8'))) ?? ''
    for (const line of text.split('\n')) {
      if (line !== '' && !line.startsWith('#')) found.add(isAbsolute(line) ? line : resolve(folder, line))
    }
  }
  return [...found]
}
