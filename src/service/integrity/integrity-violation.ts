import type { Finding } from '../../core/problem.js'
import type { Collection } from '../../core/records/collection.js'
import type { Oid, Version } from '../../core/value-types.js'

/** A violation that `verify` found. */
export interface IntegrityViolation {
  readonly kind?: Collection
  readonly id?: string
  readonly commit?: Oid
  readonly version?: Version
  /**
   * What was checked: `fsck`, `record`, `document`, `schema`, `hash`, `catalog`. For damage: `repository`, `file`,
   * `ref`, `object`.
   */
  readonly check: string
  readonly findings: readonly Finding[]
}
