import type { Id } from '../value-types.js'
import type { Collection } from './collection.js'

/** The record that has, or had, a name: its id, persistent identifier or an alternate identifier. */
export interface NameOwner {
  readonly kind: Collection
  readonly id: Id
  /** The record is GONE: its directory was removed. Its name stays taken. */
  readonly gone: boolean
}

/** A name with the record that has taken it. */
export interface TakenName extends NameOwner {
  readonly name: string
}

/** A metadata record that describes a resource. */
export interface Describer {
  readonly resource: string
  readonly id: Id
}

/** The values of a record that no other record may have. */
export interface UniquenessClaim {
  readonly directory: string
  /** One or more names. */
  readonly names: readonly string[]
  /** Resources that the record describes with the schema `schemaId`. */
  readonly resources: readonly string[]
  readonly schemaId?: Id | undefined
}
