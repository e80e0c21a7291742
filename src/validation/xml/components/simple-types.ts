import type { Scope } from '../../../core/xml/xml-reader.js'

/** A simple type, as far as it is needed to know the kind of a value. */
export interface SimpleType {
  readonly kind: 'simple'
  readonly variety: 'atomic' | 'list' | 'union'
  /** Local name of the nearest type that XML Schema defines, such as `date`; `anySimpleType` for lists and unions. */
  readonly builtin: string
  /** Type of the items of a list. */
  readonly item?: SimpleType
  /** Types of a union, in order. */
  readonly members?: readonly SimpleType[]
  /** The type that this one restricts; undefined for a list, a union and a primitive type. */
  readonly base?: SimpleType
  readonly whiteSpace: WhiteSpace
  /** The facets of this type and its bases, without white space. */
  readonly facets: readonly Facet[]
}

export type WhiteSpace = 'preserve' | 'replace' | 'collapse'

export interface Facet {
  readonly name: string
  readonly value: string
  readonly scope: Scope
}

const lists: Readonly<Record<string, string>> = { IDREFS: 'IDREF', ENTITIES: 'ENTITY', NMTOKENS: 'NMTOKEN' }

/**
 * The derived types of XML Schema with their bases, and the primitive types without one.
 * @see https://www.w3.org/TR/xmlschema-2/#built-in-datatypes
 */
const bases: Readonly<Record<string, string | undefined>> = {
  ...Object.fromEntries(
    (
      'anySimpleType string boolean decimal float double duration dateTime time date gYearMonth gYear gMonthDay gDay ' +
      'gMonth hexBinary base64Binary anyURI QName NOTATION'
    )
      .split(' ')
      .map(name => [name, undefined]),
  ),
  normalizedString: 'string',
  token: 'normalizedString',
  language: 'token',
  NMTOKEN: 'token',
  Name: 'token',
  NCName: 'Name',
  ID: 'NCName',
  IDREF: 'NCName',
  ENTITY: 'NCName',
  integer: 'decimal',
  nonPositiveInteger: 'integer',
  negativeInteger: 'nonPositiveInteger',
  long: 'integer',
  int: 'long',
  short: 'int',
  byte: 'short',
  nonNegativeInteger: 'integer',
  unsignedLong: 'nonNegativeInteger',
  unsignedInt: 'unsignedLong',
  unsignedShort: 'unsignedInt',
  unsignedByte: 'unsignedShort',
  positiveInteger: 'nonNegativeInteger',
}

/** The primitive type from which a type of XML Schema is derived. */
export function primitiveOf(builtin: string): string {
  const base = bases[builtin]
  return base === undefined ? builtin : primitiveOf(base)
}

const known = new Map<string, SimpleType>()

/** The lists of XML Schema have an item. @see https://www.w3.org/TR/xmlschema-2/#NMTOKENS */
const atLeastOne: Facet = { name: 'minLength', value: '1', scope: new Map() }

/** Whether a type is IDREFS, ENTITIES or NMTOKENS, or a restriction of one. */
export function isNeverEmpty({ facets }: SimpleType): boolean {
  return facets.includes(atLeastOne)
}

/** A simple type of XML Schema by its local name; undefined if there is none. */
export function builtinType(name: string): SimpleType | undefined {
  const made = known.get(name)
  if (made) return made
  const item = Object.hasOwn(lists, name) ? lists[name] : undefined
  if (item === undefined && !Object.hasOwn(bases, name)) return undefined
  const type: SimpleType =
    item === undefined
      ? { ...builtinBase(name), variety: 'atomic', builtin: name, whiteSpace: whiteSpaceOf(name), facets: [] }
      : restrict(listOf(builtinType(item) ?? anySimpleType), [atLeastOne])
  known.set(name, type)
  return type
}

function builtinBase(name: string): Pick<SimpleType, 'kind' | 'base'> {
  const base = bases[name] === undefined ? undefined : builtinType(bases[name])
  return base ? { kind: 'simple', base } : { kind: 'simple' }
}

function whiteSpaceOf(name: string): WhiteSpace {
  if (name === 'string' || name === 'anySimpleType') return 'preserve'
  return name === 'normalizedString' ? 'replace' : 'collapse'
}

export const anySimpleType: SimpleType = {
  kind: 'simple',
  variety: 'atomic',
  builtin: 'anySimpleType',
  whiteSpace: 'preserve',
  facets: [],
}

export function listOf(item: SimpleType): SimpleType {
  return {
    kind: 'simple',
    variety: 'list',
    builtin: 'anySimpleType',
    item,
    whiteSpace: 'collapse',
    facets: [],
  }
}

export function unionOf(members: readonly SimpleType[]): SimpleType {
  return {
    kind: 'simple',
    variety: 'union',
    builtin: 'anySimpleType',
    members,
    whiteSpace: 'collapse',
    facets: [],
  }
}

/** A restriction of a type by facets. */
export function restrict(base: SimpleType, facets: readonly Facet[]): SimpleType {
  const space = facets.findLast(({ name }) => name === 'whiteSpace')?.value.trim()
  const others = facets.filter(({ name }) => name !== 'whiteSpace')
  const whiteSpace = space === 'replace' || space === 'collapse' ? space : base.whiteSpace
  return { ...base, base, whiteSpace, facets: [...base.facets, ...others] }
}

/** Whether a value of the type may be, or have, an atomic value of a type that the test accepts. */
export function hasAtomic(type: SimpleType, test: (builtin: string) => boolean): boolean {
  if (type.item) return hasAtomic(type.item, test)
  if (type.members) return type.members.some(member => hasAtomic(member, test))
  return test(type.builtin)
}

/** Removes white space at the ends, and replaces each other sequence by a space. */
export function collapse(value: string): string {
  return value.replace(/[ \t\r\n]+/g, ' ').replace(/^ | $/g, '')
}

/** Normalizes white space as a type demands. @see https://www.w3.org/TR/xmlschema-2/#rf-whiteSpace */
export function normalize(value: string, whiteSpace: WhiteSpace): string {
  if (whiteSpace === 'preserve') return value
  return whiteSpace === 'replace' ? value.replace(/[\t\r\n]/g, ' ') : collapse(value)
}
