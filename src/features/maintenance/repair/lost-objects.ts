import type { ObjectOwners } from '../../../catalog/read/object-owners.js'
import type { Oid } from '../../../core/value-types.js'
import { idOfDirectory, parseRecordPath } from '../../../store/records/repository-layout.js'
import type { BrokenRef } from './repair-refs.js'
import type { LostObject } from './repair-report.js'
import type { MissingReference, TemporaryRepository } from './temporary-repository.js'

/** Begins the name of a temporary ref for a value that a broken ref is known to have had. */
const knownRef = /^refs\/known\/\d+\//

/** All refs whose objects must exist: the intact ones, and each known value of a broken one as a ref of its own. */
export function refsToCheck(
  good: ReadonlyMap<string, Oid>,
  broken: readonly BrokenRef[],
): ReadonlyMap<string, Oid> {
  const refs = new Map(good)
  for (const { name, known } of broken) {
    for (const [index, oid] of known.entries()) refs.set(`refs/known/${index}/${name}`, oid)
  }
  return refs
}

/**
 * Finds the objects that refs lead to and that do not exist. Git does not know what a lost commit or tree led to, but
 * the catalog knows the objects of every revision.
 */
export async function findLostObjects(
  store: TemporaryRepository,
  refs: ReadonlyMap<string, Oid>,
  owners: ObjectOwners | undefined,
): Promise<readonly MissingReference[]> {
  const found = (await store.lacking(refs)).map(object => ({
    ...object,
    name: object.name.replace(knownRef, ''),
  }))
  if (!owners || found.every(({ type }) => type === 'blob')) return found
  const known = owners.objects()
  const existing = await store.having(known.keys())
  const named = new Set(found.map(({ oid }) => oid))
  const others = [...known].filter(([oid]) => !existing.has(oid) && !named.has(oid))
  return [...found, ...others.map(([oid, type]) => ({ oid, type, name: '' }))]
}

/** Finds the revisions that need lost objects. @returns a function that adds these revisions to an object */
export function ownersOf(
  owners: ObjectOwners | undefined,
  lost: readonly MissingReference[],
): (object: MissingReference) => LostObject {
  const known = owners?.of(new Set(lost.map(({ oid }) => oid)))
  return object => {
    const revisions = known?.get(object.oid)
    if (revisions) return { ...object, revisions }
    const place = parseRecordPath(object.name.slice(object.name.indexOf(':') + 1))
    if (!place) return { ...object, revisions: [] }
    const { kind, directory } = place
    const id = idOfDirectory(kind, directory)
    return { ...object, revisions: [{ kind, directory, ...(id !== undefined && { id }) }] }
  }
}
