import type { PropertyName, Shape } from './datacite-properties.js'
import type { DocumentPath } from './document-path.js'

/*
 * A crosswalk in the form in which it is applied.
 */

/** Gives a text. */
export type TextRule =
  | PathRule
  | JoinRule
  | {
      /** A valid value. */
      readonly constant: string
    }
  | { readonly first: readonly TextRule[] }

/** Gives the first text of each rule, with a text between them. */
export interface JoinRule {
  readonly join: readonly TextRule[]
  readonly with: string
}

/** Gives the texts at a path. */
export interface PathRule {
  readonly path: DocumentPath
  /** Values of the document in lower case, with the values that stand for them. */
  readonly values?: ReadonlyMap<string, string>
  /** True: other values than those of the table are left out. */
  readonly only: boolean
  /** Stands between the values in one text. */
  readonly split?: string
  /** Conditions on the nodes at the path. */
  readonly where: readonly Condition[]
}

/** A condition on a node. */
export interface Condition {
  readonly path: DocumentPath
  /** Whether one of the texts at the path is one of `texts` in lower case, or, without `texts`, whether the path exists. */
  readonly texts?: ReadonlySet<string>
  /** False: the opposite. */
  readonly holds: boolean
}

/** Gives an entry, or one for each node at the path `each`. */
export interface EntryRule {
  readonly each?: DocumentPath
  readonly where: readonly Condition[]
  readonly members: readonly MemberRule[]
}

export interface MemberRule {
  readonly name: string
  readonly shape: Shape
  readonly rule: TextRule | EntryRule | ListRule
}

/** Gives the values of all rules, or of the first rule that gives one, in the document or at each node of a path. */
export interface ListRule {
  readonly each?: DocumentPath
  readonly choice: 'all' | 'first'
  readonly rules: readonly (TextRule | EntryRule | ListRule)[]
}

/** A crosswalk: a rule for each property that it names. */
export type Crosswalk = ReadonlyMap<PropertyName, TextRule | EntryRule | ListRule>

/** What is wrong in a crosswalk. */
export interface CrosswalkFault {
  /** The place in the crosswalk, as JSON Pointer. @see RFC 6901 */
  readonly pointer: string
  readonly message: string
}
