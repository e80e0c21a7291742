import { unavailable } from '../../../core/records/datacite-document.js'
import type { DocumentDescription } from '../../../core/records/document-description.js'
import { shortenedDescription, shortenedRevision } from '../export-job.js'
import { type ExportedRevision, withoutAddresses } from './export-context.js'
import { dataCiteDocument } from './record-to-datacite.js'
import { isAccessRight, shortNameOfRight } from './rights.js'
import { yearInText } from './year-in-text.js'

/** What a list shows of a record and its document. */
export interface ListedDescription {
  readonly title: string
  readonly people: readonly string[]
  /** Undefined if neither record nor document say when it was published. */
  readonly year: string | undefined
  readonly licence: string | undefined
  /** The beginning of the first description. */
  readonly text: string | undefined
  readonly keywords: readonly string[]
}

/** Limits of the people, the keywords, and the characters of the description. */
const most = { people: 3, keywords: 5, characters: 200 }

/** What lists show of descriptions that are in memory, with the revision that they were shown with. */
const shown = new WeakMap<
  DocumentDescription,
  { readonly with: string; readonly listed: ListedDescription }
>()

/**
 * A record in a list, with what its document says about itself. It is remembered as long as the description: a page of 20
 * records takes 1 ms otherwise.
 */
export function listedDescription(
  revision: ExportedRevision,
  description: DocumentDescription,
): ListedDescription {
  const key = `${revision.commit} ${revision.kind} ${revision.id}`
  const known = shown.get(description)
  if (known?.with === key) return known.listed
  const listed = listedAnew(revision, description)
  shown.set(description, { with: key, listed })
  return listed
}

function listedAnew(revision: ExportedRevision, description: DocumentDescription): ListedDescription {
  const document = dataCiteDocument(shortenedRevision(revision), {
    ...withoutAddresses,
    description: shortenedDescription(description),
  })
  const { creators, descriptions = [], subjects = [], rightsList, publicationYear } = document
  const people = creators.flatMap(({ name }) => (name === unavailable ? [] : [name]))
  const ofRecord = yearInText(revision.record.publicationYear ?? '')
  const isDated = [ofRecord, description.publicationYear, description.dates].some(
    given => given !== undefined,
  )
  const licence = rightsList.find(right => !isAccessRight(right))
  const text = descriptions[0]?.description
  return {
    title: document.titles[0].title,
    people: people.length > most.people ? [...people.slice(0, most.people), '…'] : people,
    year: isDated ? publicationYear : undefined,
    licence: licence && shortNameOfRight(licence),
    text: text && text.length > most.characters ? `${text.slice(0, most.characters).trimEnd()}…` : text,
    keywords: subjects.slice(0, most.keywords).map(({ subject }) => subject),
  }
}
