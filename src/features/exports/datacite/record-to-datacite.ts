import { resourceTypeOf } from '../../../core/records/collection.js'
import { persistentIdentifier, type StoredRecord } from '../../../core/records/record.js'
import { cleanText, visibleText } from '../../../core/text/clean-text.js'
import { absoluteIri, doiName, webIri } from '../../../core/text/iri.js'
import { formatSecond } from '../../../core/value-types.js'
import { defined } from '../defined-members.js'
import type {
  DataCiteAlternateIdentifier,
  DataCiteDate,
  DataCiteDescription,
  DataCiteDocument,
  DataCiteIdentifier,
  DataCiteSubject,
  DataCiteTitle,
  DataCiteTypes,
} from './datacite-document.js'
import { camelCase, dateTypeName, identifierTypeName, languageTag } from './datacite-terms.js'
import { type DescribedRecord, type ExportContext, type ExportedRevision, titleOf } from './export-context.js'
import { contributorsOf, creatorsOf, publisherOf } from './people.js'
import { grantsOf, placesOf } from './places-and-grants.js'
import { relationsOf } from './relations.js'
import { accessRightOf, rightsOf } from './rights.js'

/*
 * The only code that reads a record for exports. Other formats are derived from the DataCite document that it returns.
 * @see docs/use/exports.md#how-a-record-is-mapped
 */

const mediaTypes = { JSON: 'application/json', XML: 'application/xml' } as const

/**
 * The record as a DataCite 4.6 document. Required members that the record lacks get default values: creator and
 * publisher `(:unav)`, the year of creation, the title from the label or the id, the landing page as identifier.
 */
export function dataCiteDocument(revision: ExportedRevision, context: ExportContext): DataCiteDocument {
  const { record, kind, id, version, documentType } = revision
  const { urls } = context
  const url = context.isPinned ? urls.page(kind, id, version) : urls.page(kind, id)
  const mediaType = mediaTypes[documentType]
  const dates = datesOf(revision)
  const identifier = identifierOf(record)
  const size = context.documentSize === undefined ? [] : [`${context.documentSize} bytes`]
  return defined({
    doi: identifier?.identifierType === 'DOI' ? identifier.identifier : undefined,
    url,
    contentUrl: [urls.document(kind, id, version)],
    identifiers: [identifier ?? { identifier: url, identifierType: 'URL' }],
    types: typesOf(revision),
    creators: distinct(creatorsOf(record)),
    titles: titlesOf(record),
    publisher: publisherOf(record),
    publicationYear: yearOf(record, dates),
    subjects: distinctOrNone(subjectsOf(record)),
    contributors: distinctOrNone(contributorsOf(record)),
    dates,
    language: languageTag(record.language),
    alternateIdentifiers: alternateIdentifiersOf(revision),
    relatedIdentifiers: distinctOrNone(relationsOf(revision, context)),
    sizes: distinctOrNone([...texts(record.sizes), ...size]),
    formats: [mediaType, ...distinct(texts(record.formats)).filter(format => format !== mediaType)],
    version: String(version),
    rightsList: distinct(rightsOf(record, accessRightOf(record, context.isPublic))),
    descriptions: distinctOrNone(descriptionsOf(record)),
    geoLocations: distinctOrNone(placesOf(record)),
    fundingReferences: distinctOrNone(grantsOf(record)),
    schemaVersion: 'http://datacite.org/schema/kernel-4',
  })
}

/** The description of a revision, from which all formats are written. */
export function describeRecord(revision: ExportedRevision, context: ExportContext): DescribedRecord {
  const { kind, id, time, documentHash } = revision
  return defined({
    kind,
    id,
    document: dataCiteDocument(revision, context),
    lastUpdate: formatSecond(time),
    documentHash,
    documentSize: context.documentSize,
  })
}

/** The persistent identifier; undefined if the record has none. */
function identifierOf(record: StoredRecord): DataCiteIdentifier | undefined {
  const pid = persistentIdentifier(record)
  const value = visibleText(pid?.value)
  if (value === undefined) return undefined
  const type = pid?.identifierType ?? 'DOI'
  const doi = type.toUpperCase() === 'DOI' ? doiName(value) : undefined
  if (doi !== undefined) return { identifier: doi, identifierType: 'DOI' }
  const isDoi = type.toUpperCase() === 'DOI'
  const otherwise = webIri(value) === undefined ? 'Other' : 'URL'
  return {
    identifier: value,
    identifierType: isDoi ? otherwise : (visibleText(identifierTypeName(type)) ?? otherwise),
  }
}

function typesOf({ record, kind, documentType }: ExportedRevision): DataCiteTypes {
  const { value, typeGeneral = 'MODEL' } = record.resourceType ?? {}
  return {
    resourceTypeGeneral: camelCase(typeGeneral),
    resourceType: visibleText(value) ?? resourceTypeOf(kind, documentType),
  }
}

