import type { DocumentFacts, KnownSchema } from '../known-schema.js'

/*
 * JSON-LD: schema.org with Bioschemas, CodeMeta, RO-Crate, and DCAT-AP. A reference such as {"@id": "#jane"} stands for
 * the entity of the graph, see json-ld-graph.ts.
 */

const inContext =
  (form: RegExp) =>
  ({ contexts }: DocumentFacts): boolean =>
    contexts.some(context => form.test(context))

const person = {
  name: { first: ['name', 'legalName', '.'] },
  nameType: {
    path: '@type',
    values: { Person: 'Personal', Organization: 'Organizational', ResearchOrganization: 'Organizational' },
    only: true,
  },
  givenName: 'givenName',
  familyName: 'familyName',
  nameIdentifiers: {
    first: ['@id', 'identifier', 'identifier.value', 'identifier.@id', 'sameAs', 'url', 'orcid'].map(
      each => ({
        each,
        nameIdentifier: '.',
      }),
    ),
  },
  affiliation: {
    each: 'affiliation',
    name: { first: ['name', 'legalName', '.'] },
    affiliationIdentifier: { first: ['@id', 'identifier', 'sameAs', 'url'] },
  },
}

const date = (member: string, dateType: string) => ({
  each: member,
  date: '.',
  dateType: { constant: dateType },
})

const relation = (member: string, relationType: string) => ({
  each: member,
  relatedIdentifier: { first: ['@id', 'identifier.value', 'identifier', 'url', '.'] },
  relationType: { constant: relationType },
})

const creators = {
  first: [
    [{ each: 'creator', where: { '@type': { not: 'Role' } }, ...person }],
    [{ each: 'author', where: { '@type': { not: 'Role' } }, ...person }],
  ],
}

