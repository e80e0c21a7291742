import type { DataCiteRelatedIdentifier } from '../../../core/records/datacite-document.js'
import { identifierTypeOf, type RelatedIdentifier } from '../../../core/records/record.js'
import { visibleText } from '../../../core/text/clean-text.js'
import { absoluteIri, doiName } from '../../../core/text/iri.js'
import { defined } from '../defined-members.js'
import { identifierTypeName, relationName } from './datacite-terms.js'
import type { ExportContext, ExportedRevision } from './export-context.js'

/** The relations that the record stores, and those to the schema of the document and to the previous version. */
export function relationsOf(
  revision: ExportedRevision,
  context: ExportContext,
): readonly DataCiteRelatedIdentifier[] {
  const { record, kind, id, previous, documentType } = revision
  const { schema } = record
  const { urls } = context
  return [
    ...(record.relatedIdentifiers ?? []).flatMap(related => storedRelation(related, context)),
    ...(schema
      ? [
          {
            relatedIdentifier: urls.page('schema', schema.schemaId, schema.version),
            relatedIdentifierType: 'URL',
            relationType: 'HasMetadata',
            relatedMetadataScheme: schema.schemaId,
            schemeUri: urls.document('schema', schema.schemaId, schema.version),
            schemeType: documentType === 'XML' ? 'XSD' : 'JSON Schema',
          },
        ]
      : []),
    ...(previous
      ? [
          {
            relatedIdentifier: urls.page(kind, id, previous),
            relatedIdentifierType: 'URL',
            relationType: 'IsNewVersionOf',
          },
        ]
      : []),
  ]
}

function storedRelation(
  related: RelatedIdentifier,
  { internalPage }: ExportContext,
): readonly DataCiteRelatedIdentifier[] {
  const type = identifierTypeOf(related)
  const relationType = relationName(related.relationType)
  const identifier = type === 'INTERNAL' ? internalPage(related.value) : visibleText(related.value)
  if (relationType === undefined || identifier === undefined || type === 'OTHER') return []
  const isAboutMetadata = relationType === 'HasMetadata' || relationType === 'IsMetadataFor'
  return [
    defined({
      relatedIdentifier: (type === 'DOI' && doiName(identifier)) || identifier,
      relatedIdentifierType: type === 'INTERNAL' ? 'URL' : identifierTypeName(type),
      relationType,
      relatedMetadataScheme: isAboutMetadata ? visibleText(related.relatedMetadataScheme) : undefined,
      schemeUri: isAboutMetadata ? absoluteIri(related.scheme?.schemeUri) : undefined,
    }),
  ]
}
