import { resourceTypeOf } from '../../../core/records/collection.js'
import {
  type DataCiteAlternateIdentifier,
  type DataCiteDate,
  type DataCiteDescription,
  type DataCiteDocument,
  type DataCiteIdentifier,
  type DataCiteSubject,
  type DataCiteTitle,
  type DataCiteTypes,
  unavailable,
} from '../../../core/records/datacite-document.js'
import type { DescribedValue, DocumentDescription } from '../../../core/records/document-description.js'
import {
  defaultTitles,
  persistentIdentifier,
  type StoredRecord,
  titleOf,
} from '../../../core/records/record.js'
import { cleanText, visibleText } from '../../../core/text/clean-text.js'
import { absoluteIri, doiName, webIri } from '../../../core/text/iri.js'
import { formatSecond } from '../../../core/value-types.js'
import { defined } from '../defined-members.js'
import { camelCase, dateTypeName, identifierTypeName, languageTag } from './datacite-terms.js'
import type { DescribedRecord, ExportContext, ExportedRevision } from './export-context.js'
import {
  contributorsOf,
  creatorsOf,
  hasCallerAsCreator,
  hasCallerAsPublisher,
  publisherOf,
} from './people.js'
import { grantsOf, placesOf } from './places-and-grants.js'
import { relationsOf } from './relations.js'
import { accessRight, accessRightOf, licencesOf } from './rights.js'
import {
  described,
  distinct,
  either,
  fromRecord,
  type Sourced,
  single,
  stated,
  type ValueSource,
} from './sourced-values.js'
import { yearInText, yearOfDate } from './year-in-text.js'

/*
 * The only code that reads a record for exports. Other formats are derived from the DataCite document that it returns.
 * @see docs/use/exports.md#how-a-record-is-mapped
 */

const mediaTypes = { JSON: 'application/json', XML: 'application/xml' } as const

/**
 * The record and what its document says about itself as a DataCite 4.6 document. What the record says wins. Required
 * members that both lack get default values: creator and publisher `(:unav)`, the year of creation, the title from the
 * label or the id, the landing page as identifier.
 */
export function dataCiteDocument(revision: ExportedRevision, context: ExportContext): DataCiteDocument {
  return documentOf(sourcedMembers(revision, context))
}

/** A DataCite document with the source of each value by JSON Pointer. @see RFC 6901 */
export interface SourcedDocument {
  readonly document: DataCiteDocument
  /** Values that stand for missing ones have no source. */
  readonly sources: Readonly<Record<string, ValueSource>>
}

/** {@link dataCiteDocument}, with the source of each value. */
export function sourcedDocument(revision: ExportedRevision, context: ExportContext): SourcedDocument {
  const members = sourcedMembers(revision, context)
  return { document: documentOf(members), sources: sourcesOf(members) }
}

type SourcedMembers = ReturnType<typeof sourcedMembers>

function documentOf(members: SourcedMembers): DataCiteDocument {
  const { doi, url, contentUrl, identifiers, types, publisher, publicationYear, language, version } = members
  const all = <T>(entries: readonly Sourced<T>[]) => entries.map(({ value }) => value)
  const allOrNone = <T>(entries: readonly Sourced<T>[]) => (entries.length === 0 ? undefined : all(entries))
  return defined({
    doi: doi?.value,
    url,
    contentUrl: [contentUrl],
    identifiers: [identifiers.value],
    types: types.value,
    creators: all(members.creators),
    titles: all(members.titles) as unknown as DataCiteDocument['titles'],
    publisher: publisher.value,
    publicationYear: publicationYear.value,
    subjects: allOrNone(members.subjects),
    contributors: allOrNone(members.contributors),
    dates: all(members.dates),
    language: language?.value,
    alternateIdentifiers: all(members.alternateIdentifiers),
    relatedIdentifiers: allOrNone(members.relatedIdentifiers),
    relatedItems: allOrNone(members.relatedItems),
    sizes: allOrNone(members.sizes),
    formats: all(members.formats) as unknown as DataCiteDocument['formats'],
    version: version.value,
    rightsList: all(members.rightsList),
    descriptions: allOrNone(members.descriptions),
    geoLocations: allOrNone(members.geoLocations),
    fundingReferences: allOrNone(members.fundingReferences),
    schemaVersion: 'http://datacite.org/schema/kernel-4',
  })
}

