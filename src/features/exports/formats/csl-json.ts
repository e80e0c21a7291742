import {
  type DataCiteDocument,
  type DataCiteName,
  unavailable,
} from '../../../core/records/datacite-document.js'
import { type DescribedRecord, subjectIri } from '../datacite/export-context.js'
import { defined } from '../defined-members.js'

/*
 * CSL-JSON, the data model of citation processors.
 * @see https://github.com/citation-style-language/schema/blob/master/schemas/input/csl-data.json
 */

/** The name of a person in two parts, or any other name. */
export type CslName = { readonly family: string; readonly given: string } | { readonly literal: string }

interface CslItem {
  readonly id: string
  /** `document` stands for a schema. */
  readonly type: 'dataset' | 'document'
  /** Tells what a `document` is, because that type alone says little. */
  readonly genre?: 'Schema'
  readonly title: string
  readonly author?: readonly CslName[]
  readonly editor?: readonly CslName[]
  readonly issued: { readonly 'date-parts': readonly [readonly number[]] }
  readonly publisher?: string
  readonly version: string
  readonly DOI?: string
  readonly URL: string
  readonly abstract?: string
  readonly keyword?: string
  readonly language?: string
}

/** The values of a citation of the record. */
export function cslItem({ id, kind, document }: DescribedRecord): CslItem {
  const { publisher, descriptions, subjects } = document
  return defined({
    id,
    ...(kind === 'schema' ? { type: 'document', genre: 'Schema' } : { type: 'dataset' }),
    title: document.titles[0].title,
    author: namesOf(document.creators),
    editor: namesOf(document.contributors?.filter(({ contributorType }) => contributorType === 'Editor')),
    issued: { 'date-parts': [issued(document)] },
    publisher: publisher.name === unavailable ? undefined : publisher.name,
    version: document.version,
    DOI: document.doi,
    URL: subjectIri(document),
    abstract: descriptions?.find(({ descriptionType }) => descriptionType === 'Abstract')?.description,
    keyword: subjects?.map(({ subject }) => subject).join(', '),
    language: document.language,
  })
}

/** The known names; undefined if there are none. */
function namesOf(entries: readonly DataCiteName[] = []): readonly CslName[] | undefined {
  const names = entries
    .filter(({ name }) => name !== unavailable)
    .map(({ name, familyName, givenName }) =>
      familyName !== undefined && givenName !== undefined
        ? { family: familyName, given: givenName }
        : { literal: name },
    )
  return names.length > 0 ? names : undefined
}

/**
 * The day of issue if it is in the year of publication, or else that year. A record stores a year without a day as the
 * first moment of the year.
 */
function issued({ dates, publicationYear }: DataCiteDocument): readonly number[] {
  const date = dates.find(({ dateType }) => dateType === 'Issued')?.date
  const isDay = date !== undefined && /^\d{4}-\d{2}-\d{2}/.test(date) && !date.endsWith('-01-01T00:00:00Z')
  if (isDay && date.startsWith(publicationYear)) return date.slice(0, 10).split('-').map(Number)
  return [Number(publicationYear)]
}
