import type { Collection } from '../../core/records/collection.js'
import type { WireFormat } from '../record-formats/record-format-interface.js'
import type { UploadLimits } from '../request/multipart-form.js'
import type { Server } from './specification-types.js'

/** One version of the interface, as its paths are described. */
export interface DescribedApiVersion {
  readonly version: 1 | 2
  readonly wire: WireFormat
  /** What its paths begin with; other mounts are other servers. */
  readonly prefix: string
  /** Absent: those of the whole description. */
  readonly servers?: readonly Server[]
  readonly limits: UploadLimits
  /** The records of each kind, as components. */
  readonly records: Readonly<Record<Collection, DescribedRecord>>
}

export interface DescribedRecord {
  /** Name of the component of an answer, and of a request. */
  readonly shown: string
  readonly sent: string
  readonly shownExample: unknown
  readonly sentExample: unknown
  /** Members a request that creates one must have. */
  readonly required: readonly string[]
  /** A sentence about what a PUT does with members that are absent. */
  readonly absent: string
}
