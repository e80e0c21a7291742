import type { Principal } from '../../core/access-control.js'
import type { Work } from '../../validation/validator.js'

/** Validation work for an update of a caller. */
export function updateWork({ client }: Principal): Work {
  return { client: client?.key ?? '', ...(client?.signal && { signal: client.signal }) }
}

/** Validation work for a request that stores nothing. */
export function dryRunWork(caller: Principal): Work {
  return { ...updateWork(caller), isDryRun: true }
}
