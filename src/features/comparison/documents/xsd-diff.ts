import { openNodeFactory, type TreeNode } from './document-tree.js'
import {
  breaking,
  type CompatibilityVerdict,
  compatible,
  looser,
  neutral,
  undecided,
} from './schema-compatibility.js'
import { eachXmlChange, type XmlChange, type XmlPlace } from './xml-diff.js'
import { xmlTree } from './xml-tree-parser.js'

type XmlSchemaChange = XmlChange & CompatibilityVerdict

/**
 * The changes from one XML Schema to the other, each with its effect. A change counts as breaking unless it is known
 * not to be.
 * @param before @param after the decoded schemas
 * @see docs/use/history.md#xml-schema; https://www.w3.org/TR/xmlschema-1/
 */
export function compareXmlSchemas(before: string, after: string): readonly XmlSchemaChange[] {
  const createNode = openNodeFactory()
  const [old, now] = [xmlTree(createNode, before), xmlTree(createNode, after)]
  const entangled = isEntangled(old) || isEntangled(now)
  const found: XmlSchemaChange[] = []
  eachXmlChange(old, now, (change, place) => found.push({ ...change, ...effectOf(change, place, entangled) }))
  return found
}

const schemaNamespace = 'http://www.w3.org/2001/XMLSchema'

const particles = new Set(['element', 'sequence', 'choice', 'group'])
const definitions = new Set(['complexType', 'simpleType', 'group', 'attributeGroup'])
const identityConstraints = new Set(['key', 'keyref', 'unique'])
/** Facets of XML Schema of which a value has to satisfy at least one. */
const alternatives = new Set(['enumeration', 'pattern'])
/** Facets with a numeric bound. */
const upperBounds = new Set(['maxLength', 'totalDigits', 'fractionDigits', 'maxInclusive', 'maxExclusive'])
const lowerBounds = new Set(['minLength', 'minInclusive', 'minExclusive'])

/**
 * The effect of one change of a schema on documents that were valid.
 * @param entangled whether {@link isEntangled} is true for either schema
 */
