import { readdir, readFile } from 'node:fs/promises'
import { delimiter, join, resolve } from 'node:path'
import { ProblemError } from '../../core/problem.js'
import { undefinedIfMissingAsync } from '../file-system/file-errors.js'
import { type GitOptions, type GitResult, runGit } from './git-command.js'

/*
 * Merging packs writes the new pack before it removes the old ones. A reader may still miss an object: it lists the
 * packs before the new pack exists, and opens them after the old ones are gone. So a missing object counts only if the
 * packs were the same before and after a complete read.
 */

/** Limit of the milliseconds for which a read is repeated while packs change. A read is much shorter than a merge. */
const maxWait = 20_000

/** Repeats a read that fails while packs change. */
type Rereading = <T>(read: () => Promise<T>, isSuspect: (error: unknown) => boolean) => Promise<T>

/**
 * Makes reads safe while packs change. Adds no cost to a successful read.
 * @param environment additional environment variables of git, such as further object folders
 * @returns a function that repeats a read while it fails with a suspect error. It throws that error when the packs were
 *   the same before and after a failed read
 */
export function whilePacksChange(
  gitDir: string,
  environment: NodeJS.ProcessEnv = {},
  patience = maxWait,
): Rereading {
  return async (read, isSuspect) => {
    let end: number | undefined
    let before: string | undefined
    for (;;) {
      try {
        return await read()
      } catch (error) {
        if (!isSuspect(error)) throw error
        const after = await packsOf(gitDir, environment).catch(() => undefined)
        // `after` is undefined if the folder cannot be listed. Then the error of the read has the same cause.
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

/** The packs that git reads, as one text to compare. */
async function packsOf(gitDir: string, environment: NodeJS.ProcessEnv): Promise<string> {
  const listed: string[] = []
  for (const folder of await objectFolders(gitDir, environment)) {
    const names = (await undefinedIfMissingAsync(readdir(join(folder, 'pack')))) ?? []
    listed.push(folder, ...names.filter(name => name.endsWith('.idx') || name === 'multi-pack-index').sort())
  }
  return listed.join('\n')
}

/** @see git(1), GIT_OBJECT_DIRECTORY; gitrepository-layout(5), "objects/info/alternates" */
async function objectFolders(gitDir: string, environment: NodeJS.ProcessEnv): Promise<readonly string[]> {
  const { GIT_OBJECT_DIRECTORY: own, GIT_ALTERNATE_OBJECT_DIRECTORIES: others = '' } = environment
  const named = [own || join(gitDir, 'objects'), ...others.split(delimiter).filter(folder => folder !== '')]
  const found = new Set(named.map(folder => resolve(gitDir, folder)))
  // A Set also visits the folders added during the loop.
  for (const folder of found) for (const other of await readAlternates(folder)) found.add(other)
  return [...found]
}

/** Absolute paths of the alternates of an object folder. */
export async function readAlternates(folder: string): Promise<readonly string[]> {
  const text = (await undefinedIfMissingAsync(readFile(join(folder, 'info', 'alternates'), 'utf8'))) ?? ''
  const lines = text.split('\n').filter(line => line !== '' && !line.startsWith('#'))
  return lines.map(line => resolve(folder, line))
}

interface ReadOptions extends GitOptions {
  readonly input?: string | undefined
  /** Says whether the result is complete; default: if the exit code is 0. */
  readonly isGood?: (result: GitResult) => boolean
}

/**
 * Runs a git command that only reads, to its end. Repeats it if it fails while packs change.
 * @returns the result of the command, which may be a failure
 * @throws ProblemError `unavailable` if git cannot be started, or if a signal ends it
 */
export async function readWithGit(
  git: string,
  gitDir: string,
  args: readonly string[],
  { isGood = ({ code }) => code === 0, ...options }: ReadOptions = {},
): Promise<GitResult> {
  try {
    return await whilePacksChange(gitDir, options.environment)(
      async () => {
        const result = await runGit(git, gitDir, args, options)
        if (isGood(result)) return result
        throw new Failed(result)
      },
      error => error instanceof Failed,
    )
  } catch (error) {
    if (error instanceof Failed) return error.result
    throw error
  }
}

class Failed extends Error {
  constructor(readonly result: GitResult) {
    super(result.stderr)
  }
}
