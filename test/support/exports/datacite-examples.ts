import type { StoredRecord } from '../../../src/core/records/record.js'

/*
 * The 13 examples of DataCite 4.6 as shortened records, plus a program and a film. Records cannot contain identifiers
 * of names, related items, languages of names and ranges of dates. The resource types that DataCite added since 4.4
 * become TEXT, OTHER or the closest type.
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

/** Every type of contributor, title, description, date and relation that a record supports. */
const full: Example = {
  identifier: { value: '10.82433/B09Z-4K37', identifierType: 'DOI' },
  creators: [
    {
      givenName: 'ExampleGivenName',
      familyName: 'ExampleFamilyName',
      affiliations: ['ExampleAffiliation'],
    },
    { familyName: 'ExampleOrganization' },
  ],
  titles: [
    { value: 'Example Title', lang: 'en' },
    { value: 'Example Subtitle', titleType: 'SUBTITLE', lang: 'en' },
    { value: 'Example TranslatedTitle', titleType: 'TRANSLATED_TITLE', lang: 'fr' },
    { value: 'Example AlternativeTitle', titleType: 'ALTERNATIVE_TITLE', lang: 'en' },
  ],
  publisher: 'Example Publisher',
  publicationYear: '2024',
  resourceType: { value: 'Example ResourceType', typeGeneral: 'DATASET' },
  subjects: [
    {
      value: 'FOS: Computer and information sciences',
      scheme: {
        schemeId: 'Fields of Science and Technology (FOS)',
        schemeUri: 'http://www.oecd.org/science/inno',
      },
      valueUri: 'http://www.oecd.org/science/inno/38235147.pdf',
    },
    { value: 'Example Subject' },
  ],
  contributors: (
    'CONTACT_PERSON DATA_COLLECTOR DATA_CURATOR DATA_MANAGER DISTRIBUTOR EDITOR HOSTING_INSTITUTION PRODUCER ' +
    'PROJECT_LEADER PROJECT_MANAGER PROJECT_MEMBER REGISTRATION_AGENCY REGISTRATION_AUTHORITY RELATED_PERSON ' +
    'RESEARCHER RESEARCH_GROUP RIGHTS_HOLDER SPONSOR SUPERVISOR WORK_PACKAGE_LEADER OTHER'
  )
    .split(' ')
    .map(contributionType => ({
      user: { givenName: 'ExampleGivenName', familyName: 'ExampleFamilyName' },
      contributionType,
    })),
  dates: 'ACCEPTED AVAILABLE COLLECTED COPYRIGHTED CREATED ISSUED SUBMITTED UPDATED VALID REVOKED'
    .split(' ')
    .map((type, index) => ({ value: `2024-01-${10 + index}T00:00:00Z`, type })),
  language: 'en',
  alternateIdentifiers: [{ value: '12345', identifierType: 'OTHER' }],
  relatedIdentifiers: [
    ['ARK', 'IS_CITED_BY', 'ark:/13030/tqb3kh97gh8w'],
    ['AR_XIV', 'CITES', 'arXiv:0706.0001'],
    ['BIBCODE', 'IS_SUPPLEMENT_TO', '2018AGUFM.A24K..07S'],
    ['DOI', 'IS_SUPPLEMENTED_BY', '10.1016/j.epsl.2011.11.037'],
    ['DOI', 'IS_CONTINUED_BY', '10.1016/j.epsl.2011.11.037'],
    ['EAN_13', 'CONTINUES', '9783468111242'],
    ['HANDLE', 'DOCUMENTS', '10013/epic.10033'],
    ['ISBN', 'HAS_VERSION', '978-3-905673-82-1'],
    ['ISTC', 'IS_VERSION_OF', '0A9 2002 12B4A105 7'],
    ['LISSN', 'IS_PREVIOUS_VERSION_OF', '1188-1534'],
    ['LSID', 'IS_VARIANT_FORM_OF', 'urn:lsid:ubio.org:namebank:11815'],
    ['PMID', 'IS_PART_OF', '12082125'],
    ['PURL', 'HAS_PART', 'http://purl.oclc.org/foo/bar'],
    ['UPC', 'IS_REFERENCED_BY', '123456789999'],
    ['URL', 'REFERENCES', 'http://www.heatflow.und.edu/index2.html'],
    ['URN', 'IS_DOCUMENTED_BY', 'urn:nbn:de:101:1-201102033592'],
    ['W_3_ID', 'IS_COMPILED_BY', 'https://w3id.org/games/spec/coil#Coil_Bomb_Die_Of_Age'],
    ['EISSN', 'COMPILES', '1562-6865'],
    ['ISSN', 'IS_ORIGINAL_FORM_OF', '0077-5606'],
    ['IGSN', 'IS_IDENTICAL_TO', 'IECUR0097'],
    ['DOI', 'REVIEWS', '10.1016/j.epsl.2011.11.037'],
    ['DOI', 'IS_REVIEWED_BY', '10.1016/j.epsl.2011.11.037'],
    ['DOI', 'IS_DERIVED_FROM', '10.1016/j.epsl.2011.11.037'],
    ['DOI', 'IS_SOURCE_OF', '10.1016/j.epsl.2011.11.037'],
  ].map(([identifierType = '', relationType = '', value = '']) => ({ value, identifierType, relationType })),
  sizes: ['1 MB', '90 pages'],
  formats: ['application/xml', 'text/plain'],
  rights: [{ schemeId: 'CC-BY-4.0', schemeUri: 'https://creativecommons.org/licenses/by/4.0/' }],
  descriptions: 'ABSTRACT METHODS SERIES_INFORMATION TABLE_OF_CONTENTS TECHNICAL_INFO OTHER'
    .split(' ')
    .map(type => ({ description: `Example ${type}`, type, lang: 'en' })),
  geoLocations: [
    {
      place: 'Vancouver, British Columbia, Canada',
      point: { latitude: 49.2827, longitude: -123.1207 },
      box: { westLongitude: -123.27, eastLongitude: -123.02, southLatitude: 49.195, northLatitude: 49.315 },
      polygon: {
        points: [
          { latitude: 41.991, longitude: -71.032 },
          { latitude: 42.893, longitude: -69.622 },
          { latitude: 41.991, longitude: -68.211 },
          { latitude: 41.09, longitude: -69.622 },
          { latitude: 41.991, longitude: -71.032 },
        ],
      },
    },
  ],
  fundingReferences: [
    {
      funderName: 'Example Funder',
      funderIdentifier: { value: 'https://doi.org/10.13039/501100000780', type: 'CROSSREF_FUNDER_ID' },
      awardNumber: { schemeId: '12345' },
      awardUri: 'https://example.com/example-award-uri',
      awardTitle: 'Example AwardTitle',
    },
  ],
}

