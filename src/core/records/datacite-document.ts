/*
 * A DataCite 4.6 document with the member names of DataCite's JSON. Texts are clean (see `cleanText`) and not blank,
 * lists are not empty and have no two equal entries, URIs are absolute and ASCII.
 * @see https://datacite-metadata-schema.readthedocs.io/en/4.6/
 */

export interface DataCiteDocument {
  /** Present if the persistent identifier is a DOI. */
  readonly doi?: string
  /** Address of the landing page. */
  readonly url: string
  /** Address of the document that the record is about. */
  readonly contentUrl: readonly [string]
  /** The persistent identifier, else the address of the landing page. */
  readonly identifiers: readonly [DataCiteIdentifier, ...DataCiteIdentifier[]]
  readonly types: DataCiteTypes
  /** One entry with the name `(:unav)` if the record has no creator. */
  readonly creators: readonly DataCiteName[]
  /** The main title is the first one. */
  readonly titles: readonly [DataCiteTitle, ...DataCiteTitle[]]
  /** The name is `(:unav)` if the record has no publisher. */
  readonly publisher: DataCitePublisher
  /** The year in four digits. */
  readonly publicationYear: string
  readonly subjects?: readonly DataCiteSubject[]
  readonly contributors?: readonly DataCiteContributor[]
  readonly dates: readonly DataCiteDate[]
  /** A language tag. */
  readonly language?: string
  readonly alternateIdentifiers: readonly DataCiteAlternateIdentifier[]
  readonly relatedIdentifiers?: readonly DataCiteRelatedIdentifier[]
  readonly relatedItems?: readonly DataCiteRelatedItem[]
  readonly sizes?: readonly string[]
  /** The media type of the document, then the formats of the record. */
  readonly formats: readonly [mediaType: string, ...others: string[]]
  readonly version: string
  readonly rightsList: readonly DataCiteRights[]
  readonly descriptions?: readonly DataCiteDescription[]
  readonly geoLocations?: readonly DataCiteGeoLocation[]
  readonly fundingReferences?: readonly DataCiteFundingReference[]
  readonly schemaVersion: 'http://datacite.org/schema/kernel-4'
}

export interface DataCiteIdentifier {
  readonly identifier: string
  readonly identifierType: string
}

export interface DataCiteTypes {
  readonly resourceTypeGeneral: string
  readonly resourceType: string
}

export interface DataCiteName {
  /** `Family, Given` for a person. */
  readonly name: string
  readonly nameType?: 'Personal' | 'Organizational'
  readonly givenName?: string
  readonly familyName?: string
  readonly lang?: string
  readonly nameIdentifiers?: readonly DataCiteNameIdentifier[]
  readonly affiliation?: readonly DataCiteAffiliation[]
}

export interface DataCiteNameIdentifier {
  readonly nameIdentifier: string
  /** Such as `ORCID`. */
  readonly nameIdentifierScheme: string
  readonly schemeUri?: string
}

export interface DataCiteAffiliation {
  readonly name: string
  readonly affiliationIdentifier?: string
  readonly affiliationIdentifierScheme?: string
  readonly schemeUri?: string
}

export interface DataCitePublisher {
  readonly name: string
  readonly lang?: string
  readonly publisherIdentifier?: string
  readonly publisherIdentifierScheme?: string
  readonly schemeUri?: string
}

export interface DataCiteContributor extends DataCiteName {
  readonly contributorType: string
}

export interface DataCiteTitle {
  readonly title: string
  /** The type of the title; absent for a main title. */
  readonly titleType?: string
  readonly lang?: string
}

export interface DataCiteSubject {
  readonly subject: string
  readonly subjectScheme?: string
  readonly schemeUri?: string
  readonly valueUri?: string
  readonly classificationCode?: string
  readonly lang?: string
}

export interface DataCiteDate {
  readonly date: string
  readonly dateType: string
  readonly dateInformation?: string
}

export interface DataCiteAlternateIdentifier {
  readonly alternateIdentifier: string
  readonly alternateIdentifierType: string
}

export interface DataCiteRelatedIdentifier {
  readonly relatedIdentifier: string
  readonly relatedIdentifierType: string
  readonly relationType: string
  readonly resourceTypeGeneral?: string
  readonly relatedMetadataScheme?: string
  readonly schemeUri?: string
  readonly schemeType?: string
}

/** A related resource that is described here, because it may have no identifier. */
export interface DataCiteRelatedItem {
  readonly relatedItemType: string
  readonly relationType: string
  readonly relatedItemIdentifier?: {
    readonly relatedItemIdentifier: string
    readonly relatedItemIdentifierType: string
    readonly relatedMetadataScheme?: string
    readonly schemeUri?: string
    readonly schemeType?: string
  }
  readonly creators?: readonly DataCiteName[]
  readonly titles: readonly DataCiteTitle[]
  readonly publicationYear?: string
  readonly volume?: string
  readonly issue?: string
  readonly number?: string
  readonly numberType?: string
  readonly firstPage?: string
  readonly lastPage?: string
  readonly publisher?: string
  readonly edition?: string
  readonly contributors?: readonly DataCiteContributor[]
}

export interface DataCiteRights {
  readonly rights: string
  readonly rightsUri?: string
  readonly rightsIdentifier?: string
  readonly rightsIdentifierScheme?: string
  readonly schemeUri?: string
  readonly lang?: string
}

export interface DataCiteDescription {
  readonly description: string
  readonly descriptionType: string
  readonly lang?: string
}

export interface DataCitePoint {
  readonly pointLongitude: number
  readonly pointLatitude: number
}

export interface DataCiteGeoLocation {
  readonly geoLocationPlace?: string
  readonly geoLocationPoint?: DataCitePoint
  readonly geoLocationBox?: {
    readonly westBoundLongitude: number
    readonly eastBoundLongitude: number
    readonly southBoundLatitude: number
    readonly northBoundLatitude: number
  }
  /** One polygon: at least four corners, of which the last is the first. A point inside of it may follow. */
  readonly geoLocationPolygon?: readonly DataCitePolygonEntry[]
}

type DataCitePolygonEntry =
  | { readonly polygonPoint: DataCitePoint }
  | { readonly inPolygonPoint: DataCitePoint }

/** The corners of a polygon, of which the last is the first. */
export function cornersOf(polygon: readonly DataCitePolygonEntry[]): readonly DataCitePoint[] {
  return polygon.flatMap(entry => ('polygonPoint' in entry ? [entry.polygonPoint] : []))
}

export interface DataCiteFundingReference {
  readonly funderName: string
  readonly funderIdentifier?: string
  readonly funderIdentifierType?: string
  readonly schemeUri?: string
  readonly awardNumber?: string
  readonly awardUri?: string
  readonly awardTitle?: string
}

/**
 * The value for a member that the record does not have.
 * @see https://datacite-metadata-schema.readthedocs.io/en/4.6/appendices/appendix-3/
 */
export const unavailable = '(:unav)'