const schemaOrgCrosswalk = {
  identifier: {
    first: [
      { path: 'identifier.value' },
      { path: 'identifier.@id' },
      { path: 'identifier.url' },
      { path: 'identifier' },
      { path: '@id' },
    ],
  },
  types: {
    resourceTypeGeneral: {
      path: '@type',
      only: true,
      values: {
        Article: 'Text',
        Book: 'Book',
        Chapter: 'BookChapter',
        Collection: 'Collection',
        ComputationalWorkflow: 'Workflow',
        Course: 'InteractiveResource',
        CreativeWork: 'Other',
        DataCatalog: 'Collection',
        Dataset: 'Dataset',
        DigitalDocument: 'Text',
        ImageObject: 'Image',
        LearningResource: 'InteractiveResource',
        Report: 'Report',
        ScholarlyArticle: 'JournalArticle',
        SoftwareApplication: 'Software',
        SoftwareSourceCode: 'Software',
        Thesis: 'Dissertation',
        VideoObject: 'Audiovisual',
        WebAPI: 'Service',
      },
    },
    resourceType: { first: ['additionalType', '@type'] },
  },
  creators,
  titles: [
    {
      title: { first: ['name', 'headline', 'title'] },
      lang: { first: ['name.@language', 'headline.@language'] },
    },
    ...['alternateName', 'alternativeHeadline'].map(each => ({
      each,
      title: '.',
      lang: '@language',
      titleType: { constant: 'AlternativeTitle' },
    })),
  ],
  publisher: {
    each: 'publisher',
    name: { first: ['name', 'legalName', '.'] },
    publisherIdentifier: { first: ['identifier', '@id', 'url'] },
  },
  publicationYear: { first: ['datePublished', 'dateCreated', 'dateModified'] },
  subjects: [
    { each: 'keywords', where: { name: null }, subject: { path: '.', split: ',' } },
    { each: 'keywords', where: { name: true }, ...definedTerm() },
    { each: 'about', where: { '@type': 'DefinedTerm' }, ...definedTerm() },
  ],
  contributors: [
    ...contributor('contributor', 'Other'),
    ...contributor('editor', 'Editor'),
    ...contributor('copyrightHolder', 'RightsHolder'),
    ...contributor('maintainer', 'ContactPerson'),
    ...contributor('producer', 'Producer'),
    ...contributor('translator', 'Translator'),
  ],
  dates: [
    date('datePublished', 'Issued'),
    date('dateCreated', 'Created'),
    date('dateModified', 'Updated'),
    date('temporalCoverage', 'Coverage'),
  ],
  language: {
    first: [
      'inLanguage.alternateName',
      'inLanguage.identifier',
      'inLanguage.@id',
      'inLanguage.name',
      'inLanguage',
    ],
  },
  relatedIdentifiers: [
    relation('citation', 'Cites'),
    relation('isPartOf', 'IsPartOf'),
    relation('isBasedOn', 'IsDerivedFrom'),
    relation('isBasedOnUrl', 'IsDerivedFrom'),
    relation('subjectOf', 'IsDocumentedBy'),
    relation('codeRepository', 'IsVersionOf'),
    relation('readme', 'IsDocumentedBy'),
    relation('softwareHelp', 'IsDocumentedBy'),
    relation('referencePublication', 'IsDescribedBy'),
  ],
  sizes: ['contentSize', 'fileSize', 'size', 'distribution.contentSize'],
  formats: ['encodingFormat', 'fileFormat', 'distribution.encodingFormat'],
  version: { first: ['version', 'softwareVersion'] },
  rightsList: {
    each: 'license',
    rights: { first: ['name', '.', '@id', 'url'] },
    rightsUri: { first: ['url', '@id', '.'] },
  },
  descriptions: {
    each: 'description',
    description: '.',
    lang: '@language',
    descriptionType: { constant: 'Abstract' },
  },
  geoLocations: ['spatialCoverage', 'contentLocation'].map(each => ({
    each,
    geoLocationPlace: { first: ['name', '.'] },
    geoLocationPoint: { pointLatitude: 'geo.latitude', pointLongitude: 'geo.longitude' },
    geoLocationBox: { each: 'geo.box', westBoundLongitude: '.' },
  })),
  fundingReferences: [
    {
      each: 'funding',
      funderName: { first: ['funder.name', 'funder'] },
      funderIdentifier: { first: ['funder.identifier', 'funder.@id'] },
      awardNumber: { first: ['identifier', 'name'] },
      awardTitle: 'name',
      awardUri: 'url',
    },
    {
      each: 'funder',
      funderName: { first: ['name', 'legalName', '.'] },
      funderIdentifier: { first: ['identifier', '@id', 'sameAs'] },
    },
  ],
}

function definedTerm() {
  return {
    subject: 'name',
    subjectScheme: { first: ['inDefinedTermSet.name', 'inDefinedTermSet'] },
    valueUri: { first: ['url', '@id'] },
    classificationCode: 'termCode',
  }
}

function contributor(each: string, contributorType: string) {
  return [
    {
      each,
      where: { '@type': { not: 'Role' } },
      ...person,
      contributorType: { constant: contributorType },
    },
  ]
}

export const schemaOrgSchemas: readonly KnownSchema[] = [
  {
    name: 'RO-Crate',
    source: 'https://www.researchobject.org/ro-crate/specification/1.1/root-data-entity.html',
    matches: inContext(/^https?:\/\/w3id\.org\/ro\/crate\//),
    crosswalk: schemaOrgCrosswalk,
  },
  {
    name: 'CodeMeta',
    source: 'https://codemeta.github.io/crosswalk/datacite/',
    matches: inContext(/codemeta/i),
    crosswalk: {
      ...schemaOrgCrosswalk,
      types: {
        resourceTypeGeneral: { constant: 'Software' },
        resourceType: { first: ['@type', 'type', { constant: 'SoftwareSourceCode' }] },
      },
    },
  },
  {
    name: 'schema.org and Bioschemas',
    source: 'https://schema.datacite.org/meta/kernel-4.4/doc/DataCite_SchemaOrg_Crosswalk.pdf',
    matches: inContext(/^https?:\/\/schema\.org\/?/),
    crosswalk: schemaOrgCrosswalk,
  },
]
