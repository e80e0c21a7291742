import { endOfString } from './source-locations.js'

/** The depth and the number of values of a JSON text. */
export interface JsonSize {
  /** Levels of arrays and objects. */
  readonly depth: number
  /** An upper bound of the number of scalars, arrays and objects: an empty array or object counts as two. */
  readonly values: number
}

/** Measures a JSON text in linear time before it is parsed. A text that is not JSON gets an arbitrary size. */
export function jsonSize(text: string): JsonSize {
  let depth = 0
  let deepest = 0
  let values = 1
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    if (code === quotationMark) index = endOfString(text, index)
    else if (code === comma) values++
    else if (code === openingBracket || code === openingBrace) {
      values++
      deepest = Math.max(deepest, ++depth)
    } else if (code === closingBracket || code === closingBrace) depth--
  }
  return { depth: deepest, values }
}

const quotationMark = 0x22
const comma = 0x2c
const openingBracket = 0x5b
const closingBracket = 0x5d
const openingBrace = 0x7b
const closingBrace = 0x7d
