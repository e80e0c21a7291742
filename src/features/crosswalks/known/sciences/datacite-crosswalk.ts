import { type KnownSchema, xmlRoot } from '../document-facts.js'

/*
 * DataCite's own schemas. Every member stands where it is.
 */

const xmlLang = { lang: '@lang' }

const xmlName = (element: string) => ({
  name: element,
  nameType: `${element}.@nameType`,
  lang: `${element}.@lang`,
  givenName: 'givenName',
  familyName: 'familyName',
  nameIdentifiers: {
    each: 'nameIdentifier',
    nameIdentifier: '.',
    nameIdentifierScheme: '@nameIdentifierScheme',
    schemeUri: '@schemeURI',
  },
  affiliation: {
    each: 'affiliation',
    name: '.',
    affiliationIdentifier: '@affiliationIdentifier',
    affiliationIdentifierScheme: '@affiliationIdentifierScheme',
    schemeUri: '@schemeURI',
  },
})
const xmlCreators = { each: 'creators.creator', ...xmlName('creatorName') }
const xmlContributors = {
  each: 'contributors.contributor',
  contributorType: '@contributorType',
  ...xmlName('contributorName'),
}
const xmlTitles = { each: 'titles.title', title: '.', titleType: '@titleType', ...xmlLang }
const xmlPoint = (element: string) => ({
  each: element,
  pointLongitude: 'pointLongitude',
  pointLatitude: { first: ['pointLatitude', '.'] },
})
const scheme = {
  relatedMetadataScheme: '@relatedMetadataScheme',
  schemeUri: '@schemeURI',
  schemeType: '@schemeType',
}

const inResource = (rule: object & { readonly each: string }) => ({ ...rule, each: `resource.${rule.each}` })

const places = {
  geoLocationPlace: 'geoLocationPlace',
  geoLocationPoint: xmlPoint('geoLocationPoint'),
  geoLocationBox: {
    each: 'geoLocationBox',
    westBoundLongitude: { first: ['westBoundLongitude', '.'] },
    eastBoundLongitude: 'eastBoundLongitude',
    southBoundLatitude: 'southBoundLatitude',
    northBoundLatitude: 'northBoundLatitude',
  },
}

