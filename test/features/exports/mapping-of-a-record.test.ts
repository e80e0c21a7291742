// test-schedule: quick
import { Cite } from '@citation-js/core'
import '@citation-js/plugin-bibtex'
import '@citation-js/plugin-ris'
import { expect } from 'chai'
import { type PlainExportName, writeExport } from '../../../src/features/exports/export-formats.js'
import { mappedRecord } from '../../support/exports/mapped-record.js'
import { schemaOrgFacts, turtleFacts, xmlFacts } from '../../support/exports/read-facts.js'
import { describedSample } from '../../support/exports/sample-records.js'

/*
 * The place of each member of a record in each format. Third-party programs read the facts. Each fact is one test.
 * @see docs/use/exports.md#how-a-record-is-mapped
 */

/** A fact: its description, the path to it, and the expected values in order. */
type Fact = readonly [what: string, path: string, values: readonly unknown[]]

const site = 'https://metastore.example.org'
const page = `${site}/metadata-landing-page?id=sample`
const schemaPage = `${site}/schema-landing-page?schemaId=measurement&version=2`
const documentUrl = `${site}/download/metadata/sample?version=3`
const subject = 'https://doi.org/10.5072/rod'
const doi = (name: string) => `<https://doi.org/10.5072/${name}>`

const described = describedSample(mappedRecord)
const { schema: _, ...withoutSchema } = mappedRecord
const describedSchema = describedSample(withoutSchema, { kind: 'schema' })
const closed = describedSample({ ...mappedRecord }, {}, { isPublic: false })
const write = (name: PlainExportName, of = described) => writeExport(name, of)

function checkFacts(
  facts: readonly Fact[],
  read: (path: string) => readonly unknown[] | Promise<readonly unknown[]>,
): void {
  for (const [what, path, values] of facts)
    it(what, async () => {
      expect(await read(path), path).to.deep.equal(values)
    })
}