/** The titles, the main title first. */
function titlesOf(record: StoredRecord): DataCiteDocument['titles'] {
  const main = cleanText(titleOf(record)).trim()
  const titles = (record.titles ?? []).flatMap(({ value, titleType, lang }): readonly DataCiteTitle[] => {
    const title = visibleText(value)
    if (title === undefined) return []
    return [defined({ title, titleType: titleType && camelCase(titleType), lang: languageTag(lang) })]
  })
  const at = titles.findIndex(({ title }) => title === main)
  const first = titles[at] ?? { title: visibleText(main) ?? record.id }
  return [
    first,
    ...distinct(titles.filter((_, index) => index !== at)).filter(other => !isSame(other, first)),
  ]
}

function isSame(one: object, other: object): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}

/** The dates of the record. CREATED, UPDATED and the end of an embargo are added if they are not stored. */
function datesOf({ record, createdAt, time }: ExportedRevision): readonly DataCiteDate[] {
  const stated = (record.dates ?? []).map(({ value, type }) => ({
    date: value,
    dateType: dateTypeName(type),
  }))
  const isStated = (wanted: string) => stated.some(({ dateType }) => dateType === wanted)
  return distinct([
    ...(isStated('Created') ? [] : [{ date: formatSecond(createdAt), dateType: 'Created' }]),
    ...stated,
    ...(isStated('Updated') ? [] : [{ date: formatSecond(time), dateType: 'Updated' }]),
    ...(isStated('Available') || record.embargoDate === undefined
      ? []
      : [{ date: record.embargoDate, dateType: 'Available' }]),
  ])
}

/** The publication year of the record, or the year of the first date found: issued, available, created, updated. */
function yearOf({ publicationYear = '' }: StoredRecord, dates: readonly DataCiteDate[]): string {
  const stated = /^\s*(\d{4})(?!\d)/.exec(publicationYear)?.[1]
  if (stated !== undefined) return stated
  for (const wanted of ['Issued', 'Available', 'Created', 'Updated']) {
    const year = dates.find(({ dateType }) => dateType === wanted)?.date.slice(0, 4)
    if (year !== undefined && /^\d{4}$/.test(year)) return year
  }
  return '0000'
}

function subjectsOf({ subjects = [] }: StoredRecord): readonly DataCiteSubject[] {
  return subjects.flatMap(({ value, scheme, valueUri, lang }) => {
    const address = absoluteIri(valueUri)
    const subject = visibleText(value) ?? address
    if (subject === undefined) return []
    return [
      defined({
        subject,
        subjectScheme: visibleText(scheme?.schemeId),
        schemeUri: absoluteIri(scheme?.schemeUri),
        valueUri: address,
        lang: languageTag(lang),
      }),
    ]
  })
}

/** The id of the record, then the alternate identifiers that the record stores. */
function alternateIdentifiersOf({ record, id }: ExportedRevision): readonly DataCiteAlternateIdentifier[] {
  const stored = (record.alternateIdentifiers ?? []).flatMap(({ value, identifierType }) => {
    const name = visibleText(value)
    if (name === undefined) return []
    const type = identifierType === 'INTERNAL' ? 'Internal' : identifierTypeName(identifierType)
    return [{ alternateIdentifier: name, alternateIdentifierType: type }]
  })
  return distinct([{ alternateIdentifier: id, alternateIdentifierType: 'Internal' }, ...stored])
}

/** The descriptions, the abstract first. A label that equals the title is left out. */
function descriptionsOf(record: StoredRecord): readonly DataCiteDescription[] {
  const title = titleOf(record)
  const all = (record.descriptions ?? []).flatMap(({ description, type, lang }) => {
    const text = visibleText(description)
    if (text === undefined || description === title) return []
    const descriptionType = type === undefined ? 'Other' : camelCase(type)
    return [defined({ description: text, descriptionType, lang: languageTag(lang) })]
  })
  const isAbstract = ({ descriptionType }: DataCiteDescription) => descriptionType === 'Abstract'
  return [...all.filter(isAbstract), ...all.filter(each => !isAbstract(each))]
}

function texts(values: readonly string[] = []): readonly string[] {
  return values.flatMap(value => visibleText(value) ?? [])
}

/** The distinct entries of a list; undefined for an empty list. */
function distinctOrNone<T>(entries: readonly T[]): readonly T[] | undefined {
  return entries.length === 0 ? undefined : distinct(entries)
}

/** The entries without those equal to an earlier one. */
function distinct<T>(entries: readonly T[]): readonly T[] {
  if (entries.length < 2) return entries
  const known = new Set<string>()
  return entries.filter(entry => {
    const text = JSON.stringify(entry)
    return !known.has(text) && known.add(text)
  })
}
