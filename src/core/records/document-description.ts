import type {
  DataCiteAlternateIdentifier,
  DataCiteContributor,
  DataCiteDate,
  DataCiteDescription,
  DataCiteFundingReference,
  DataCiteGeoLocation,
  DataCiteIdentifier,
  DataCiteName,
  DataCitePublisher,
  DataCiteRelatedIdentifier,
  DataCiteRelatedItem,
  DataCiteRights,
  DataCiteSubject,
  DataCiteTitle,
  DataCiteTypes,
} from './datacite-document.js'
import type { StoredRecord } from './record.js'
import type { Revision } from './revision.js'

/** A value that a document has. */
export interface DescribedValue<T> {
  readonly value: T
  /** The place in the document, such as `authors[1]`; undefined for a constant that the schema gives. */
  readonly path?: string
}

/** The properties that a document can have, each with the type of one value. */
interface DescribedProperties {
  readonly identifier: DataCiteIdentifier
  readonly types: Partial<DataCiteTypes>
  readonly creators: DataCiteName
  readonly titles: DataCiteTitle
  readonly publisher: DataCitePublisher
  /** Four digits. */
  readonly publicationYear: string
  readonly subjects: DataCiteSubject
  readonly contributors: DataCiteContributor
  readonly dates: DataCiteDate
  readonly language: string
  readonly alternateIdentifiers: DataCiteAlternateIdentifier
  readonly relatedIdentifiers: DataCiteRelatedIdentifier
  readonly relatedItems: DataCiteRelatedItem
  readonly sizes: string
  readonly formats: string
  readonly version: string
  readonly rightsList: DataCiteRights
  readonly descriptions: DataCiteDescription
  readonly geoLocations: DataCiteGeoLocation
  readonly fundingReferences: DataCiteFundingReference
}

/**
 * What a document says about itself, as values of DataCite: plain data. Properties that are no list have one value. A
 * property is absent if the document does not have it.
 */
export type DocumentDescription = {
  readonly [P in keyof DescribedProperties]?: readonly DescribedValue<DescribedProperties[P]>[]
}

/** The main title of a document; undefined if it has none. */
export function titleInDocument({ titles = [] }: DocumentDescription): string | undefined {
  return (titles.find(({ value }) => value.titleType === undefined) ?? titles[0])?.value.title
}

/** A revision with what its document says about itself. */
export interface DescribedRevision {
  readonly revision: Revision
  /** Absent if the document cannot be read. */
  readonly description?: DocumentDescription
  /** Size of the document in bytes; absent if it is unknown. */
  readonly documentSize?: number
}

/** What a list shows of a record and its document. */
export interface ListedDescription {
  readonly title: string
  /** The first people who made it. */
  readonly people: readonly string[]
  readonly hasMorePeople: boolean
  /** Undefined if neither record nor document say when it was published. */
  readonly year: string | undefined
  readonly licence: string | undefined
  /** The beginning of the first description. */
  readonly text: string | undefined
  readonly keywords: readonly string[]
}

/** What a module exports that threads load to describe documents. */
export interface DescribeModule {
  /**
   * Gives the record with what its document says about itself.
   * @param said what the schema says about its documents
   * @param readAuthor reads the name of the author of the commit that created the record; undefined if it is unknown
   */
  readonly describe: (
    revision: Revision,
    document: Uint8Array,
    said: string | undefined,
    readAuthor: () => string | undefined,
  ) => StoredRecord
  /**
   * What a schema says about its documents, as a text that only the module reads; undefined if it says nothing.
   * @param document of the schema; undefined if it cannot be read
   */
  readonly saidBySchema: (
    schema: Pick<Revision, 'documentType'> & { readonly record: Pick<StoredRecord, 'crosswalk'> },
    document: Uint8Array | undefined,
  ) => string | undefined
}
