/** Settings of the interface for harvesters. */
export interface OaiOptions {
  /** E-mail address of the administrator, which the protocol demands. */
  readonly admin: string
  /** Domain name in identifiers, `oai:<namespace>:<id>`; undefined: identifiers are the ids. */
  readonly namespace?: string
  /** Usual number of items in one answer. */
  readonly page: number
  readonly hasSets: boolean
}
