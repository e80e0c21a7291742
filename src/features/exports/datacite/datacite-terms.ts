/*
 * The controlled lists of DataCite 4.6, and their names for the constants in records.
 * @see https://datacite-metadata-schema.readthedocs.io/en/4.6/appendices/appendix-1/
 */

const words = (text: string) => text.split(/\s+/)

export const resourceTypes = words(
  'Audiovisual Award Book BookChapter Collection ComputationalNotebook ConferencePaper ConferenceProceeding DataPaper ' +
    'Dataset Dissertation Event Image InteractiveResource Instrument Journal JournalArticle Model ' +
    'OutputManagementPlan PeerReview PhysicalObject Preprint Project Report Service Software Sound Standard ' +
    'StudyRegistration Text Workflow Other',
)
export const nameTypes = words('Personal Organizational')
export const titleTypes = words('AlternativeTitle Subtitle TranslatedTitle Other')
export const contributorTypes = words(
  'ContactPerson DataCollector DataCurator DataManager Distributor Editor HostingInstitution Producer ProjectLeader ' +
    'ProjectManager ProjectMember RegistrationAgency RegistrationAuthority RelatedPerson Researcher ResearchGroup ' +
    'RightsHolder Sponsor Supervisor Translator WorkPackageLeader Other',
)
export const dateTypes = words(
  'Accepted Available Collected Copyrighted Coverage Created Issued Submitted Updated Valid Withdrawn Other',
)
export const descriptionTypes = words(
  'Abstract Methods SeriesInformation TableOfContents TechnicalInfo Other',
)
export const relatedIdentifierTypes = words(
  'ARK arXiv bibcode CSTR DOI EAN13 EISSN Handle IGSN ISBN ISSN ISTC LISSN LSID PMID PURL RRID UPC URL URN w3id',
)
export const relationTypes = words(
  'IsCitedBy Cites IsSupplementTo IsSupplementedBy IsContinuedBy Continues Describes IsDescribedBy HasMetadata ' +
    'IsMetadataFor HasVersion IsVersionOf IsNewVersionOf IsPreviousVersionOf IsPartOf HasPart IsPublishedIn ' +
    'IsReferencedBy References IsDocumentedBy Documents IsCompiledBy Compiles IsVariantFormOf IsOriginalFormOf ' +
    'IsIdenticalTo IsReviewedBy Reviews IsDerivedFrom IsSourceOf IsRequiredBy Requires Obsoletes IsObsoletedBy ' +
    'Collects IsCollectedBy HasTranslation IsTranslationOf',
)
export const funderIdentifierTypes = ['Crossref Funder ID', 'GRID', 'ISNI', 'ROR', 'Other']
export const numberTypes = words('Article Chapter Report Other')

/** One of these terms, written in any case and with or without blanks, hyphens and underscores; undefined for others. */
export function oneOf(terms: readonly string[]): (text: string) => string | undefined {
  const known = new Map(terms.map(term => [folded(term), term]))
  const exact = new Set(terms)
  return text => (exact.has(text) ? text : known.get(folded(text.slice(0, 100))))
}

function folded(text: string): string {
  return text.replace(/[\s_-]/g, '').toLowerCase()
}

const identifierType = oneOf(relatedIdentifierTypes)

/** The name of an identifier type: `AR_XIV` is `arXiv`. Those that DataCite does not have (INTERNAL, OTHER) stay. */
export function identifierTypeName(constant: string): string {
  return identifierType(constant) ?? constant
}

/** The name of a relation, by its constant; undefined for another text. */
export const relationName = oneOf(relationTypes)

/** The spelling of a constant in DataCite: `CONTACT_PERSON` is `ContactPerson`. */
export function camelCase(constant: string): string {
  return constant
    .toLowerCase()
    .split('_')
    .map(word => word.charAt(0).toUpperCase() + word.slice(1))
    .join('')
}

/** DataCite calls the date of a revocation `Withdrawn`. */
export function dateTypeName(constant: string): string {
  return constant === 'REVOKED' ? 'Withdrawn' : camelCase(constant)
}

const funderIdentifierType = oneOf(funderIdentifierTypes)

/** The name of a type of identifiers of funders. */
export function funderIdentifierTypeName(constant = ''): string {
  return funderIdentifierType(constant) ?? 'Other'
}

/** The text without white space around it, if it has the form of a language tag; else undefined. @see RFC 5646 */
export function languageTag(text: string | undefined): string | undefined {
  const trimmed = text?.trim()
  return trimmed && /^[a-zA-Z]{1,8}(?:-[a-zA-Z0-9]{1,8})*$/.test(trimmed) ? trimmed : undefined
}
