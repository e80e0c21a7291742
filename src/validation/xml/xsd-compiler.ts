import type { Finding } from '../../core/problem.js'
import { xmlNamespace } from '../../core/xml/xml-reader.js'
import { findingError, findingsOf } from '../findings.js'
import {
  identityOf,
  languageMessage,
  nameOf,
  type ReferenceTarget,
  unresolvedMessage,
  unresolvedReference,
} from '../reference-resolver.js'
import type { FileReference, References, SchemaBundle } from '../validator.js'
import { compileChecked } from './checked-schema.js'
import type { Location, SchemaText } from './source-text.js'
import { xmlNamespaceSchema } from './xml-namespace-schema.js'
import type { XmlEngine, XmlPart, XmlSchema } from './xsd-engine.js'
import { openSchemaFiles } from './xsd-locations.js'

/** A file of the schema under its name for the engine, with the names that its locations get. */
interface PlannedPart {
  readonly name: string
  readonly file: string | undefined
  readonly read: SchemaText
  /** In the order of the locations: the name of another part, or undefined: the location is removed. */
  readonly targets: readonly (string | undefined)[]
}

/**
 * Compiles an XML schema with the files and registered schemas it refers to.
 * @throws ProblemError `unprocessable` with findings: not well-formed, no schema, a reference without a target
 */
export function compileXsd(engine: XmlEngine, bundle: SchemaBundle): XmlSchema {
  const { parts, lost } = planParts(engine, bundle)
  if (lost.length > 0) throw findingError(...lost)
  // Several files of one namespace may declare the same: then one of them is enough.
  const plans = withOneXmlSchema(parts).flatMap(plan => [...joinImports(plan), render(plan)])
  let findings: readonly Finding[] | undefined
  for (const plan of plans) {
    try {
      return compileChecked(engine, plan)
    } catch (thrown) {
      findings ??= findingsOf(thrown)
    }
  }
  throw findingError(...(findings ?? []))
}

/**
 * The files of a schema that was compiled before, the document first. Their locations are the names of other files.
 * @returns `lost`: locations that lead to no file of this bundle, which are removed from the text
 * @throws ProblemError `unprocessable` with findings if a file cannot be read
 */
export function filesOfXsd(bundle: SchemaBundle): {
  readonly files: readonly XmlPart[]
  readonly lost: readonly Finding[]
} {
  const { parts, lost } = planParts({ parse: () => undefined }, bundle)
  return { files: render(parts), lost }
}

const documentName = '0.xsd'
const xmlNamespaceName = 'xml.xsd'
/** Stands for a file that includes itself, which the engine refuses. */
const emptyName = 'empty.xsd'
const emptySchema = '<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"/>'

function planParts(
  engine: Pick<XmlEngine, 'parse'>,
  bundle: SchemaBundle,
): { readonly parts: readonly PlannedPart[]; readonly lost: readonly Finding[] } {
  const files = openSchemaFiles(engine, bundle)
  const parts: PlannedPart[] = []
  const names = new Map<string, string>()
  const waiting: ReferenceTarget[] = []
  const nameFor = (place: ReferenceTarget): string => {
    const identity = identityOf(isDocument(place, files.start) ? { bundle: place.bundle } : place)
    const known = names.get(identity)
    if (known !== undefined) return known
    const name = `${names.size}.xsd`
    names.set(identity, name)
    waiting.push(place)
    return name
  }
  const lost: Finding[] = []
  nameFor(files.start)
  for (let place = waiting.shift(); place; place = waiting.shift()) {
    const file = isDocument(place, files.start) && place.bundle === bundle ? undefined : nameOf(place)
    const from = place
    const read = files.read(place)
    const targets = read.locations.map(location => {
      const to = files.targetOf(location, from)
      if (to.kind === 'nothing') return undefined
      if (to.kind === 'bundled') return xmlNamespaceName
      if (to.kind === 'place' && to.place.bundle.type === 'XML') {
        const name = nameFor(to.place)
        return name === nameFor(from) && /(?:^|:)include$/.test(location.element) ? emptyName : name
      }
      lost.push(finding(location, to.kind === 'lost' ? unresolvedMessage : languageMessage, file))
      return undefined
    })
    parts.push({ name: nameFor(place), file, read, targets })
  }
  return { parts, lost }
}

/**
 * Lets all imports of the namespace `xml:` lead to one schema.
 * @returns with an uploaded schema if there is one, then with the bundled one
 */
function withOneXmlSchema(parts: readonly PlannedPart[]): readonly (readonly PlannedPart[])[] {
  const led = (to: string) =>
    parts.map(part => ({
      ...part,
      targets: part.targets.map((target, index) =>
        part.read.locations[index]?.namespace === xmlNamespace ? to : target,
      ),
    }))
  const uploaded = importsOf(parts).find(
    ({ namespace, target }) => namespace === xmlNamespace && target !== xmlNamespaceName,
  )
  return uploaded ? [led(uploaded.target), led(xmlNamespaceName)] : [parts]
}

function importsOf(parts: readonly PlannedPart[]): readonly { namespace: string; target: string }[] {
  return parts.flatMap(({ read, targets }) =>
    read.locations.flatMap(({ namespace }, index) => {
      const target = targets[index]
      return namespace === undefined || target === undefined ? [] : [{ namespace, target }]
    }),
  )
}

