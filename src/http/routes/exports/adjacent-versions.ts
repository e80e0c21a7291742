import type { Principal } from '../../../core/access-control.js'
import { ProblemError } from '../../../core/problem.js'
import type { Revision } from '../../../core/records/revision.js'
import { asVersion } from '../../../core/value-types.js'
import type { Services } from '../../../service/services.js'
import type { AdjacentVersions } from '../../html-pages/signposting.js'

/** What a service finds; undefined for what is not there or not the caller's to read. */
export async function found<T>(look: () => T | Promise<T>): Promise<T | undefined> {
  try {
    return await look()
  } catch (error) {
    if (error instanceof ProblemError && (error.kind === 'not-found' || error.kind === 'forbidden'))
      return undefined
    throw error
  }
}

/** The versions next to one; those that cannot be read are passed over. @param newest the record as it is today */
export async function neighboursOf(
  services: Services,
  caller: Principal,
  revision: Revision,
  newest: Revision,
): Promise<AdjacentVersions> {
  const { kind, id, version, previous } = revision
  let next: Revision | undefined
  for (let number = version + 1; !revision.unserved && !next && number <= newest.version; number++)
    next = await found(() => services.collections[kind].read(caller, id, asVersion(number)))
  return { ...(previous ? { previous } : {}), ...(next ? { next: next.version } : {}) }
}
