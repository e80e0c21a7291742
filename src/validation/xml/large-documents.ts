import { lineAt } from '../../core/json/source-locations.js'
import type { Finding } from '../../core/problem.js'
import { maxXmlLevels, readXml } from '../../core/xml/xml-reader.js'
import { doctypeMessage, lineOfDoctype } from './source-text.js'

/**
 * Bytes below which no text can reach the limit of 10,000,000 bytes that libxml2 has for a text, a comment or an
 * attribute. UTF-16 becomes longer in the library. The option that lifts this limit lifts the limit of levels, too.
 */
export const ordinaryBytes = 5_000_000

/** The finding that forbids to parse a document without the limits of libxml2; undefined if there is none. */
export function limitFinding(text: string): Finding | undefined {
  const doctype = lineOfDoctype(text)
  if (doctype !== undefined) return { message: doctypeMessage, line: doctype }
  let level = 0
  let tooDeep: number | undefined
  readXml(text, {
    open({ start }) {
      level++
      if (level > maxXmlLevels) tooDeep ??= start
    },
    close() {
      level--
    },
  })
  return tooDeep === undefined ? undefined : { message: depthMessage, line: lineAt(text, tooDeep) }
}

const depthMessage = `It has more than ${maxXmlLevels} levels of elements.`

/** Rewords what libxml2 says about its limits, because its options are no options of the server. */
export function inOwnWords(message: string): string {
  return /^Excessive depth in document/.test(message) ? depthMessage : message
}
