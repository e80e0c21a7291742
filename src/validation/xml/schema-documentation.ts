import { readXml } from '../../core/xml/xml-reader.js'
import { schemaNamespace } from './components/schema-tree.js'

/** A text of `xs:documentation`. */
export interface Documentation {
  /** Value of `xml:lang`; empty if there is none. */
  readonly language: string
  readonly text: string
}

/** An open element while a file is read. */
interface Open {
  readonly local: string
  readonly isOfSchema: boolean
  readonly start: number
}

/**
 * The documentation of a file of an XML schema by the position of the element that it documents, in the order of the
 * file.
 * @param text a well-formed schema
 */
export function readDocumentation(text: string): ReadonlyMap<number, readonly Documentation[]> {
  const found = new Map<number, Documentation[]>()
  const open: Open[] = []
  let reading:
    | { readonly documentation: { language: string; text: string }; readonly depth: number }
    | undefined
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
  return found
}
