import type { KnownSample } from './known-sample.js'

/*
 * Dublin Core, simple and qualified, in the forms that repositories give to harvesters.
 */

export const dublinCoreSamples: readonly KnownSample[] = [
  {
    title:
      'oai_dc of a thesis by the guidelines of OpenAIRE, with a DOI behind other identifiers and an end of an embargo',
    schema: 'oai_dc',
    document: `<oai_dc:dc xmlns:oai_dc="http://www.openarchives.org/OAI/2.0/oai_dc/" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="http://www.openarchives.org/OAI/2.0/oai_dc/ http://www.openarchives.org/OAI/2.0/oai_dc.xsd">
  <dc:title xml:lang="de">Ermüdung von Kupfer</dc:title><dc:title xml:lang="en">Fatigue of copper</dc:title>
  <dc:creator>Beispiel, Bea</dc:creator><dc:creator>Muster, Max</dc:creator>
  <dc:contributor>Example, Ada (advisor)</dc:contributor>
  <dc:subject>info:eu-repo/classification/ddc/620</dc:subject><dc:subject xml:lang="en">copper</dc:subject><dc:subject xml:lang="de">Kupfer</dc:subject>
  <dc:description xml:lang="en">How copper tires.</dc:description><dc:description xml:lang="de">Wie Kupfer ermüdet.</dc:description>
  <dc:publisher>Beispielhochschule</dc:publisher>
  <dc:date>2014-06-03</dc:date><dc:date>info:eu-repo/date/embargoEnd/2015-01-01</dc:date>
  <dc:type>doc-type:doctoralThesis</dc:type><dc:type>info:eu-repo/semantics/doctoralThesis</dc:type>
  <dc:format>application/pdf</dc:format><dc:format>174 S.</dc:format>
  <dc:identifier>urn:nbn:de:swb:90-1</dc:identifier><dc:identifier>https://repository.example.org/14</dc:identifier><dc:identifier>doi:10.5072/copper</dc:identifier>
  <dc:language>deu</dc:language>
  <dc:relation>info:eu-repo/semantics/altIdentifier/urn/urn:nbn:de:swb:90-1</dc:relation>
  <dc:rights>info:eu-repo/semantics/openAccess</dc:rights><dc:rights>https://creativecommons.org/licenses/by-sa/4.0/deed.de</dc:rights>
  <dc:coverage>Baden</dc:coverage>
</oai_dc:dc>`,
    described: {
      alternateIdentifiers: [
        { alternateIdentifier: 'urn:nbn:de:swb:90-1', alternateIdentifierType: 'URN' },
        { alternateIdentifier: 'https://repository.example.org/14', alternateIdentifierType: 'URL' },
      ],
      identifier: [{ identifier: '10.5072/copper', identifierType: 'DOI' }],
      types: [{ resourceTypeGeneral: 'Dissertation', resourceType: 'doc-type:doctoralThesis' }],
      creators: [{ name: 'Beispiel, Bea' }, { name: 'Muster, Max' }],
      titles: [
        { title: 'Ermüdung von Kupfer', lang: 'de' },
        { title: 'Fatigue of copper', lang: 'en' },
      ],
      publisher: [{ name: 'Beispielhochschule' }],
      publicationYear: ['2014'],
      subjects: [
        { subject: 'info:eu-repo/classification/ddc/620' },
        { subject: 'copper', lang: 'en' },
        { subject: 'Kupfer', lang: 'de' },
      ],
      contributors: [{ contributorType: 'Other', name: 'Example, Ada (advisor)' }],
      dates: [{ date: '2014-06-03', dateType: 'Other' }],
      language: ['de'],
      formats: ['application/pdf', '174 S.'],
      rightsList: [
        { rights: 'info:eu-repo/semantics/openAccess' },
        {
          rights: 'https://creativecommons.org/licenses/by-sa/4.0/deed.de',
          rightsUri: 'https://creativecommons.org/licenses/by-sa/4.0/deed.de',
          rightsIdentifier: 'CC-BY-SA-4.0',
          rightsIdentifierScheme: 'SPDX',
          schemeUri: 'https://spdx.org/licenses/',
        },
      ],
      descriptions: [
        { description: 'How copper tires.', descriptionType: 'Abstract', lang: 'en' },
        { description: 'Wie Kupfer ermüdet.', descriptionType: 'Abstract', lang: 'de' },
      ],
      geoLocations: [{ geoLocationPlace: 'Baden' }],
    },
  },
  {
    title: 'oai_dc with little in it: empty elements, blanks, and another prefix',
    schema: 'oai_dc',
    document: `<o:dc xmlns:o="http://www.openarchives.org/OAI/2.0/oai_dc/" xmlns="http://purl.org/dc/elements/1.1/">
  <title>
    A photograph
    of a bridge
  </title>
  <creator/>
  <subject> </subject>
  <subject>Bridges &amp; tunnels; Rivers</subject>
  <date>ca. 1930</date>
  <type>Image</type>
  <type>StillImage</type>
  <identifier>photo-0012</identifier>
  <identifier>ark:/12345/x9</identifier>
  <source>Album 4</source>
  <rights>All rights reserved.</rights>
</o:dc>`,
    described: {
      alternateIdentifiers: [{ alternateIdentifier: 'photo-0012', alternateIdentifierType: 'Local' }],
      identifier: [{ identifier: 'ark:/12345/x9', identifierType: 'ARK' }],
      types: [{ resourceTypeGeneral: 'Image', resourceType: 'Image' }],
      titles: [{ title: 'A photograph of a bridge' }],
      publicationYear: ['1930'],
      subjects: [{ subject: 'Bridges & tunnels; Rivers' }],
      rightsList: [{ rights: 'All rights reserved.' }],
    },
  },
  {
    title: 'qualified Dublin Core with encoding schemes, a holder of rights and relations by address',
    schema: 'Dublin Core (metadata)',
    document: `<metadata xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dcterms="http://purl.org/dc/terms/" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">
  <dc:identifier xsi:type="dcterms:URI">https://doi.org/10.5072/tide</dc:identifier>
  <dc:title xml:lang="en">Tides at the pier</dc:title><dc:title xml:lang="fr">Marées à la jetée</dc:title>
  <dcterms:creator>Shore, Sam</dcterms:creator><dc:creator>Tide Gauge Group</dc:creator>
  <dc:publisher>Harbour Archive</dc:publisher>
  <dcterms:dateSubmitted xsi:type="dcterms:W3CDTF">2018-02-01</dcterms:dateSubmitted><dcterms:dateAccepted xsi:type="dcterms:W3CDTF">2018-03-15</dcterms:dateAccepted><dcterms:available xsi:type="dcterms:W3CDTF">2018-04-01</dcterms:available><dcterms:dateCopyrighted xsi:type="dcterms:W3CDTF">2018</dcterms:dateCopyrighted><dcterms:valid>2018-04-01/2028-04-01</dcterms:valid>
  <dc:language xsi:type="dcterms:ISO639-2">eng</dc:language>
  <dc:subject xsi:type="dcterms:LCSH">Tides</dc:subject>
  <dc:type xsi:type="dcterms:DCMIType">Dataset</dc:type>
  <dc:format xsi:type="dcterms:IMT">text/csv</dc:format><dcterms:extent>12 files</dcterms:extent>
  <dcterms:hasPart xsi:type="dcterms:URI">https://doi.org/10.5072/tide.1</dcterms:hasPart><dcterms:isReferencedBy xsi:type="dcterms:URI">https://doi.org/10.5072/tide-paper</dcterms:isReferencedBy><dcterms:references>A book without an address</dcterms:references><dcterms:isReplacedBy xsi:type="dcterms:URI">https://doi.org/10.5072/tide2</dcterms:isReplacedBy>
  <dcterms:spatial xsi:type="dcterms:TGN">The Pier</dcterms:spatial>
  <dcterms:rightsHolder>Harbour Board</dcterms:rightsHolder>
  <dcterms:license xsi:type="dcterms:URI">https://opendatacommons.org/licenses/by/1-0/</dcterms:license><dcterms:accessRights>Open</dcterms:accessRights>
  <dcterms:provenance>Read from the gauge.</dcterms:provenance>
</metadata>`,
    described: {
      identifier: [{ identifier: '10.5072/tide', identifierType: 'DOI' }],
      types: [{ resourceTypeGeneral: 'Dataset', resourceType: 'Dataset' }],
      creators: [{ name: 'Shore, Sam' }, { name: 'Tide Gauge Group' }],
      titles: [
        { title: 'Tides at the pier', lang: 'en' },
        { title: 'Marées à la jetée', lang: 'fr' },
      ],
      publisher: [{ name: 'Harbour Archive' }],
      publicationYear: ['2018'],
      subjects: [{ subject: 'Tides' }],
      contributors: [{ contributorType: 'RightsHolder', name: 'Harbour Board' }],
      dates: [
        { date: '2018-04-01', dateType: 'Available' },
        { date: '2018-04-01/2028-04-01', dateType: 'Valid' },
        { date: '2018-03-15', dateType: 'Accepted' },
        { date: '2018', dateType: 'Copyrighted' },
        { date: '2018-02-01', dateType: 'Submitted' },
      ],
      language: ['en'],
      relatedIdentifiers: [
        { relatedIdentifier: '10.5072/tide.1', relatedIdentifierType: 'DOI', relationType: 'HasPart' },
        {
          relatedIdentifier: '10.5072/tide-paper',
          relatedIdentifierType: 'DOI',
          relationType: 'IsReferencedBy',
        },
        { relatedIdentifier: '10.5072/tide2', relatedIdentifierType: 'DOI', relationType: 'IsObsoletedBy' },
      ],
      sizes: ['12 files'],
      formats: ['text/csv'],
      rightsList: [
        {
          rights: 'https://opendatacommons.org/licenses/by/1-0/',
          rightsUri: 'https://opendatacommons.org/licenses/by/1-0/',
          rightsIdentifier: 'ODC-By-1.0',
          rightsIdentifierScheme: 'SPDX',
          schemeUri: 'https://spdx.org/licenses/',
        },
      ],
      geoLocations: [{ geoLocationPlace: 'The Pier' }],
    },
  },
  {
    title: 'qualified Dublin Core of a collection, whose terms are all in one namespace',
    schema: 'Dublin Core (metadata)',
    document: `<metadata xmlns="http://dublincore.org/documents/dcmi-terms/" xmlns:dcterms="http://purl.org/dc/terms/">
  <dcterms:title>Maps of the valley</dcterms:title>
  <dcterms:creator>Contour, Cleo</dcterms:creator>
  <dcterms:contributor>Legend, Leo</dcterms:contributor>
  <dcterms:created>1890</dcterms:created>
  <dcterms:abstract xml:lang="ita">Carte della valle.</dcterms:abstract><dcterms:description xml:lang="eng">Maps of the valley, drawn by hand.</dcterms:description>
  <dcterms:type>http://purl.org/dc/dcmitype/Collection</dcterms:type>
  <dcterms:medium>paper</dcterms:medium>
  <dcterms:identifier>https://maps.example.org/valley</dcterms:identifier>
  <dcterms:isVersionOf>https://maps.example.org/valley-1880</dcterms:isVersionOf><dcterms:requires>https://maps.example.org/legend</dcterms:requires>
  <dcterms:temporal>1880/1890</dcterms:temporal><dcterms:temporal>name=The survey; start=1880; end=1890;</dcterms:temporal>
  <dcterms:spatial>The valley</dcterms:spatial><dcterms:spatial>The pass</dcterms:spatial>
  <dcterms:language>it</dcterms:language>
</metadata>`,
    described: {
      identifier: [{ identifier: 'https://maps.example.org/valley', identifierType: 'URL' }],
      types: [{ resourceTypeGeneral: 'Collection', resourceType: 'http://purl.org/dc/dcmitype/Collection' }],
      creators: [{ name: 'Contour, Cleo' }],
      titles: [{ title: 'Maps of the valley' }],
      publicationYear: ['1890'],
      contributors: [{ contributorType: 'Other', name: 'Legend, Leo' }],
      dates: [
        { date: '1890', dateType: 'Created' },
        { date: '1880/1890', dateType: 'Coverage' },
      ],
      language: ['it'],
      relatedIdentifiers: [
        {
          relatedIdentifier: 'https://maps.example.org/valley-1880',
          relatedIdentifierType: 'URL',
          relationType: 'IsVersionOf',
        },
        {
          relatedIdentifier: 'https://maps.example.org/legend',
          relatedIdentifierType: 'URL',
          relationType: 'Requires',
        },
      ],
      formats: ['paper'],
      descriptions: [
        { description: 'Maps of the valley, drawn by hand.', descriptionType: 'Abstract', lang: 'en' },
        { description: 'Carte della valle.', descriptionType: 'Abstract', lang: 'it' },
      ],
      geoLocations: [{ geoLocationPlace: 'The valley' }, { geoLocationPlace: 'The pass' }],
    },
  },
  {
    title: 'qualified Dublin Core of an institutional repository, with its own root element',
    schema: 'Dublin Core (qualifieddc)',
    document: `<qdc:qualifieddc xmlns:qdc="http://dspace.org/qualifieddc/" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dcterms="http://purl.org/dc/terms/" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">
  <dc:title>Bread in the north</dc:title><dcterms:alternative>Rye and oats</dcterms:alternative>
  <dc:creator>Crust, Cora</dc:creator><dc:creator>Loaf, Lars</dc:creator>
  <dc:subject>bread</dc:subject><dc:subject>rye</dc:subject>
  <dcterms:abstract>On bread in the north.</dcterms:abstract><dcterms:abstract xml:lang="sv">Om bröd i norr.</dcterms:abstract>
  <dcterms:dateAccepted>2019-05-07T08:00:00Z</dcterms:dateAccepted><dcterms:available>2019-05-07T08:00:00Z</dcterms:available><dcterms:created>2019-05-07T08:00:00Z</dcterms:created><dcterms:issued>2012-11</dcterms:issued>
  <dc:type>Thesis</dc:type>
  <dc:identifier>http://hdl.handle.net/20.500.12345/77</dc:identifier>
  <dc:language>en</dc:language>
  <dcterms:isPartOf>urn:ISSN:1234-5679</dcterms:isPartOf>
  <dc:rights>CC BY 4.0</dc:rights><dc:rights>https://creativecommons.org/licenses/by/4.0/</dc:rights>
  <dc:publisher>University of the North</dc:publisher>
</qdc:qualifieddc>`,
    described: {
      identifier: [{ identifier: 'http://hdl.handle.net/20.500.12345/77', identifierType: 'Handle' }],
      types: [{ resourceTypeGeneral: 'Dissertation', resourceType: 'Thesis' }],
      creators: [{ name: 'Crust, Cora' }, { name: 'Loaf, Lars' }],
      titles: [{ title: 'Bread in the north' }, { title: 'Rye and oats', titleType: 'AlternativeTitle' }],
      publisher: [{ name: 'University of the North' }],
      publicationYear: ['2012'],
      subjects: [{ subject: 'bread' }, { subject: 'rye' }],
      dates: [
        { date: '2012-11', dateType: 'Issued' },
        { date: '2019-05-07T08:00:00Z', dateType: 'Created' },
        { date: '2019-05-07T08:00:00Z', dateType: 'Available' },
        { date: '2019-05-07T08:00:00Z', dateType: 'Accepted' },
      ],
      language: ['en'],
      relatedIdentifiers: [
        { relatedIdentifier: 'urn:ISSN:1234-5679', relatedIdentifierType: 'URN', relationType: 'IsPartOf' },
      ],
      rightsList: [
        {
          rights: 'CC BY 4.0',
          rightsUri: 'https://creativecommons.org/licenses/by/4.0/',
          rightsIdentifier: 'CC-BY-4.0',
          rightsIdentifierScheme: 'SPDX',
          schemeUri: 'https://spdx.org/licenses/',
        },
        {
          rights: 'https://creativecommons.org/licenses/by/4.0/',
          rightsUri: 'https://creativecommons.org/licenses/by/4.0/',
          rightsIdentifier: 'CC-BY-4.0',
          rightsIdentifierScheme: 'SPDX',
          schemeUri: 'https://spdx.org/licenses/',
        },
      ],
      descriptions: [
        { description: 'On bread in the north.', descriptionType: 'Abstract' },
        { description: 'Om bröd i norr.', descriptionType: 'Abstract', lang: 'sv' },
      ],
    },
  },
  {
    title: 'qualified Dublin Core of a digital collection, with places and times in both vocabularies',
    schema: 'Dublin Core (qualifieddc)',
    document: `<oai_qdc:qualifieddc xmlns:oai_qdc="http://worldcat.org/xmlschemas/qdc-1.0/" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dcterms="http://purl.org/dc/terms/">
  <dc:title>Street with a tram</dc:title>
  <dc:contributor>City Museum</dc:contributor>
  <dc:date>1912-04</dc:date>
  <dc:type>StillImage</dc:type>
  <dc:format>image/tiff</dc:format><dcterms:medium>glass negative</dcterms:medium><dcterms:extent>13 x 18 cm</dcterms:extent>
  <dc:coverage>Main Street</dc:coverage><dcterms:spatial>Old Town</dcterms:spatial>
  <dc:source>Box 3</dc:source><dcterms:isFormatOf>https://museum.example.org/tram.tif</dcterms:isFormatOf>
  <dcterms:tableOfContents>Front; back</dcterms:tableOfContents>
  <dc:identifier>https://museum.example.org/tram</dc:identifier><dc:identifier>neg-0044</dc:identifier>
  <dcterms:rightsHolder>City Museum</dcterms:rightsHolder><dc:rights>http://rightsstatements.org/vocab/NoC-OKLR/1.0/</dc:rights>
  <dc:language>zxx</dc:language>
</oai_qdc:qualifieddc>`,
    described: {
      alternateIdentifiers: [{ alternateIdentifier: 'neg-0044', alternateIdentifierType: 'Local' }],
      identifier: [{ identifier: 'https://museum.example.org/tram', identifierType: 'URL' }],
      types: [{ resourceTypeGeneral: 'Image', resourceType: 'StillImage' }],
      titles: [{ title: 'Street with a tram' }],
      publicationYear: ['1912'],
      contributors: [
        { contributorType: 'Other', name: 'City Museum' },
        { contributorType: 'RightsHolder', name: 'City Museum' },
      ],
      dates: [{ date: '1912-04', dateType: 'Issued' }],
      language: ['zxx'],
      relatedIdentifiers: [
        {
          relatedIdentifier: 'https://museum.example.org/tram.tif',
          relatedIdentifierType: 'URL',
          relationType: 'IsVariantFormOf',
        },
      ],
      sizes: ['13 x 18 cm'],
      formats: ['image/tiff', 'glass negative'],
      rightsList: [
        {
          rights: 'http://rightsstatements.org/vocab/NoC-OKLR/1.0/',
          rightsUri: 'http://rightsstatements.org/vocab/NoC-OKLR/1.0/',
        },
      ],
      descriptions: [{ description: 'Front; back', descriptionType: 'TableOfContents' }],
      geoLocations: [{ geoLocationPlace: 'Main Street' }, { geoLocationPlace: 'Old Town' }],
    },
  },
]
