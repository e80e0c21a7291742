import { readXml } from '../../../core/xml/xml-reader.js'
import { schemaNamespace } from '../../../validation/xml/components/schema-tree.js'
import { documentationText } from './schema-outline.js'

/** A text of `xs:documentation`. */
interface Documentation {
  readonly language: string
  text: string
}

/** An open element while a file is read. */
interface Open {
  readonly local: string
  readonly isOfSchema: boolean
  readonly start: number
}

/**
 * The documentation of a file of an XML schema by the position of the element that it documents. If there are several
 * languages, the text is English, else in the first language.
 * @param text a well-formed schema
 */
export function documentationOf(text: string): ReadonlyMap<number, string> {
  const found = new Map<number, Documentation[]>()
  const open: Open[] = []
  let reading: { readonly documentation: Documentation; readonly depth: number } | undefined
  readXml(text, {
    open({ namespace, local, attributes, start }) {
      const isOfSchema = namespace === schemaNamespace
      const [annotated, annotation] = open.slice(-2)
      const isDocumentation =
        isOfSchema && local === 'documentation' && annotation?.isOfSchema && annotation.local === 'annotation'
      if (!reading && isDocumentation && annotated) {
        const language = attributes.find(each => each.local === 'lang')?.value ?? ''
        const documentation = { language, text: '' }
        found.set(annotated.start, [...(found.get(annotated.start) ?? []), documentation])
        reading = { documentation, depth: open.length }
      }
      open.push({ local, isOfSchema, start })
    },
    text(piece) {
      if (reading) reading.documentation.text += piece
    },
    close() {
      open.pop()
      if (reading && open.length <= reading.depth) reading = undefined
    },
  })
  const texts = [...found].flatMap(([start, all]) => {
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
