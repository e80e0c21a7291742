import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Finding, ProblemError } from '../../core/problem.js'
import { findingError, findingsOf } from '../findings.js'
import { namespaceFinding } from './components/namespace-names.js'
import { inOwnWords, limitFinding, ordinaryBytes } from './large-documents.js'
import { decodeXml, doctypeMessage, lineOfDoctype } from './source-text.js'
import type { XmlEngine, XmlSchema } from './xsd-engine.js'

/*
 * The second engine: libxml2 as a native addon. It reads files itself. Therefore it only gets text without DOCTYPE, in
 * which every location is the name of a part.
 */

/** The part of libxmljs2 0.35 in use. */
export interface Libxmljs2 {
  parseXml(text: string, options: Readonly<Record<string, string | boolean>>): Libxmljs2Document
}
interface Libxmljs2Document {
  readonly errors: readonly Libxmljs2Error[]
  readonly validationErrors: readonly Libxmljs2Error[]
  getDtd(): unknown
  validate(schema: Libxmljs2Document): boolean
}
interface Libxmljs2Error {
  readonly message: string
  /** 1: a warning; more: an error. */
  readonly level: number | null
  readonly line: number | null
}

/** Opens the engine. @param folder private folder of this process, for files with the parts that the library reads */
export function openLibxmljs2(library: Libxmljs2, folder: string): XmlEngine {
  let schemas = 0

  /** @throws ProblemError `unprocessable` if it exceeds a limit; errors of the library */
  function parseText(text: string, baseUrl: string): Libxmljs2Document {
    const options = { baseUrl, nonet: true, big_lines: true }
    try {
      return library.parseXml(text, options)
    } catch (error) {
      if (text.length < ordinaryBytes) throw error
      const limit = limitFinding(text)
      if (limit) throw findingError(limit)
      return library.parseXml(text, { ...options, huge: true })
    }
  }

  function parse(text: string, baseUrl: string): Libxmljs2Document {
    const doctype = lineOfDoctype(text)
    if (doctype !== undefined) throw findingError({ message: doctypeMessage, line: doctype })
    let document: Libxmljs2Document
    try {
      document = parseText(text, baseUrl)
    } catch (error) {
      throw error instanceof ProblemError ? error : findingError(findingOf(error))
    }
    if (document.getDtd()) throw findingError({ message: doctypeMessage })
    const errors = document.errors.filter(
      error => (error.level ?? 0) > 1 && !namespaceFinding.test(error.message.trim()),
    )
    if (errors.length > 0) throw findingError(...errors.map(findingOf))
    return document
  }

  function schemaIn(directory: string, document: Libxmljs2Document): XmlSchema {
    return {
      validate(bytes) {
        try {
          const instance = parse(decodeXml(bytes), join(directory, 'document.xml'))
          if (instance.validate(document)) return []
          const findings = instance.validationErrors.map(findingOf)
          return findings.length > 0 ? findings : [{ message: 'It could not be validated.' }]
        } catch (thrown) {
          return findingsOf(thrown)
        }
      },
      dispose: () => rmSync(directory, { recursive: true, force: true }),
    }
  }

  return {
    compile(parts) {
      const directory = join(folder, `${schemas++}`)
      mkdirSync(directory, { mode: 0o700 })
      for (const { name, text } of parts) writeFileSync(join(directory, name), text, { mode: 0o600 })
      const main = parts[0]
      if (!main) throw new RangeError('a schema has at least one part')
      try {
        const document = parse(main.text, join(directory, main.name))
        // The library compiles a schema only when it validates a document.
        parse('<any/>', join(directory, 'any.xml')).validate(document)
        return schemaIn(directory, document)
      } catch (error) {
        rmSync(directory, { recursive: true, force: true })
        if (error instanceof Error && error.message === 'Invalid XSD schema') {
          throw findingError({ message: 'It is not an XML schema; this engine does not say where.' })
        }
        throw error
      }
    },
    parse: part => void parse(part.text, join(folder, part.name)),
  }
}

function findingOf(error: unknown): Finding {
  if (!(error instanceof Error)) throw error
  const { line } = error as Error & Libxmljs2Error
  return { message: inOwnWords(error.message.trim()), ...(line ? { line } : {}) }
}