/**
 * The parts with one more for each namespace that is imported from several files. It includes these files, because
 * engines read only the first file that they import for a namespace.
 * @returns no list if there is no such namespace
 */
function joinImports(parts: readonly PlannedPart[]): readonly (readonly XmlPart[])[] {
  const byName = new Map(parts.map(part => [part.name, part]))
  const namespaces = new Map<string, Set<string>>()
  for (const { namespace, target } of importsOf(parts)) {
    // A file of another namespace is an error, which the engine reports at the import.
    if (target === documentName || byName.get(target)?.read.targetNamespace !== namespace) continue
    namespaces.set(namespace, (namespaces.get(namespace) ?? new Set()).add(target))
  }
  const joined = [...namespaces].filter(([, targets]) => targets.size > 1)
  if (joined.length === 0) return []
  const nameOfJoined = new Map(joined.map(([namespace], index) => [namespace, `${parts.length + index}.xsd`]))
  const led = parts.map(part => ({
    ...part,
    targets: part.targets.map((target, index) => {
      const namespace = part.read.locations[index]?.namespace
      const isJoined =
        namespace !== undefined && target !== undefined && namespaces.get(namespace)?.has(target)
      return isJoined ? (nameOfJoined.get(namespace) ?? target) : target
    }),
  }))
  const wrappers = joined.map(([namespace, targets]): XmlPart => {
    const files = [...targets].map(target => byName.get(target)?.file ?? target)
    return {
      name: nameOfJoined.get(namespace) ?? '',
      text: includingSchema(namespace, targets),
      file: files.join(', '),
    }
  })
  return [[...render(led), ...wrappers]]
}

function includingSchema(namespace: string, targets: Iterable<string>): string {
  const escaped = namespace.replace(/&/g, '&amp;').replace(/"/g, '&quot;').replace(/</g, '&lt;')
  const target = namespace === '' ? '' : ` targetNamespace="${escaped}"`
  const includes = [...targets].map(name => `<xs:include schemaLocation="${name}"/>`)
  return `<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"${target}>${includes.join('')}</xs:schema>`
}

function render(parts: readonly PlannedPart[]): readonly XmlPart[] {
  const rendered = parts.map(({ name, file, read, targets }) => ({
    name,
    text: rewrite(read, targets),
    ...(file === undefined ? {} : { file }),
  }))
  const own = [
    { name: xmlNamespaceName, text: xmlNamespaceSchema },
    { name: emptyName, text: emptySchema },
  ]
  return [...rendered, ...own.filter(({ name }) => parts.some(({ targets }) => targets.includes(name)))]
}

/** Follows the references of a schema through its files. @throws ProblemError `unprocessable` if a file is no schema */
export function xmlReferences(engine: XmlEngine, bundle: SchemaBundle): References {
  const files = openSchemaFiles(engine, bundle)
  const used = new Set<string>()
  const lost = new Map<string, FileReference>()
  const seen = new Set<string>()
  const waiting: ReferenceTarget[] = []
  const visit = (place: ReferenceTarget) => {
    if (place.file !== undefined) used.add(place.file)
    const identity = identityOf(isDocument(place, files.start) ? { bundle } : place)
    if (!seen.has(identity)) waiting.push(place)
    seen.add(identity)
  }
  visit(files.start)
  for (let place = waiting.shift(); place; place = waiting.shift()) {
    for (const location of files.read(place).locations) {
      const to = files.targetOf(location, place)
      if (to.kind === 'place') visit(to.place)
      if (to.kind !== 'lost' || location.target === undefined) continue
      const { target, namespace, line } = location
      const reference = unresolvedReference(target, place, line)
      const key = `${target}\n${reference.path ?? ''}`
      if (!lost.has(key)) lost.set(key, namespace === undefined ? reference : { ...reference, namespace })
    }
  }
  return { used, missing: [...lost.values()] }
}

/**
 * Whether a place is the document, or a copy of it under its original name, by which other files may refer to it. If
 * the copy were compiled too, every component would be declared twice.
 */
function isDocument({ bundle, file }: ReferenceTarget, start: ReferenceTarget): boolean {
  if (file === undefined || (bundle === start.bundle && file === start.file)) return true
  return !file.includes('/') && Buffer.compare(bundle.files.get(file) ?? nothing, bundle.document) === 0
}

const nothing = new Uint8Array()

/** The text with other locations. Line numbers stay the same. */
function rewrite(read: SchemaText, targets: PlannedPart['targets']): string {
  let text = ''
  let offset = 0
  for (const [index, { start, end }] of read.locations.entries()) {
    const target = targets[index]
    text += read.text.slice(offset, start)
    if (target !== undefined) text += ` schemaLocation="${target}"`
    text += read.text.slice(start, end).replace(/[^\n]/g, '')
    offset = end
  }
  return text + read.text.slice(offset)
}

function finding(location: Location, message: (target: string) => string, file: string | undefined): Finding {
  const { target = '', line, element } = location
  return { message: message(target), line, schemaPath: element, ...(file === undefined ? {} : { file }) }
}