function effectOf(change: XmlChange, place: XmlPlace, entangled: boolean): CompatibilityVerdict {
  const { before, after, within, attribute } = place
  const node = after ?? before
  const names = within.map((_, index) => localName(within, index))
  if (!node || names.includes('annotation') || /^(comment\(|processing-)/.test(node.kind)) return neutral
  if (attribute !== undefined) return attributeEffect(change, place, names.at(-1))
  const name = localName([...within, node], within.length)
  if (name === undefined) return undecided
  if (name === 'annotation') return neutral
  if (change.op === 'add') return additionEffect(name, node, place, names.at(-1), entangled)
  return change.op === 'remove' ? removalEffect(name, place, names.at(-1)) : undecided
}

function additionEffect(
  name: string,
  node: TreeNode,
  { former, within }: XmlPlace,
  parent: string | undefined,
  entangled: boolean,
): CompatibilityVerdict {
  const isGlobal = within.length === 2
  if (isGlobal && definitions.has(name)) return compatible('adds a definition')
  if (isFacet(name, parent)) {
    const [first] = siblings(former, node.kind)
    return alternatives.has(name) && first
      ? compatible('permits other values')
      : breaking('permits some values only')
  }
  if (identityConstraints.has(name)) return breaking('adds a condition')
  if (entangled) return undecided
  if (isGlobal && (name === 'element' || name === 'attribute')) return compatible('adds a declaration')
  if (particles.has(name)) {
    if (parent === 'choice') return compatible('adds an alternative')
    if (parent !== 'sequence' && parent !== 'all') return undecided
    return attributeOf(node, 'minOccurs') === '0'
      ? compatible('adds an optional element')
      : breaking('requires an element')
  }
  if (name === 'attribute' && parent !== 'restriction') {
    const use = attributeOf(node, 'use') ?? 'optional'
    if (use === 'required') return breaking('requires an attribute')
    return use === 'optional' ? compatible('adds an optional attribute') : undecided
  }
  return undecided
}

function removalEffect(
  name: string,
  { before, within }: XmlPlace,
  parent: string | undefined,
): CompatibilityVerdict {
  if (isFacet(name, parent)) {
    const [other] = siblings(within.at(-1), before?.kind)
    return alternatives.has(name) && other ? breaking('no longer permits some values') : looser
  }
  if (identityConstraints.has(name)) return looser
  if (particles.has(name)) return breaking('removes an element')
  return name === 'attribute' ? breaking('removes an attribute') : undecided
}

function attributeEffect(
  { op }: XmlChange,
  place: XmlPlace,
  element: string | undefined,
): CompatibilityVerdict {
  const { attribute = '', before, after, within } = place
  const [was, is] = [before?.value, after?.value]
  const isRoot = within.length === 2
  if (attribute.startsWith('xmlns'))
    return isRoot && op === 'add' && attribute !== 'xmlns' ? neutral : undecided
  // Attributes of other namespaces, `id` and `version` are annotations. XML Schema 1.0, 3.1.1
  if (attribute.includes(':')) return attribute === 'xml:base' ? undecided : neutral
  if (attribute === 'id' || (isRoot && attribute === 'version')) return neutral
  if (element === undefined) return undecided
  switch (attribute) {
    case 'type':
      return breaking('has another type')
    case 'minOccurs':
      return boundEffect(occurrences(was), occurrences(is), 'lower')
    case 'maxOccurs':
      return boundEffect(occurrences(was), occurrences(is), 'upper')
    case 'use':
      return useEffect(was ?? 'optional', is ?? 'optional')
    case 'nillable':
      return is === 'true' ? compatible('may be nil') : breaking('may no longer be nil')
    case 'fixed':
      return after ? breaking('permits some values only') : looser
    case 'value':
      return facetEffect(element, String(was), String(is))
    default:
      return undecided
  }
}

function useEffect(was: unknown, is: unknown): CompatibilityVerdict {
  if (was === 'required' && is === 'optional') return compatible('no longer requires an attribute')
  if (was === 'optional' && is === 'required') return breaking('requires an attribute')
  return was === is ? neutral : undecided
}

function facetEffect(facet: string, was: string, is: string): CompatibilityVerdict {
  const numbers = [was, is].every(text => /^[+-]?\d{1,15}(?:\.\d{1,9})?$/.test(text.trim()))
  if (numbers && upperBounds.has(facet)) return boundEffect(Number(was), Number(is), 'upper')
  if (numbers && lowerBounds.has(facet)) return boundEffect(Number(was), Number(is), 'lower')
  return alternatives.has(facet) ? breaking('no longer permits some values') : undecided
}

function boundEffect(was: number, is: number, which: 'lower' | 'upper'): CompatibilityVerdict {
  if (was === is) return neutral
  return (which === 'upper') === is > was ? compatible('widens a bound') : breaking('narrows a bound')
}

function occurrences(value: unknown): number {
  return value === 'unbounded' ? Infinity : Number(value ?? 1)
}

function isFacet(name: string, parent: string | undefined): boolean {
  const known = alternatives.has(name) || upperBounds.has(name) || lowerBounds.has(name) || name === 'length'
  return parent === 'restriction' && known
}

function siblings(parent: TreeNode | undefined, kind: string | undefined): readonly TreeNode[] {
  return parent?.items.filter(item => item.kind === kind) ?? []
}

function attributeOf(node: TreeNode, attribute: string): unknown {
  return node.members.get(attribute)?.value
}

/** Local name of an element of XML Schema; undefined for other elements. @param path elements from the outermost */
function localName(path: readonly TreeNode[], index: number): string | undefined {
  const kind = path[index]?.kind ?? ''
  const [prefix, local] = kind.includes(':') ? kind.split(':', 2) : ['', kind]
  const declaration = prefix === '' ? 'xmlns' : `xmlns:${prefix}`
  const declaring = path.slice(0, index + 1).findLast(node => node.members.has(declaration))
  return declaring && attributeOf(declaring, declaration) === schemaNamespace ? local : undefined
}

/** Says whether a wildcard may have accepted a part before it was added, or a restriction elsewhere may exclude it. */
function isEntangled({ kind, items }: TreeNode): boolean {
  const restricts =
    /(^|:)(complex|simple)Content$/.test(kind) && items.some(item => /(^|:)restriction$/.test(item.kind))
  return restricts || /(^|:)any(Attribute)?$/.test(kind) || items.some(isEntangled)
}
