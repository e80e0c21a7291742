/*
 * The controlled lists of DataCite 4.6.
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
