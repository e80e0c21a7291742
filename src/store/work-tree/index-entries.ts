import type { Oid } from '../../core/value-types.js'

/** The index entry of a path. */
export interface GitIndexEntry {
  readonly blob: Oid
  /**
   * Whether the entry has the times of the file, because git has checked the blob out, or has found it in the file. An
   * entry that was set by `--index-info` has no times.
   */
  readonly seen: boolean
}

/** Arguments of the git command whose output {@link indexEntriesIn} reads. */
export function listEntries(paths: Iterable<string>): readonly string[] {
  const specs = Array.from(paths, path => `:(top,literal)${path}`)
  return ['ls-files', '-s', '--debug', '-z', '--full-name', '--', ...specs]
}

/** Number of lines with details of the file after each path. The second line is the modification time. */
const detailLines = 5

/**
 * Parses entries of git's index, by path.
 * @param listed output of `git ls-files --stage --debug -z`
 * @see git-ls-files(1)
 */
export function indexEntriesIn(listed: string): ReadonlyMap<string, GitIndexEntry> {
  const entries = new Map<string, GitIndexEntry>()
  // Git terminates each path with NUL; its details come before the next path.
  const pieces = listed.split('\0')
  for (const [index, details] of pieces.slice(1).entries()) {
    const piece = pieces[index] as string
    const header = index === 0 ? piece : piece.split('\n').slice(detailLines).join('\n')
    const path = header.slice(header.indexOf('\t') + 1)
    const modified = details.split('\n')[1]?.trim()
    entries.set(path, { blob: header.split(' ')[1] as Oid, seen: modified !== 'mtime: 0:0' })
  }
  return entries
}
