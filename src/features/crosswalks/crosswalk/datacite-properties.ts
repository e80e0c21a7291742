import {
  contributorTypes,
  dateTypes,
  descriptionTypes,
  funderIdentifierTypes,
  nameTypes,
  numberTypes,
  oneOf,
  relatedIdentifierTypes,
  relationTypes,
  resourceTypes,
  titleTypes,
} from '../../exports/datacite/datacite-terms.js'
import { yearInText } from '../../exports/datacite/year-in-text.js'
import { type Clean, date, language, line, paragraphs, uri } from './clean-values.js'
import {
  finishAgent,
  finishAlternateIdentifier,
  finishBox,
  finishDescription,
  finishFundingReference,
  finishIdentifier,
  finishNameIdentifier,
  finishOrganization,
  finishPlace,
  finishPoint,
  finishPolygonPoint,
  finishRelatedIdentifier,
  finishRights,
  finishSubject,
  type RawEntry,
} from './finish-entries.js'

/*
 * The properties that a crosswalk can fill, with the members of their entries: those of DataCite's JSON.
 * @see docs/use/crosswalks.md#members
 */

export interface TextShape {
  readonly type: 'text'
  /** Makes a valid value, or undefined. */
  readonly clean: Clean
  /** What a value is, for messages, such as `a text`. */
  readonly form: string
}

export interface EntryShape {
  readonly type: 'entry'
  /** The member that a path alone stands for. */
  readonly main: string
  readonly members: Readonly<Record<string, Shape>>
  /** Members without which there is no entry. */
  readonly required: readonly string[]
  /** Members of which an entry has one or more; undefined: any of all members. */
  readonly needsOneOf?: readonly string[]
  /** Completes the members that are there. @returns undefined for an entry that would not be valid */
  readonly finish: (entry: RawEntry) => RawEntry | undefined
}

export interface ListShape {
  readonly type: 'list'
  readonly of: TextShape | EntryShape
}

export type Shape = TextShape | EntryShape | ListShape

function text(clean: Clean, form: string): TextShape {
  return { type: 'text', clean, form }
}

function term(terms: readonly string[]): TextShape {
  return text(oneOf(terms), `one of ${terms.join(', ')}`)
}

function entry(
  main: string,
  members: Readonly<Record<string, Shape>>,
  more: Partial<Pick<EntryShape, 'required' | 'needsOneOf' | 'finish'>> = {},
): EntryShape {
  return { type: 'entry', main, members, required: [main], finish: same => same, ...more }
}

function list(of: TextShape | EntryShape): ListShape {
  return { type: 'list', of }
}

/** A text of any content. */
export const plainText = text(line, 'a text')
const aLine = plainText
const aUri = text(uri, 'an absolute URI, such as "https://example.org/"')
const lang = text(language, 'a language tag, such as "en" or "pt-BR"')
const aYear = text(yearInText, 'a year of four digits')
const resourceTypeGeneral = term(resourceTypes)

const agent = {
  name: aLine,
  nameType: term(nameTypes),
  givenName: aLine,
  familyName: aLine,
  lang,
  nameIdentifiers: list(
    entry(
      'nameIdentifier',
      { nameIdentifier: aLine, nameIdentifierScheme: aLine, schemeUri: aUri },
      { finish: finishNameIdentifier },
    ),
  ),
  affiliation: list(
    entry(
      'name',
      {
        name: aLine,
        affiliationIdentifier: aLine,
        affiliationIdentifierScheme: aLine,
        schemeUri: aUri,
      },
      { finish: finishOrganization('affiliationIdentifier') },
    ),
  ),
}
const ofAgent = { needsOneOf: ['name', 'givenName', 'familyName'], finish: finishAgent }
const creators = list(entry('name', agent, { required: [], ...ofAgent }))
const contributors = list(
  entry(
    'name',
    { contributorType: term(contributorTypes), ...agent },
    { required: ['contributorType'], ...ofAgent },
  ),
)
const titles = list(entry('title', { title: aLine, titleType: term(titleTypes), lang }))

const point = entry('pointLatitude', { pointLongitude: aLine, pointLatitude: aLine }, { finish: finishPoint })