describe('A record in DataCite', () => {
  const facts: readonly Fact[] = [
    ['has the DOI', 'd:identifier', ['10.5072/rod']],
    ['has creators, the family name first', '//d:creatorName', ['Lovelace, Ada', 'Steel Institute']],
    ['marks a name with two parts as the name of a person', '//d:creatorName/@nameType', ['Personal']],
    ['has affiliations', '//d:creator/d:affiliation', ['Royal Society']],
    ['has titles, the main one first', '//d:title', ['Rod', 'Specimen 7', 'after the test', 'Stab', 'R7']],
    [
      'has types of the other titles',
      '//d:title/@titleType',
      ['AlternativeTitle', 'Subtitle', 'TranslatedTitle', 'Other'],
    ],
    ['has languages of titles', '//d:title/@xml:lang', ['en', 'en', 'de']],
    ['has the publisher', 'd:publisher', ['Example Press']],
    ['has the year', 'd:publicationYear', ['2026']],
    ['has the type of the resource', 'd:resourceType', ['SEM image']],
    ['has the general type of the resource', 'd:resourceType/@resourceTypeGeneral', ['InteractiveResource']],
    ['has subjects', '//d:subject', ['steel', 'fracture']],
    ['has the scheme of a subject', '//d:subject/@subjectScheme', ['MAT']],
    ['has the address of a subject scheme', '//d:subject/@schemeURI', ['https://example.org/vocabulary']],
    ['has the address of a subject', '//d:subject/@valueURI', ['https://example.org/vocabulary/fracture']],
    ['has contributors', '//d:contributorName', ['Hopper, Grace', 'Noether, Emmy', 'Data Team']],
    [
      'has the types of contributors',
      '//d:contributor/@contributorType',
      ['Editor', 'ContactPerson', 'WorkPackageLeader'],
    ],
    [
      'has the types of dates, with Withdrawn for a date of revocation',
      '//d:date/@dateType',
      ['Issued', 'Created', 'Withdrawn', 'Accepted', 'Updated'],
    ],
    ['has the date of the revocation', '//d:date[@dateType="Withdrawn"]', ['2026-11-01T00:00:00Z']],
    ['has the time of the last update', '//d:date[@dateType="Updated"]', ['2026-11-21T05:12:00Z']],
    ['has the language', 'd:language', ['de']],
    ['has the id and other identifiers', '//d:alternateIdentifier', ['sample', 'ark:/12345/x7']],
    ['has types of identifiers', '//d:alternateIdentifier/@alternateIdentifierType', ['Internal', 'ARK']],
    [
      'has the relations, and last those to the schema and to the previous version',
      '//d:relatedIdentifier/@relationType',
      [
        'IsMetadataFor',
        'IsPartOf',
        'HasPart',
        'Cites',
        'References',
        'IsCitedBy',
        'IsDerivedFrom',
        'IsVersionOf',
        'IsReviewedBy',
        'IsSupplementTo',
        'HasMetadata',
        'IsNewVersionOf',
      ],
    ],
    [
      'has types of related identifiers',
      '//d:relatedIdentifier[not(@relatedIdentifierType="DOI")]/@relatedIdentifierType',
      ['URL', 'Handle', 'bibcode', 'URL', 'URL'],
    ],
    ['has the page of the schema', '//d:relatedIdentifier[@relationType="HasMetadata"]', [schemaPage]],
    ['has the name of the schema', '//d:relatedIdentifier/@relatedMetadataScheme', ['measurement']],
    [
      'has the address of the schema',
      '//d:relatedIdentifier/@schemeURI',
      [`${site}/download/schemas/measurement?version=2`],
    ],
    ['has the sizes, that of the document last', '//d:size', ['3 pages', '1234 bytes']],
    ['has formats, that of the document first', '//d:format', ['application/json', 'image/tiff']],
    ['has the version', 'd:version', ['3']],
    ['has the licence and the right of access', '//d:rights', ['CC-BY-4.0', 'open access']],
    ['has schemes of rights', '//d:rights/@rightsIdentifierScheme', ['SPDX', 'COAR']],
    [
      'has addresses of rights',
      '//d:rights/@rightsURI',
      ['https://creativecommons.org/licenses/by/4.0/', 'http://purl.org/coar/access_right/c_abf2'],
    ],
    [
      'has descriptions, the abstract first',
      '//d:description',
      ['A rod that broke.', 'Read this first.', 'As in the series.'],
    ],
    ['types descriptions', '//d:description/@descriptionType', ['Abstract', 'Other', 'SeriesInformation']],
    ['has the name of a place', '//d:geoLocationPlace', ['Karlsruhe']],
    ['has a point', '//d:geoLocationPoint/*', ['8.4', '49']],
    ['has a box', '//d:geoLocationBox/*', ['8', '9', '48.5', '49.5']],
    ['has a closed polygon', '//d:polygonPoint/d:pointLatitude', ['48', '48', '49', '48']],
    ['has the funder', '//d:funderName', ['Research Council']],
    ['has the identifier of the funder', '//d:funderIdentifier', ['501100000780']],
    ['has the funder identifier type', '//d:funderIdentifier/@funderIdentifierType', ['Crossref Funder ID']],
    ['has the number of an award', '//d:awardNumber', ['12345']],
    ['has the address of an award', '//d:awardNumber/@awardURI', ['https://example.org/grants/12345']],
    ['has the title of an award', '//d:awardTitle', ['Strong steel']],
  ]
  checkFacts(facts, path => xmlFacts(write('datacite-xml'), path))

  it('has the same values in JSON and in XML', () => {
    const { doi: name, url, contentUrl, schemaVersion, ...document } = JSON.parse(write('datacite-json'))
    expect({ name, url, contentUrl, schemaVersion }).to.deep.equal({
      name: '10.5072/rod',
      url: page,
      contentUrl: [documentUrl],
      schemaVersion: 'http://datacite.org/schema/kernel-4',
    })
    const inXml = xmlFacts(write('datacite-xml'), '//text() | //@*[not(name()="xsi:schemaLocation")]')
    const inJson = textsIn(document)
    expect(inJson.filter(text => !inXml.includes(text))).to.deep.equal([])
    expect(inXml.filter(text => !inJson.includes(text))).to.deep.equal([])
  })

  const members: readonly Fact[] = [
    [
      'has types of contributors',
      'contributors contributorType',
      ['Editor', 'ContactPerson', 'WorkPackageLeader'],
    ],
    ['has types of dates', 'dates dateType', ['Issued', 'Created', 'Withdrawn', 'Accepted', 'Updated']],
    ['has types of descriptions', 'descriptions descriptionType', ['Abstract', 'Other', 'SeriesInformation']],
    ['has the number of an award', 'fundingReferences awardNumber', ['12345']],
    ['has the address of an award', 'fundingReferences awardUri', ['https://example.org/grants/12345']],
    ['has sizes', 'sizes', ['3 pages', '1234 bytes']],
    ['has the identifier of a licence', 'rightsList rightsIdentifier', ['CC-BY-4.0', 'c_abf2']],
  ]
  describe('as JSON', () => {
    checkFacts(members, path => {
      const follow = (value: unknown, [name, ...rest]: readonly string[]): readonly unknown[] => {
        if (Array.isArray(value))
          return value.flatMap(each => follow(each, name === undefined ? [] : [name, ...rest]))
        if (name === undefined) return value === undefined ? [] : [value]
        return follow((value as Readonly<Record<string, unknown>>)[name], rest)
      }
      return follow(JSON.parse(write('datacite-json')), path.split(' '))
    })
  })
})

