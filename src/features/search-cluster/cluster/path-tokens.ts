import { type DocumentValue, maxPathLength } from '../../search/values/document-values.js'
import { foldedWords } from '../../search/values/fold-words.js'

/*
 * One field of the cluster has the words of a document with their paths, so that any number of paths needs no further
 * field, and types of values cannot conflict. `{"instrument": {"name": "Field Emission"}}` is the text
 * `^.instrument.name| ^.instrument.name|field ^.instrument.name|emission ^.instrument.name|`. The analyzer of the index
 * adds, at the place of each token, what is after each of its dots: `name|field` is the word at any path that ends so.
 */

/** Ends the path in a token. */
const separator = '|'
/** Stands before the first name of a path in a token. */
const root = '^.'

/** The regular expression with which the analyzer adds the endings of paths: each group becomes a further token. */
export const endingPattern = '\\.(?=([^|]*\\|.*))'

/** Limit of the characters of the text of one document: the cluster refuses requests of 100 MiB. */
const maxTextLength = 16 * 2 ** 20

/** A text for the field with paths. */
export function pathText(values: readonly DocumentValue[]): string {
  const tokens: string[] = []
  let length = 0
  let last: string | undefined
  function add(token: string): void {
    tokens.push(token)
    length += token.length + 1
  }
  for (const { path, text } of values) {
    if (path === '' || path.length > maxPathLength) continue
    const marker = root + escaped(path) + separator
    const words = foldedWords(text)
    if (length + (words.length + 2) * marker.length + text.length > maxTextLength) break
    // One marker ends a value and begins the next one at the same path.
    if (last !== marker) add(marker)
    for (const word of words) add(marker + word)
    add(marker)
    last = marker
  }
  return tokens.join(' ')
}

/**
 * The beginning of all tokens at a path; `*.name` is any path that ends in `name`. A token without a word after this
 * beginning stands before and after each value.
 */
export function markerOf(path: string): string {
  return path.startsWith('*.') ? escaped(path.slice(2)) + separator : root + escaped(path) + separator
}

/** The beginning of all tokens at paths below a path; undefined for `*.name`. */
export function markerBelow(path: string): string | undefined {
  return path.startsWith('*.') ? undefined : `${root}${escaped(path)}.`
}

/** A path in lower case, without characters that mean something in a token. */
function escaped(path: string): string {
  return path.toLowerCase().replace(/[\s|%^\p{Cc}\p{Cs}]/gu, found => `%${found.charCodeAt(0).toString(16)}`)
}
