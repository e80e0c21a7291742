import type { StoredRecord } from '../../../src/core/records/record.js'

/*
 * The examples of DataCite 4.6 as records. A record has no place for identifiers of names, related items, the languages
 * of names and ranges of dates; and the types of resources that DataCite has since 4.4 are TEXT, OTHER or the closest type.
 * @see https://datacite-metadata-schema.readthedocs.io/en/4.6/guidance/
 */

type Example = Omit<StoredRecord, 'id'>

const dataset: Example = {
  identifier: { value: '10.82433/9184-DY35', identifierType: 'DOI' },
  creators: [{ familyName: 'National Gallery' }],
  titles: [{ value: 'External Environmental Data, 2010-2020, National Gallery', lang: 'en' }],
  publisher: 'National Gallery',
  publicationYear: '2022',
  resourceType: { value: 'Environmental data', typeGeneral: 'DATASET' },
  subjects: [
    {
      value: 'FOS: Earth and related environmental sciences',
      scheme: {
        schemeId: 'Fields of Science and Technology (FOS)',
        schemeUri: 'http://www.oecd.org/science/inno/38235147.pdf',
      },
    },
    {
      value: 'temperature',
      scheme: { schemeId: 'Wikidata', schemeUri: 'https://www.wikidata.org/wiki' },
      valueUri: 'https://www.wikidata.org/wiki/Q11466',
    },
    {
      value: 'relative humidity',
      scheme: { schemeId: 'Art and Architecture Thesaurus', schemeUri: 'http://vocab.getty.edu/aat' },
      valueUri: 'http://vocab.getty.edu/aat/300192097',
    },
  ],
  contributors: [
    {
      user: { givenName: 'Joseph', familyName: 'Padfield', affiliations: ['National Gallery'] },
      contributionType: 'CONTACT_PERSON',
    },
    {
      user: { familyName: 'Building Facilities Department', affiliations: ['National Gallery'] },
      contributionType: 'DATA_COLLECTOR',
    },
  ],
  dates: [
    { value: '2010-01-01T00:00:00Z', type: 'COLLECTED' },
    { value: '2022-01-01T00:00:00Z', type: 'ISSUED' },
  ],
  language: 'en',
  relatedIdentifiers: [
    {
      value: 'https://www.nationalgallery.org.uk/research/research-papers/improving-our-environment',
      identifierType: 'URL',
      relationType: 'IS_SUPPLEMENT_TO',
    },
    {
      value: 'https://research.ng-london.org.uk/scientific/env/',
      identifierType: 'URL',
      relationType: 'IS_SOURCE_OF',
    },
    { value: '10.1080/00393630.2018.1504449/', identifierType: 'DOI', relationType: 'IS_SUPPLEMENTED_BY' },
    { value: '10.5281/zenodo.7629200', identifierType: 'DOI', relationType: 'IS_DOCUMENTED_BY' },
  ],
  sizes: ['13.6 MB'],
  formats: ['application/json'],
  rights: [{ schemeId: 'CC-BY-NC-4.0', schemeUri: 'https://creativecommons.org/licenses/by-nc/4.0/' }],
  descriptions: [
    { description: 'Measurements on the roof of the National Gallery.', type: 'ABSTRACT', lang: 'en' },
  ],
  geoLocations: [
    {
      place: 'Roof of National Gallery, London, UK',
      point: { latitude: 51.50872, longitude: -0.12841 },
    },
  ],
  fundingReferences: [
    {
      funderName: 'H2020 Excellent Science',
      funderIdentifier: { value: 'https://doi.org/10.13039/100010662', type: 'CROSSREF_FUNDER_ID' },
      awardNumber: { schemeId: '871034', schemeUri: 'https://cordis.europa.eu/project/id/871034' },
      awardTitle: 'Integrating Platforms for the European Research Infrastructure ON Heritage Science',
    },
  ],
}

