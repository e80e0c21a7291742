import type { Oid } from '../../core/value-types.js'
import type { GitBounds } from '../process/git-command.js'
import { gitFailure } from '../process/git-failure.js'
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
  const { code, stdout, stderr } = await readWithGit(git, gitDir, args, {
    more: environment,
    bounds,
    input: blobs.map(oid => `${oid}\n`).join(''),
    isGood: result => result.code === 0 && !/ missing$/m.test(result.stdout.toString('latin1')),
  })
  if (code !== 0) throw gitFailure('cat-file', stderr)
  const lines = stdout.toString('latin1').matchAll(/^([0-9a-f]{40}) blob (\d+)$/gm)
  return new Map([...lines].map(([, oid, size]) => [oid as Oid, Number(size)]))
}
