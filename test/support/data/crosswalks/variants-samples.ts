import { articleSamples } from './article-samples.js'
import { catalogueSamples } from './catalogue-samples.js'
import { comparedSamples } from './compared-samples.js'
import { dataSetSamples } from './data-set-samples.js'
import { dublinCoreSamples } from './dublin-core-samples.js'
import { furtherFormsSamples, orderAndPlacesSamples } from './further-forms-samples.js'
import type { KnownSample } from './known-sample.js'
import { librariesSamples } from './libraries-samples.js'
import { linkedDataSamples } from './linked-data-samples.js'
import { packageSamples } from './package-samples.js'
import { foundSamples } from './published/found-samples.js'
import { publishedDocuments } from './published/published-documents.js'
import { platformSamples, publishedFormsSamples } from './published-forms-samples.js'
import { sciencesSamples } from './sciences-samples.js'
import { webSamples } from './web-samples.js'
import { wholeDocumentsSamples } from './whole-documents-samples.js'

/*
 * Forms of known schemas that institutions publish, beside those of the guidelines: each sample has one that was read
 * wrongly or not at all.
 */

const spdx = (identifier: string) => ({
  rightsIdentifier: identifier,
  rightsIdentifierScheme: 'SPDX',
  schemeUri: 'https://spdx.org/licenses/',
})

