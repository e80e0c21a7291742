import { eachText, type KnownSchema, xmlRoot } from '../document-facts.js'
import { languageAt, localeAt } from '../languages.js'
import {
  contributorRoles,
  contributorType,
  isoNames,
  isoParties,
  isoText,
  type PartyNames,
} from './iso-parties.js'

/*
 * ISO 19139 and ISO 19115-3: geographic data sets and services.
 */

const constant = (text: string) => ({ constant: text })

/** What differs between the two. */
interface IsoForm {
  readonly root: 'MD_Metadata' | 'MI_Metadata'
  readonly party: string
  readonly names: readonly PartyNames[]
  readonly scopes: readonly string[]
  readonly identifiers: readonly string[]
  readonly recordIdentifier: string
  /** Where relations to other resources are, and below it the elements around their identifiers. */
  readonly related: { readonly at: string; readonly identifiers: readonly string[] }
  readonly languages: readonly string[]
}

/** The paths in the two kinds of resources that have a description. */
const inResource = ({ root }: IsoForm, path: string) =>
  ['MD_DataIdentification', 'SV_ServiceIdentification'].map(
    kind => `${root}.identificationInfo.${kind}.${path}`,
  )

/** A text, and what it is in other languages. */
const localized = (each: string, member: string, more: object) => [
  { each, [member]: isoText('.'), ...more },
  {
    each: `${each}.PT_FreeText.textGroup.LocalisedCharacterString`,
    [member]: '.',
    lang: localeAt('@locale'),
    ...more,
  },
]

function agentRules(form: IsoForm): Readonly<Record<string, unknown>> {
  const places = [
    ...inResource(form, `citation.CI_Citation.citedResponsibleParty.${form.party}`),
    ...inResource(form, `pointOfContact.${form.party}`),
  ]
  const distributor = `${form.root}.distributionInfo.MD_Distribution.distributor.MD_Distributor.distributorContact.${form.party}`
  const withRole = (roles: readonly string[], more: object = {}) =>
    places.map(place => isoParties(place, roles, form.names, more))
  const named = (roles: readonly string[]) => places.flatMap(place => isoNames(place, roles, form.names))
  return {
    creators: {
      first: [
        withRole(['author', 'coAuthor', 'originator', 'principalInvestigator']),
        withRole(['pointOfContact', 'custodian']),
        withRole(['owner']),
      ],
    },
    publisher: {
      first: [
        ...['publisher', 'distributor', 'resourceProvider'].flatMap(role => named([role])),
        ...isoNames(distributor, ['distributor', 'publisher'], form.names),
      ],
    },
    contributors: withRole(Object.keys(contributorRoles), { contributorType }),
  }
}

function dateRules(form: IsoForm): Readonly<Record<string, unknown>> {
  const type = 'dateType.CI_DateTypeCode.@codeListValue'
  const paths = inResource(form, 'citation.CI_Citation.date.CI_Date')
  const date = (types: readonly string[], dateType: string) =>
    paths.map(each => ({
      each,
      where: { [type]: types },
      date: { first: ['date.Date', 'date.DateTime'] },
      dateType: constant(dateType),
    }))
  const end = (position: string, instant: string) => ({
    first: [position, `${instant}.TimeInstant.timePosition`],
  })
  return {
    // The text of a date begins with its year.
    publicationYear: {
      first: [issued, 'creation', false].flatMap(types =>
        paths.map(path => ({ path, where: { [type]: types } })),
      ),
    },
    dates: [
      ...date(issued, 'Issued'),
      ...date(['creation'], 'Created'),
      ...date(['revision', 'lastUpdate'], 'Updated'),
      ...inResource(form, 'extent.EX_Extent.temporalElement.EX_TemporalExtent.extent').flatMap(extent => [
        {
          each: `${extent}.TimePeriod`,
          date: { join: [end('beginPosition', 'begin'), end('endPosition', 'end')], with: '/' },
          dateType: constant('Coverage'),
        },
        {
          each: `${extent}.TimeInstant`,
          date: 'timePosition',
          dateType: constant('Coverage'),
        },
      ]),
    ],
  }
}