/** The properties by their names in DataCite's JSON, in its order. */
export const dataCiteProperties = {
  identifier: entry('identifier', { identifier: aLine, identifierType: aLine }, { finish: finishIdentifier }),
  types: entry('resourceType', { resourceTypeGeneral, resourceType: aLine }, { required: [] }),
  creators,
  titles,
  publisher: entry(
    'name',
    {
      name: aLine,
      lang,
      publisherIdentifier: aLine,
      publisherIdentifierScheme: aLine,
      schemeUri: aUri,
    },
    { finish: finishOrganization('publisherIdentifier') },
  ),
  publicationYear: aYear,
  subjects: list(
    entry(
      'subject',
      {
        subject: aLine,
        subjectScheme: aLine,
        schemeUri: aUri,
        valueUri: aUri,
        classificationCode: aLine,
        lang,
      },
      { required: [], needsOneOf: ['subject', 'valueUri'], finish: finishSubject },
    ),
  ),
  contributors,
  dates: list(
    entry(
      'date',
      {
        date: text(date, 'a date or time of ISO 8601, or two with a slash between them'),
        dateType: term(dateTypes),
        dateInformation: aLine,
      },
      { required: ['date', 'dateType'] },
    ),
  ),
  language: lang,
  alternateIdentifiers: list(
    entry(
      'alternateIdentifier',
      { alternateIdentifier: aLine, alternateIdentifierType: aLine },
      { finish: finishAlternateIdentifier },
    ),
  ),
  relatedIdentifiers: list(
    entry(
      'relatedIdentifier',
      {
        relatedIdentifier: aLine,
        relatedIdentifierType: term(relatedIdentifierTypes),
        relationType: term(relationTypes),
        resourceTypeGeneral,
        relatedMetadataScheme: aLine,
        schemeUri: aUri,
        schemeType: aLine,
      },
      { required: ['relatedIdentifier', 'relationType'], finish: finishRelatedIdentifier },
    ),
  ),
  relatedItems: list(
    entry(
      'titles',
      {
        relatedItemType: resourceTypeGeneral,
        relationType: term(relationTypes),
        relatedItemIdentifier: entry(
          'relatedItemIdentifier',
          {
            relatedItemIdentifier: aLine,
            relatedItemIdentifierType: term(relatedIdentifierTypes),
            relatedMetadataScheme: aLine,
            schemeUri: aUri,
            schemeType: aLine,
          },
          { required: ['relatedItemIdentifier', 'relatedItemIdentifierType'] },
        ),
        creators,
        titles,
        publicationYear: aYear,
        ...{ volume: aLine, issue: aLine, number: aLine, numberType: term(numberTypes) },
        ...{ firstPage: aLine, lastPage: aLine, publisher: aLine, edition: aLine },
        contributors,
      },
      { required: ['titles', 'relatedItemType', 'relationType'] },
    ),
  ),
  sizes: list(aLine),
  formats: list(aLine),
  version: aLine,
  rightsList: list(
    entry(
      'rights',
      {
        rights: aLine,
        rightsUri: aUri,
        rightsIdentifier: aLine,
        rightsIdentifierScheme: aLine,
        schemeUri: aUri,
        lang,
      },
      { required: [], needsOneOf: ['rights', 'rightsIdentifier', 'rightsUri'], finish: finishRights },
    ),
  ),
  descriptions: list(
    entry(
      'description',
      { description: text(paragraphs, 'a text'), descriptionType: term(descriptionTypes), lang },
      { finish: finishDescription },
    ),
  ),
  geoLocations: list(
    entry(
      'geoLocationPlace',
      {
        geoLocationPlace: aLine,
        geoLocationPoint: point,
        geoLocationBox: entry(
          'westBoundLongitude',
          {
            westBoundLongitude: aLine,
            eastBoundLongitude: aLine,
            southBoundLatitude: aLine,
            northBoundLatitude: aLine,
          },
          { finish: finishBox },
        ),
        geoLocationPolygon: list(
          entry(
            'polygonPoint',
            { polygonPoint: point, inPolygonPoint: point },
            { required: [], finish: finishPolygonPoint },
          ),
        ),
      },
      { required: [], finish: finishPlace },
    ),
  ),
  fundingReferences: list(
    entry(
      'funderName',
      {
        funderName: aLine,
        funderIdentifier: aLine,
        funderIdentifierType: term(funderIdentifierTypes),
        schemeUri: aUri,
        awardNumber: aLine,
        awardUri: aUri,
        awardTitle: aLine,
      },
      { required: [], finish: finishFundingReference },
    ),
  ),
} as const satisfies Readonly<Record<string, Shape>>

export type PropertyName = keyof typeof dataCiteProperties

/** The entry in the order of the members of its shape; undefined if it would not be valid. */
export function completedEntry(
  entry: RawEntry,
  { members, required, finish }: EntryShape,
): RawEntry | undefined {
  if (Object.keys(entry).length === 0) return undefined
  const whole = finish(entry)
  if (!whole || required.some(name => whole[name] === undefined)) return undefined
  const ordered: Record<string, unknown> = {}
  for (const name in members) if (whole[name] !== undefined) ordered[name] = whole[name]
  return ordered
}