function sourcesOf({
  doi,
  url,
  contentUrl,
  identifiers,
  ...members
}: SourcedMembers): Readonly<Record<string, ValueSource>> {
  const sources: Record<string, ValueSource> = {}
  const all = { ...members, ...(doi && { doi }), identifiers: [identifiers] }
  for (const [name, value] of Object.entries(all)) {
    const entries = Array.isArray(value) ? (value as readonly Sourced<unknown>[]) : undefined
    if (!entries && value && 'source' in value && value.source) sources[`/${name}`] = value.source
    entries?.forEach(({ source }, index) => {
      if (source) sources[`/${name}/${index}`] = source
    })
  }
  return sources
}

function sourcedMembers(revision: ExportedRevision, context: ExportContext) {
  const { record, kind, id, version, documentType } = revision
  const { urls, description = {} } = context
  const url = context.isPinned ? urls.page(kind, id, version) : urls.page(kind, id)
  const dates = datesOf(revision, description)
  const identifier = either(single(identifierOf(record)), description.identifier)[0]
  const size = context.documentSize === undefined ? [] : [`${context.documentSize} bytes`]
  const mediaType = mediaTypes[documentType]
  const formats = either(texts(record.formats), description.formats)
  const people = peopleOf(record, description)
  return {
    doi:
      identifier?.value.identifierType === 'DOI'
        ? { value: identifier.value.identifier, source: identifier.source }
        : undefined,
    url,
    contentUrl: urls.document(kind, id, version),
    identifiers: identifier ?? { value: { identifier: url, identifierType: 'URL' }, source: undefined },
    types: typesOf(revision, description),
    ...people,
    titles: titlesOf(record, description),
    publicationYear: yearOf(record, description, dates),
    subjects: either(subjectsOf(record), description.subjects),
    contributors: either(contributorsOf(record), description.contributors),
    dates,
    language: either(single(languageTag(record.language)), description.language)[0],
    alternateIdentifiers: distinct([
      ...stated(alternateIdentifiersOf(revision)),
      ...described(description.alternateIdentifiers),
    ]),
    relatedIdentifiers: distinct([
      ...stated(relationsOf(revision, context)),
      ...described(description.relatedIdentifiers),
    ]),
    relatedItems: described(description.relatedItems),
    sizes: distinct([...either(texts(record.sizes), description.sizes), ...stated(size)]),
    formats: [...stated([mediaType]), ...formats.filter(({ value }) => value !== mediaType)],
    version: either([], description.version)[0] ?? { value: String(version), source: fromRecord },
    rightsList: [
      ...either(licencesOf(record), description.rightsList),
      ...stated([accessRight(accessRightOf(record, context.isPublic))]),
    ],
    descriptions: either(descriptionsOf(record), description.descriptions),
    geoLocations: either(placesOf(record), description.geoLocations),
    fundingReferences: either(grantsOf(record), description.fundingReferences),
  }
}

/** The description of a revision, from which all formats are written. */
export function describeRecord(revision: ExportedRevision, context: ExportContext): DescribedRecord {
  return describedBy(dataCiteDocument(revision, context), revision, context)
}

/** {@link describeRecord}, with the source of each value. */
export function describeWithSources(
  revision: ExportedRevision,
  context: ExportContext,
): DescribedRecord & SourcedDocument {
  const { document, sources } = sourcedDocument(revision, context)
  return { ...describedBy(document, revision, context), sources }
}

