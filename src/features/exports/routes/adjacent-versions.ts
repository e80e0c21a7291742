import type { Principal } from '../../../core/access-control.js'
import { ProblemError } from '../../../core/problem.js'
import type { Revision } from '../../../core/records/revision.js'
import { asVersion } from '../../../core/value-types.js'
import type { Services } from '../../../service/services.js'
import type { AdjacentVersions } from './signposting.js'

/** The result of a look-up; undefined for a record that does not exist or that the caller may not read. */
export async function readableOrUndefined<T>(look: () => T | Promise<T>): Promise<T | undefined> {
  try {
    return await look()
  } catch (error) {
    if (error instanceof ProblemError && (error.kind === 'not-found' || error.kind === 'forbidden'))
      return undefined
    throw error
  }
}

/** The versions before and after a revision, except later ones that are unreadable. @param newest newest version */
export async function adjacentVersionsOf(
  services: Services,
  caller: Principal,
  revision: Revision,
  newest: Revision,
): Promise<AdjacentVersions> {
  const { kind, id, version, previous } = revision
  let next: Revision | undefined
  for (let number = version + 1; !revision.unserved && !next && number <= newest.version; number++)
    next = await readableOrUndefined(() => services.collections[kind].read(caller, id, asVersion(number)))
  return { ...(previous ? { previous } : {}), ...(next ? { next: next.version } : {}) }
}