describe('A record in DCAT', () => {
  const facts: readonly Fact[] = [
    ['is a data set', 'rdf:type', ['<dcat:Dataset>']],
    ['has titles in their languages', 'dct:title', ['Rod@en', 'Stab@de']],
    ['has alternative titles', 'dct:alternative', ['Specimen 7@en', 'after the test', 'R7']],
    [
      'has descriptions, the abstract first',
      'dct:description',
      ['A rod that broke.@en', 'Read this first.', 'As in the series.'],
    ],
    ['has the persistent identifier', 'dct:identifier', [subject]],
    ['has other identifiers', 'adms:identifier skos:notation', ['sample', 'ark:/12345/x7']],
    ['has creators', 'dct:creator foaf:name', ['Lovelace, Ada', 'Steel Institute']],
    ['has its creators as agents', 'dct:creator rdf:type', ['<foaf:Agent>', '<foaf:Agent>']],
    ['has the publisher', 'dct:publisher foaf:name', ['Example Press']],
    ['has contributors', 'dct:contributor foaf:name', ['Hopper, Grace', 'Data Team']],
    ['has the contact person', 'dcat:contactPoint vcard:fn', ['Noether, Emmy']],
    ['has the time of issue', 'dct:issued', ['2026-03-14T00:00:00Z^^xsd:dateTime']],
    ['has the time of creation', 'dct:created', ['2025-12-24T10:00:00Z^^xsd:dateTime']],
    ['has the time of the last update', 'dct:modified', ['2026-11-21T05:12:00Z^^xsd:dateTime']],
    ['has keywords', 'dcat:keyword', ['steel@en', 'fracture']],
    ['has themes', 'dcat:theme', ['<https://example.org/vocabulary/fracture>']],
    [
      'has the language from the list of the European Union',
      'dct:language',
      ['<http://publications.europa.eu/resource/authority/language/DEU>'],
    ],
    [
      'has the right of access',
      'dct:accessRights',
      ['<http://publications.europa.eu/resource/authority/access-right/PUBLIC>'],
    ],
    ['has the schema of the document', 'dct:conformsTo', [`<${schemaPage}>`]],
    ['has its schema as a standard', 'dct:conformsTo rdf:type', ['<dct:Standard>']],
    ['has the described resource', 'foaf:primaryTopic', ['<https://example.org/images/7>']],
    ['has the whole to which it belongs', 'dct:isPartOf', [doi('whole')]],
    ['has its parts', 'dct:hasPart', [doi('part')]],
    ['has its citations and references', 'dct:references', [doi('cited'), doi('referred')]],
    ['has the resource that cites it', 'dct:isReferencedBy', [doi('citing')]],
    ['has the work of which it is a version', 'dct:isVersionOf', ['<https://hdl.handle.net/21.T11981/work>']],
    ['has the previous version', 'dcat:previousVersion', [`<${page}&version=2>`]],
    ['has other relations', 'dct:relation', [doi('source'), doi('review')]],
    ['has the name of a place', 'dct:spatial skos:prefLabel', ['Karlsruhe']],
    ['has a point, longitude first', 'dct:spatial dcat:centroid', ['POINT(8.4 49)^^geo:wktLiteral']],
    [
      'has a box',
      'dct:spatial dcat:bbox',
      ['POLYGON((8 48.5, 9 48.5, 9 49.5, 8 49.5, 8 48.5))^^geo:wktLiteral'],
    ],
    ['has a polygon', 'dct:spatial geo:asWKT', ['POLYGON((8 48, 9 48, 9 49, 8 48))^^geo:wktLiteral']],
    ['has the general type', 'dct:type skos:prefLabel', ['InteractiveResource']],
    ['has the type', 'dct:type skos:altLabel', ['SEM image']],
    ['has the version', 'dcat:version', ['3']],
    ['has the landing page', 'dcat:landingPage', [`<${page}>`]],
    ['has the document', 'dcat:distribution dcat:downloadURL', [`<${documentUrl}>`]],
    ['has the page that offers the document', 'dcat:distribution dcat:accessURL', [`<${page}>`]],
    [
      'has the media type of the document',
      'dcat:distribution dcat:mediaType',
      ['<http://www.iana.org/assignments/media-types/application/json>'],
    ],
    ['has the size of the document', 'dcat:distribution dcat:byteSize', ['1234^^xsd:decimal']],
    [
      'has the checksum of the document',
      'dcat:distribution spdx:checksum spdx:checksumValue',
      ['3f786850e387550fdab836ed7e6dc881de23001b^^xsd:hexBinary'],
    ],
    [
      'has the algorithm of the checksum',
      'dcat:distribution spdx:checksum spdx:algorithm',
      ['<spdx:checksumAlgorithm_sha1>'],
    ],
    ['has its licence', 'dcat:distribution dct:license', ['<https://creativecommons.org/licenses/by/4.0/>']],
    ['has the schema as its standard', 'dcat:distribution dct:conformsTo', [`<${schemaPage}>`]],
  ]
  checkFacts(facts, path => turtleFacts(write('dcat-ttl'), subject, path))

  it('names a language from two letters, three letters or a tag with a region, as in the official list', () => {
    const list = 'http://publications.europa.eu/resource/authority/language/'
    const listed = (language: string) =>
      turtleFacts(write('dcat-ttl', describedSample({ language })), page, 'dct:language')
    const letters = Array.from('abcdefghijklmnopqrstuvwxyz')
    const tags = letters.flatMap(first => letters.map(second => first + second))
    const known = tags.filter(tag => listed(tag).length > 0)

    const official = 'bg cs da de el en es et fi fr ga hr hu it lt lv mt nl pl pt ro sk sl sv'
    expect(known).to.include.members(official.split(' '))
    for (const tag of known) {
      const [iri = ''] = listed(tag)
      const code = iri.slice(1 + list.length, -1)
      expect(iri).to.equal(`<${list}${code}>`)
      expect(code).to.match(/^[A-Z]{3}$/)
      // The runtime maps codes of three letters to codes of two letters.
      expect(Intl.getCanonicalLocales(code), tag).to.deep.equal([tag])
      for (const other of [code.toLowerCase(), code, `${tag}-CH`, tag.toUpperCase()])
        expect(listed(other), other).to.deep.equal([iri])
    }
    for (const tag of ['xx', 'de1', 'tlh']) expect(listed(tag), tag).to.deep.equal([])
  })

  it('is restricted if it is not public', () => {
    expect(turtleFacts(write('dcat-ttl', closed), subject, 'dct:accessRights')).to.deep.equal([
      '<http://publications.europa.eu/resource/authority/access-right/RESTRICTED>',
    ])
  })

  it('is a standard too if it is a schema', () => {
    const turtle = write('dcat-ttl', describedSchema)
    expect(turtleFacts(turtle, subject, 'rdf:type')).to.deep.equal(['<dcat:Dataset>', '<dct:Standard>'])
    expect(turtleFacts(turtle, subject, 'dct:conformsTo')).to.deep.equal([])
  })

  it('has its page as name without a persistent identifier', () => {
    const turtle = write('dcat-ttl', describedSample({}))
    expect(turtleFacts(turtle, page, 'dct:title')).to.deep.equal(['sample'])
  })
})