const dataCiteXml: KnownSchema = {
  name: 'DataCite (XML)',
  source: 'https://datacite-metadata-schema.readthedocs.io/en/4.6/',
  matches: xmlRoot(/^http:\/\/datacite\.org\/schema\/kernel-[234](?:\.\d)?$/, 'resource'),
  crosswalk: {
    identifier: { each: 'resource.identifier', identifier: '.', identifierType: '@identifierType' },
    types: {
      each: 'resource.resourceType',
      resourceTypeGeneral: '@resourceTypeGeneral',
      resourceType: '.',
    },
    creators: inResource(xmlCreators),
    titles: inResource(xmlTitles),
    publisher: {
      each: 'resource.publisher',
      name: '.',
      ...xmlLang,
      publisherIdentifier: '@publisherIdentifier',
      publisherIdentifierScheme: '@publisherIdentifierScheme',
      schemeUri: '@schemeURI',
    },
    publicationYear: 'resource.publicationYear',
    subjects: {
      each: 'resource.subjects.subject',
      subject: '.',
      subjectScheme: '@subjectScheme',
      schemeUri: '@schemeURI',
      valueUri: '@valueURI',
      classificationCode: '@classificationCode',
      ...xmlLang,
    },
    contributors: inResource(xmlContributors),
    dates: {
      each: 'resource.dates.date',
      date: '.',
      dateType: '@dateType',
      dateInformation: '@dateInformation',
    },
    language: 'resource.language',
    alternateIdentifiers: {
      each: 'resource.alternateIdentifiers.alternateIdentifier',
      alternateIdentifier: '.',
      alternateIdentifierType: '@alternateIdentifierType',
    },
    relatedIdentifiers: {
      each: 'resource.relatedIdentifiers.relatedIdentifier',
      relatedIdentifier: '.',
      relatedIdentifierType: '@relatedIdentifierType',
      relationType: '@relationType',
      resourceTypeGeneral: '@resourceTypeGeneral',
      ...scheme,
    },
    relatedItems: {
      each: 'resource.relatedItems.relatedItem',
      relatedItemType: '@relatedItemType',
      relationType: '@relationType',
      relatedItemIdentifier: {
        each: 'relatedItemIdentifier',
        relatedItemIdentifier: '.',
        relatedItemIdentifierType: '@relatedItemIdentifierType',
        ...scheme,
      },
      creators: xmlCreators,
      titles: xmlTitles,
      ...{ publicationYear: 'publicationYear', volume: 'volume', issue: 'issue', number: 'number' },
      ...{ numberType: 'number.@numberType', firstPage: 'firstPage', lastPage: 'lastPage' },
      ...{ publisher: 'publisher', edition: 'edition', contributors: xmlContributors },
    },
    sizes: 'resource.sizes.size',
    formats: 'resource.formats.format',
    version: 'resource.version',
    rightsList: {
      each: 'resource.rightsList.rights',
      rights: '.',
      rightsUri: '@rightsURI',
      rightsIdentifier: '@rightsIdentifier',
      rightsIdentifierScheme: '@rightsIdentifierScheme',
      schemeUri: '@schemeURI',
      ...xmlLang,
    },
    descriptions: {
      each: 'resource.descriptions.description',
      description: '.',
      descriptionType: '@descriptionType',
      ...xmlLang,
    },
    // DataCite's JSON has one polygon a place: each polygon becomes a place.
    geoLocations: [
      { each: 'resource.geoLocations.geoLocation', ...places },
      ...['geoLocationPolygon', 'geoLocationPolygons.geoLocationPolygon'].map(polygon => ({
        each: `resource.geoLocations.geoLocation.${polygon}`,
        geoLocationPolygon: [
          { each: 'polygonPoint', polygonPoint: xmlPoint('.') },
          { each: 'inPolygonPoint', inPolygonPoint: xmlPoint('.') },
        ],
      })),
    ],
    fundingReferences: [
      {
        each: 'resource.fundingReferences.fundingReference',
        funderName: 'funderName',
        funderIdentifier: 'funderIdentifier',
        funderIdentifierType: 'funderIdentifier.@funderIdentifierType',
        schemeUri: 'funderIdentifier.@schemeURI',
        awardNumber: 'awardNumber',
        awardUri: 'awardNumber.@awardURI',
        awardTitle: 'awardTitle',
      },
      // Funders were contributors before version 4.
      {
        each: 'resource.contributors.contributor',
        where: { '@contributorType': 'Funder' },
        funderName: 'contributorName',
        funderIdentifier: 'nameIdentifier',
      },
    ],
  },
}

const same = (...names: readonly string[]) => Object.fromEntries(names.map(name => [name, name]))

const jsonName = {
  ...same('name', 'nameType', 'givenName', 'familyName', 'lang'),
  nameIdentifiers: {
    each: 'nameIdentifiers',
    ...same('nameIdentifier', 'nameIdentifierScheme', 'schemeUri'),
  },
  affiliation: {
    each: 'affiliation',
    name: { first: ['name', '.'] },
    ...same('affiliationIdentifier', 'affiliationIdentifierScheme', 'schemeUri'),
  },
}
const jsonCreators = { each: 'creators', ...jsonName }
const jsonContributors = { each: 'contributors', contributorType: 'contributorType', ...jsonName }
const jsonTitles = { each: 'titles', title: 'title', titleType: 'titleType', lang: 'lang' }
const jsonPoint = (each: string) => ({ each, ...same('pointLongitude', 'pointLatitude') })