const coverage: Example = {
  identifier: { value: '10.82433/pgk2-ar97', identifierType: 'DOI' },
  creators: [{ familyName: 'European Social Fund/DABURH, Department of History, Leiden University' }],
  titles: [
    { value: 'Amsterdam immigrants, 1578-1810', lang: 'en' },
    { value: 'Simon Hart database', titleType: 'ALTERNATIVE_TITLE', lang: 'en' },
  ],
  publisher: 'DANS Data Station Social Sciences and Humanities',
  publicationYear: '1995',
  resourceType: { value: 'Dataset', typeGeneral: 'DATASET' },
  subjects: [{ value: 'historical demography' }, { value: 'immigration' }, { value: 'Arts and Humanities' }],
  descriptions: [
    {
      description: 'The number and origin of the Amsterdam immigrants in the period 1578-1810.',
      type: 'ABSTRACT',
    },
  ],
  contributors: [
    {
      user: {
        familyName: 'Data Station Admin',
        affiliations: ['Data Archiving and Networked Services (DANS)'],
      },
      contributionType: 'CONTACT_PERSON',
    },
  ],
  dates: [{ value: '1995-03-01T00:00:00Z', type: 'COLLECTED' }],
  language: 'nl',
  alternateIdentifiers: [
    { value: 'D0049', identifierType: 'OTHER' },
    { value: 'easy-dataset:36690', identifierType: 'OTHER' },
  ],
  geoLocations: [
    { place: 'Amsterdam', point: { latitude: 52.377956, longitude: 4.89707 } },
    {
      place: 'Delft',
      box: { westLongitude: 4.3, eastLongitude: 4.4, southLatitude: 51.96, northLatitude: 52.03 },
      polygon: {
        points: [
          { latitude: 52.03913926329928, longitude: 4.1738852605822 },
          { latitude: 52.02, longitude: 4.41 },
          { latitude: 51.96, longitude: 4.36 },
          { latitude: 52.03913926329928, longitude: 4.1738852605822 },
        ],
      },
    },
  ],
}

const article: Example = {
  identifier: { value: '10.82433/Q54D-PF76', identifierType: 'DOI' },
  creators: [{ givenName: 'Sofia', familyName: 'Garcia', affiliations: ['Arizona State University'] }],
  titles: [{ value: 'Example Article Title', lang: 'en' }],
  publisher: 'Example Publisher',
  publicationYear: '2022',
  resourceType: { value: 'ScholarlyArticle', typeGeneral: 'TEXT' },
  dates: [{ value: '2022-01-01T00:00:00Z', type: 'ISSUED' }],
  relatedIdentifiers: [{ value: '1234-5678', identifierType: 'ISSN', relationType: 'IS_PART_OF' }],
  descriptions: [
    { description: 'Journal of Metadata Examples, 3(4), 20-35', type: 'SERIES_INFORMATION', lang: 'en' },
  ],
}

const award: Example = {
  identifier: { value: '10.82433/p1zt-4c67', identifierType: 'DOI' },
  creators: [{ familyName: 'The Research Trust' }],
  titles: [{ value: 'Enhancing metadata for inclusive research on entrenched disadvantage' }],
  publisher: 'The Research Trust',
  publicationYear: '2024',
  resourceType: { value: 'Grant', typeGeneral: 'OTHER' },
  contributors: [
    {
      user: { givenName: 'Sofia', familyName: 'Garcia', affiliations: ['Arizona State University'] },
      contributionType: 'PROJECT_LEADER',
    },
    { user: { familyName: 'Arizona State University' }, contributionType: 'PROJECT_LEADER' },
  ],
  dates: [
    { value: '2024-08-01T00:00:00Z', type: 'ISSUED' },
    { value: '2025-01-01T00:00:00Z', type: 'VALID' },
    { value: '2028-01-01T00:00:00Z', type: 'UPDATED' },
  ],
  sizes: ['900000 USD'],
  descriptions: [{ description: 'A project that improves metadata practices.', type: 'ABSTRACT' }],
  alternateIdentifiers: [{ value: 'https://grants.net/123456', identifierType: 'URL' }],
  fundingReferences: [
    {
      funderName: 'The Research Trust',
      funderIdentifier: { value: 'https://doi.org/10.13039/501100012345', type: 'CROSSREF_FUNDER_ID' },
      awardNumber: { schemeId: '123456' },
      awardTitle: 'Enhancing metadata for inclusive research on entrenched disadvantage',
    },
  ],
}

