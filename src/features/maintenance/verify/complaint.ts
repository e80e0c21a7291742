import type { Finding } from '../../../core/problem.js'
import type { Collection } from '../../../core/records/collection.js'
import type { Oid, Version } from '../../../core/value-types.js'

/** One thing that `verify` reports. */
export interface Complaint {
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
