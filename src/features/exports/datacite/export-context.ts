import { type Collection, recordLabels } from '../../../core/records/collection.js'
import type { DataCiteDocument } from '../../../core/records/datacite-document.js'
import type { DocumentDescription } from '../../../core/records/document-description.js'
import type { Revision } from '../../../core/records/revision.js'
import { identifierIri } from '../../../core/text/iri.js'
import type { Id, Version } from '../../../core/value-types.js'

/** The members of a revision that exports read. */
export type ExportedRevision = Pick<
  Revision,
  | 'record'
  | 'kind'
  | 'id'
  | 'version'
  | 'previous'
  | 'time'
  | 'createdAt'
  | 'documentType'
  | 'documentHash'
  | 'commit'
>

/**
 * Absolute addresses in the repository; empty texts if the repository has none. The address of a version always leads
 * to that version.
 */
interface ExportUrls {
  /** The landing page of a version of a record; without a version, of the newest one. */
  page(kind: Collection, id: Id, version?: Version): string
  /** The download of a document. */
  document(kind: Collection, id: Id, version: Version): string
}

/** What an export contains in addition to the revision. */
export interface ExportContext {
  readonly urls: ExportUrls
  /** Whether the request names a version or a point of history: addresses of the landing page then name the version. */
  readonly isPinned: boolean
  /** Whether callers without a token may read the record. */
  readonly isPublic: boolean
  /** Size of the document in bytes; absent if it is unknown. */
  readonly documentSize?: number
  /** What the document says about itself. */
  readonly description?: DocumentDescription
  /**
   * Address of the landing page of the record with this name, for related identifiers of the type INTERNAL. Undefined
   * if there is no such record, or the caller may not read it: the relation is then left out.
   */
  internalPage(name: string): string | undefined
}

/** The context of a description without addresses, which is for one that shows none. */
export const withoutAddresses: ExportContext = {
  urls: { page: () => '', document: () => '' },
  isPinned: true,
  isPublic: true,
  internalPage: () => undefined,
}

/** A revision, described for all formats of exports. */
export interface DescribedRecord {
  readonly kind: Collection
  readonly id: Id
  readonly document: DataCiteDocument
  /** Time of the revision, in ISO 8601, to the second. */
  readonly lastUpdate: string
  /** SHA-1 of the bytes of the document, in hexadecimal digits. */
  readonly documentHash: string
  /** Size of the document in bytes; absent if it is unknown. */
  readonly documentSize?: number
}

/** The IRI of the record in RDF: its persistent identifier, or else the address of its landing page. */
export function subjectIri({ identifiers, url }: DataCiteDocument): string {
  const [{ identifier, identifierType }] = identifiers
  return identifierIri(identifier, identifierType) ?? url
}

/** The first description of the record, or else a sentence about the kind of the record. */
export function summaryOf({ kind, document }: DescribedRecord): string {
  const [description] = document.descriptions ?? []
  if (description) return description.description
  const follows = (document.relatedIdentifiers ?? []).find(
    ({ relatedMetadataScheme, relationType }) => relationType === 'HasMetadata' && relatedMetadataScheme,
  )
  const scheme = follows ? ` It follows the schema ${follows.relatedMetadataScheme}.` : ''
  return `${recordLabels[kind]} “${document.titles[0].title}”, version ${document.version}, as ${document.formats[0]}.${scheme}`
}