describe('A record in schema.org', () => {
  const facts: readonly Fact[] = [
    ['is a data set', '@type', ['schema:Dataset']],
    ['has the persistent identifier as id', '@id', [subject]],
    ['has the address of its page', 'url', [page]],
    ['has the main title', 'name', ['Rod']],
    ['has other titles', 'alternateName', ['Specimen 7', 'after the test', 'Stab', 'R7']],
    ['has the abstract', 'description', ['A rod that broke.']],
    ['has all identifiers', 'identifier value', ['10.5072/rod', 'sample', 'ark:/12345/x7']],
    ['has types of identifiers', 'identifier propertyID', ['DOI', 'Internal', 'ARK']],
    ['has the version', 'version', ['3']],
    ['has creators', 'creator name', ['Ada Lovelace', 'Steel Institute']],
    ['has types of creators', 'creator @type', ['schema:Person', 'schema:Organization']],
    ['has affiliations', 'creator affiliation name', ['Royal Society']],
    ['has the publisher', 'publisher name', ['Example Press']],
    ['has contributors', 'contributor contributor name', ['Grace Hopper', 'Emmy Noether', 'Data Team']],
    ['has contributor roles', 'contributor roleName', ['Editor', 'ContactPerson', 'WorkPackageLeader']],
    ['has the time of issue', 'datePublished', ['2026-03-14T00:00:00Z']],
    ['has the time of creation', 'dateCreated', ['2025-12-24T10:00:00Z']],
    ['has the time of the last update', 'dateModified', ['2026-11-21T05:12:00Z']],
    ['has the language', 'inLanguage', ['de']],
    ['has the type', 'additionalType', ['SEM image']],
    ['has the name of a keyword with an address', 'keywords name', ['fracture']],
    ['has a keyword with an address as a term', 'keywords @type', ['schema:DefinedTerm']],
    ['has the set of a term', 'keywords inDefinedTermSet', ['MAT']],
    ['has the address of a term', 'keywords url', ['https://example.org/vocabulary/fracture']],
    ['has the licence', 'license', ['https://creativecommons.org/licenses/by/4.0/']],
    ['is free for everyone', 'isAccessibleForFree', [true]],
    ['has the described resource', 'about', ['<https://example.org/images/7>']],
    ['has the whole to which it belongs', 'isPartOf', [doi('whole')]],
    [
      'has its citations and references',
      'citation',
      ['https://doi.org/10.5072/cited', 'https://doi.org/10.5072/referred'],
    ],
    ['has its source', 'isBasedOn', ['https://doi.org/10.5072/source']],
    ['has the schema of the document', 'dct:conformsTo', [`<${schemaPage}>`]],
    ['has the name of a place', 'spatialCoverage name', ['Karlsruhe']],
    ['has the latitude of a point', 'spatialCoverage geo latitude', [49]],
    ['has the longitude of a point', 'spatialCoverage geo longitude', [8.4]],
    ['has a box: south, west, north, east', 'spatialCoverage geo box', ['48.5 8 49.5 9']],
    ['has a polygon, latitude before longitude', 'spatialCoverage geo polygon', ['48 8 48 9 49 9 48 8']],
    ['has a grant', 'funding @type', ['schema:Grant']],
    ['has the number of a grant', 'funding identifier', ['12345']],
    ['has the title of a grant', 'funding name', ['Strong steel']],
    ['has the address of a grant', 'funding url', ['https://example.org/grants/12345']],
    ['has the funder', 'funding funder name', ['Research Council']],
    ['has the identifier of the funder', 'funding funder identifier', ['501100000780']],
    ['has the document', 'distribution contentUrl', [documentUrl]],
    ['has the media type of the document', 'distribution encodingFormat', ['application/json']],
    ['has the size of the document', 'distribution contentSize', ['1234 B']],
  ]
  checkFacts(facts, path => schemaOrgFacts(write('schemaorg'), path))

  it('has a keyword without an address as a text', async () => {
    const [plain] = await schemaOrgFacts(write('schemaorg'), 'keywords')
    expect(plain).to.equal('steel')
  })

  it('is not free if it is not public', async () => {
    expect(await schemaOrgFacts(write('schemaorg', closed), 'isAccessibleForFree')).to.deep.equal([false])
  })

  it('is a document, not a data set, if it is a schema', async () => {
    expect(await schemaOrgFacts(write('schemaorg', describedSchema), '@type')).to.deep.equal([
      'schema:CreativeWork',
      'schema:DigitalDocument',
    ])
  })
})

