import type { Principal } from '../../core/access-control.js'
import type { Work } from '../../validation/validator.js'

/** Validation for a caller's update. */
export function updateWork({ client }: Principal): Work {
  return { client: client?.key ?? '', ...(client?.signal && { signal: client.signal }) }
}

/** Validation for a caller that stores nothing. */
export function dryRunWork(caller: Principal): Work {
  return { ...updateWork(caller), isDryRun: true }
}
