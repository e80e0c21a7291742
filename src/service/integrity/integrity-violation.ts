import type { Finding } from '../../core/problem.js'
import type { Collection } from '../../core/records/collection.js'
import type { Oid, Version } from '../../core/value-types.js'

/** One thing `verify` found wrong. */
export interface IntegrityViolation {
  readonly kind?: Collection
  readonly id?: string
  readonly commit?: Oid
  readonly version?: Version
  /**
   * What was looked at: `fsck`, `record`, `document`, `schema`, `hash`, `catalog`, and of damage `repository`, `file`,
   * `ref`, `object`.
   */
  readonly check: string
  readonly findings: readonly Finding[]
}
