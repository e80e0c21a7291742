/*
 * Names of DataCite for the constants in records.
 */

/** Identifier types whose name in DataCite differs from the constant. DataCite has no names for INTERNAL and OTHER. */
const identifierTypes = new Map([
  ['AR_XIV', 'arXiv'],
  ['BIBCODE', 'bibcode'],
  ['EAN_13', 'EAN13'],
  ['HANDLE', 'Handle'],
  ['W_3_ID', 'w3id'],
])

/** The name of an identifier type in DataCite: `AR_XIV` is `arXiv`, `DOI` is `DOI`. */
export function identifierTypeName(constant: string): string {
  return identifierTypes.get(constant) ?? constant
}

const relations = (
  'IsCitedBy Cites IsSupplementTo IsSupplementedBy IsContinuedBy Continues IsNewVersionOf IsPreviousVersionOf ' +
  'IsPartOf HasPart IsReferencedBy References IsDocumentedBy Documents IsCompiledBy Compiles IsVariantFormOf ' +
  'IsOriginalFormOf IsIdenticalTo HasMetadata IsMetadataFor Reviews IsReviewedBy IsDerivedFrom IsSourceOf ' +
  'IsVersionOf HasVersion'
).split(' ')
const relationNames = new Map(relations.map(name => [name.toUpperCase(), name]))

/** DataCite's name of a relation, by its constant with or without underscores; undefined for another text. */
export function relationName(constant: string): string | undefined {
  return relationNames.get(constant.replaceAll('_', ''))
}

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

/** DataCite's name of a type of identifiers of funders. */
export function funderIdentifierTypeName(constant: string | undefined): string {
  if (constant === 'CROSSREF_FUNDER_ID') return 'Crossref Funder ID'
  return constant === 'ISNI' || constant === 'GRID' ? constant : 'Other'
}

/** The text without white space around it, if it has the form of a language tag; else undefined. @see RFC 5646 */
export function languageTag(text: string | undefined): string | undefined {
  const trimmed = text?.trim()
  return trimmed && /^[a-zA-Z]{1,8}(?:-[a-zA-Z0-9]{1,8})*$/.test(trimmed) ? trimmed : undefined
}