/** A chapter. Its resource type has no text, and its book has no identifier. */
const chapter: Example = {
  identifier: { value: '10.82433/ECK0-F231', identifierType: 'DOI' },
  creators: [{ givenName: 'Sofia', familyName: 'Garcia' }],
  titles: [{ value: 'Example Chapter Title', lang: 'en' }],
  publisher: 'Example Publisher',
  publicationYear: '1980',
  resourceType: { value: 'BookChapter', typeGeneral: 'TEXT' },
}

const chapterOfBook: Example = {
  ...chapter,
  identifier: { value: '10.82433/4FDH-RH04', identifierType: 'DOI' },
  publicationYear: '2016',
  relatedIdentifiers: [{ value: '0-12-345678-1', identifierType: 'ISBN', relationType: 'IS_PART_OF' }],
  descriptions: [{ description: 'Example Book Title, chapter 4, 45-63', type: 'SERIES_INFORMATION' }],
}

const original: Example = {
  identifier: { value: '10.82433/pma6-nf93', identifierType: 'DOI' },
  creators: [{ familyName: 'Green, Simon' }],
  titles: [{ value: 'Klimawandel und Anpassungsstrategien', lang: 'de' }],
  publisher: 'Institut für Umweltforschung',
  publicationYear: '2022',
  dates: [{ value: '2022-07-07T00:00:00Z', type: 'ISSUED' }],
  resourceType: { value: 'Report', typeGeneral: 'TEXT' },
  language: 'de',
  relatedIdentifiers: [
    { value: '10.82433/45e5-xy14', identifierType: 'DOI', relationType: 'IS_ORIGINAL_FORM_OF' },
  ],
  descriptions: [
    { description: 'Wirkungen des Klimawandels und Anpassung an ihn.', type: 'ABSTRACT', lang: 'de' },
  ],
}

