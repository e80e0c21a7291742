import { createScanner } from 'jsonc-parser'

/** Why a text cannot be edited with fields, with the place in UTF-16 units. */
export interface JsonFault {
  readonly message: string
  readonly offset: number
}

/** Nesting at which the parser of the tree would exhaust the stack of calls. */
const maxDepth = 500

/** Kinds of tokens. The enumeration of the parser is declared `const`, so it does not exist when this runs. */
const token = { openBrace: 1, closeBrace: 2, openBracket: 3, closeBracket: 4, end: 17 } as const

/** Where a text is nested so deeply that the parsers would exhaust the stack of calls. */
export function depthFault(text: string): JsonFault | undefined {
  const scanner = createScanner(text, true)
  let depth = 0
  for (let kind: number = scanner.scan(); kind !== token.end; kind = scanner.scan()) {
    if (kind === token.openBrace || kind === token.openBracket) depth++
    else if (kind === token.closeBrace || kind === token.closeBracket) depth--
    if (depth > maxDepth) return { message: 'NestedTooDeeply', offset: scanner.getTokenOffset() }
  }
  return undefined
}
