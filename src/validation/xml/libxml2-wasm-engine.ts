import {
  type ErrorDetail,
  ParseOption,
  XmlDocument,
  XmlError,
  XmlLibError,
  XsdValidator,
  xmlRegisterInputProvider,
} from 'libxml2-wasm'
import { type Finding, ProblemError } from '../../core/problem.js'
import { findingError, findingsOf } from '../findings.js'
import { namespaceFinding } from './components/namespace-names.js'
import { inOwnWords, limitFinding, ordinaryBytes } from './large-documents.js'
import { decodeXml, doctypeMessage, lineOfDoctype } from './source-text.js'
import type { XmlEngine, XmlPart, XmlSchema } from './xsd-engine.js'

/*
 * The default engine: libxml2 as WebAssembly. It has no file system. It opens files through the provider below, which
 * offers only the parts of the schema that is being compiled.
 */

const base = 'mem:///'
const parsing: ParseOption =
  ParseOption.XML_PARSE_NONET |
  ParseOption.XML_PARSE_NO_XXE |
  ParseOption.XML_PARSE_NO_SYS_CATALOG |
  ParseOption.XML_PARSE_BIG_LINES

let offered: ReadonlyMap<string, Uint8Array> = new Map()
const open = new Map<number, { readonly bytes: Uint8Array; at: number }>()
let handles = 0
/** The files of the schema that is being compiled refer to each other in a longer chain than the library can follow. */
let isTooDeep = false

/**
 * Limit of the calls on the stack while a file is opened: 145 files that include each other in a chain, or 215 that import
 * each other. With 312 that include each other, the library overwrites its own memory: it has a stack of 64 KiB, and does
 * not check where that ends.
 */
const maxCalls = 450

/** Whether more than {@link maxCalls} calls are on the stack. */
function hasDeepStack(): boolean {
  const usual = Error.stackTraceLimit
  Error.stackTraceLimit = maxCalls
  const { stack = '' } = new Error()
  Error.stackTraceLimit = usual
  return stack.split('\n').length > maxCalls
}

xmlRegisterInputProvider({
  match: () => true,
  open: name => {
    const bytes = offered.get(name)
    isTooDeep ||= hasDeepStack()
    if (!bytes || isTooDeep) return undefined
    handles++
    open.set(handles, { bytes, at: 0 })
    return handles
  },
  read: (handle, buffer) => {
    const file = open.get(handle)
    if (!file) return -1
    const chunk = file.bytes.subarray(file.at, file.at + buffer.byteLength)
    buffer.set(chunk)
    file.at += chunk.byteLength
    return chunk.byteLength
  },
  close: handle => open.delete(handle),
})

const chainMessage =
  'Its files refer to each other in a chain that is too long: let the schema document refer to more of them.'

export const wasmEngine: XmlEngine = {
  compile(parts) {
    const [main] = parts
    if (!main) throw new RangeError('a schema has at least one part')
    const encoder = new TextEncoder()
    offered = new Map(parts.map(part => [base + part.name, encoder.encode(part.text)]))
    const document = parsed(main)
    try {
      const compiled = schema(XsdValidator.fromDoc(document))
      if (!isTooDeep) return compiled
      // An import that cannot be opened is no error for the library.
      compiled.dispose()
    } catch (error) {
      const found = findings(error, 'It is not an XML schema.', parts)
      throw findingError(...(isTooDeep ? [{ message: chainMessage }] : found))
    } finally {
      isTooDeep = false
      offered = new Map()
      open.clear()
      document.dispose()
    }
    throw findingError({ message: chainMessage })
  },
  parse(part) {
    try {
      parsed(part).dispose()
    } catch (thrown) {
      // The compilation escapes the names of namespaces.
      const findings = findingsOf(thrown).filter(({ message }) => !namespaceFinding.test(message))
      if (findings.length > 0) throw findingError(...findings)
    }
  },
}

function parsed(part: XmlPart): XmlDocument {
  let document: XmlDocument
  try {
    document = XmlDocument.fromString(part.text, { url: base + part.name, option: parsing })
  } catch (error) {
    throw findingError(...findings(error, 'It is not well-formed XML.', [part]))
  }
  if (document.dtd === null) return document
  document.dispose()
  throw findingError({ message: doctypeMessage })
}

function schema(validator: XsdValidator): XmlSchema {
  return {
    validate(bytes) {
      let document: XmlDocument
      try {
        document = parsedDocument(bytes)
      } catch (error) {
        // After an error inside the DOCTYPE, the finding is about the DOCTYPE.
        const line = lineOfDoctypeIn(bytes)
        if (line !== undefined) return [{ message: doctypeMessage, line }]
        return error instanceof ProblemError
          ? findingsOf(error)
          : findings(error, 'It is not well-formed XML.', [])
      }
      try {
        if (document.dtd !== null) return [{ message: doctypeMessage }]
        validator.validate(document)
        return []
      } catch (error) {
        return findings(error, 'It could not be validated.', [])
      } finally {
        document.dispose()
      }
    },
    dispose: () => validator.dispose(),
  }
}

/** @throws XmlError if it is not well-formed; ProblemError `unprocessable` if it exceeds a limit */
function parsedDocument(bytes: Uint8Array): XmlDocument {
  try {
    return XmlDocument.fromBuffer(bytes, { option: parsing })
  } catch (error) {
    if (bytes.byteLength < ordinaryBytes) throw error
    const limit = limitFinding(decodeXml(bytes))
    if (limit) throw findingError(limit)
    return XmlDocument.fromBuffer(bytes, { option: parsing | ParseOption.XML_PARSE_HUGE })
  }
}

function lineOfDoctypeIn(bytes: Uint8Array): number | undefined {
  try {
    return lineOfDoctype(decodeXml(bytes))
  } catch (thrown) {
    // The parser reports bytes that cannot be decoded.
    findingsOf(thrown)
    return undefined
  }
}

/** The findings of an error of libxml2, or `otherwise` if it has no details. @throws any other error */
function findings(error: unknown, otherwise: string, parts: readonly XmlPart[]): readonly Finding[] {
  if (!(error instanceof XmlError)) throw error
  const details: readonly ErrorDetail[] = error instanceof XmlLibError ? error.details : []
  const errors = details.filter(detail => detail.level > 1)
  const reported = (errors.length > 0 ? errors : details).map(detail => {
    const file = parts.find(part => detail.file === base + part.name)?.file
    return {
      message: inOwnWords(withNames(detail.message.trim(), parts)),
      ...(detail.line > 0 ? { line: detail.line } : {}),
      // Only the parser tells the column. A validator of a parsed document tells the line of an element.
      ...(detail.line > 0 && detail.col > 0 ? { column: detail.col } : {}),
      ...(file === undefined ? {} : { file }),
    }
  })
  return reported.length > 0 ? reported : [{ message: otherwise }]
}

/** Replaces the names of parts by the paths of their files. */
function withNames(message: string, parts: readonly XmlPart[]): string {
  const named = message.replaceAll(base, '').replace(/'(\d+\.xsd)'/g, (whole, name: string) => {
    const part = parts.find(other => other.name === name)
    return part ? `'${part.file ?? 'the document'}'` : whole
  })
  return named.replace(/\.\.$/, '.')
}