/** The names of JSON Schemas of DataCite, such as `datacite-v4.3.json`. */
const jsonSchemaName = /^(?:.*\/)?datacite[-_]v?[34](?:\.\d)?(?:_schema)?(?:\.json)?#?$/i
const earlierJsonSchemaName = /^(?:.*\/)?datacite[-_]v?(?:3(?:\.\d)?|4\.[01])(?:_schema)?(?:\.json)?#?$/i

const dataCiteJson: KnownSchema = {
  name: 'DataCite (JSON)',
  source: 'https://support.datacite.org/docs/datacite-json-and-datacite-xml',
  // Every schema of DataCite requires `schemaVersion` and `types`.
  schemaId: jsonSchemaName,
  matches: ({ texts, has }) =>
    texts('schemaVersion').some(text => /^https?:\/\/datacite\.org\/schema\/kernel-[34]/.test(text)) ||
    has('types.resourceTypeGeneral', 'titles.title') ||
    texts('$schema').some(text => jsonSchemaName.test(text)),
  crosswalk: {
    identifier: { first: ['doi', 'identifiers.identifier'] },
    types: { each: 'types', ...same('resourceTypeGeneral', 'resourceType') },
    creators: jsonCreators,
    titles: jsonTitles,
    publisher: {
      each: 'publisher',
      name: { first: ['name', '.'] },
      ...same('lang', 'publisherIdentifier', 'publisherIdentifierScheme', 'schemeUri'),
    },
    publicationYear: 'publicationYear',
    subjects: {
      each: 'subjects',
      ...same('subject', 'subjectScheme', 'schemeUri', 'valueUri', 'classificationCode', 'lang'),
    },
    contributors: jsonContributors,
    dates: { each: 'dates', ...same('date', 'dateType', 'dateInformation') },
    language: 'language',
    alternateIdentifiers: [
      { each: 'alternateIdentifiers', ...same('alternateIdentifier', 'alternateIdentifierType') },
      {
        each: 'identifiers',
        where: { identifierType: { not: 'DOI' } },
        alternateIdentifier: 'identifier',
        alternateIdentifierType: 'identifierType',
      },
    ],
    relatedIdentifiers: {
      each: 'relatedIdentifiers',
      ...same('relatedIdentifier', 'relatedIdentifierType', 'relationType', 'resourceTypeGeneral'),
      ...same('relatedMetadataScheme', 'schemeUri', 'schemeType'),
    },
    relatedItems: {
      each: 'relatedItems',
      ...same('relatedItemType', 'relationType'),
      relatedItemIdentifier: {
        each: 'relatedItemIdentifier',
        ...same('relatedItemIdentifier', 'relatedItemIdentifierType'),
        ...same('relatedMetadataScheme', 'schemeUri', 'schemeType'),
      },
      creators: jsonCreators,
      titles: jsonTitles,
      ...same('publicationYear', 'volume', 'issue', 'number', 'numberType', 'firstPage', 'lastPage'),
      ...same('publisher', 'edition'),
      contributors: jsonContributors,
    },
    sizes: 'sizes',
    formats: 'formats',
    version: 'version',
    rightsList: {
      each: 'rightsList',
      ...same('rights', 'rightsUri', 'rightsIdentifier', 'rightsIdentifierScheme', 'schemeUri', 'lang'),
    },
    descriptions: { each: 'descriptions', ...same('description', 'descriptionType', 'lang') },
    geoLocations: [
      {
        each: 'geoLocations',
        geoLocationPlace: 'geoLocationPlace',
        geoLocationPoint: jsonPoint('geoLocationPoint'),
        geoLocationBox: {
          each: 'geoLocationBox',
          ...same('westBoundLongitude', 'eastBoundLongitude', 'southBoundLatitude', 'northBoundLatitude'),
        },
        geoLocationPolygon: [
          { each: 'geoLocationPolygon', polygonPoint: jsonPoint('polygonPoint') },
          { each: 'geoLocationPolygon', inPolygonPoint: jsonPoint('inPolygonPoint') },
        ],
      },
      {
        each: 'geoLocations.geoLocationPolygons',
        geoLocationPolygon: { each: 'polygonPoints', polygonPoint: jsonPoint('.') },
      },
    ],
    fundingReferences: {
      each: 'fundingReferences',
      ...same('funderName', 'funderIdentifier', 'funderIdentifierType', 'schemeUri'),
      ...same('awardNumber', 'awardUri', 'awardTitle'),
    },
  },
}