const libraries: readonly KnownSample[] = [
  {
    title:
      'METS 2 with Dublin Core in an element of its user, a DOI behind another identifier, and a licence in a sentence',
    schema: 'METS with Dublin Core',
    document: `<mets xmlns="http://www.loc.gov/METS/v2" OBJID="box-7" LABEL="Box 7"><mdSec><mdGrp USE="DESCRIPTIVE"><md ID="d" USE="DESCRIPTIVE"><mdWrap MDTYPE="DC"><xmlData>
  <dc:record xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dcterms="http://purl.org/dc/terms/"><dc:title>A tutorial</dc:title><dc:identifier>https://hdl.handle.net/2142/1</dc:identifier><dc:identifier>https://doi.org/10.5072/tutorial</dc:identifier><dcterms:license>Published under CC BY (https://creativecommons.org/licenses/by/4.0/).</dcterms:license></dc:record>
</xmlData></mdWrap></md></mdGrp></mdSec></mets>`,
    described: {
      identifier: [{ identifier: '10.5072/tutorial', identifierType: 'DOI' }],
      titles: [{ title: 'A tutorial' }],
      alternateIdentifiers: [
        { alternateIdentifier: 'box-7', alternateIdentifierType: 'OBJID' },
        { alternateIdentifier: 'https://hdl.handle.net/2142/1', alternateIdentifierType: 'Handle' },
      ],
      rightsList: [
        {
          rights: 'Published under CC BY (https://creativecommons.org/licenses/by/4.0/).',
          rightsUri: 'https://creativecommons.org/licenses/by/4.0/',
          ...spdx('CC-BY-4.0'),
        },
      ],
    },
  },
  {
    title: 'METS whose description is elsewhere',
    schema: 'METS',
    document: `<mets xmlns="http://www.loc.gov/METS/" xmlns:xlink="http://www.w3.org/1999/xlink" OBJID="chi.1" LABEL="Annals"><dmdSec ID="d"><mdRef LOCTYPE="URL" MDTYPE="MARC" xlink:href="https://example.org/1.xml"/></dmdSec></mets>`,
    described: {
      titles: [{ title: 'Annals' }],
      alternateIdentifiers: [{ alternateIdentifier: 'chi.1', alternateIdentifierType: 'OBJID' }],
    },
  },
  {
    title: 'METS with MODS that has no title',
    schema: 'METS with MODS',
    document: `<mets xmlns="http://www.loc.gov/METS/" LABEL="Herold"><dmdSec ID="d"><mdWrap MDTYPE="MODS"><xmlData><mods xmlns="http://www.loc.gov/mods/v3"><identifier type="urn">urn:nbn:de:1</identifier><name type="personal"><namePart>Roe, Max, 1901-1970</namePart><role><roleTerm type="code" authority="marcrelator">ill</roleTerm></role></name></mods></xmlData></mdWrap></dmdSec></mets>`,
    described: {
      identifier: [{ identifier: 'urn:nbn:de:1', identifierType: 'URN' }],
      titles: [{ title: 'Herold' }],
      contributors: [
        {
          contributorType: 'Other',
          name: 'Roe, Max',
          nameType: 'Personal',
          givenName: 'Max',
          familyName: 'Roe',
        },
      ],
    },
  },
  {
    title: 'EAD 2002 with the date in the title, dates of a life, and a heading',
    schema: 'EAD 2002',
    document: `<ead><eadheader><eadid>ex</eadid></eadheader><archdesc level="fonds"><did><unittitle>Records<unitdate normal="1925/1925">1925</unitdate></unittitle><origination><persname>Shore, Ada Mary, 1861-</persname></origination></did>
  <scopecontent><head>Scope and content</head><p>Letters.</p><p>Notes.</p></scopecontent></archdesc></ead>`,
    described: {
      types: [{ resourceTypeGeneral: 'Collection', resourceType: 'fonds' }],
      creators: [
        { name: 'Shore, Ada Mary', nameType: 'Personal', givenName: 'Ada Mary', familyName: 'Shore' },
      ],
      titles: [{ title: 'Records 1925' }],
      dates: [{ date: '1925', dateType: 'Created' }],
      alternateIdentifiers: [{ alternateIdentifier: 'ex', alternateIdentifierType: 'eadid' }],
      descriptions: [{ description: 'Letters.\n\nNotes.', descriptionType: 'Abstract' }],
    },
  },
  {
    title: 'qualified Dublin Core without a namespace, with the usual name of a licence',
    schema: 'Dublin Core (qualifieddc)',
    document: `<qualifieddc><title lang="fi">Arvo</title><creator>Example, Ada</creator><issued>2021</issued><subject lang="fi">virtsa</subject><type lang="fi">Article</type><rights>CC BY-NC-ND 4.0 International</rights></qualifieddc>`,
    described: {
      types: [{ resourceTypeGeneral: 'JournalArticle', resourceType: 'Article' }],
      creators: [{ name: 'Example, Ada' }],
      titles: [{ title: 'Arvo', lang: 'fi' }],
      publicationYear: ['2021'],
      dates: [{ date: '2021', dateType: 'Issued' }],
      subjects: [{ subject: 'virtsa', lang: 'fi' }],
      rightsList: [
        {
          rights: 'CC BY-NC-ND 4.0 International',
          rightsUri: 'https://creativecommons.org/licenses/by-nc-nd/4.0/',
          ...spdx('CC-BY-NC-ND-4.0'),
        },
      ],
    },
  },
  {
    title: 'TEI with an author whose identifiers stand apart',
    schema: 'TEI',
    document: `<TEI xmlns="http://www.tei-c.org/ns/1.0"><teiHeader><fileDesc><titleStmt><title>Brot</title><author><persName><forename>Ada</forename><surname>Example</surname></persName><idno type="wikidata">Q7</idno><idno type="pnd">116</idno><idno type="shelf">12</idno></author></titleStmt></fileDesc></teiHeader></TEI>`,
    described: {
      types: [{ resourceTypeGeneral: 'Text', resourceType: 'TEI' }],
      creators: [
        {
          name: 'Example, Ada',
          nameType: 'Personal',
          givenName: 'Ada',
          familyName: 'Example',
          nameIdentifiers: [
            { nameIdentifier: 'Q7', nameIdentifierScheme: 'Wikidata' },
            { nameIdentifier: '116', nameIdentifierScheme: 'GND' },
          ],
        },
      ],
      titles: [{ title: 'Brot' }],
    },
  },
]