describe('A record in Dublin Core', () => {
  const facts: readonly Fact[] = [
    ['has every title', 'dc:title', ['Rod', 'Specimen 7', 'after the test', 'Stab', 'R7']],
    ['has creators, the family name first', 'dc:creator', ['Lovelace, Ada', 'Steel Institute']],
    ['has subjects', 'dc:subject', ['steel', 'fracture']],
    [
      'has descriptions, the abstract first',
      'dc:description',
      ['A rod that broke.', 'Read this first.', 'As in the series.'],
    ],
    ['has the publisher', 'dc:publisher', ['Example Press']],
    ['has contributors', 'dc:contributor', ['Hopper, Grace', 'Noether, Emmy', 'Data Team']],
    [
      'has the year and all dates',
      'dc:date',
      ['2026', '2026-03-14', '2025-12-24', '2026-11-01', '2026-01-05', '2026-11-21'],
    ],
    ['has types', 'dc:type', ['InteractiveResource', 'SEM image']],
    ['has formats and sizes', 'dc:format', ['application/json', 'image/tiff', '3 pages', '1234 bytes']],
    ['has identifiers and the page', 'dc:identifier', [subject, page, 'sample', 'ark:/12345/x7']],
    ['has the language', 'dc:language', ['de']],
    [
      'has the related resources, the schema and the previous version',
      'dc:relation',
      [
        'https://example.org/images/7',
        ...['whole', 'part', 'cited', 'referred', 'citing', 'source'].map(
          name => `https://doi.org/10.5072/${name}`,
        ),
        'https://hdl.handle.net/21.T11981/work',
        'https://doi.org/10.5072/review',
        '2018AGUFM.A24K..07S',
        schemaPage,
        `${page}&version=2`,
      ],
    ],
    ['has places', 'dc:coverage', ['Karlsruhe', '49 8.4', '48.5 8 49.5 9', '48 8, 48 9, 49 9, 48 8']],
    [
      'has the licence by address and by name, and the right of access',
      'dc:rights',
      [
        'https://creativecommons.org/licenses/by/4.0/',
        'CC-BY-4.0',
        'info:eu-repo/semantics/openAccess',
        'http://purl.org/coar/access_right/c_abf2',
      ],
    ],
  ]
  checkFacts(facts, path => xmlFacts(write('oai_dc'), path))

  it('is restricted or under embargo if it is not public', () => {
    const rights = (record: Parameters<typeof describedSample>[0]) =>
      xmlFacts(write('oai_dc', describedSample(record, {}, { isPublic: false })), 'dc:rights')[0]
    expect(rights({})).to.equal('info:eu-repo/semantics/restrictedAccess')
    expect(rights({ embargoDate: '2027-01-01T00:00:00Z' })).to.equal('info:eu-repo/semantics/embargoedAccess')
  })

  it('omits unknown creators and publishers', () => {
    const xml = write('oai_dc', describedSample({}))
    expect(xmlFacts(xml, 'dc:creator | dc:publisher')).to.deep.equal([])
  })
})