function describedBy(
  document: DataCiteDocument,
  { kind, id, time, documentHash }: ExportedRevision,
  { documentSize }: ExportContext,
): DescribedRecord {
  return defined({ kind, id, document, lastUpdate: formatSecond(time), documentHash, documentSize })
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

function typesOf(
  { record, kind, documentType }: ExportedRevision,
  { types = [] }: DocumentDescription,
): Sourced<DataCiteTypes> {
  const [ofDocument] = record.resourceType === undefined ? described(types) : []
  if (ofDocument) {
    const { resourceTypeGeneral = 'Other', resourceType = resourceTypeGeneral } = ofDocument.value
    return { ...ofDocument, value: { resourceTypeGeneral, resourceType } }
  }
  const { value, typeGeneral = 'MODEL' } = record.resourceType ?? {}
  return {
    value: {
      resourceTypeGeneral: camelCase(typeGeneral),
      resourceType: visibleText(value) ?? resourceTypeOf(kind, documentType),
    },
    source: record.resourceType && fromRecord,
  }
}

/** Creators and publisher. The document comes before those that the service filled in. */
function peopleOf(record: StoredRecord, description: DocumentDescription) {
  const isCaller = hasCallerAsPublisher(record)
  const creators = creatorsOf(record)
  const publisher = publisherOf(record)
  const first = <T>(
    ofRecord: readonly T[],
    ofDocument: readonly DescribedValue<T>[] = [],
    isDefault: boolean,
  ) => (isDefault && ofDocument.length > 0 ? described(ofDocument) : either(ofRecord, ofDocument))
  const allCreators = first(creators, description.creators, hasCallerAsCreator(record))
  const [onePublisher] = first(single(publisher), description.publisher, isCaller)
  return {
    creators: allCreators.length > 0 ? allCreators : [{ value: { name: unavailable }, source: undefined }],
    publisher: onePublisher ?? { value: { name: unavailable }, source: undefined },
  }
}

/** The titles, the main title first. */
function titlesOf(record: StoredRecord, description: DocumentDescription): readonly Sourced<DataCiteTitle>[] {
  const ofDocument = distinct(described(description.titles))
  const hasTitle = (record.titles ?? []).some(
    ({ value }) => value.trim() !== '' && !defaultTitles.some(title => title.value === value),
  )
  if (!hasTitle && ofDocument.length > 0) {
    const at = ofDocument.findIndex(({ value }) => value.titleType === undefined)
    const first = ofDocument[Math.max(at, 0)] as Sourced<DataCiteTitle>
    return [first, ...ofDocument.filter(each => each !== first)]
  }
  const main = cleanText(titleOf(record)).trim()
  const titles = (record.titles ?? []).flatMap(({ value, titleType, lang }): readonly DataCiteTitle[] => {
    const title = visibleText(value)
    if (title === undefined) return []
    return [defined({ title, titleType: titleType && camelCase(titleType), lang: languageTag(lang) })]
  })
  const at = titles.findIndex(({ title }) => title === main)
  const shown = visibleText(main)
  const first = titles[at] ?? { title: shown ?? record.id }
  const isStated = at >= 0 || (shown !== undefined && titleOf(record) !== record.id)
  const others = titles.filter((other, index) => index !== at && !isSame(other, first))
  return distinct([{ value: first, source: isStated ? fromRecord : undefined }, ...stated(others)])
}

function isSame(one: object, other: object): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}

/**
 * The dates of the record, and those of other types that the document has. CREATED, UPDATED and the end of an embargo are
 * added if neither has them.
 */
function datesOf(
  { record, createdAt, time }: ExportedRevision,
  description: DocumentDescription,
): readonly Sourced<DataCiteDate>[] {
  const ofRecord = (record.dates ?? []).map(({ value, type }) => ({
    date: value,
    dateType: dateTypeName(type),
  }))
  const recordTypes = new Set(ofRecord.map(({ dateType }) => dateType))
  const ofDocument = described(description.dates).filter(({ value }) => !recordTypes.has(value.dateType))
  const types = new Set([...recordTypes, ...ofDocument.map(({ value }) => value.dateType)])
  const added = (dateType: string, date: string | undefined) =>
    date === undefined || types.has(dateType) ? [] : stated([{ date, dateType }])
  return distinct([
    ...added('Created', formatSecond(createdAt)),
    ...stated(ofRecord),
    ...ofDocument,
    ...added('Updated', formatSecond(time)),
    ...added('Available', record.embargoDate),
  ])
}

/**
 * The publication year, or the earliest year of the first kind of dates found: issued, available, created, updated. DataCite
 * demands a year, that in which the resource is made public, so a text without one counts as none.
 */
function yearOf(
  { publicationYear = '' }: StoredRecord,
  description: DocumentDescription,
  dates: readonly Sourced<DataCiteDate>[],
): Sourced<string> {
  const [year] = either(single(yearInText(publicationYear)), description.publicationYear)
  if (year) return year
  for (const wanted of ['Issued', 'Available', 'Created', 'Updated']) {
    const [earliest] = dates
      .flatMap(({ value: { date, dateType }, source }) => {
        const found = dateType === wanted ? yearOfDate(date) : undefined
        return found === undefined ? [] : [{ value: found, source }]
      })
      .sort((one, other) => Number(one.value) - Number(other.value))
    if (earliest) return earliest
  }
  return { value: '0000', source: undefined }
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
  return [{ alternateIdentifier: id, alternateIdentifierType: 'Internal' }, ...stored]
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