/** Codes of dates. The US profile has `issued`. */
const issued = ['publication', 'released', 'issued']

/** Codes of INSPIRE for who may have the data, which are no licences. */
const accessLimits = ['http', 'https'].flatMap(scheme =>
  [
    ...['noLimitations', ...[...'abcdefgh'].map(letter => `INSPIRE_Directive_Article13_1${letter}`)].map(
      code => `LimitationsOnPublicAccess/${code}`,
    ),
    ...['noConditionsApply', 'conditionsUnknown'].map(code => `ConditionsApplyingToAccessAndUse/${code}`),
  ].map(code => `${scheme}://inspire.ec.europa.eu/metadata-codelist/${code}`),
)

/** Texts that stand in place of conditions of use, and no licences either. */
const noConditions = [
  ...[
    '',
    '-',
    'none',
    'n/a',
    'unknown',
    'not applicable',
    'no limitations',
    'no limitation',
    'otherRestrictions',
  ],
  ...['no limitations to public access', 'no limitations on public access'],
]

const lineages = [
  'dataQualityInfo.DQ_DataQuality.lineage.LI_Lineage.statement',
  'resourceLineage.LI_Lineage.statement',
]

function textRules(form: IsoForm): Readonly<Record<string, unknown>> {
  const citations = inResource(form, 'citation.CI_Citation')
  return {
    titles: [
      ...citations.flatMap(path => localized(`${path}.title`, 'title', {})),
      ...citations.flatMap(path =>
        localized(`${path}.alternateTitle`, 'title', { titleType: constant('AlternativeTitle') }),
      ),
    ],
    subjects: inResource(form, 'descriptiveKeywords.MD_Keywords').flatMap(each => [
      {
        each,
        subject: eachText('keyword.CharacterString'),
        subjectScheme: isoText('thesaurusName.CI_Citation.title'),
        schemeUri: 'thesaurusName.CI_Citation.title.Anchor.@href',
      },
      { each: `${each}.keyword.Anchor`, subject: '.', valueUri: '@href' },
    ]),
    descriptions: [
      ...inResource(form, 'abstract').flatMap(each =>
        localized(each, 'description', { descriptionType: constant('Abstract') }),
      ),
      ...lineages.map(path => ({
        each: `${form.root}.${path}`,
        description: isoText('.'),
        descriptionType: constant('Methods'),
      })),
    ],
    rightsList: [
      ...inResource(form, 'resourceConstraints.MD_LegalConstraints.otherConstraints').map(each => ({
        each,
        where: { 'Anchor.@href': { not: accessLimits }, CharacterString: { not: noConditions } },
        rights: isoText('.'),
        rightsUri: { first: ['Anchor.@href', 'CharacterString'] },
      })),
      ...inResource(form, 'resourceConstraints.MD_LegalConstraints.reference.CI_Citation').map(each => ({
        each,
        rights: isoText('title'),
        rightsUri: 'onlineResource.CI_OnlineResource.linkage.CharacterString',
      })),
      ...['MD_LegalConstraints', 'MD_Constraints'].flatMap(kind =>
        inResource(form, `resourceConstraints.${kind}.useLimitation`).map(each => ({
          each,
          where: { CharacterString: { not: noConditions } },
          rights: isoText('.'),
          rightsUri: 'Anchor.@href',
        })),
      ),
    ],
  }
}

/** Relations by the codes of ISO. Records that were made of those of DataCite have its terms, which stand for themselves. */
const relationTypes = {
  crossReference: 'References',
  isComposedOf: 'HasPart',
  largerWorkCitation: 'IsPartOf',
  partOfSeamlessDatabase: 'IsPartOf',
  revisionOf: 'IsNewVersionOf',
  series: 'IsPartOf',
  source: 'IsDerivedFrom',
}

