import { type Documentation, readDocumentation } from '../../../validation/xml/schema-documentation.js'
import { documentationText } from './schema-outline.js'

/**
 * The documentation of a file of an XML schema by the position of the element that it documents. If there are several
 * languages, the text is English, else in the first language.
 * @param text a well-formed schema
 */
export function documentationOf(text: string): ReadonlyMap<number, string> {
  const texts = [...readDocumentation(text)].flatMap(([start, all]) => {
    const written = documentationText(inOneLanguage(all).join('\n\n'))
    return written === undefined ? [] : [[start, written] as const]
  })
  return new Map(texts)
}

function inOneLanguage(all: readonly Documentation[]): readonly string[] {
  const english = all.find(({ language }) => /^en\b/i.test(language))
  const wanted = (english ?? all[0])?.language
  return all.filter(({ language }) => language === wanted).map(({ text }) => text)
}
