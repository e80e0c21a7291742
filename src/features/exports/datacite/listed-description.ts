import { unavailable } from '../../../core/records/datacite-document.js'
import type { DocumentDescription, ListedDescription } from '../../../core/records/document-description.js'
import { shortenedDescription, shortenedRevision } from '../export-job.js'
import { type ExportedRevision, withoutAddresses } from './export-context.js'
import { dataCiteDocument } from './record-to-datacite.js'
import { isAccessRight, shortNameOfRight } from './rights.js'
import { yearInText } from './year-in-text.js'

/** Limits of the people and keywords, and of the characters of the description and of another text. */
const most = { people: 3, keywords: 5, description: 200, characters: 100 }

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
    people: people.slice(0, most.people).map(shortened),
    hasMorePeople: people.length > most.people,
    year: isDated ? publicationYear : undefined,
    licence: licence && shortened(shortNameOfRight(licence)),
    text: text && beginningOf(text, most.description),
    keywords: [...new Set(subjects.map(({ subject }) => subject))].slice(0, most.keywords).map(shortened),
  }
}

/** A document may have all terms of use in the place of a licence. */
function shortened(text: string): string {
  return beginningOf(text, most.characters)
}

function beginningOf(text: string, length: number): string {
  if (text.length <= length) return text
  // The cut may leave half of a character.
  return `${text
    .slice(0, length)
    .replace(/\p{Cs}$/u, '')
    .trimEnd()}…`
}