describe('A record in a citation', () => {
  const authors = [{ given: 'Ada', family: 'Lovelace' }]
  const institute = 'Steel Institute'
  const editors = [{ given: 'Grace', family: 'Hopper' }]
  const facts: Readonly<Record<string, unknown>> = {
    title: 'Rod',
    publisher: 'Example Press',
    DOI: '10.5072/rod',
    URL: subject,
    abstract: 'A rod that broke.',
    language: 'de',
    version: '3',
  }
  // The BibTeX reader treats a name of one part as a family name, and lists keywords without blanks. The RIS reader
  // ignores editors.
  const byFormat = {
    csl: { author: [...authors, { literal: institute }], editor: editors, keyword: 'steel, fracture' },
    bibtex: { author: [...authors, { family: institute }], editor: editors, keyword: 'steel,fracture' },
    ris: { author: [...authors, { literal: institute }], keyword: 'steel,fracture' },
  }
  for (const [name, special] of Object.entries(byFormat))
    for (const [member, value] of Object.entries({ ...facts, ...special }))
      it(`has ${member} in ${name}`, () => {
        const text = write(name as keyof typeof byFormat)
        const [item] = new Cite(name === 'csl' ? JSON.parse(text) : text).data
        expect(item?.[member]).to.deep.equal(value)
      })

  it('is a data set, or for a schema a document of the kind Schema', () => {
    const read = (name: 'csl' | 'ris', of = described) => {
      const text = write(name, of)
      const [{ type, genre } = {}] = new Cite(name === 'csl' ? JSON.parse(text) : text).data
      return { type, genre }
    }
    for (const name of ['csl', 'ris'] as const) {
      expect(read(name), name).to.deep.equal({ type: 'dataset', genre: undefined })
      expect(read(name, describedSchema), name).to.deep.equal({ type: 'document', genre: 'Schema' })
    }
  })

  it('has editors in RIS', () => {
    expect(write('ris')).to.contain('\r\nED  - Hopper, Grace\r\n')
  })
})

/** Every text in a value. Numbers count as texts. */
function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value]
  if (typeof value === 'number') return [String(value)]
  if (typeof value !== 'object' || value === null) return []
  return Object.values(value).flatMap(textsIn)
}
