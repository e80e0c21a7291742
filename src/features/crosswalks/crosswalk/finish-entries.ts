import { tryParseJson } from '../../../core/json/try-parse.js'
import { unavailable } from '../../../core/records/datacite-document.js'
import { doiName, webIri } from '../../../core/text/iri.js'
import { spdxIdentifier } from '../../exports/datacite/rights.js'
import { line, withoutMarkup } from './clean-values.js'
import { dcmiComponents } from './dcmi-encodings.js'
import { isJsonObject } from './json-object.js'

/*
 * Completes entries of DataCite from what a document has, such as the type of an identifier from its form. An entry that
 * would not be valid is undefined. An entry has valid texts, so the functions only look at how they fit together.
 */

/** Members as they come from a document: valid texts, entries and lists of entries. */
export type RawEntry = Readonly<Record<string, unknown>>

function textOf(entry: RawEntry, name: string): string | undefined {
  const value = entry[name]
  return typeof value === 'string' ? value : undefined
}

/** The entry with members that it lacks, as far as they have a value. */
function completed(entry: RawEntry, more: RawEntry): RawEntry | undefined {
  const added = Object.entries(more).filter(
    ([name, value]) => value !== undefined && entry[name] === undefined,
  )
  return { ...entry, ...Object.fromEntries(added) }
}

/**
 * A name from its parts, or its parts from the name of a person, who is known by the type of the name or by an ORCID. A
 * name with two parts is a person's.
 */
export function finishAgent(entry: RawEntry): RawEntry | undefined {
  const [given, family] = [textOf(entry, 'givenName'), textOf(entry, 'familyName')]
  const written = textOf(entry, 'name') ?? [family, given].filter(part => part !== undefined).join(', ')
  const isPerson =
    textOf(entry, 'nameType') === 'Personal' ||
    hasOrcid(entry) ||
    (entry.nameType === undefined && /^[^,]+,[^,]+,/.test(written) && lifeDates.test(written))
  const name = isPerson ? withoutLifeDates(written) : written
  // A web or mail address is no name, nor is a paragraph or a list of many people.
  if (
    name === '' ||
    name.length > maxNameLength ||
    /^(?:https?:\/\/|mailto:|urn:)|^[^\s@]+@[^\s@]+$/i.test(name)
  )
    return undefined
  const [familyName, givenName, ...more] = name.split(',').map(part => part.trim())
  if (isPerson && given === undefined && family === undefined && givenName && familyName && more.length === 0)
    return { ...entry, name, nameType: 'Personal', givenName, familyName }
  const hasParts = given !== undefined && family !== undefined && entry.nameType === undefined
  return { ...entry, name, ...(hasParts && { nameType: 'Personal' }) }
}

/** Limit of the characters of a name. */
const maxNameLength = 250

const lifeDates =
  /,\s*(?:(?:b\.|d\.|ca\.|born|died|active|approximately)\s*)*\d{3,4}\??(?:\s*[-–]\s*(?:(?:d\.|ca\.)\s*)?(?:\d{3,4}\??)?)?\.?$/

const lifeDatesInBrackets = / ?(?:\(\d{4}\s?[-–]\s?(?:\d{4})?\)|\[\d{4}\s?[-–]\s?(?:\d{4})?\])$/

/** Catalogues of libraries and archives write `Doe, Jane, 1861-1930` or `(1861-1930)`, and `Doe, Jane,` before a role. */
function withoutLifeDates(name: string): string {
  return name
    .replace(/[\s,]{1,20}$/, '')
    .replace(lifeDates, '')
    .replace(lifeDatesInBrackets, '')
}

function hasOrcid({ nameIdentifiers = [] }: RawEntry): boolean {
  return (nameIdentifiers as readonly RawEntry[]).some(
    ({ nameIdentifierScheme: scheme }) => scheme === 'ORCID',
  )
}

