import type { Principal } from '../../core/access-control.js'
import type { DocumentDescription } from '../../core/records/document-description.js'
import type { Revision } from '../../core/records/revision.js'
import { openEventLoopPauses } from '../../core/scheduling/event-loop-pauses.js'
import { crosswalkWithFaults } from './check-crosswalk.js'
import type { CrosswalkFault } from './crosswalk/crosswalk-rules.js'
import type { Descriptions } from './open-descriptions.js'

/** What a citation needs. */
export type CitedProperty = 'titles' | 'creators' | 'publicationYear'

/** A document in a trial. */
export interface TriedDocument {
  /** Absent for a document that is not stored. */
  readonly id?: string
  readonly version?: number
  /** What a citation needs and the document does not give. */
  readonly without: readonly CitedProperty[]
  readonly description: DocumentDescription
}

export interface Trial {
  readonly faults: readonly CrosswalkFault[]
  /** Number of documents. */
  readonly checked: number
  /** True: the schema has more documents. */
  readonly more: boolean
  /** Numbers of documents that do not give what a citation needs. */
  readonly without: Readonly<Record<CitedProperty, number>>
  /** Properties that the crosswalk names, and for which no document has a value. */
  readonly empty: readonly string[]
  readonly documents: readonly TriedDocument[]
}

interface Tried {
  /** The crosswalk as JSON; undefined: that of the schema. */
  readonly crosswalk?: unknown
  /** A document that is not stored; undefined: stored documents of the schema. */
  readonly document?: Uint8Array
  /** Limit of the stored documents. */
  readonly limit: number
}

/** Tries a crosswalk of a schema, and stores nothing. Rules with faults are left out. */
export async function tryCrosswalk(
  descriptions: Descriptions,
  readDocument: (schema: Revision) => Promise<Uint8Array>,
  caller: Principal,
  schema: Revision,
  { crosswalk: json = schema.record.crosswalk, document, limit }: Tried,
): Promise<Trial> {
  const { crosswalk, faults } = await crosswalkWithFaults(json ?? {}, {
    type: schema.documentType,
    document: () => readDocument(schema),
  })
  const documents: TriedDocument[] = []
  let more = false
  if (document) {
    documents.push(triedDocument(await descriptions.describeBytes(document, schema, crosswalk)))
  } else {
    const pauses = openEventLoopPauses()
    for await (const { revision, description } of descriptions.documentsOf(
      caller,
      schema,
      crosswalk,
      limit + 1,
    )) {
      if (documents.length === limit) more = true
      else documents.push({ id: revision.id, version: revision.version, ...triedDocument(description ?? {}) })
      await pauses.ifDue()
    }
  }
  const lacking = (property: CitedProperty) =>
    documents.filter(({ without }) => without.includes(property)).length
  return {
    faults,
    checked: documents.length,
    more,
    without: {
      titles: lacking('titles'),
      creators: lacking('creators'),
      publicationYear: lacking('publicationYear'),
    },
    empty: [...crosswalk.keys()].filter(
      property => documents.length > 0 && documents.every(({ description }) => !(property in description)),
    ),
    documents,
  }
}

/** Kinds of dates from which a publication year follows. */
const datesOfPublication = ['Issued', 'Available', 'Created', 'Updated']

function triedDocument(description: DocumentDescription): TriedDocument {
  const { titles, creators, publicationYear, dates = [] } = description
  const hasYear =
    publicationYear !== undefined || dates.some(({ value }) => datesOfPublication.includes(value.dateType))
  const without: CitedProperty[] = [
    ...(titles ? [] : (['titles'] as const)),
    ...(creators ? [] : (['creators'] as const)),
    ...(hasYear ? [] : (['publicationYear'] as const)),
  ]
  return { without, description }
}
