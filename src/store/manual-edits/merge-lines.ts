import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ProblemError } from '../../core/problem.js'
import type { Oid } from '../../core/value-types.js'
import { makeTemporaryFolder } from '../file-system/temporary-folder.js'
import { runGit } from '../git-commands/git-command.js'

/** Result of a three-way merge by lines. */
type MergedLines =
  | { readonly bytes: Buffer }
  /** Ranges of lines of our text, counted from 1, that both sides changed; empty for a binary file. */
  | { readonly conflicts: readonly LineRange[] }

interface LineRange {
  readonly first: number
  readonly last: number
}

interface ThreeTexts {
  readonly base: Uint8Array
  readonly ours: Uint8Array
  readonly theirs: Uint8Array
}

/** Length of conflict markers: longer than any line of one repeated character in a usual document. */
const markerSize = 61
/** Git's exit code is the number of conflicts, up to this limit. After a failure it is larger: -1 becomes 255. */
const maxConflicts = 127

/**
 * Merges two edits of one text by lines, with `git merge-file`.
 * @param gitDir any Git directory, not read
 * @throws ProblemError `unavailable` if git fails
 * @see git-merge-file(1)
 */
export async function mergeLines(git: string, gitDir: string, texts: ThreeTexts): Promise<MergedLines> {
  const temporary = makeTemporaryFolder('merge')
  const folder = temporary.path
  try {
    const names = ['ours', 'base', 'theirs'] as const
    const files = names.map(name => join(folder, name))
    for (const [index, name] of names.entries()) await writeFile(files[index] as string, texts[name])
    const args = ['merge-file', '-p', '-q', '--diff3', `--marker-size=${markerSize}`, ...files]
    const { code, stdout, stderr } = await runGit(git, gitDir, args)
    if (code === 0) return { bytes: stdout }
    if (code <= maxConflicts) return { conflicts: conflictsIn(stdout, texts.ours) }
    if (isBinary(texts)) return { conflicts: [] }
    throw new ProblemError('unavailable', `git merge-file failed. Git says: ${stderr.trim()}`)
  } finally {
    await temporary.remove()
  }
}

/**
 * Whether the blob `ours` includes the changes of `theirs`, which is so if merging them does not change `ours`. False if
 * there is no file in one of the places.
 */
export async function holdsUpdate(
  git: string,
  gitDir: string,
  { base, ours, theirs }: Readonly<Record<keyof ThreeTexts, Oid | undefined>>,
  read: (blob: Oid) => Promise<Uint8Array>,
): Promise<boolean> {
  if (base === undefined || ours === undefined || theirs === undefined) return false
  const texts = { base: await read(base), ours: await read(ours), theirs: await read(theirs) }
  const merged = await mergeLines(git, gitDir, texts)
  return 'bytes' in merged && merged.bytes.equals(texts.ours)
}

function isBinary(texts: ThreeTexts): boolean {
  return Object.values(texts).some((bytes: Uint8Array) => bytes.includes(0))
}

/** The ranges of our text that are in conflicts. The merged text has our lines in the same order. */
function conflictsIn(merged: Buffer, ours: Uint8Array): LineRange[] {
  const ourLines = linesIn(Buffer.from(ours))
  const ranges: LineRange[] = []
  let part: 'both' | 'ours' | 'others' = 'both'
  let index = 0
  let first = 0
  const marker = (char: string, line: string) => line.startsWith(char.repeat(markerSize))
  for (const line of linesIn(merged)) {
    if (part === 'both' && marker('<', line)) {
      part = 'ours'
      first = index
    } else if (part === 'ours' && marker('|', line)) {
      part = 'others'
      ranges.push({ first: first + 1, last: Math.max(first + 1, index) })
    } else if (part === 'others' && marker('>', line)) part = 'both'
    else if (part === 'ours') index++
    else if (part === 'both' && ourLines[index] === line) index++
  }
  return ranges
}

function linesIn(bytes: Buffer): readonly string[] {
  return bytes.toString('latin1').split('\n')
}
