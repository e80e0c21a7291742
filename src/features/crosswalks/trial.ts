import type { Principal } from '../../core/access-control.js'
import type { DescribedRevision, DocumentDescription } from '../../core/records/document-description.js'
import type { ListCursor } from '../../core/records/list-page.js'
import type { Revision } from '../../core/records/revision.js'
import { openEventLoopPauses } from '../../core/scheduling/event-loop-pauses.js'
import type { Id } from '../../core/value-types.js'
import type { SchemaBundle } from '../../validation/validator.js'
import { yearOfDate } from '../exports/datacite/year-in-text.js'
import { crosswalkWithFaults } from './check-crosswalk.js'
import type { CrosswalkFault } from './crosswalk/crosswalk-rules.js'
import { maxDescribedBytes } from './crosswalk/described-tree.js'
import type { Descriptions } from './open-descriptions.js'

/** What a citation needs. */
type CitedProperty = 'titles' | 'creators' | 'publicationYear'

/** A document in a trial. */
interface TriedDocument {
  /** Absent for a document that is not stored. */
  readonly id?: Id
  readonly version?: number
  /** What a citation needs and the document does not give. */
  readonly without: readonly CitedProperty[]
}

/** A document that could not be read. */
interface UnreadDocument {
  readonly id: Id
  readonly version: number
  readonly because: string
}

/** An example of what comes out. */
interface Example extends TriedDocument {
  /** The beginning of the description. */
  readonly description: DocumentDescription
}

export interface Trial {
  readonly faults: readonly CrosswalkFault[]
  /** Number of documents, also of those that were not read. */
  readonly checked: number
  /** True: the schema has more documents. */
  readonly more: boolean
  /** The last document, after which the next trial begins; absent without more of them. */
  readonly next?: ListCursor
  /** The documents that were not read, and that nothing else counts. */
  readonly notRead: readonly UnreadDocument[]
  /** Numbers of documents that do not give what a citation needs. */
  readonly without: Readonly<Record<CitedProperty, number>>
  /** Properties that the crosswalk names, and for which no document has a value. */
  readonly empty: readonly string[]
  /** The documents that do not give all that a citation needs. */
  readonly incomplete: readonly TriedDocument[]
  /** The first documents, at most {@link maxExamples}. */
  readonly documents: readonly Example[]
}

interface Tried {
  /** The crosswalk as JSON; undefined: that of the schema. */
  readonly crosswalk?: unknown
  /** A document that is not stored; undefined: stored documents of the schema. */
  readonly document?: Uint8Array
  /** Limit of the stored documents, and the place after which they begin. */
  readonly limit: number
  readonly after?: ListCursor | undefined
}

const maxExamples = 20
/** Milliseconds after which a trial ends and says that there are more documents. */
const maxMilliseconds = 10_000

/** Tries a crosswalk of a schema, and stores nothing. Rules with faults are left out. */
export async function tryCrosswalk(
  descriptions: Pick<Descriptions, 'describeBytes' | 'documentsOf'>,
  bundleOf: (schema: Revision) => Promise<SchemaBundle>,
  caller: Principal,
  schema: Revision,
  { crosswalk: json = schema.record.crosswalk ?? {}, document, limit, after }: Tried,
): Promise<Trial> {
  const { crosswalk, faults } = await crosswalkWithFaults(json, () => bundleOf(schema))
  const without = { titles: 0, creators: 0, publicationYear: 0 }
  const notRead: UnreadDocument[] = []
  const incomplete: TriedDocument[] = []
  const documents: Example[] = []
  const empty = new Set<string>(crosswalk.keys())
  let checked = 0
  let last: Revision | undefined
  let more = false

  function add(description: DocumentDescription, revision?: Revision): void {
    const tried = {
      ...(revision && { id: revision.id, version: revision.version }),
      without: lackedBy(description),
    }
    checked++
    for (const property of tried.without) without[property]++
    for (const property of Object.keys(description)) empty.delete(property)
    if (tried.without.length > 0) incomplete.push(tried)
    if (documents.length < maxExamples)
      documents.push({ ...tried, description: beginningOf(description, document && wholeExample) })
  }

  const trial = JSON.stringify(json)
  if (document) add(await descriptions.describeBytes(document, schema, trial))
  else {
    const pauses = openEventLoopPauses()
    const end = performance.now() + maxMilliseconds
    for await (const described of descriptions.documentsOf(caller, schema, trial, after)) {
      const { revision, description } = described
      more = checked === limit || (checked > 0 && performance.now() > end)
      if (more) break
      last = revision
      if (description) add(description, revision)
      else {
        checked++
        notRead.push(unreadOf(described))
      }
      await pauses.ifDue()
    }
  }
  return {
    faults,
    checked,
    more,
    ...(more && last && { next: { id: last.id, time: last.time } }),
    notRead,
    without,
    empty: checked > notRead.length ? [...empty] : [],
    incomplete,
    documents,
  }
}

function unreadOf({ revision: { id, version }, documentSize = 0 }: DescribedRevision): UnreadDocument {
  const isLarge = documentSize > maxDescribedBytes
  return { id, version, because: isLarge ? `larger than ${maxDescribedBytes} bytes` : 'not readable' }
}

/** Limits of an example: the entries of a list, and the characters of a text. The first that are short enough count. */
const examples = [
  { entries: 10, characters: 500 },
  { entries: 3, characters: 200 },
  { entries: 1, characters: 100 },
] as const
/** Limits of the only example. */
const wholeExample = [{ entries: 1000, characters: 64 * 1024 }] as const
/** Characters of an example that is short enough. */
const shortExample = 32 * 1024

type Limits = { readonly entries: number; readonly characters: number }

function beginningOf(
  description: DocumentDescription,
  limits: readonly Limits[] = examples,
): DocumentDescription {
  let shown: unknown
  for (const each of limits) {
    shown = shortened(description, each)
    if (JSON.stringify(shown).length <= shortExample) break
  }
  return shown as DocumentDescription
}

function shortened(value: unknown, limits: Limits): unknown {
  if (typeof value === 'string')
    return value.length > limits.characters ? `${value.slice(0, limits.characters)}…` : value
  if (Array.isArray(value)) return value.slice(0, limits.entries).map(each => shortened(each, limits))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, of]) => [name, shortened(of, limits)]))
}

/** Kinds of dates from which a publication year follows. */
const datesOfPublication = ['Issued', 'Available', 'Created', 'Updated']

function lackedBy(description: DocumentDescription): readonly CitedProperty[] {
  const { titles, creators, publicationYear, dates = [] } = description
  const hasYear =
    publicationYear !== undefined ||
    dates.some(
      ({ value }) => datesOfPublication.includes(value.dateType) && yearOfDate(value.date) !== undefined,
    )
  return [
    ...(titles ? [] : (['titles'] as const)),
    ...(creators ? [] : (['creators'] as const)),
    ...(hasYear ? [] : (['publicationYear'] as const)),
  ]
}