const project: Example = {
  identifier: { value: '10.82433/84dj-am41', identifierType: 'DOI' },
  creators: [
    {
      givenName: 'Ted',
      familyName: 'Habermann',
      affiliations: ['Metadata Game Changers (United States)'],
    },
  ],
  titles: [
    {
      value:
        'EAGER: INFORMATE: Improving networks for organizational repositories through metadata augmentation',
      lang: 'en',
    },
    { value: 'INFORMATE', titleType: 'ALTERNATIVE_TITLE', lang: 'en' },
  ],
  publisher: 'Metadata Game Changers (United States)',
  publicationYear: '2023',
  resourceType: { value: 'Collaboration', typeGeneral: 'COLLECTION' },
  contributors: ['PROJECT_LEADER', 'CONTACT_PERSON'].map(contributionType => ({
    user: { givenName: 'Ted', familyName: 'Habermann' },
    contributionType,
  })),
  relatedIdentifiers: [
    ...['10.6084/m9.figshare.25139354.v1', '10.59350/77zs1-hz764', '10.17605/OSF.IO/CYABT'].map(doi => ({
      value: `https://doi.org/${doi}`,
      identifierType: 'DOI',
      relationType: 'HAS_PART',
    })),
    { value: 'https://www.youtube.com/watch?v=bsDzsxJPHrI', identifierType: 'URL', relationType: 'HAS_PART' },
  ],
  fundingReferences: [
    {
      funderName: 'U.S. National Science Foundation',
      funderIdentifier: { value: 'https://ror.org/021nxhr62', type: 'OTHER' },
      awardNumber: {
        schemeId: '2334426',
        schemeUri: 'https://www.nsf.gov/awardsearch/showAward?AWD_ID=2334426',
      },
    },
  ],
}

const instrument: Example = {
  identifier: { value: '10.82433/08QF-EE96', identifierType: 'DOI' },
  creators: [{ familyName: 'DECTRIS' }],
  titles: [{ value: 'Pilatus detector at MX station 14.1', lang: 'en-US' }],
  publisher: 'Helmholtz Centre Potsdam - GFZ German Research Centre for Geosciences',
  publicationYear: '2022',
  resourceType: { value: 'Raster image pixel detector', typeGeneral: 'PHYSICAL_OBJECT' },
  contributors: [
    {
      user: { familyName: 'Helmholtz-Zentrum Berlin für Materialien und Energie' },
      contributionType: 'HOSTING_INSTITUTION',
    },
  ],
  alternateIdentifiers: [{ value: '1234567', identifierType: 'OTHER' }],
  relatedIdentifiers: [
    { value: '1234.1675', identifierType: 'HANDLE', relationType: 'IS_PART_OF' },
    {
      value: 'https://www.dectris.com/products/pilatus3/pilatus3-s-for-synchrotron/details/pilatus3-s-6m',
      identifierType: 'URL',
      relationType: 'IS_DOCUMENTED_BY',
    },
  ],
  descriptions: [
    { description: 'The Pilatus 6M pixel-detector at the MX station 14.1', type: 'ABSTRACT', lang: 'en-US' },
    {
      description: 'Model Name: PILATUS3 S 6M. Measured variables: X-ray.',
      type: 'TECHNICAL_INFO',
      lang: 'en-US',
    },
  ],
}

