import { positionsInText } from '../../crosswalk/described-tree.js'
import { type DocumentFacts, eachText, type KnownSchema } from '../document-facts.js'
import { languageAt } from '../languages.js'

/*
 * JSON-LD whose terms are those of schema.org: schema.org with Bioschemas, CodeMeta and RO-Crate. A reference such as
 * {"@id": "#jane"} stands for the entity of the graph, and a term has the prefix of the document.
 */

const inContext =
  (form: RegExp) =>
  ({ contexts }: DocumentFacts): boolean =>
    contexts.some(context => form.test(context))

const constant = (text: string) => ({ constant: text })

/** CodeMeta 3 and RO-Crate may write `id` and `type` for `@id` and `@type`. */
const ids = ['@id', 'id']
const identifierMember = [
  'identifier.value',
  'identifier.url',
  'identifier',
  ...ids.map(id => `identifier.${id}`),
]
const identifiers = [...identifierMember, ...ids, 'sameAs']
const notRole = { '@type': { not: 'Role' }, type: { not: 'Role' } }

const agent = {
  name: { first: ['name', 'legalName', '.'] },
  nameType: {
    first: ['@type', 'type'].map(path => ({
      path,
      only: true,
      values: {
        Person: 'Personal',
        Organization: 'Organizational',
        ResearchOrganization: 'Organizational',
        CollegeOrUniversity: 'Organizational',
        GovernmentOrganization: 'Organizational',
        Consortium: 'Organizational',
        NGO: 'Organizational',
      },
    })),
  },
  givenName: 'givenName',
  familyName: 'familyName',
  nameIdentifiers: { first: [...identifiers, 'orcid'] },
  affiliation: {
    each: 'affiliation',
    name: { first: ['name', 'legalName', '.'] },
    affiliationIdentifier: { first: identifiers },
  },
}

/** Agents at a member, or in an entity that gives them a role. */
const agents = (member: string, more: object = {}) => [
  { each: member, where: notRole, ...agent, ...more },
  { each: `${member}.${member}`, where: notRole, ...agent, ...more },
]

const contributor = (member: string, contributorType: string) => ({
  each: member,
  where: notRole,
  ...agent,
  contributorType: constant(contributorType),
})

const date = (member: string, dateType: string) => ({
  each: member,
  date: '.',
  dateType: constant(dateType),
})

const relation = (member: string, relationType: string) => ({
  each: member,
  relatedIdentifier: { first: [...ids, 'identifier.value', 'identifier', 'url', '.'] },
  relationType: constant(relationType),
})

const definedTerm = {
  subject: 'name',
  subjectScheme: { first: ['inDefinedTermSet.name', 'inDefinedTermSet'] },
  valueUri: { first: ['url', '@id'] },
  classificationCode: 'termCode',
}

const types = {
  Article: 'Text',
  Book: 'Book',
  Chapter: 'BookChapter',
  Code: 'Software',
  Collection: 'Collection',
  ComputationalWorkflow: 'Workflow',
  Course: 'InteractiveResource',
  DataCatalog: 'Collection',
  Dataset: 'Dataset',
  DigitalDocument: 'Text',
  ImageObject: 'Image',
  LearningResource: 'InteractiveResource',
  Report: 'Report',
  Service: 'Service',
  ScholarlyArticle: 'JournalArticle',
  SoftwareApplication: 'Software',
  SoftwareSourceCode: 'Software',
  Thesis: 'Dissertation',
  VideoObject: 'Audiovisual',
  WebAPI: 'Service',
}

