import type { KnownSample } from './known-sample.js'

/*
 * JATS and TEI in the forms that journals and editions publish.
 */

export const articleSamples: readonly KnownSample[] = [
  {
    title:
      'JATS of a data paper: a footnote in the title, a name of one part, a ROR, two numbers of an award, a licence in a sentence',
    schema: 'JATS',
    document: `<article xmlns:xlink="http://www.w3.org/1999/xlink" article-type="data-paper" dtd-version="1.2" xml:lang="fr"><front>
  <journal-meta><journal-id journal-id-type="publisher-id">jd</journal-id><journal-title-group><journal-title>Cahiers de données</journal-title><abbrev-journal-title>Cah. don.</abbrev-journal-title></journal-title-group><issn pub-type="ppub">1234-5679</issn><issn pub-type="epub">2049-3630</issn><publisher><publisher-name>Presses du Lac</publisher-name><publisher-loc>Annecy</publisher-loc></publisher></journal-meta>
  <article-meta>
    <article-id pub-id-type="doi">10.5072/lac.7</article-id><article-id pub-id-type="pmc">PMC123</article-id>
    <title-group><article-title>Un lac<xref ref-type="fn" rid="f1"><sup>*</sup></xref></article-title><trans-title-group xml:lang="en"><trans-title>A lake</trans-title><trans-subtitle>Ten years</trans-subtitle></trans-title-group></title-group>
    <contrib-group content-type="authors">
      <contrib contrib-type="author" corresp="yes"><contrib-id contrib-id-type="orcid" authenticated="true">http://orcid.org/0000-0001-5727-2427</contrib-id><name name-style="western"><surname>Rivage</surname><given-names>Rose M.</given-names><prefix>Dr</prefix></name><aff><institution-wrap><institution-id institution-id-type="ror">https://ror.org/04wxnsj81</institution-id><institution>Institut du Lac</institution></institution-wrap><country>France</country></aff></contrib>
      <contrib contrib-type="author"><name name-style="given-only"><given-names>Sukarno</given-names></name></contrib>
      <contrib contrib-type="author"><collab><institution>Groupe du Lac</institution></collab></contrib>
    </contrib-group>
    <contrib-group content-type="translators"><contrib contrib-type="translator"><name><surname>Tal</surname><given-names>Tea</given-names></name></contrib></contrib-group>
    <pub-date date-type="pub" publication-format="electronic" iso-8601-date="2022-03-09"><day>09</day><month>03</month><year>2022</year></pub-date>
    <volume>12</volume><elocation-id>e7</elocation-id>
    <permissions><copyright-year>2022</copyright-year><copyright-holder>Rose M. Rivage</copyright-holder><license license-type="open-access"><license-p>Sous licence <ext-link ext-link-type="uri" xlink:href="https://creativecommons.org/licenses/by-nc/4.0/">CC BY-NC 4.0</ext-link>.</license-p></license></permissions>
    <abstract><p>Dix ans de mesures.</p></abstract><abstract abstract-type="teaser"><p>Un lac change.</p></abstract><trans-abstract xml:lang="en"><p>Ten years of measurements.</p></trans-abstract>
    <kwd-group xml:lang="fr" kwd-group-type="author"><kwd>lac</kwd><kwd>eau</kwd></kwd-group><kwd-group xml:lang="en" kwd-group-type="author"><kwd>lake</kwd></kwd-group>
    <funding-group><award-group><funding-source>Fonds des Eaux</funding-source><award-id>E-1</award-id><award-id>E-2</award-id></award-group><funding-statement>Thanks.</funding-statement></funding-group>
  </article-meta></front></article>`,
    described: {
      identifier: [{ identifier: '10.5072/lac.7', identifierType: 'DOI' }],
      types: [{ resourceTypeGeneral: 'DataPaper', resourceType: 'data-paper' }],
      creators: [
        {
          name: 'Rivage, Rose M.',
          nameType: 'Personal',
          givenName: 'Rose M.',
          familyName: 'Rivage',
          nameIdentifiers: [
            {
              nameIdentifier: 'http://orcid.org/0000-0001-5727-2427',
              nameIdentifierScheme: 'ORCID',
              schemeUri: 'https://orcid.org',
            },
          ],
          affiliation: [
            {
              name: 'Institut du Lac',
              affiliationIdentifier: 'https://ror.org/04wxnsj81',
              affiliationIdentifierScheme: 'ROR',
              schemeUri: 'https://ror.org',
            },
          ],
        },
        { name: 'Sukarno', givenName: 'Sukarno' },
        { name: 'Groupe du Lac', nameType: 'Organizational' },
      ],
      titles: [
        { title: 'Un lac' },
        { title: 'A lake', titleType: 'TranslatedTitle', lang: 'en' },
        { title: 'Ten years', titleType: 'Subtitle', lang: 'en' },
      ],
      publisher: [{ name: 'Presses du Lac' }],
      subjects: [
        { subject: 'lac', lang: 'fr' },
        { subject: 'eau', lang: 'fr' },
        { subject: 'lake', lang: 'en' },
      ],
      contributors: [
        {
          contributorType: 'Translator',
          name: 'Tal, Tea',
          nameType: 'Personal',
          givenName: 'Tea',
          familyName: 'Tal',
        },
      ],
      dates: [{ date: '2022-03-09', dateType: 'Issued' }],
      language: ['fr'],
      alternateIdentifiers: [{ alternateIdentifier: 'PMC123', alternateIdentifierType: 'PMCID' }],
      relatedItems: [
        {
          relatedItemType: 'Journal',
          relationType: 'IsPublishedIn',
          relatedItemIdentifier: { relatedItemIdentifier: '1234-5679', relatedItemIdentifierType: 'ISSN' },
          titles: [{ title: 'Cahiers de données' }],
          volume: '12',
          firstPage: 'e7',
        },
      ],
      rightsList: [
        {
          rights: 'https://creativecommons.org/licenses/by-nc/4.0/',
          rightsUri: 'https://creativecommons.org/licenses/by-nc/4.0/',
          rightsIdentifier: 'CC-BY-NC-4.0',
          rightsIdentifierScheme: 'SPDX',
          schemeUri: 'https://spdx.org/licenses/',
        },
      ],
      descriptions: [
        { description: 'Dix ans de mesures.', descriptionType: 'Abstract' },
        { description: 'Ten years of measurements.', descriptionType: 'Abstract', lang: 'en' },
        { description: 'Un lac change.', descriptionType: 'Other' },
      ],
      fundingReferences: [
        { funderName: 'Fonds des Eaux', awardNumber: 'E-1' },
        { funderName: 'Fonds des Eaux', awardNumber: 'E-2' },
      ],
    },
  },
  {
    title:
      'TEI of a letter: an authority in place of a publisher, a principal, a licence by its address alone, keywords in a list',
    schema: 'TEI',
    document: `<TEI xmlns="http://www.tei-c.org/ns/1.0"><teiHeader>
  <fileDesc>
    <titleStmt><title level="a" type="main" xml:lang="fr">Lettre à un ami</title><author><name ref="https://viaf.org/viaf/283001">Plume, Paul</name></author><editor ref="https://orcid.org/0000-0001-5727-2427"><persName><forename>Ada</forename><surname>Example</surname></persName></editor><principal>Max Muster</principal><sponsor><orgName>Society of Letters</orgName></sponsor><funder><orgName>Fund of Letters</orgName></funder></titleStmt>
    <editionStmt><edition>First draft</edition></editionStmt>
    <publicationStmt><authority><orgName>Letters Project</orgName></authority><pubPlace>Paris</pubPlace><date when="2017-08">August 2017</date><idno type="URI">https://letters.example.org/1</idno><idno type="handle">http://hdl.handle.net/11858/1</idno><availability status="free"><licence target="https://creativecommons.org/licenses/by-nc-sa/4.0/"/></availability></publicationStmt>
    <sourceDesc><msDesc><msIdentifier><repository>Library</repository><idno>Ms 4</idno></msIdentifier></msDesc></sourceDesc>
  </fileDesc>
  <profileDesc><creation><date when="1789-07-13">13 juillet 1789</date></creation><langUsage><language ident="fra" usage="90">French</language><language ident="la">Latin</language></langUsage><textClass><keywords scheme="#topics"><list><item>friendship</item><item>travel</item></list></keywords></textClass></profileDesc>
  <revisionDesc><change when="2018-01-01">Checked.</change></revisionDesc>
</teiHeader><text><body><p>Cher ami</p></body></text></TEI>`,
    described: {
      identifier: [{ identifier: 'http://hdl.handle.net/11858/1', identifierType: 'Handle' }],
      types: [{ resourceTypeGeneral: 'Text', resourceType: 'TEI' }],
      creators: [
        {
          name: 'Plume, Paul',
          nameIdentifiers: [
            {
              nameIdentifier: 'https://viaf.org/viaf/283001',
              nameIdentifierScheme: 'VIAF',
              schemeUri: 'https://viaf.org',
            },
          ],
        },
      ],
      titles: [{ title: 'Lettre à un ami', lang: 'fr' }],
      publisher: [{ name: 'Letters Project' }],
      publicationYear: ['2017'],
      subjects: [{ subject: 'friendship' }, { subject: 'travel' }],
      contributors: [
        {
          contributorType: 'Editor',
          name: 'Example, Ada',
          nameType: 'Personal',
          givenName: 'Ada',
          familyName: 'Example',
          nameIdentifiers: [
            {
              nameIdentifier: 'https://orcid.org/0000-0001-5727-2427',
              nameIdentifierScheme: 'ORCID',
              schemeUri: 'https://orcid.org',
            },
          ],
        },
        { contributorType: 'ProjectLeader', name: 'Max Muster' },
        { contributorType: 'Sponsor', name: 'Society of Letters' },
      ],
      dates: [
        { date: '2017-08', dateType: 'Issued' },
        { date: '1789-07-13', dateType: 'Created' },
      ],
      language: ['fr'],
      version: ['First draft'],
      rightsList: [
        {
          rights: 'https://creativecommons.org/licenses/by-nc-sa/4.0/',
          rightsUri: 'https://creativecommons.org/licenses/by-nc-sa/4.0/',
          rightsIdentifier: 'CC-BY-NC-SA-4.0',
          rightsIdentifierScheme: 'SPDX',
          schemeUri: 'https://spdx.org/licenses/',
        },
      ],
      fundingReferences: [{ funderName: 'Fund of Letters' }],
    },
  },
]
