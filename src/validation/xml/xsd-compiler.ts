import type { Finding } from '../../core/problem.js'
import { findingError, findingsOf, inFile } from '../findings.js'
import {
  bytesOf,
  identityOf,
  languageMessage,
  nameOf,
  type ReferenceTarget,
  resolveReference,
  unresolvedMessage,
  unresolvedReference,
} from '../reference-resolver.js'
import type { FileReference, References, SchemaBundle } from '../validator.js'
import { compileChecked } from './checked-schema.js'
import { readSchemaText, type SchemaText } from './source-text.js'
import { xmlNamespaceSchema, xmlNamespaceSchemaUrl } from './xml-namespace-schema.js'
import type { XmlEngine, XmlPart, XmlSchema } from './xsd-engine.js'

/**
 * Compiles an XML schema with the files and registered schemas it refers to.
 * @throws ProblemError `unprocessable` with findings: not well-formed, no schema, a reference without a target
 */
export function compileXsd(engine: XmlEngine, bundle: SchemaBundle): XmlSchema {
  const parts: XmlPart[] = []
  const names = new Map<string, string>()
  const waiting: ReferenceTarget[] = []
  const nameFor = (place: ReferenceTarget): string => {
    const identity = identityOf(isDocument(place) ? { bundle: place.bundle } : place)
    const known = names.get(identity)
    if (known !== undefined) return known
    const name = `${names.size}.xsd`
    names.set(identity, name)
    waiting.push(place)
    return name
  }
  let needsXmlNamespace = false
  const lost: Finding[] = []
  nameFor({ bundle })
  for (let place = waiting.shift(); place; place = waiting.shift()) {
    const file = nameOf(place)
    const from = place
    const read = readPart(engine, place)
    const text = rewrite(read, target => {
      const to = resolveReference(target, from)
      if (to && to.bundle.type === 'XML') return nameFor(to)
      if (!to && xmlNamespaceSchemaUrl.test(target)) needsXmlNamespace = true
      else lost.push(finding(to ? languageMessage(target) : unresolvedMessage(target), read, target, file))
      return xmlNamespaceName
    })
    parts.push({ name: nameFor(place), text, ...(file === undefined ? {} : { file }) })
  }
  if (lost.length > 0) throw findingError(...lost)
  if (needsXmlNamespace) parts.push({ name: xmlNamespaceName, text: xmlNamespaceSchema })
  return compileChecked(engine, parts)
}

const xmlNamespaceName = 'xml.xsd'

/** Follows the references of a schema through its files. @throws ProblemError `unprocessable` if a file is no schema */
export function xmlReferences(engine: XmlEngine, bundle: SchemaBundle): References {
  const used = new Set<string>()
  const lost = new Map<string, FileReference>()
  const seen = new Set<string | undefined>([undefined])
  const waiting: ReferenceTarget[] = [{ bundle }]
  for (let place = waiting.shift(); place; place = waiting.shift()) {
    for (const { target, line } of readPart(engine, place).locations) {
      const to = resolveReference(target, place)
      if (!to) {
        const reference = unresolvedReference(target, place, line)
        const key = `${target}\n${reference.path ?? ''}`
        if (!xmlNamespaceSchemaUrl.test(target) && !lost.has(key)) lost.set(key, reference)
        continue
      }
      if (to.file !== undefined) used.add(to.file)
      if (!seen.has(to.file)) waiting.push(to)
      seen.add(to.file)
    }
  }
  return { used, missing: [...lost.values()] }
}

/**
 * Whether a place is the document, or a copy of it under its original name, by which other files may refer to it. If
 * the copy were compiled too, every component would be declared twice.
 */
function isDocument({ bundle, file }: ReferenceTarget): boolean {
  if (file === undefined) return true
  return !file.includes('/') && Buffer.compare(bundle.files.get(file) ?? nothing, bundle.document) === 0
}

const nothing = new Uint8Array()

function readPart(engine: XmlEngine, place: ReferenceTarget): SchemaText {
  const file = nameOf(place)
  try {
    const read = readSchemaText(bytesOf(place))
    engine.parse({ name: 'part.xsd', text: read.text })
    if (!read.complete) throw findingError({ message: 'Its tags cannot be read.' })
    return read
  } catch (thrown) {
    throw findingError(...inFile(findingsOf(thrown), file))
  }
}

function rewrite(read: SchemaText, rename: (target: string) => string): string {
  let text = ''
  let offset = 0
  for (const { target, start, end } of read.locations) {
    text += read.text.slice(offset, start) + rename(target) + read.text.charAt(end)
    // Line breaks in the old value move behind its quote, so that the line numbers below stay the same.
    text += read.text.slice(start, end).replace(/[^\n]/g, '')
    offset = end + 1
  }
  return text + read.text.slice(offset)
}

function finding(message: string, read: SchemaText, target: string, file: string | undefined): Finding {
  const location = read.locations.find(other => other.target === target)
  return {
    message,
    ...(location ? { line: location.line, schemaPath: location.element } : {}),
    ...(file === undefined ? {} : { file }),
  }
}