const funding = {
  first: [
    [
      {
        each: 'funding',
        where: { funder: true },
        funderName: { first: ['funder.name', 'funder'] },
        funderIdentifier: { first: ['funder.identifier.value', 'funder.identifier', 'funder.@id'] },
        awardNumber: { first: ['identifier.value', 'identifier', 'awardNumber'] },
        awardTitle: 'name',
        awardUri: { first: ['url', '@id'] },
      },
    ],
    // CodeMeta 2 has the grant as a text, such as `1549758; Title`, which belongs to the only funder.
    [
      {
        where: { funder: true, 'funder[1]': false, funding: true, 'funding[1]': false },
        funderName: { first: ['funder.name', 'funder.legalName', 'funder'] },
        funderIdentifier: { first: identifiers.map(path => `funder.${path}`) },
        awardNumber: { path: 'funding', split: ';' },
      },
    ],
    [
      {
        each: 'funder',
        funderName: { first: ['name', 'legalName', '.'] },
        funderIdentifier: { first: identifiers },
      },
    ],
  ],
}

/** A polygon, at the first place that has one: the corners of two would be one ring. */
const polygonAt = (...shapes: readonly string[]) => ({
  first: shapes.map(shape => ({ each: `${shape}polygon[0].${positionsInText}`, polygonPoint: '.' })),
})
/** DataCite has no lines: there is a box around them. Two positions are written twice, as they are not the corners of a box. */
const boxAt = (...shapes: readonly string[]) => ({
  first: shapes.flatMap(shape => [`${shape}box`, { join: [`${shape}line`, `${shape}line`] }]),
})
/** A place, or its coordinates or shape alone. */
const places = (each: string) => [
  {
    each,
    geoLocationPlace: { first: ['name', 'address.name', '.'] },
    geoLocationPoint: {
      first: ['geo.', 'geo.geoMidpoint.', ''].map(at => ({
        pointLatitude: `${at}latitude`,
        pointLongitude: `${at}longitude`,
      })),
    },
    geoLocationBox: boxAt('geo.', ''),
    geoLocationPolygon: polygonAt('geo[0].', 'geo[1].', ''),
  },
  // A second shape of the same kind.
  { each, where: { 'geo[0].box': true }, geoLocationBox: boxAt('geo[1].') },
  { each, where: { 'geo[0].polygon': true }, geoLocationPolygon: polygonAt('geo[1].') },
]