const languages: Example = {
  identifier: { value: '10.82433/BYT7-2G42', identifierType: 'DOI' },
  titles: [
    { value: 'Advances in Chemistry', lang: 'en' },
    { value: 'Avances en Química', titleType: 'TRANSLATED_TITLE', lang: 'es' },
    { value: '化学进展', titleType: 'TRANSLATED_TITLE', lang: 'zh' },
  ],
  creators: [{ givenName: 'Jing', familyName: 'Zou' }, { familyName: 'DataCite' }],
  publisher: 'DataCite',
  publicationYear: '2022',
  resourceType: { value: 'Book chapter', typeGeneral: 'TEXT' },
  subjects: [
    { value: 'Chemistry', lang: 'en' },
    { value: 'Químicas', lang: 'es' },
    { value: '化学', lang: 'zh' },
  ],
  dates: [{ value: '2024-01-01T00:00:00Z', type: 'AVAILABLE' }],
  descriptions: [
    { description: 'This chapter reviews selected landmarks.', type: 'ABSTRACT', lang: 'en' },
    { description: 'El capítulo repasa los principales avances.', type: 'ABSTRACT', lang: 'es' },
    {
      description: '本章回顾了过去5年中在化学基础研究中发生的一些里程碑式的事件',
      type: 'ABSTRACT',
      lang: 'zh',
    },
  ],
  language: 'en',
  relatedIdentifiers: [{ value: 'arXiv:0706.0001', identifierType: 'AR_XIV', relationType: 'IS_PART_OF' }],
  rights: [{ schemeId: 'CC-BY-4.0', schemeUri: 'https://creativecommons.org/licenses/by/4.0/' }],
}

const software: Example = {
  identifier: { value: '10.82433/8ab3-s0ft', identifierType: 'DOI' },
  creators: [
    { givenName: 'Pat', familyName: "O'Brien", affiliations: ['Example Lab'] },
    { givenName: 'José', familyName: 'de la Cruz' },
  ],
  titles: [{ value: 'metadata-tools: readers & writers for <DataCite>', lang: 'en' }],
  publisher: 'Example Forge',
  publicationYear: '2023',
  resourceType: { value: 'Command line program', typeGeneral: 'SOFTWARE' },
  dates: [{ value: '2023-05-04T03:02:01Z', type: 'AVAILABLE' }],
  relatedIdentifiers: [
    {
      value: 'https://git.example.org/metadata-tools',
      identifierType: 'URL',
      relationType: 'IS_IDENTICAL_TO',
    },
    { value: '10.82433/8ab3-s0f0', identifierType: 'DOI', relationType: 'IS_VERSION_OF' },
    { value: 'urn:nbn:de:101:1-201102033592', identifierType: 'URN', relationType: 'IS_DERIVED_FROM' },
    { value: '10013/epic.10033', identifierType: 'HANDLE', relationType: 'COMPILES' },
    { value: '978-3-905673-82-1', identifierType: 'ISBN', relationType: 'IS_DOCUMENTED_BY' },
    { value: '12082125', identifierType: 'PMID', relationType: 'CITES' },
    {
      value: 'https://w3id.org/games/spec/coil#Coil_Bomb_Die_Of_Age',
      identifierType: 'W_3_ID',
      relationType: 'REFERENCES',
    },
  ],
  rights: [{ schemeId: 'Apache-2.0', schemeUri: 'https://www.apache.org/licenses/LICENSE-2.0' }],
  formats: ['text/x-python'],
}

/** By what they show. */
export const dataCiteExamples: Readonly<Record<string, Example>> = {
  'a data set with subjects, a place and a grant': dataset,
  'a data set with a point, a box and a polygon': coverage,
  'an article of a journal': article,
  'an award': award,
  'a project with parts': project,
  'an instrument': instrument,
  'a text in several languages': languages,
  'a program': software,
}
