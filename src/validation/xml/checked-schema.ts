import { LRUCache } from 'lru-cache'
import type { Finding } from '../../core/problem.js'
import { findingError, findingsOf } from '../findings.js'
import { correctedDocument, doubtfulFinding, textsWithManyErrors } from './components/corrected-document.js'
import { correctedSchema, mayNeedCorrection, writtenPatterns } from './components/corrected-schema.js'
import { escapeNamespaces, namespaceFinding, withWrittenNames } from './components/namespace-names.js'
import { readComponents, type SchemaComponents } from './components/schema-components.js'
import { schemaFindings } from './components/schema-faults.js'
import { uncheckedTexts, valueFindings } from './components/unchecked-values.js'
import { placedFindings } from './finding-places.js'
import { decodeXml } from './source-text.js'
import type { XmlEngine, XmlPart, XmlSchema } from './xsd-engine.js'

/**
 * Compiles a schema, and corrects what the engines judge in another way than XML Schema 1.0 does. An ordinary document
 * is validated by the engine alone. What stays different is in the documents.
 * @throws ProblemError `unprocessable` if the parts are not well-formed or no schema
 * @see docs/use/xml-schema.md
 */
export function compileChecked(engine: XmlEngine, parts: readonly XmlPart[]): XmlSchema {
  const escaped = parts.map(part => ({ ...part, text: escapeNamespaces(part.text) }))
  const isEscaped = escaped.some(({ text }, index) => text !== parts[index]?.text)
  const components = () => {
    const known = recent.get(escaped) ?? readComponents(escaped)
    recent.set(escaped, known)
    return known
  }
  const corrected = mayNeedCorrection(escaped)
    ? unlessTooDeep(() => correctedSchema(escaped, readComponents(escaped)), escaped)
    : escaped
  const inPatterns = withPatterns(() => (corrected === escaped ? new Map() : writtenPatterns(components())))
  const schema = compile(engine, corrected, inPatterns)
  const faults = unlessTooDeep(() => faultsOf(escaped, corrected), [])
  if (faults.length > 0) {
    schema.dispose()
    throw findingError(...faults.map(fault => inPart(fault, parts)).map(inWrittenNames))
  }
  const doubtfulText = uncheckedTexts(parts, decodeValidated)
  const textWithManyErrors = textsWithManyErrors(parts, decodeValidated)
  const correctionOf = (text: string) => unlessTooDeep(() => correctedDocument(components(), text), undefined)

  function validate(document: Uint8Array): readonly Finding[] {
    const early = textWithManyErrors(document)
    const known = early === undefined ? undefined : unlessMalformed(() => correctionOf(early))
    const findings = schema.validate(known ? encoder.encode(known.text) : document)
    if (findings.length > 0) {
      if (!findings.some(({ message }) => doubtfulFinding.test(message))) return findings
      const text = decodeValidated(document)
      const other = known ?? (text === undefined ? undefined : correctionOf(text))
      if (other === undefined) return findings
      const further = known || other.text === text ? findings : schema.validate(encoder.encode(other.text))
      const right = further.filter(finding => !other.isWrong(finding))
      if (right.length > 0) return right
    }
    const text = doubtfulText(document)
    return text === undefined ? [] : unlessTooDeep(() => valueFindings(components(), text), [])
  }
  function validateWritten(document: Uint8Array): readonly Finding[] {
    const findings = isEscaped ? [] : validate(document)
    const isRefused = findings.some(({ message }) => namespaceFinding.test(message))
    if (!isEscaped && !isRefused) return findings
    const text = decodeValidated(document)
    if (text === undefined) return isRefused ? findings : validate(document)
    return validate(encoder.encode(escapeNamespaces(text))).map(inWrittenNames)
  }
  return {
    validate(document) {
      const findings = validateWritten(document)
      return findings.length === 0 ? findings : placedFindings(findings, decodeValidated(document))
    },
    dispose: schema.dispose,
  }
}

const encoder = new TextEncoder()

/** The components of schemas in use. They need about ten times the memory of the text. */
const recent = new LRUCache<readonly XmlPart[], SchemaComponents>({
  max: 16,
  maxSize: 4_000_000,
  sizeCalculation: (_components, parts) => parts.reduce((sum, { text }) => sum + text.length, 1),
})

function faultsOf(escaped: readonly XmlPart[], corrected: readonly XmlPart[]) {
  const written = readComponents(escaped)
  return schemaFindings(written, corrected === escaped ? written : readComponents(corrected))
}

/** A chain of thousands of types that are derived from each other exhausts the stack: the engine alone decides then. */
function unlessTooDeep<T>(work: () => T, otherwise: T): T {
  try {
    return work()
  } catch (error) {
    if (error instanceof RangeError) return otherwise
    throw error
  }
}

/** The schema, whose findings have the patterns and the names of namespaces that were written. */
function compile(
  engine: XmlEngine,
  parts: readonly XmlPart[],
  inPatterns: (finding: Finding) => Finding,
): XmlSchema {
  try {
    const schema = engine.compile(parts)
    return { ...schema, validate: document => schema.validate(document).map(inPatterns) }
  } catch (thrown) {
    throw findingError(...findingsOf(thrown).map(inPatterns).map(inWrittenNames))
  }
}

/** What stands before and behind a pattern in a finding. */
const aroundPatterns = [
  [" is not accepted by the pattern '", "'."],
  ["The value '", "' of the facet 'pattern' is not a valid"],
] as const

/** Returns a function that writes the patterns in a finding as they were written. */
function withPatterns(patterns: () => ReadonlyMap<string, string>): (finding: Finding) => Finding {
  let known: ReadonlyMap<string, string> | undefined
  return finding => {
    const { message } = finding
    for (const [before, after] of aroundPatterns) {
      const start = message.lastIndexOf(before) + before.length
      const end = message.lastIndexOf(after)
      if (start < before.length || end < start) continue
      known ??= patterns()
      const pattern = known.get(message.slice(start, end)) ?? message.slice(start, end)
      return { ...finding, message: message.slice(0, start) + pattern + message.slice(end) }
    }
    return finding
  }
}

function inPart(
  { part, ...finding }: Finding & { readonly part: string },
  parts: readonly XmlPart[],
): Finding {
  const file = parts.find(({ name }) => name === part)?.file
  return file === undefined ? finding : { ...finding, file }
}

function inWrittenNames(finding: Finding): Finding {
  return { ...finding, message: withWrittenNames(finding.message) }
}

/** The text of a document that the engine could parse; undefined for an encoding that only the engine knows. */
function decodeValidated(document: Uint8Array): string | undefined {
  return unlessMalformed(() => decodeXml(document))
}

/** Undefined if a document is not well-formed, which the engine reports. */
function unlessMalformed<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch (thrown) {
    findingsOf(thrown)
    return undefined
  }
}