/** Other resources that have an identifier. */
function relationRules(form: IsoForm): readonly object[] {
  const { at, identifiers } = form.related
  return inResource(form, at).map(each => ({
    each,
    relatedIdentifier: {
      first: identifiers.flatMap(path =>
        ['MD_Identifier', 'RS_Identifier'].map(element => isoText(`${path}.${element}.code`)),
      ),
    },
    relationType: { path: 'associationType.DS_AssociationTypeCode.@codeListValue', values: relationTypes },
  }))
}

const boxAt = (each: string) => ({
  each,
  westBoundLongitude: 'westBoundLongitude.Decimal',
  eastBoundLongitude: 'eastBoundLongitude.Decimal',
  southBoundLatitude: 'southBoundLatitude.Decimal',
  northBoundLatitude: 'northBoundLatitude.Decimal',
})

const scopes: Readonly<Record<string, string>> = {
  dataset: 'Dataset',
  nonGeographicDataset: 'Dataset',
  series: 'Collection',
  service: 'Service',
  software: 'Software',
  model: 'Model',
}

function isoCrosswalk(form: IsoForm): Readonly<Record<string, unknown>> {
  const { root } = form
  const format = `${root}.distributionInfo.MD_Distribution.distributionFormat.MD_Format`
  return {
    ...agentRules(form),
    ...dateRules(form),
    ...textRules(form),
    identifier: {
      first: form.identifiers.flatMap(path => [`${root}.${path}`, `${root}.${path}.Anchor.@href`]),
    },
    types: {
      first: [
        {
          resourceTypeGeneral: {
            first: form.scopes.map(path => ({ path: `${root}.${path}`, only: true, values: scopes })),
          },
          resourceType: { first: form.scopes.map(path => `${root}.${path}`) },
        },
        // ISO 19115 says that a record without a scope is that of a data set.
        ...Object.entries({ MD_DataIdentification: 'dataset', SV_ServiceIdentification: 'service' }).map(
          ([kind, scope]) => ({
            where: { [`${root}.identificationInfo.${kind}`]: true },
            resourceTypeGeneral: constant(scopes[scope] ?? ''),
            resourceType: constant(scope),
          }),
        ),
      ],
    },
    // The Canadian profile writes the country behind the language, as in `eng; CAN`.
    language: { first: form.languages.map(path => ({ ...languageAt(`${root}.${path}`), split: ';' })) },
    alternateIdentifiers: [form.recordIdentifier, ...form.identifiers].map(path => ({
      each: `${root}.${path}`,
      alternateIdentifier: '.',
    })),
    relatedIdentifiers: relationRules(form),
    version: { first: inResource(form, 'citation.CI_Citation.edition').map(isoText) },
    formats: {
      first: [format, ...inResource(form, 'resourceFormat.MD_Format')]
        .flatMap(place => [`${place}.name`, `${place}.formatSpecificationCitation.CI_Citation.title`])
        .flatMap(path => [`${path}.CharacterString`, `${path}.Anchor`])
        .map(path => ({ path, where: { '.': { not: ['unknown', 'none', 'n/a', '-'] } } })),
    },
    // An extent in time or of heights may have a description, too, which is no place.
    geoLocations: inResource(form, 'extent.EX_Extent').flatMap(each => [
      {
        each,
        where: { geographicElement: true },
        geoLocationPlace: {
          first: [
            'description.CharacterString',
            'geographicElement.EX_GeographicDescription.geographicIdentifier.MD_Identifier.code.CharacterString',
          ],
        },
        geoLocationBox: boxAt('geographicElement.EX_GeographicBoundingBox'),
      },
      // Further boxes, of which the first one may be behind a description.
      ...[1, 2, 3].map(index => ({
        each,
        where: index === 1 ? { 'geographicElement[0].EX_GeographicBoundingBox': true } : {},
        geoLocationBox: boxAt(`geographicElement[${index}].EX_GeographicBoundingBox`),
      })),
    ]),
  }
}

