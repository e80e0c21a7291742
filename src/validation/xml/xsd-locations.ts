import { xmlNamespace } from '../../core/xml/xml-reader.js'
import { findingError, findingsOf, inFile } from '../findings.js'
import {
  bytesOf,
  foldersCopies,
  identityOf,
  isHome,
  nameOf,
  type ReferenceTarget,
  resolveReference,
  segmentsOfUrl,
} from '../reference-resolver.js'
import type { SchemaBundle } from '../validator.js'
import { type Location, readSchemaText, type SchemaText } from './source-text.js'
import { builtInNamespaces } from './xml-namespace-schema.js'
import type { XmlEngine } from './xsd-engine.js'

/** What a location leads to. */
export type LocationTarget =
  | { readonly kind: 'place'; readonly place: ReferenceTarget }
  /** The bundled schema of the namespace `xml:`. */
  | { readonly kind: 'bundled' }
  /** A namespace that the engine knows, or an import without a location to which no file belongs. */
  | { readonly kind: 'nothing' }
  | { readonly kind: 'lost' }

/** The files of a schema as they are compiled, and what their locations lead to. */
export interface SchemaFiles {
  /** The document: the place to which its own references are relative. */
  readonly start: ReferenceTarget
  /** Reads a file. @throws ProblemError `unprocessable` if it is not well-formed, or no schema */
  read(place: ReferenceTarget): SchemaText
  targetOf(location: Location, from: ReferenceTarget): LocationTarget
}

export function openSchemaFiles(engine: Pick<XmlEngine, 'parse'>, bundle: SchemaBundle): SchemaFiles {
  const texts = new Map<string, SchemaText>()
  const parsed = new Set<string>()

  function textOf(place: ReferenceTarget): SchemaText {
    const identity = identityOf(place)
    const known = texts.get(identity)
    if (known) return known
    const text = readSchemaText(bytesOf(place))
    texts.set(identity, text)
    return text
  }

  function read(place: ReferenceTarget): SchemaText {
    try {
      const text = textOf(place)
      const identity = identityOf(place)
      if (!parsed.has(identity)) engine.parse({ name: 'part.xsd', text: text.text })
      parsed.add(identity)
      if (!text.complete) throw findingError({ message: 'Its tags cannot be read.' })
      return text
    } catch (thrown) {
      throw findingError(...inFile(findingsOf(thrown), nameOf(place)))
    }
  }

  /** The target namespace of a file; undefined if it is no schema, which is reported only if the file is used. */
  function namespaceOf(place: ReferenceTarget): string | undefined {
    try {
      return textOf(place).targetNamespace
    } catch (thrown) {
      findingsOf(thrown)
      return undefined
    }
  }

  function targetOf(location: Location, from: ReferenceTarget): LocationTarget {
    const { target, namespace } = location
    const fits = (place: ReferenceTarget) => {
      const found = namespaceOf(place)
      if (found === undefined || found === (namespace ?? namespaceOf(from))) return true
      return namespace === undefined && found === ''
    }
    const place = target === undefined ? undefined : resolveReference(target, from, fits)
    if (place) return { kind: 'place', place }
    if (namespace === xmlNamespace) return { kind: 'bundled' }
    if (namespace !== undefined && builtInNamespaces.has(namespace)) return { kind: 'nothing' }
    const isHint = target === undefined || /^urn:/i.test(target) || segmentsOfUrl(target) !== undefined
    const byNamespace = namespace && isHint ? only(namespace, from) : undefined
    if (byNamespace) return { kind: 'place', place: byNamespace }
    return { kind: target === undefined ? 'nothing' : 'lost' }
  }

  /** The only file of the bundle with a target namespace, without the files that another one of them includes. */
  function only(
    namespace: string,
    { bundle, file: except, via }: ReferenceTarget,
  ): ReferenceTarget | undefined {
    const document = { bundle, ...(via === undefined ? {} : { via }) }
    const others = [...bundle.files.keys()].map(file => ({ ...document, file }))
    const all: readonly ReferenceTarget[] = [document, ...others]
    const found = all.filter(place => place.file !== except && namespaceOf(place) === namespace)
    const included = new Set(found.flatMap(place => includesOf(place).map(identityOf)))
    const [first, second] = found.filter(place => !included.has(identityOf(place)))
    return second === undefined ? first : undefined
  }

  function includesOf(place: ReferenceTarget): readonly ReferenceTarget[] {
    return textOf(place).locations.flatMap(({ target, namespace }) =>
      target === undefined || namespace !== undefined ? [] : (resolveReference(target, place) ?? []),
    )
  }

  const targets = () => textOf({ bundle }).locations.flatMap(({ target }) => target ?? [])
  const copies = foldersCopies(bundle)
  const home = copies.length > 0 ? copies.find(copy => isHome(copy, targets(), bundle)) : undefined
  return { start: home === undefined ? { bundle } : { bundle, file: home }, read, targetOf }
}
