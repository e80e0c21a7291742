import type { DocumentType } from '../../../core/records/collection.js'

/*
 * What the documents of a schema may have, as data: for headings of forms, for completion, for drawings of a schema.
 * It names what is possible and does not judge documents: conditions between members, for example, are left out.
 */

/** The outline of a schema. Its types are a graph, because types may contain themselves. */
export interface SchemaOutline {
  readonly type: DocumentType
  readonly title?: string
  readonly documentation?: string
  /** The target namespace of an XML schema. */
  readonly namespace?: string
  /** The elements with which a document may begin. For JSON there is one, the document, whose name is empty. */
  readonly roots: readonly OutlineMember[]
  /** The types by their keys. A key has no meaning beyond this outline. */
  readonly types: Readonly<Record<string, OutlineType>>
  /** Whether all of the schema is here. If not, a limit was reached, or the reader may not read a schema it refers to. */
  readonly complete: boolean
}

/** What an object or an element may contain. */
export interface OutlineMember {
  /** `pattern`: members whose names match `name`. `any`: members with other names. */
  readonly kind: 'member' | 'pattern' | 'any' | 'element' | 'attribute'
  readonly name: string
  /** The namespace of an element or attribute; undefined if it is in none. */
  readonly namespace?: string
  /** Key of its type; undefined if it may have any value. */
  readonly type?: string
  /** How often it must occur at least. */
  readonly min: number
  /** How often it may occur; undefined if there is no limit. */
  readonly max?: number
  readonly title?: string
  readonly documentation?: string
  readonly default?: unknown
  readonly fixed?: unknown
}

export interface OutlineType {
  /** The name that the schema gives to the type. */
  readonly name?: string
  /** JSON: the names of JSON types. XML: the local name of a built-in type, if the value is one text. */
  readonly kinds?: readonly string[]
  readonly title?: string
  readonly documentation?: string
  /** The only permitted values. */
  readonly values?: readonly OutlineValue[]
  /** Bounds of the values by the keyword or facet: `pattern`, `minLength`, `format`. */
  readonly facets?: Readonly<Record<string, unknown>>
  /** In the order of the schema. */
  readonly members?: readonly OutlineMember[]
  /** Whether further members may occur. */
  readonly open?: boolean
  /** Key of the type of the text of an element with attributes. */
  readonly text?: string
  /** Whether text may stand between the elements. */
  readonly mixed?: boolean
  /** Key of the type of items: of an array, or of a list in a text. */
  readonly items?: string
  /** Keys of the types of the first items of an array. */
  readonly firstItems?: readonly string[]
  /** Keys of types of which a value has one, or several. */
  readonly alternatives?: readonly string[]
  readonly examples?: readonly unknown[]
  readonly default?: unknown
  readonly deprecated?: boolean
}

export interface OutlineValue {
  readonly value: unknown
  readonly documentation?: string
}

/** Limit of the types of an outline. */
const maxTypes = 5000
/** Limit of the members and values of an outline. */
const maxParts = 30_000
/** Limit of the characters of a text, and of the JSON text of a value. */
const maxLength = 4000

/** Gathers the types of an outline up to the limits. */
export interface OutlineCollector {
  /**
   * The key of a type. Its content is read after the types that were asked for before, so that no depth of a schema
   * exhausts the stack.
   * @param read reads the type at most once
   * @returns undefined if there are too many types
   */
  typeOf(key: string, read: () => OutlineType): string | undefined
  /** Counts a member or a value. @returns false if there are too many */
  mayAdd(): boolean
  /** Says that something is missing. */
  lacks(): void
  /** Reads all types. */
  finish(): Pick<SchemaOutline, 'types' | 'complete'>
}

export function openOutlineCollector(): OutlineCollector {
  const wanted = new Map<string, () => OutlineType>()
  const types: Record<string, OutlineType> = {}
  let parts = 0
  let isComplete = true
  return {
    typeOf(key, read) {
      if (wanted.has(key)) return key
      if (wanted.size >= maxTypes) {
        isComplete = false
        return undefined
      }
      wanted.set(key, read)
      return key
    },
    mayAdd() {
      if (parts < maxParts) {
        parts++
        return true
      }
      isComplete = false
      return false
    },
    lacks() {
      isComplete = false
    },
    finish() {
      // A map also gives what is added meanwhile.
      for (const [key, read] of wanted) types[key] = read()
      return { types, complete: isComplete }
    },
  }
}

/** A text of a schema with one space for each white space, and an empty line between paragraphs; undefined if empty. */
export function documentationText(text: unknown): string | undefined {
  if (typeof text !== 'string') return undefined
  const paragraphs = text.split(/\r?\n[ \t]*\r?\n/).map(each => each.replace(/\s+/g, ' ').trim())
  const whole = paragraphs.filter(each => each !== '').join('\n\n')
  if (whole === '') return undefined
  return whole.length > maxLength ? `${whole.slice(0, maxLength)}…` : whole
}

/** Whether a value is short enough to be a part of an outline. @param text its JSON text */
export function isShortValue(text: string): boolean {
  return text.length <= maxLength
}