/** The answer of DataCite's interface has the record inside. */
const dataCiteAnswer: KnownSchema = {
  ...{ source: dataCiteJson.source, crosswalk: dataCiteJson.crosswalk },
  name: 'DataCite (JSON of its interface)',
  matches: ({ texts, has }) =>
    texts('data.type').includes('dois') && has('data.attributes.titles', 'data.attributes.types'),
  place: 'data.attributes',
}

const earlierName = (name: string) => ({
  name,
  nameType: { path: 'nameType', values: { Organisational: 'Organizational' } },
  ...same('givenName', 'familyName'),
  nameIdentifiers: {
    each: 'nameIdentifiers',
    ...same('nameIdentifier', 'nameIdentifierScheme'),
    schemeUri: 'schemeURI',
  },
  affiliation: { first: ['affiliations', 'affiliation'].map(each => ({ each, name: '.' })) },
})

/** JSON before version 4.2 has names of members as in XML. */
const earlierJson: KnownSchema = {
  name: 'DataCite (JSON before 4.2)',
  source: 'https://github.com/inveniosoftware/datacite/blob/master/datacite/schemas/datacite-v4.1.json',
  schemaId: earlierJsonSchemaName,
  matches: ({ has }) => has('titles.title', 'creators.creatorName', 'resourceType.resourceTypeGeneral'),
  crosswalk: {
    ...dataCiteJson.crosswalk,
    identifier: { each: 'identifier', ...same('identifier', 'identifierType') },
    types: { each: 'resourceType', ...same('resourceTypeGeneral', 'resourceType') },
    creators: { each: 'creators', ...earlierName('creatorName') },
    titles: {
      each: 'titles',
      ...same('title', 'lang'),
      titleType: { first: ['titleType', 'type'] },
    },
    subjects: {
      each: 'subjects',
      ...same('subject', 'subjectScheme', 'lang'),
      ...{ schemeUri: 'schemeURI', valueUri: 'valueURI' },
    },
    contributors: {
      each: 'contributors',
      contributorType: 'contributorType',
      ...earlierName('contributorName'),
    },
    alternateIdentifiers: {
      each: 'alternateIdentifiers',
      ...same('alternateIdentifier', 'alternateIdentifierType'),
    },
    relatedIdentifiers: {
      each: 'relatedIdentifiers',
      ...same('relatedIdentifier', 'relatedIdentifierType', 'relationType', 'resourceTypeGeneral'),
      ...{ relatedMetadataScheme: 'relatedMetadataScheme', schemeUri: 'schemeURI' },
    },
    rightsList: { each: 'rightsList', ...same('rights', 'lang'), rightsUri: 'rightsURI' },
    fundingReferences: {
      each: 'fundingReferences',
      funderName: 'funderName',
      funderIdentifier: { first: ['funderIdentifier.funderIdentifier', 'funderIdentifier'] },
      funderIdentifierType: { first: ['funderIdentifier.funderIdentifierType', 'funderIdentifierType'] },
      awardNumber: { first: ['awardNumber.awardNumber', 'awardNumber'] },
      awardUri: { first: ['awardNumber.awardURI', 'awardURI'] },
      awardTitle: 'awardTitle',
    },
  },
}

/** DataCite's schemas, versions 2 to 4, in XML and JSON. */
export const dataCiteSchemas: readonly KnownSchema[] = [
  dataCiteXml,
  earlierJson,
  dataCiteJson,
  dataCiteAnswer,
]