const sciencesAndWeb: readonly KnownSample[] = [
  {
    title: 'DDI Codebook with a licence as a link of HTML',
    schema: 'DDI Codebook',
    document: `<codeBook xmlns="ddi:codebook:2_5" version="2.5"><stdyDscr><citation><titlStmt><titl>Finches</titl></titlStmt></citation><dataAccs><useStmt><conditions>&lt;a href="http://creativecommons.org/publicdomain/zero/1.0"&gt;CC0 1.0&lt;/a&gt;</conditions></useStmt></dataAccs></stdyDscr></codeBook>`,
    described: {
      types: [{ resourceTypeGeneral: 'Dataset', resourceType: 'Study' }],
      titles: [{ title: 'Finches' }],
      rightsList: [
        {
          rights: 'CC0 1.0',
          rightsUri: 'http://creativecommons.org/publicdomain/zero/1.0',
          ...spdx('CC0-1.0'),
        },
      ],
    },
  },
  {
    title: 'schema.org of a service with a funder by doi:',
    schema: 'schema.org and Bioschemas',
    document: {
      '@context': 'https://schema.org/',
      '@type': 'Service',
      name: 'A repository',
      temporalCoverage: '2007/2007',
      license: 'https://opensource.org/licenses/BSD-2-Clause',
      funder: {
        '@type': 'Organization',
        name: 'Division of Ocean Sciences',
        identifier: 'doi:10.13039/100000141',
      },
    },
    described: {
      types: [{ resourceTypeGeneral: 'Service', resourceType: 'Service' }],
      titles: [{ title: 'A repository' }],
      dates: [{ date: '2007', dateType: 'Coverage' }],
      rightsList: [
        {
          rights: 'https://opensource.org/licenses/BSD-2-Clause',
          rightsUri: 'https://opensource.org/licenses/BSD-2-Clause',
          ...spdx('BSD-2-Clause'),
        },
      ],
      fundingReferences: [
        {
          funderName: 'Division of Ocean Sciences',
          funderIdentifier: 'doi:10.13039/100000141',
          funderIdentifierType: 'Crossref Funder ID',
        },
      ],
    },
  },
  {
    title: 'DCAT as a graph whose data set has no title',
    schema: 'DCAT-AP',
    document: {
      '@context': { dcat: 'http://www.w3.org/ns/dcat#' },
      '@graph': [
        { '@id': 'https://example.org/file', '@type': 'dcat:Distribution' },
        {
          '@id': 'https://example.org/data',
          '@type': 'dcat:Dataset',
          landingPage: 'https://example.org/data.html',
        },
      ],
    },
    described: {
      identifier: [{ identifier: 'https://example.org/data', identifierType: 'URL' }],
      types: [{ resourceTypeGeneral: 'Dataset', resourceType: 'Dataset' }],
      relatedIdentifiers: [
        {
          relatedIdentifier: 'https://example.org/data.html',
          relatedIdentifierType: 'URL',
          relationType: 'IsDescribedBy',
        },
      ],
    },
  },
  {
    title: 'a citation file with references',
    schema: 'Citation File Format',
    document: {
      'cff-version': '1.2.0',
      title: 'creeper',
      references: [
        { type: 'article', title: 'On creep', doi: '10.5072/creep' },
        { type: 'generic', title: 'No DOI' },
      ],
    },
    described: {
      types: [{ resourceTypeGeneral: 'Software', resourceType: 'software' }],
      titles: [{ title: 'creeper' }],
      relatedIdentifiers: [
        { relatedIdentifier: '10.5072/creep', relatedIdentifierType: 'DOI', relationType: 'References' },
      ],
    },
  },
  {
    title: 'a data package that only has resources',
    schema: 'Frictionless data package',
    document: {
      resources: [
        {
          name: 'capital',
          path: 'capital.csv',
          mediatype: 'text/csv',
          schema: { fields: [{ name: 'id', type: 'integer' }] },
        },
      ],
    },
    described: {
      types: [{ resourceTypeGeneral: 'Dataset', resourceType: 'Data package' }],
      formats: ['text/csv'],
    },
  },
]

export const variantsSamples: readonly KnownSample[] = [
  ...libraries,
  ...sciencesAndWeb,
  ...publishedFormsSamples,
  ...platformSamples,
  ...dublinCoreSamples,
  ...catalogueSamples,
  ...articleSamples,
  ...packageSamples,
  ...dataSetSamples,
  ...comparedSamples,
  ...wholeDocumentsSamples,
  ...linkedDataSamples,
  ...furtherFormsSamples,
  ...orderAndPlacesSamples,
  ...foundSamples,
]

/** The samples of all known schemas. */
export const allSamples: readonly KnownSample[] = [
  ...webSamples,
  ...sciencesSamples,
  ...librariesSamples,
  ...variantsSamples,
  ...publishedDocuments,
]
