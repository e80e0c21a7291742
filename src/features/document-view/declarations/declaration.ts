import { nameInWords } from '../../../core/text/name-in-words.js'

/*
 * What a schema says about the values of documents: one view of JSON Schema and XML Schema. Declarations are read when
 * they are asked for, so that a schema that refers to itself ends nowhere but is never read wholly.
 */

/** What a schema says about a value. */
export interface Declaration {
  /** Equal for equal declarations: tells where a schema repeats itself. */
  readonly key: unknown
  readonly title: string | undefined
  readonly description: string | undefined
  /** The type as a person reads it, such as `text` or `list`. */
  readonly type: string
  /** The permitted values, if they are listed. */
  readonly enumeration: readonly string[]
  readonly examples: readonly string[]
  /** Further rules as a person reads them, such as `at least 1`. */
  readonly rules: readonly string[]
  /** The format of a text, such as `date` or `uri`. */
  readonly format: string | undefined
  /** Members of an object; attributes and elements of an element. In the order of the schema. */
  members(): readonly Member[]
  /** What an entry of a list is; undefined for other values. */
  entry(): Declaration | undefined
  /** Declarations of which one or more fit. */
  alternatives(): readonly Declaration[]
  /** What a value with this name is that is no member; undefined if the schema does not say. */
  further(name: string): Declaration | undefined
}

/** A member of an object, an attribute or an element. */
export interface Member {
  readonly name: string
  readonly isAttribute: boolean
  /** The least number of values. */
  readonly min: number
  /** The greatest number of values; `Infinity` without a limit. */
  readonly max: number
  readonly declaration: Declaration
}

/** What a JSON schema says about a value. */
export interface JsonDeclaration extends Declaration {
  members(): readonly JsonMember[]
  /** The declaration of one member; undefined if it is not declared. */
  member(name: string): JsonDeclaration | undefined
  entry(): JsonDeclaration | undefined
  further(name: string): JsonDeclaration | undefined
  /** The declaration with that of the first alternatives that a value may fit, as far as that is decided cheaply. */
  chosenFor(value: unknown): JsonDeclaration
}

export interface JsonMember extends Member {
  readonly declaration: JsonDeclaration
}

/** Limit of the characters of a title, a value or a rule that pages show. */
const maxShort = 200

/** The first characters of a text on one line. */
export function shortText(text: string, most = maxShort): string {
  const line = text.replace(/\s+/g, ' ').trim()
  return line.length <= most ? line : `${line.slice(0, most - 1).trimEnd()}…`
}

/** The label of a member: the title of its declaration, else its name in words. */
export function labelOf({ name, declaration }: Pick<Member, 'name' | 'declaration'>): string {
  return declaration.title ?? nameInWords(name)
}

/** The number of values of a member as a person reads it. */
export function cardinalityOf({ min, max }: Pick<Member, 'min' | 'max'>): string {
  if (max === 0) return 'not allowed'
  if (max === 1) return min === 0 ? 'optional' : 'required'
  const most = max === Number.POSITIVE_INFINITY ? 'any number' : `up to ${max}`
  if (min === 0) return most
  return min === max
    ? `exactly ${min}`
    : max === Number.POSITIVE_INFINITY
      ? `${min} or more`
      : `${min} to ${max}`
}

/** A number of things, such as `1 entry`. @param count as the schema writes it */
export function countOf(count: string, one: string, many: string): string {
  return `${count} ${count === '1' ? one : many}`
}
