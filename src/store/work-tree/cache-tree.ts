/*
 * The extension `TREE` of `.git/index`: the tree objects of folders whose entries have not changed since, so that
 * `git commit` need not write these again, and `git status` need not compare them.
 * @see gitformat-index(5), "Cache tree"
 */

const [newline, space] = [0x0a, 0x20]
const hashSize = 20

/**
 * Marks folders as changed.
 * @param folders paths without a slash at the end; the empty path is the root
 * @returns undefined if the extension is malformed
 */
export function invalidateTrees(extension: Buffer, folders: ReadonlySet<string>): Buffer | undefined {
  const pieces: Buffer[] = []
  /** The part of the extension that is not in `pieces` yet begins here. */
  let copied = 0
  let at = 0

  function number(end: number): number {
    const text = extension.toString('latin1', at, end)
    at = end + 1
    return /^-?\d{1,9}$/.test(text) ? Number(text) : Number.NaN
  }

  /** Reads a folder and those below it. @returns whether they are well-formed */
  function readFolder(parent: string | undefined): boolean {
    const nameEnd = extension.indexOf(0, at)
    if (nameEnd < 0) return false
    const name = extension.toString('utf8', at, nameEnd)
    const path = parent === undefined ? '' : parent === '' ? name : `${parent}/${name}`
    at = nameEnd + 1
    const countAt = at
    const entries = number(extension.indexOf(space, at))
    const subtrees = number(extension.indexOf(newline, at))
    if (Number.isNaN(entries) || !(subtrees >= 0)) return false
    if (entries >= 0) {
      at += hashSize
      if (folders.has(path)) {
        pieces.push(extension.subarray(copied, countAt), Buffer.from(`-1 ${subtrees}\n`))
        copied = at
      }
    }
    for (let count = 0; count < subtrees; count++) if (!readFolder(path)) return false
    return true
  }

  if (!readFolder(undefined) || at !== extension.length) return undefined
  pieces.push(extension.subarray(copied))
  return Buffer.concat(pieces)
}
