import { nameInWords } from '../../../core/text/name-in-words.js'
import { type Declaration, labelOf } from '../declarations/declaration.js'

/*
 * A document as it is drawn: texts, groups of members, and lists. JSON and XML documents are drawn from the same values.
 */

export interface DrawnText {
  readonly kind: 'text'
  readonly text: string
  /** What the text stands for. A number is as the document writes it. */
  readonly type: 'text' | 'number' | 'boolean' | 'nothing'
}

export interface DrawnGroup {
  readonly kind: 'group'
  readonly members: readonly DrawnMember[]
  /** The text of an element that also has attributes. */
  readonly text?: DrawnText | undefined
}

export interface DrawnList {
  readonly kind: 'list'
  /** What each entry is, if the document names it, such as *Title* for those of `titles`. */
  readonly entryLabel?: string | undefined
  readonly entries: readonly DrawnValue[]
}

export type DrawnValue = DrawnText | DrawnGroup | DrawnList

export interface DrawnMember {
  readonly name: string
  readonly label: string
  /** What the schema says about the member. */
  readonly description?: string | undefined
  readonly value: DrawnValue
}

/** A drawn document. */
export interface DrawnDocument {
  readonly value: DrawnValue
  /** Whether a part of the document is left out, because it is too large or too deep. */
  readonly isPart: boolean
}

/** Limits of the values of a document that are drawn, of its levels, and of the characters of its texts together. */
const drawnLimits = { values: 3000, levels: 24, characters: 300_000 }

/** Counts what is drawn of a document. */
export interface DrawnAmount {
  /** @returns whether one more value at this level is drawn */
  take(level: number): boolean
  /** The text as far as it is drawn. */
  text(text: string, type?: DrawnText['type']): DrawnText
  readonly isPart: boolean
}

export function countDrawn(): DrawnAmount {
  let [values, characters] = [drawnLimits.values, drawnLimits.characters]
  let isPart = false
  return {
    take(level) {
      if (values > 0 && characters > 0 && level <= drawnLimits.levels) {
        values--
        return true
      }
      isPart = true
      return false
    },
    text(text, type = 'text') {
      const drawn = text.slice(0, Math.max(characters, 0))
      characters -= drawn.length
      if (drawn.length < text.length) isPart = true
      return { kind: 'text', text: drawn, type }
    },
    get isPart() {
      return isPart
    },
  }
}

/** A member with the label that the schema gives, else its name in words. */
export function drawnMember(
  name: string,
  declaration: Declaration | undefined,
  value: DrawnValue,
): DrawnMember {
  return { name, label: memberLabel(name, declaration), description: declaration?.description, value }
}

/** The label that the schema gives, else the name in words. */
export function memberLabel(name: string, declaration: Declaration | undefined): string {
  return declaration ? labelOf({ name, declaration }) : nameInWords(name)
}
