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
import { type Clean, date, language, line, paragraphs, uri, year } from './clean-values.js'
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
}

export interface EntryShape {
  readonly type: 'entry'
  /** The member that a path alone stands for. */
  readonly main: string
  readonly members: Readonly<Record<string, Shape>>
  /** Members without which there is no entry. */
  readonly required: readonly string[]
  /** Completes the members that are there. @returns undefined for an entry that would not be valid */
  readonly finish: (entry: RawEntry) => RawEntry | undefined
}

export interface ListShape {
  readonly type: 'list'
  readonly of: TextShape | EntryShape
}

export type Shape = TextShape | EntryShape | ListShape

function text(clean: Clean): TextShape {
  return { type: 'text', clean }
}

function entry(
  main: string,
  members: Readonly<Record<string, Shape>>,
  more: { readonly required?: readonly string[]; readonly finish?: EntryShape['finish'] } = {},
): EntryShape {
  return { type: 'entry', main, members, required: [main], finish: same => same, ...more }
}

function list(of: TextShape | EntryShape): ListShape {
  return { type: 'list', of }
}

const aLine = text(line)
const aUri = text(uri)
const lang = text(language)
const resourceTypeGeneral = text(oneOf(resourceTypes))

const agent = {
  name: aLine,
  nameType: text(oneOf(nameTypes)),
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
const creators = list(entry('name', agent, { required: [], finish: finishAgent }))
const contributors = list(
  entry(
    'name',
    { contributorType: text(oneOf(contributorTypes)), ...agent },
    { required: ['contributorType'], finish: finishAgent },
  ),
)
const titles = list(entry('title', { title: aLine, titleType: text(oneOf(titleTypes)), lang }))

const point = entry(
  'pointLatitude',
  { pointLongitude: aLine, pointLatitude: aLine },
  { required: [], finish: finishPoint },
)

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
  publicationYear: text(year),
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
      { required: [], finish: finishSubject },
    ),
  ),
  contributors,
  dates: list(
    entry(
      'date',
      { date: text(date), dateType: text(oneOf(dateTypes)), dateInformation: aLine },
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
        relatedIdentifierType: text(oneOf(relatedIdentifierTypes)),
        relationType: text(oneOf(relationTypes)),
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
        relationType: text(oneOf(relationTypes)),
        relatedItemIdentifier: entry(
          'relatedItemIdentifier',
          {
            relatedItemIdentifier: aLine,
            relatedItemIdentifierType: text(oneOf(relatedIdentifierTypes)),
            relatedMetadataScheme: aLine,
            schemeUri: aUri,
            schemeType: aLine,
          },
          { required: ['relatedItemIdentifier', 'relatedItemIdentifierType'] },
        ),
        creators,
        titles,
        publicationYear: text(year),
        ...{ volume: aLine, issue: aLine, number: aLine, numberType: text(oneOf(numberTypes)) },
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
      { required: [], finish: finishRights },
    ),
  ),
  descriptions: list(
    entry(
      'description',
      { description: text(paragraphs), descriptionType: text(oneOf(descriptionTypes)), lang },
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
          { required: [], finish: finishBox },
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
        funderIdentifierType: text(oneOf(funderIdentifierTypes)),
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