const nameSchemes: readonly (readonly [form: RegExp, scheme: string, uri: string])[] = [
  [
    /^(?:(?:https?:\/\/)?(?:www\.)?orcid\.org\/)?\d{4}-\d{4}-\d{4}-\d{3}[\dX]$/i,
    'ORCID',
    'https://orcid.org',
  ],
  [/^(?:https?:\/\/)?ror\.org\/\w+$/i, 'ROR', 'https://ror.org'],
  [/^https?:\/\/(?:www\.)?isni\.org\//i, 'ISNI', 'https://isni.org'],
  [/^https?:\/\/(?:www\.)?viaf\.org\//i, 'VIAF', 'https://viaf.org'],
  [/^https?:\/\/d-nb\.info\/gnd\//i, 'GND', 'https://d-nb.info/gnd'],
  [/^https?:\/\/id\.loc\.gov\/authorities\/names\//i, 'LCNAF', 'http://id.loc.gov/authorities/names'],
  [/^https?:\/\/(?:www\.)?wikidata\.org\//i, 'Wikidata', 'https://www.wikidata.org'],
]

export function finishNameIdentifier(entry: RawEntry): RawEntry | undefined {
  const identifier = (textOf(entry, 'nameIdentifier') ?? '').replace(/^orcid:\s*/i, '')
  const [, scheme, schemeUri] = nameSchemes.find(([form]) => form.test(identifier)) ?? []
  const stated = textOf(entry, 'nameIdentifierScheme')
  const nameIdentifierScheme = stated ?? scheme ?? (webIri(identifier) === undefined ? undefined : 'URL')
  if (nameIdentifierScheme === undefined) return undefined
  return completed(
    { ...entry, nameIdentifier: identifier },
    { nameIdentifierScheme, schemeUri: stated === undefined ? schemeUri : undefined },
  )
}

/**
 * Returns a function for organizations that have an identifier in this member. A reference inside the document is none
 * for others.
 */
export function finishOrganization(member: 'affiliationIdentifier' | 'publisherIdentifier') {
  return (entry: RawEntry): RawEntry => {
    const { [member]: identifier, ...others } = entry
    if (typeof identifier !== 'string') return entry
    if (/^(?:#|_:|\.{0,2}\/)/.test(identifier)) return others
    const isRor =
      /^(?:https?:\/\/)?ror\.org\/\w+$/i.test(identifier) && entry[`${member}Scheme`] === undefined
    return isRor ? { schemeUri: 'https://ror.org', ...entry, [`${member}Scheme`]: 'ROR' } : entry
  }
}

/** The type of an identifier by its form, as DataCite spells it; undefined for other texts. */
function identifierType(identifier: string): string | undefined {
  if (doiName(identifier) !== undefined) return 'DOI'
  if (/^https?:\/\/hdl\.handle\.net\/|^hdl:/i.test(identifier)) return 'Handle'
  if (/^ark:/i.test(identifier)) return 'ARK'
  if (/^urn:/i.test(identifier)) return 'URN'
  if (/^arxiv:/i.test(identifier)) return 'arXiv'
  return webIri(identifier) === undefined ? undefined : 'URL'
}

/** The identifier of the resource. A DOI is its name, without a resolver. */
export function finishIdentifier(entry: RawEntry): RawEntry | undefined {
  const identifier = textOf(entry, 'identifier') ?? ''
  const type = textOf(entry, 'identifierType')
  const isDoi = type?.toUpperCase() === 'DOI'
  const doi = type === undefined || isDoi ? doiName(identifier) : undefined
  if (doi !== undefined) return { identifier: doi, identifierType: 'DOI' }
  if (isDoi) return undefined
  const found = type ?? identifierType(identifier)
  return found === undefined ? undefined : { identifier, identifierType: found }
}

/**
 * An identifier of no known form has no blanks, unless its type is stated: others are citations and notes. A dash stands
 * for none.
 */
export function finishAlternateIdentifier(entry: RawEntry): RawEntry | undefined {
  const identifier = textOf(entry, 'alternateIdentifier') ?? ''
  if (!/[\p{L}\p{N}]/u.test(identifier)) return undefined
  const named = isIsbn(identifier) ? 'ISBN' : /^\d{4}-\d{3}[\dX]$/.test(identifier) ? 'ISSN' : 'Local'
  const type = identifierType(identifier) ?? (/\s/.test(identifier) ? undefined : named)
  const isTyped = type !== undefined || entry.alternateIdentifierType !== undefined
  if (!isTyped) return undefined
  // Catalogues of libraries write the binding behind an ISBN, as in `80-251-0225-4 (brož.)`.
  const [isbn = ''] = identifier.split('(')
  const alternateIdentifier = entry.alternateIdentifierType === 'ISBN' ? isbn.trim() : identifier
  return completed({ ...entry, alternateIdentifier }, { alternateIdentifierType: type })
}

/** Whether a text is an ISBN by its check digit. Ten digits without a hyphen may be any number. */
function isIsbn(text: string): boolean {
  const isLong = /^97[89](?:-?\d){10}$/.test(text)
  if (!isLong && !/^(?=.{11,13}$)\d+-\d[\d-]*-[\dX]$/.test(text)) return false
  const digits = [...text.replaceAll('-', '')].map(digit => (digit === 'X' ? 10 : Number(digit)))
  if (digits.length !== (isLong ? 13 : 10)) return false
  const sum = digits.reduce(
    (all, digit, index) => all + digit * (isLong ? 1 + 2 * (index % 2) : 10 - index),
    0,
  )
  return sum % (isLong ? 10 : 11) === 0
}

/** npm writes the address of a repository as `git+https://…`. */
export function finishRelatedIdentifier(entry: RawEntry): RawEntry | undefined {
  const identifier = (textOf(entry, 'relatedIdentifier') ?? '').replace(/^git\+(?=https?:)/, '')
  const type = textOf(entry, 'relatedIdentifierType') ?? identifierType(identifier)
  if (type === undefined) return undefined
  const isFromForm = textOf(entry, 'relatedIdentifierType') === undefined
  const doi = type === 'DOI' && isFromForm ? doiName(identifier) : undefined
  return { ...entry, relatedIdentifier: doi ?? identifier, relatedIdentifierType: type }
}

export function finishSubject(entry: RawEntry): RawEntry | undefined {
  const subject = textOf(entry, 'subject') ?? textOf(entry, 'valueUri')
  return subject === undefined ? undefined : { ...entry, subject }
}

/** A licence: its name, with its SPDX identifier if it has one. */
export function finishRights(entry: RawEntry): RawEntry | undefined {
  const written = textOf(entry, 'rights') ?? textOf(entry, 'rightsIdentifier')
  const [target, label] = labelledAddress(written) ?? []
  const name = label ?? written
  const uri = textOf(entry, 'rightsUri') ?? webIri(target) ?? webIri(name) ?? namedLicence(name)
  const rights = name === undefined ? uri : line(withoutMarkup(name))
  if (rights === undefined) return undefined
  const spdx = spdxIdentifier(textOf(entry, 'rightsIdentifier') ?? rights, uri)
  const isNamed = entry.rightsIdentifier !== undefined
  const rightsUri = uri ?? (spdx && licenceAddress(spdx))
  const found =
    spdx === undefined || isNamed
      ? {}
      : {
          rightsIdentifier: spdx,
          rightsIdentifierScheme: 'SPDX',
          schemeUri: 'https://spdx.org/licenses/',
        }
  return { ...found, ...entry, rights, ...(rightsUri !== undefined && { rightsUri }) }
}

/**
 * The address and the label of a link of HTML, or of JSON such as `{"name": "CC BY 4.0", "url": "https://…"}`, which
 * catalogues of geographic data have in place of a text.
 */
function labelledAddress(text = ''): readonly [address: string, label: string] | undefined {
  const [, address, label] =
    /^<a\s[^<>]{0,200}href=["']([^"'<>]{1,500})["'][^<>]{0,200}>([^<>]{1,500})<\/a>$/i.exec(text) ?? []
  if (address !== undefined && label !== undefined) return [address, label]
  const json = text.startsWith('{') ? tryParseJson(text) : undefined
  return isJsonObject(json) && typeof json.name === 'string' && typeof json.url === 'string'
    ? [json.url, json.name]
    : undefined
}

/** The address of a Creative Commons licence, if a text names a single one. */
function namedLicence(text = ''): string | undefined {
  const found =
    text.match(/https?:\/\/creativecommons\.org\/(?:licenses|publicdomain)\/[a-z-]+\/\d\.\d\/?/gi) ?? []
  const addresses = new Set(found)
  return addresses.size === 1 ? found[0] : undefined
}

function licenceAddress(spdx: string): string {
  const [, kind, version] = /^CC-(.*)-(\d\.\d)$/.exec(spdx) ?? []
  if (spdx === 'CC0-1.0') return 'https://creativecommons.org/publicdomain/zero/1.0/'
  if (kind !== undefined) return `https://creativecommons.org/licenses/${kind.toLowerCase()}/${version}/`
  return `https://spdx.org/licenses/${spdx}.html`
}

export function finishDescription(entry: RawEntry): RawEntry | undefined {
  return completed(entry, { descriptionType: 'Abstract' })
}

const funderSchemes: readonly (readonly [form: RegExp, type: string])[] = [
  [/^(?:https?:\/\/(?:dx\.)?doi\.org\/|doi:\s*)?10\.13039\//i, 'Crossref Funder ID'],
  [/^(?:https?:\/\/)?ror\.org\//i, 'ROR'],
  [/^(?:https?:\/\/(?:www\.)?isni\.org\/|\d{4} ?\d{4} ?\d{4} ?\d{3}[\dX]$)/i, 'ISNI'],
  [/^(?:https?:\/\/(?:www\.)?grid\.ac\/|grid\.)/i, 'GRID'],
]

export function finishFundingReference(entry: RawEntry): RawEntry | undefined {
  const identifier = textOf(entry, 'funderIdentifier')
  if (Object.keys(entry).length === 0) return undefined
  const type = identifier && (funderSchemes.find(([form]) => form.test(identifier))?.[1] ?? 'Other')
  const { awardUri, funderIdentifierType, schemeUri, ...rest } = entry
  return completed(
    {
      ...rest,
      ...(identifier !== undefined && { funderIdentifierType: funderIdentifierType ?? type }),
      ...(identifier !== undefined && schemeUri !== undefined && { schemeUri }),
      ...(awardUri !== undefined && { awardNumber: entry.awardNumber ?? awardUri, awardUri }),
    },
    { funderName: unavailable },
  )
}

/** A number of degrees within a limit. */
function degrees(text: string | undefined, limit: number): number | undefined {
  if (text === undefined || !/^[+-]?\d{1,3}(?:\.\d{1,20})?$/.test(text)) return undefined
  const number = Number(text)
  return Math.abs(number) <= limit ? number : undefined
}

/** The positions in a text such as `POINT(4.9 52.4)` or `POLYGON((…))`, of which longitude comes first. */
function wellKnownPositions(
  text: string | undefined,
  form: 'POINT' | 'POLYGON',
): readonly (readonly string[])[] {
  if (text === undefined || text.length > 10_000) return []
  const start = text.search(/[-\d]/)
  const end = text.indexOf(')', start)
  const isForm = text.trim().toUpperCase().startsWith(form) && start !== -1 && end !== -1
  return isForm ? text.slice(start, end).split(',').map(pairs) : []
}

/**
 * A point. Two numbers in one text are latitude and longitude, as in version 3 of DataCite and in GeoRSS. The text may
 * also be Well-Known Text. @see https://www.ogc.org/standards/sfa/
 */
export function finishPoint(entry: RawEntry): RawEntry | undefined {
  const [position] = wellKnownPositions(textOf(entry, 'pointLatitude'), 'POINT')
  const parts = position?.toReversed() ?? pairs(textOf(entry, 'pointLatitude'))
  const isPair = parts.length === 2 && entry.pointLongitude === undefined
  const latitude = degrees(isPair ? parts[0] : textOf(entry, 'pointLatitude'), 90)
  const longitude = degrees(isPair ? parts[1] : textOf(entry, 'pointLongitude'), 180)
  return latitude === undefined || longitude === undefined
    ? undefined
    : { pointLongitude: longitude, pointLatitude: latitude }
}

/**
 * A box. Four numbers in one text are south, west, north and east, as in version 3 of DataCite and in GeoRSS. The box is
 * around more pairs of latitude and longitude, which are a line, and around a polygon of Well-Known Text.
 */
export function finishBox(entry: RawEntry): RawEntry | undefined {
  const names = ['southBoundLatitude', 'westBoundLongitude', 'northBoundLatitude', 'eastBoundLongitude']
  const written = textOf(entry, 'westBoundLongitude')
  const parts =
    boxAround(wellKnownPositions(written, 'POLYGON')) ??
    boxAround(positionsOf(pairs(written))) ??
    pairs(written)
  const isOneText = parts.length === 4 && entry.eastBoundLongitude === undefined
  const [south, west, north, east] = names.map((name, index) =>
    degrees(isOneText ? parts[index] : textOf(entry, name), index % 2 === 0 ? 90 : 180),
  )
  return [south, west, north, east].includes(undefined)
    ? undefined
    : {
        ...{ westBoundLongitude: west, eastBoundLongitude: east },
        ...{ southBoundLatitude: south, northBoundLatitude: north },
      }
}

/** The positions of three pairs of latitude and longitude or more, longitude first. */
function positionsOf(numbers: readonly string[]): readonly (readonly string[])[] {
  if (numbers.length < 6 || numbers.length % 2 === 1) return []
  return numbers.flatMap((number, index) => (index % 2 === 0 ? [] : [[number, numbers[index - 1] ?? '']]))
}

/** South, west, north and east of positions, as texts. */
function boxAround(positions: readonly (readonly string[])[]): readonly string[] | undefined {
  const degreesOf = (index: number) =>
    positions.map(position => degrees(position[index], index === 0 ? 180 : 90))
  const [longitudes, latitudes] = [degreesOf(0), degreesOf(1)]
  const isPlace = positions.length > 0 && ![...longitudes, ...latitudes].includes(undefined)
  if (!isPlace) return undefined
  const [x, y] = [longitudes, latitudes].map(numbers => numbers.map(number => number ?? 0)) as [
    number[],
    number[],
  ]
  return [Math.min(...y), Math.min(...x), Math.max(...y), Math.max(...x)].map(String)
}

function pairs(text = ''): readonly string[] {
  return text.split(/[\s,;]+/).filter(part => part !== '')
}

export function finishPolygonPoint(entry: RawEntry): RawEntry | undefined {
  return Object.keys(entry).length === 1 ? entry : undefined
}

/**
 * A place. Its name may be a box or a point of DCMI. A polygon has at least four corners, of which the last is the first;
 * another one is left out. A text without letters, such as `1824-1968`, is no name of a place.
 */
export function finishPlace({
  geoLocationPolygon,
  geoLocationPlace,
  ...others
}: RawEntry): RawEntry | undefined {
  const entry = { ...placeNamed(geoLocationPlace), ...others }
  const corners = (geoLocationPolygon ?? []) as readonly RawEntry[]
  const polygon = closedPolygon(corners.filter(each => 'polygonPoint' in each))
  const inside = corners.find(each => 'inPolygonPoint' in each)
  const place = polygon ? { ...entry, geoLocationPolygon: [...polygon, ...(inside ? [inside] : [])] } : entry
  return Object.keys(place).length === 0 ? undefined : place
}

/** The members that follow from the name of a place, which may be a box or a point of DCMI. */
function placeNamed(text: unknown): RawEntry {
  if (typeof text !== 'string') return {}
  const components = dcmiComponents(text)
  if (!components) return placeOf(text)
  const named = placeOf(components.get('name') ?? '')
  // Other numbers than degrees.
  if (components.has('projection')) return named
  const point = finishPoint({
    pointLongitude: components.get('east'),
    pointLatitude: components.get('north'),
  })
  const box = finishBox({
    ...{ westBoundLongitude: components.get('westlimit'), eastBoundLongitude: components.get('eastlimit') },
    ...{ southBoundLatitude: components.get('southlimit'), northBoundLatitude: components.get('northlimit') },
  })
  return {
    ...named,
    ...(point && { geoLocationPoint: point }),
    ...(box && { geoLocationBox: box }),
  }
}

function placeOf(name: string): RawEntry {
  return /\p{L}/u.test(name) ? { geoLocationPlace: name } : {}
}

function closedPolygon(corners: readonly RawEntry[]): readonly RawEntry[] | undefined {
  const [first] = corners
  const last = corners.at(-1)
  if (!first || !last) return undefined
  const isClosed = JSON.stringify(first) === JSON.stringify(last)
  const ring = isClosed ? corners : [...corners, first]
  return ring.length >= 4 ? ring : undefined
}