const schemaOrgCrosswalk = {
  // Of several identifiers a DOI counts, in whatever place it is.
  identifier: {
    first: [
      ...['identifier.value', 'identifier.url', 'identifier', '@id', 'sameAs'].map(each => ({
        each,
        identifier: '.',
        identifierType: constant('DOI'),
      })),
      ...[...identifierMember, ...ids, 'url'].map(each => ({ each, identifier: '.' })),
    ],
  },
  types: {
    resourceTypeGeneral: { path: '@type', only: true, values: types },
    resourceType: { first: ['additionalType', '@type'] },
  },
  creators: { first: [agents('author'), agents('creator')] },
  titles: [
    {
      first: ['name', 'headline', 'title'].map(each => ({ each, title: '.', lang: languageAt('@language') })),
    },
    ...['alternateName', 'alternativeHeadline'].map(each => ({
      each,
      title: '.',
      lang: languageAt('@language'),
      titleType: constant('AlternativeTitle'),
    })),
  ],
  // Data sets of Bioschemas name the catalogue that has them.
  publisher: {
    first: ['publisher', 'provider', 'includedInDataCatalog'].map(each => ({
      each,
      name: { first: ['name', 'legalName', '.'] },
      publisherIdentifier: { first: ['identifier', ...ids] },
    })),
  },
  publicationYear: { first: ['datePublished', 'dateCreated'] },
  subjects: [
    // A keyword in a list may have a comma. Keywords in one text have commas between them.
    {
      first: [
        { where: { 'keywords[1]': true }, subject: eachText('keywords') },
        { path: 'keywords', split: ',' },
      ],
    },
    { each: 'keywords', where: { name: true }, ...definedTerm },
    { each: 'about', where: { '@type': 'DefinedTerm' }, ...definedTerm },
  ],
  contributors: [
    ...agents('contributor', { contributorType: constant('Other') }),
    contributor('editor', 'Editor'),
    contributor('copyrightHolder', 'RightsHolder'),
    contributor('maintainer', 'ContactPerson'),
    contributor('producer', 'Producer'),
    contributor('translator', 'Translator'),
    contributor('sponsor', 'Sponsor'),
  ],
  dates: [
    date('datePublished', 'Issued'),
    date('dateCreated', 'Created'),
    date('dateModified', 'Updated'),
    date('temporalCoverage', 'Coverage'),
  ],
  language: {
    first: ['inLanguage.alternateName', 'inLanguage.identifier', 'inLanguage.name', 'inLanguage'].map(
      languageAt,
    ),
  },
  alternateIdentifiers: {
    each: 'identifier',
    where: { value: false, url: false, '@id': false },
    alternateIdentifier: '.',
  },
  relatedIdentifiers: [
    relation('citation', 'References'),
    relation('isPartOf', 'IsPartOf'),
    relation('hasPart', 'HasPart'),
    relation('isBasedOn', 'IsDerivedFrom'),
    relation('isBasedOnUrl', 'IsDerivedFrom'),
    relation('subjectOf', 'IsDocumentedBy'),
    relation('codeRepository', 'IsVersionOf'),
    relation('readme', 'IsDocumentedBy'),
    relation('softwareHelp', 'IsDocumentedBy'),
    relation('referencePublication', 'IsDescribedBy'),
  ],
  sizes: ['contentSize', 'fileSize', 'size', 'distribution.contentSize'],
  formats: ['encodingFormat', 'fileFormat', 'distribution.encodingFormat', 'distribution.fileFormat'],
  version: { first: ['softwareVersion', 'version'] },
  rightsList: {
    each: 'license',
    rights: { first: ['name', '.', '@id', 'url'] },
    rightsUri: { first: ['url', '@id', '.'] },
  },
  descriptions: ['description', 'abstract'].map(each => ({
    each,
    description: '.',
    lang: languageAt('@language'),
    descriptionType: constant('Abstract'),
  })),
  geoLocations: ['spatialCoverage', 'contentLocation'].flatMap(places),
  fundingReferences: funding,
}

const workflow = (name: string) => ({
  path: 'mainEntity.@type',
  values: { ComputationalWorkflow: name },
  only: true,
})

const isSchemaOrg = inContext(/^https?:\/\/(?:www\.)?schema\.org\/?(?:docs\/jsonldcontext\.jsonl?d?)?$/)

const crate = /^https?:\/\/w3id\.org\/ro\/crate\//

export const schemaOrgSchemas: readonly KnownSchema[] = [
  {
    name: 'RO-Crate',
    source: 'https://www.researchobject.org/ro-crate/specification/1.1/root-data-entity.html',
    schemaId: crate,
    matches: inContext(crate),
    crosswalk: {
      ...schemaOrgCrosswalk,
      // A crate of a workflow is about its main entity.
      types: {
        resourceTypeGeneral: { first: [workflow('Workflow'), schemaOrgCrosswalk.types.resourceTypeGeneral] },
        resourceType: { first: [workflow('ComputationalWorkflow'), schemaOrgCrosswalk.types.resourceType] },
      },
    },
  },
  {
    name: 'CodeMeta',
    source: 'https://github.com/codemeta/codemeta/blob/master/crosswalks/DataCite.csv',
    schemaId: /codemeta/i,
    matches: inContext(/codemeta/i),
    crosswalk: {
      ...schemaOrgCrosswalk,
      types: {
        resourceTypeGeneral: constant('Software'),
        resourceType: { first: ['@type', 'type', constant('SoftwareSourceCode')] },
      },
    },
  },
  {
    name: 'schema.org and Bioschemas',
    source: 'https://doi.org/10.5281/zenodo.7661399',
    schemaId: /^https?:\/\/(?:www\.)?(?:schema|bioschemas)\.org\/\w/,
    matches: facts => facts.hasPrefixedTerms || isSchemaOrg(facts),
    crosswalk: schemaOrgCrosswalk,
  },
]
