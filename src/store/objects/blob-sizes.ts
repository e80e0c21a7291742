import type { Oid } from '../../core/value-types.js'
import { type GitBounds, outputOf } from '../process/git-command.js'
import { readWithGit } from '../process/git-read-command.js'

/**
 * Bytes of blobs, without reading them. A blob that is missing is left out.
 * @param environment where their objects are, beside the Git directory
 */
export async function readBlobSizes(
  git: string,
  gitDir: string,
  blobs: readonly Oid[],
  environment: Readonly<Record<string, string>> = {},
  bounds?: GitBounds,
): Promise<ReadonlyMap<Oid, number>> {
  if (blobs.length === 0) return new Map()
  const args = ['cat-file', '--batch-check=%(objectname) %(objecttype) %(objectsize)', '--buffer']
  const result = await readWithGit(git, gitDir, args, {
    environment,
    bounds,
    input: blobs.map(oid => `${oid}\n`).join(''),
    isGood: ({ code, stdout }) => code === 0 && !/ missing$/m.test(stdout.toString('latin1')),
  })
  const text = outputOf(result, 'cat-file').toString('latin1')
  const lines = text.matchAll(/^([0-9a-f]{40}) blob (\d+)$/gm)
  return new Map([...lines].map(([, oid, size]) => [oid as Oid, Number(size)]))
}
