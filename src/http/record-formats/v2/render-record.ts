import { resourceTypeOf } from '../../../core/records/collection.js'
import {
  type AlternateIdentifier,
  defaultIdentifier,
  defaultTitles,
  type PrimaryIdentifier,
  type RecordDate,
  type RelatedIdentifier,
  type StoredRecord,
} from '../../../core/records/record.js'
import { defaultPublicationYear } from '../../../core/records/record-defaults.js'
import type { Revision } from '../../../core/records/revision.js'
import { formatInstant } from '../../../core/value-types.js'
import type { JsonObject } from '../record-format-interface.js'
import { recordUrl } from '../record-urls.js'
import { createdAt, omitEmpty } from '../render-json-properties.js'
import { withListPositions } from './properties-by-record-schema.js'

/*
 * Renders a stored record in interface version 2, with its defaults.
 */

/** A revision as JSON of interface version 2. @param root beginning of URLs: `https://example.org/api/v2` */
export function renderRecord(revision: Revision, root: string): JsonObject {
  const { record, kind, id, version, documentType } = revision
  return omitEmpty({
    id,
    identifier: withListPositions(renderedIdentifier(record)),
    creators: withListPositions(record.creators),
    titles: withListPositions(record.titles ?? defaultTitles),
    publisher: record.publisher,
    publicationYear: record.publicationYear ?? defaultPublicationYear(revision.createdAt),
    resourceType: withListPositions({
      value: resourceTypeOf(kind, documentType),
      typeGeneral: 'MODEL',
    }),
    subjects: withListPositions(record.subjects),
    contributors: withListPositions(record.contributors),
    dates: withListPositions([
      { value: createdAt(revision), type: 'CREATED' },
      ...withoutCreated(record.dates),
    ]),
    relatedIdentifiers: withListPositions([
      ...(record.relatedIdentifiers ?? []),
      ...derivedRelations(revision, root),
    ]),
    descriptions: withListPositions(record.descriptions),
    geoLocations: withListPositions(record.geoLocations),
    language: record.language,
    alternateIdentifiers: withListPositions(renderedAlternateIdentifiers(revision)),
    sizes: record.sizes,
    formats: record.formats,
    version: String(version),
    rights: withListPositions(record.rights),
    fundingReferences: withListPositions(record.fundingReferences),
    lastUpdate: formatInstant(revision.time),
    state: record.state ?? 'VOLATILE',
    embargoDate: record.embargoDate,
    acls: withListPositions(record.acls),
    search: withListPositions(record.search),
  })
}

/** The persistent identifier, or a placeholder. The type is DOI if version 1 has stored the identifier without one. */
export function renderedIdentifier({ identifier }: StoredRecord): PrimaryIdentifier {
  return identifier ? { identifierType: 'DOI', ...identifier } : defaultIdentifier
}

/** The id, and the stored alternate identifiers. */
export function renderedAlternateIdentifiers({ id, record }: Revision): readonly AlternateIdentifier[] {
  return [{ value: id, identifierType: 'INTERNAL' }, ...(record.alternateIdentifiers ?? [])]
}

export function withoutCreated(dates: readonly RecordDate[] = []): readonly RecordDate[] {
  return dates.filter(({ type }) => type !== 'CREATED')
}

/** Relations to the followed schema and to the previous version. @see docs/contract.md#derived-members */
function derivedRelations(
  { record, kind, id, previous, unserved }: Revision,
  root: string,
): readonly RelatedIdentifier[] {
  const { schema } = record
  const toUrl = (value: string, relationType: string) => ({ identifierType: 'URL', value, relationType })
  return [
    ...(schema
      ? [toUrl(recordUrl(root, 'schema', schema.schemaId, schema.version, unserved?.point), 'HAS_METADATA')]
      : []),
    ...(previous ? [toUrl(recordUrl(root, kind, id, previous, unserved?.point), 'IS_NEW_VERSION_OF')] : []),
  ]
}
