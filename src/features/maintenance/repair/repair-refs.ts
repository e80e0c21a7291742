import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ObjectOwners } from '../../../catalog/read/object-owners.js'
import type { Oid } from '../../../core/value-types.js'
import { undefinedIfMissingAsync } from '../../../store/file-system/file-errors.js'
import { servedRef } from '../../../store/repository/open-repository.js'
import { branchesWithReflog, type FoundRefs, lastReflogValue } from './damaged-refs.js'
import type { FetchedCopy } from './fetch-copy.js'
import type { RefRepair } from './repair-report.js'
import type { TemporaryRepository } from './temporary-repository.js'

/** A ref whose value has to be found. */
export interface BrokenRef {
  readonly name: string
  readonly was: RefRepair['was']
  /** Former values of the ref: from the reflog, the catalog, or the server's note on the commit of the work tree. */
  readonly known: readonly Oid[]
}

/**
 * Finds the broken refs.
 * @param copy the other copy, whose HEAD is used if nothing else names the branch
 * @returns `heads`: the repair of HEAD, if it is broken; `broken`: refs whose value has to be found
 */
export async function findBrokenRefs(
  {
    gitDir,
    ownDir,
    owners,
  }: { readonly gitDir: string; readonly ownDir: string; readonly owners: ObjectOwners | undefined },
  { good, garbage, branch, head, packed }: FoundRefs,
  copy: FetchedCopy | undefined,
): Promise<{ readonly heads: readonly RefRepair[]; readonly broken: BrokenRef[] }> {
  const branches = [...good.keys(), ...garbage].filter(name => name.startsWith('refs/heads/'))
  // HEAD may be at another branch, which has no commit yet.
  const served = servedRef({ gitDir, ownDir }) ?? branch ?? (branches.length === 1 ? branches[0] : copy?.head)
  const heads = head ? [{ name: 'HEAD', was: head, ...(served && { value: `ref: ${served}` }) }] : []
  const missing = served !== undefined && !branches.includes(served) ? [served] : []
  // If the served branch or a part of `packed-refs` is lost, other branches and tags may be lost, too.
  const isLoss = packed !== undefined || missing.length > 0
  const others = isLoss ? [...(await branchesWithReflog(gitDir)), ...(copy?.refs.keys() ?? [])] : []
  const existing = [...good.keys(), ...garbage, ...missing]
  const lost = others.filter(name => !existing.some(other => excludesRef(other, name)))
  const broken: BrokenRef[] = []
  for (const name of new Set([...garbage, ...missing, ...lost])) {
    const note =
      name === served
        ? await undefinedIfMissingAsync(readFile(join(ownDir, 'work-tree'), 'latin1'))
        : undefined
    const isNote = note !== undefined && /^[0-9a-f]{40}\n$/.test(note)
    const known = [
      name === served ? owners?.head : undefined,
      await lastReflogValue(gitDir, name),
      isNote ? (note.trim() as Oid) : undefined,
    ].filter(oid => oid !== undefined)
    broken.push({ name, was: garbage.includes(name) ? 'garbage' : 'missing', known: [...new Set(known)] })
  }
  return { heads, broken }
}

/**
 * Chooses the newest complete commit as the value of a ref, but only if it contains all known values: a repair must not
 * lose a commit.
 * @param inCopy the value in the other copy
 */
export async function repairRef(
  store: TemporaryRepository,
  owners: ObjectOwners | undefined,
  { name, was, known }: BrokenRef,
  inCopy: Oid | undefined,
): Promise<RefRepair> {
  const candidates = new Set([...known, ...(inCopy === undefined ? [] : [inCopy])])
  const complete: Oid[] = []
  for (const oid of candidates) {
    if ((await store.lacking(new Map([[name, oid]]))).length === 0) complete.push(oid)
  }
  let newest: Oid | undefined
  for (const oid of complete) {
    if (newest === undefined || (await isAncestor(store, newest, oid))) newest = oid
  }
  if (newest === undefined) return { name, was, ...(known[0] && { known: known[0] }) }
  for (const oid of candidates) {
    if (await isAncestor(store, oid, newest)) continue
    const lost = owners?.after(newest)
    return { name, was, known: oid, newest, ...(lost && { lost }) }
  }
  return { name, was, value: newest }
}

/** Whether git cannot have both refs: the names are the same, or one is the name of a folder of the other. */
function excludesRef(existing: string, name: string): boolean {
  return existing === name || existing.startsWith(`${name}/`) || name.startsWith(`${existing}/`)
}

async function isAncestor(store: TemporaryRepository, oid: Oid, newest: Oid): Promise<boolean> {
  if (oid === newest) return true
  return (await store.git(['merge-base', '--is-ancestor', oid, newest])).code === 0
}