const kinds = ['MD_DataIdentification', 'SV_ServiceIdentification'].map(kind => `identificationInfo.${kind}`)

const iso19139: Omit<IsoForm, 'root'> = {
  party: 'CI_ResponsibleParty',
  names: [{ individual: 'individualName', organisation: 'organisationName' }],
  scopes: ['hierarchyLevel.MD_ScopeCode.@codeListValue'],
  identifiers: [
    ...kinds.flatMap(kind =>
      ['MD_Identifier', 'RS_Identifier'].map(
        element => `${kind}.citation.CI_Citation.identifier.${element}.code`,
      ),
    ),
    'dataSetURI',
  ],
  recordIdentifier: 'fileIdentifier',
  related: {
    at: 'aggregationInfo.MD_AggregateInformation',
    identifiers: ['aggregateDataSetIdentifier', 'aggregateDataSetName.CI_Citation.identifier'],
  },
  languages: [
    ...kinds.map(kind => `${kind}.language.LanguageCode.@codeListValue`),
    ...kinds.map(kind => `${kind}.language.CharacterString`),
    'language.LanguageCode.@codeListValue',
    'language.CharacterString',
  ],
}

const iso19115: IsoForm = {
  root: 'MD_Metadata',
  party: 'CI_Responsibility',
  names: [
    {
      individual: 'party.CI_Individual.name',
      identifier: 'party.CI_Individual.partyIdentifier.MD_Identifier.code',
    },
    {
      individual: 'party.CI_Organisation.individual.CI_Individual.name',
      organisation: 'party.CI_Organisation.name',
      organisationIdentifier: 'party.CI_Organisation.partyIdentifier.MD_Identifier.code',
      identifier: 'party.CI_Organisation.individual.CI_Individual.partyIdentifier.MD_Identifier.code',
    },
  ],
  scopes: ['metadataScope.MD_MetadataScope.resourceScope.MD_ScopeCode.@codeListValue'],
  identifiers: [
    ...kinds.map(kind => `${kind}.citation.CI_Citation.identifier.MD_Identifier.code`),
    'metadataIdentifier.MD_Identifier.code',
  ],
  recordIdentifier: 'metadataIdentifier.MD_Identifier.code',
  related: {
    at: 'associatedResource.MD_AssociatedResource',
    identifiers: ['name.CI_Citation.identifier'],
  },
  languages: [
    ...kinds.map(kind => `${kind}.defaultLocale.PT_Locale.language.LanguageCode.@codeListValue`),
    'defaultLocale.PT_Locale.language.LanguageCode.@codeListValue',
  ],
}

export const isoSchemas: readonly KnownSchema[] = [
  {
    name: 'ISO 19139',
    source: 'https://ec-jrc.github.io/datacite-to-dcat-ap/',
    matches: xmlRoot('http://www.isotc211.org/2005/gmd', 'MD_Metadata'),
    crosswalk: isoCrosswalk({ root: 'MD_Metadata', ...iso19139 }),
  },
  {
    name: 'ISO 19139 with ISO 19115-2',
    source: 'https://ec-jrc.github.io/datacite-to-dcat-ap/',
    matches: xmlRoot('http://www.isotc211.org/2005/gmi', 'MI_Metadata'),
    crosswalk: isoCrosswalk({ root: 'MI_Metadata', ...iso19139 }),
  },
  {
    name: 'ISO 19115-3',
    source:
      'https://github.com/metadata101/iso19115-3.2018/blob/master/src/main/plugin/iso19115-3.2018/formatter/datacite/view.xsl',
    matches: xmlRoot(
      /^https?:\/\/(?:standards\.iso\.org\/iso|schemas\.isotc211\.org)\/19115\/-3\/mdb\//,
      'MD_Metadata',
    ),
    crosswalk: isoCrosswalk(iso19115),
  },
]