const translation: Example = {
  ...original,
  identifier: { value: '10.82433/45e5-xy14', identifierType: 'DOI' },
  titles: [{ value: 'Climate Change and Adaptation Strategies', lang: 'en' }],
  publisher: 'Institute for Environmental Research',
  publicationYear: '2024',
  dates: [{ value: '2024-09-15T00:00:00Z', type: 'ISSUED' }],
  language: 'en',
  contributors: [{ user: { familyName: 'Schneider, Anna' }, contributionType: 'OTHER' }],
  relatedIdentifiers: [
    { value: '10.82433/pma6-nf93', identifierType: 'DOI', relationType: 'IS_VARIANT_FORM_OF' },
  ],
  descriptions: [
    { description: 'Impacts of climate change and adaptation to it.', type: 'ABSTRACT', lang: 'en' },
  ],
}

const parallelLanguages: Example = {
  identifier: { value: '10.82433/4r08-sa38', identifierType: 'DOI' },
  creators: [{ familyName: 'Global Seismology Research Center' }],
  titles: [
    { value: 'Seismometer User Manual', lang: 'en' },
    { value: "Manuel d'utilisation du sismomètre", lang: 'fr' },
  ],
  publisher: 'Global Seismology Research Center',
  publicationYear: '2023',
  dates: [{ value: '2023-01-01T00:00:00Z', type: 'ISSUED' }],
  resourceType: { value: 'Manual', typeGeneral: 'OTHER' },
  language: 'mul',
  descriptions: [
    { description: 'How to install, calibrate and maintain a seismometer.', type: 'ABSTRACT', lang: 'en' },
    {
      description: 'Comment installer, étalonner et entretenir un sismomètre.',
      type: 'ABSTRACT',
      lang: 'fr',
    },
  ],
}

const film: Example = {
  identifier: { value: '10.82433/8ab3-f11m', identifierType: 'DOI' },
  creators: [{ familyName: 'Example Film Unit' }],
  titles: [{ value: 'Growth of crystals' }],
  publisher: 'Example Media Library',
  publicationYear: '2014',
  resourceType: { value: 'Film', typeGeneral: 'AUDIOVISUAL' },
  subjects: [{ value: 'Crystallography', lang: 'en' }],
  dates: [
    { value: '2013-05-01T00:00:00Z', type: 'CREATED' },
    { value: '2014-01-15T00:00:00Z', type: 'COPYRIGHTED' },
  ],
  language: 'en',
  sizes: ['9 minutes', '25 MB'],
  formats: ['video/mp4'],
  relatedIdentifiers: [
    { value: '10.82433/8ab3-r3l0', identifierType: 'DOI', relationType: 'IS_COMPILED_BY' },
  ],
}

/** The examples, by a description of each. */
export const dataCiteExamples: Readonly<Record<string, Example>> = {
  'a data set with subjects, a place and a grant': dataset,
  'a data set with a point, a box and a polygon': coverage,
  'an article of a journal': article,
  'an award': award,
  'a project with parts': project,
  'an instrument': instrument,
  'a text in several languages': languages,
  'a program': software,
  'every type of each member': full,
  'a chapter of a book without an identifier': chapter,
  'a chapter of a book with an ISBN': chapterOfBook,
  'an original of a translation': original,
  'a translation': translation,
  'a text in two languages at once': parallelLanguages,
  'a film': film,
}
