// test-schedule: quick
import { Cite } from '@citation-js/core'
import '@citation-js/plugin-bibtex'
import '@citation-js/plugin-ris'
import { expect } from 'chai'
import { type PlainExportName, writeExport } from '../../src/exports/export-formats.js'
import { mappedRecord } from '../support/exports/mapped-record.js'
import { schemaOrgFacts, turtleFacts, xmlFacts } from '../support/exports/read-facts.js'
import { describedSample } from '../support/exports/sample-records.js'

/*
 * Where each member of a record is in each format. A fact is read by a program of others, and has a test of its own.
 * @see docs/use/exports.md#how-a-record-is-mapped
 */

/** A fact: what it says, the path to it, and the values there in their order. */
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

describe('What becomes of a record in DataCite', () => {
  const facts: readonly Fact[] = [
    ['the DOI', 'd:identifier', ['10.5072/rod']],
    ['the names of creators, the family name first', '//d:creatorName', ['Lovelace, Ada', 'Steel Institute']],
    ['a name with two parts is of a person', '//d:creatorName/@nameType', ['Personal']],
    ['affiliations', '//d:creator/d:affiliation', ['Royal Society']],
    ['titles, the main one first', '//d:title', ['Rod', 'Specimen 7', 'after the test', 'Stab', 'R7']],
    [
      'types of the other titles',
      '//d:title/@titleType',
      ['AlternativeTitle', 'Subtitle', 'TranslatedTitle', 'Other'],
    ],
    ['languages of titles', '//d:title/@xml:lang', ['en', 'en', 'de']],
    ['the publisher', 'd:publisher', ['Example Press']],
    ['the year', 'd:publicationYear', ['2026']],
    ['the type of the resource', 'd:resourceType', ['SEM image']],
    ['its general type', 'd:resourceType/@resourceTypeGeneral', ['InteractiveResource']],
    ['subjects', '//d:subject', ['steel', 'fracture']],
    ['the scheme of a subject', '//d:subject/@subjectScheme', ['MAT']],
    ['its address', '//d:subject/@schemeURI', ['https://example.org/vocabulary']],
    ['the address of a subject', '//d:subject/@valueURI', ['https://example.org/vocabulary/fracture']],
    ['contributors', '//d:contributorName', ['Hopper, Grace', 'Noether, Emmy', 'Data Team']],
    ['their types', '//d:contributor/@contributorType', ['Editor', 'ContactPerson', 'WorkPackageLeader']],
    [
      'types of dates: a date of revocation is Withdrawn',
      '//d:date/@dateType',
      ['Issued', 'Created', 'Withdrawn', 'Accepted', 'Updated'],
    ],
    ['the date of the revocation', '//d:date[@dateType="Withdrawn"]', ['2026-11-01T00:00:00Z']],
    ['the time of the last update', '//d:date[@dateType="Updated"]', ['2026-11-21T05:12:00Z']],
    ['the language', 'd:language', ['de']],
    ['the id and other identifiers', '//d:alternateIdentifier', ['sample', 'ark:/12345/x7']],
    ['types of identifiers', '//d:alternateIdentifier/@alternateIdentifierType', ['Internal', 'ARK']],
    [
      'relations, those to the schema and to the version before at last',
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
      'types of related identifiers',
      '//d:relatedIdentifier[not(@relatedIdentifierType="DOI")]/@relatedIdentifierType',
      ['URL', 'Handle', 'bibcode', 'URL', 'URL'],
    ],
    ['the page of the schema', '//d:relatedIdentifier[@relationType="HasMetadata"]', [schemaPage]],
    ['the name of the schema', '//d:relatedIdentifier/@relatedMetadataScheme', ['measurement']],
    [
      'the address of the schema',
      '//d:relatedIdentifier/@schemeURI',
      [`${site}/download/schemas/measurement?version=2`],
    ],
    ['sizes, that of the document at last', '//d:size', ['3 pages', '1234 bytes']],
    ['formats, that of the document first', '//d:format', ['application/json', 'image/tiff']],
    ['the version', 'd:version', ['3']],
    ['the licence and the right of access', '//d:rights', ['CC-BY-4.0', 'open access']],
    ['schemes of rights', '//d:rights/@rightsIdentifierScheme', ['SPDX', 'COAR']],
    [
      'addresses of rights',
      '//d:rights/@rightsURI',
      ['https://creativecommons.org/licenses/by/4.0/', 'http://purl.org/coar/access_right/c_abf2'],
    ],
    [
      'descriptions, the abstract first',
      '//d:description',
      ['A rod that broke.', 'Read this first.', 'As in the series.'],
    ],
    ['types of descriptions', '//d:description/@descriptionType', ['Abstract', 'Other', 'SeriesInformation']],
    ['the name of a place', '//d:geoLocationPlace', ['Karlsruhe']],
    ['a point', '//d:geoLocationPoint/*', ['8.4', '49']],
    ['a box', '//d:geoLocationBox/*', ['8', '9', '48.5', '49.5']],
    ['a polygon, closed', '//d:polygonPoint/d:pointLatitude', ['48', '48', '49', '48']],
    ['the funder', '//d:funderName', ['Research Council']],
    ['the identifier of the funder', '//d:funderIdentifier', ['501100000780']],
    ['its type', '//d:funderIdentifier/@funderIdentifierType', ['Crossref Funder ID']],
    ['the number of an award', '//d:awardNumber', ['12345']],
    ['the address of an award', '//d:awardNumber/@awardURI', ['https://example.org/grants/12345']],
    ['the title of an award', '//d:awardTitle', ['Strong steel']],
  ]
  checkFacts(facts, path => xmlFacts(write('datacite-xml'), path))

  it('the JSON has the same values as the XML', () => {
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
      'types of contributors',
      'contributors contributorType',
      ['Editor', 'ContactPerson', 'WorkPackageLeader'],
    ],
    ['types of dates', 'dates dateType', ['Issued', 'Created', 'Withdrawn', 'Accepted', 'Updated']],
    ['types of descriptions', 'descriptions descriptionType', ['Abstract', 'Other', 'SeriesInformation']],
    ['the number of an award', 'fundingReferences awardNumber', ['12345']],
    ['the address of an award', 'fundingReferences awardUri', ['https://example.org/grants/12345']],
    ['sizes', 'sizes', ['3 pages', '1234 bytes']],
    ['the identifier of a licence', 'rightsList rightsIdentifier', ['CC-BY-4.0', 'c_abf2']],
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

describe('What becomes of a record in DCAT', () => {
  const facts: readonly Fact[] = [
    ['it is a data set', 'rdf:type', ['<dcat:Dataset>']],
    ['titles in their languages', 'dct:title', ['Rod@en', 'Stab@de']],
    ['alternative titles', 'dct:alternative', ['Specimen 7@en', 'after the test', 'R7']],
    [
      'descriptions, the abstract first',
      'dct:description',
      ['A rod that broke.@en', 'Read this first.', 'As in the series.'],
    ],
    ['its identifier', 'dct:identifier', [subject]],
    ['other identifiers', 'adms:identifier skos:notation', ['sample', 'ark:/12345/x7']],
    ['creators', 'dct:creator foaf:name', ['Lovelace, Ada', 'Steel Institute']],
    ['creators are agents', 'dct:creator rdf:type', ['<foaf:Agent>', '<foaf:Agent>']],
    ['the publisher', 'dct:publisher foaf:name', ['Example Press']],
    ['contributors', 'dct:contributor foaf:name', ['Hopper, Grace', 'Data Team']],
    ['people to ask', 'dcat:contactPoint vcard:fn', ['Noether, Emmy']],
    ['the time of issue', 'dct:issued', ['2026-03-14T00:00:00Z^^xsd:dateTime']],
    ['the time of creation', 'dct:created', ['2025-12-24T10:00:00Z^^xsd:dateTime']],
    ['the time of the last update', 'dct:modified', ['2026-11-21T05:12:00Z^^xsd:dateTime']],
    ['keywords', 'dcat:keyword', ['steel@en', 'fracture']],
    ['themes', 'dcat:theme', ['<https://example.org/vocabulary/fracture>']],
    [
      'the language, from the list of the European Union',
      'dct:language',
      ['<http://publications.europa.eu/resource/authority/language/DEU>'],
    ],
    [
      'who has access',
      'dct:accessRights',
      ['<http://publications.europa.eu/resource/authority/access-right/PUBLIC>'],
    ],
    ['the schema of the document', 'dct:conformsTo', [`<${schemaPage}>`]],
    ['a schema is a standard', 'dct:conformsTo rdf:type', ['<dct:Standard>']],
    ['the resource that it is about', 'foaf:primaryTopic', ['<https://example.org/images/7>']],
    ['the whole it is a part of', 'dct:isPartOf', [doi('whole')]],
    ['its parts', 'dct:hasPart', [doi('part')]],
    ['what it cites and refers to', 'dct:references', [doi('cited'), doi('referred')]],
    ['what cites it', 'dct:isReferencedBy', [doi('citing')]],
    ['the work it is a version of', 'dct:isVersionOf', ['<https://hdl.handle.net/21.T11981/work>']],
    ['the version before', 'dcat:previousVersion', [`<${page}&version=2>`]],
    ['other relations', 'dct:relation', [doi('source'), doi('review')]],
    ['the name of a place', 'dct:spatial skos:prefLabel', ['Karlsruhe']],
    ['a point, longitude first', 'dct:spatial dcat:centroid', ['POINT(8.4 49)^^geo:wktLiteral']],
    ['a box', 'dct:spatial dcat:bbox', ['POLYGON((8 48.5, 9 48.5, 9 49.5, 8 49.5, 8 48.5))^^geo:wktLiteral']],
    ['a polygon', 'dct:spatial geo:asWKT', ['POLYGON((8 48, 9 48, 9 49, 8 48))^^geo:wktLiteral']],
    ['the general type', 'dct:type skos:prefLabel', ['InteractiveResource']],
    ['the type', 'dct:type skos:altLabel', ['SEM image']],
    ['the version', 'dcat:version', ['3']],
    ['the landing page', 'dcat:landingPage', [`<${page}>`]],
    ['the document', 'dcat:distribution dcat:downloadURL', [`<${documentUrl}>`]],
    ['the page to get it from', 'dcat:distribution dcat:accessURL', [`<${page}>`]],
    [
      'the media type of the document',
      'dcat:distribution dcat:mediaType',
      ['<http://www.iana.org/assignments/media-types/application/json>'],
    ],
    ['its size', 'dcat:distribution dcat:byteSize', ['1234^^xsd:decimal']],
    [
      'its checksum',
      'dcat:distribution spdx:checksum spdx:checksumValue',
      ['3f786850e387550fdab836ed7e6dc881de23001b^^xsd:hexBinary'],
    ],
    [
      'the algorithm of its checksum',
      'dcat:distribution spdx:checksum spdx:algorithm',
      ['<spdx:checksumAlgorithm_sha1>'],
    ],
    ['its licence', 'dcat:distribution dct:license', ['<https://creativecommons.org/licenses/by/4.0/>']],
    ['its schema', 'dcat:distribution dct:conformsTo', [`<${schemaPage}>`]],
  ]
  checkFacts(facts, path => turtleFacts(write('dcat-ttl'), subject, path))

  it('a language by two letters, by three letters and with a region is that of the list', () => {
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
      // The runtime knows which code of two letters a code of three letters stands for.
      expect(Intl.getCanonicalLocales(code), tag).to.deep.equal([tag])
      for (const other of [code.toLowerCase(), code, `${tag}-CH`, tag.toUpperCase()])
        expect(listed(other), other).to.deep.equal([iri])
    }
    for (const tag of ['xx', 'de1', 'tlh']) expect(listed(tag), tag).to.deep.equal([])
  })

  it('a record that is not public is restricted', () => {
    expect(turtleFacts(write('dcat-ttl', closed), subject, 'dct:accessRights')).to.deep.equal([
      '<http://publications.europa.eu/resource/authority/access-right/RESTRICTED>',
    ])
  })

  it('a schema is a standard too', () => {
    const turtle = write('dcat-ttl', describedSchema)
    expect(turtleFacts(turtle, subject, 'rdf:type')).to.deep.equal(['<dcat:Dataset>', '<dct:Standard>'])
    expect(turtleFacts(turtle, subject, 'dct:conformsTo')).to.deep.equal([])
  })

  it('a record without a persistent identifier is named by its page', () => {
    const turtle = write('dcat-ttl', describedSample({}))
    expect(turtleFacts(turtle, page, 'dct:title')).to.deep.equal(['sample'])
  })
})

describe('What becomes of a record in schema.org', () => {
  const facts: readonly Fact[] = [
    ['it is a data set', '@type', ['schema:Dataset']],
    ['its identifier', '@id', [subject]],
    ['its address', 'url', [page]],
    ['the main title', 'name', ['Rod']],
    ['other titles', 'alternateName', ['Specimen 7', 'after the test', 'Stab', 'R7']],
    ['the abstract', 'description', ['A rod that broke.']],
    ['all identifiers', 'identifier value', ['10.5072/rod', 'sample', 'ark:/12345/x7']],
    ['types of identifiers', 'identifier propertyID', ['DOI', 'Internal', 'ARK']],
    ['the version', 'version', ['3']],
    ['creators', 'creator name', ['Ada Lovelace', 'Steel Institute']],
    ['types of creators', 'creator @type', ['schema:Person', 'schema:Organization']],
    ['affiliations', 'creator affiliation name', ['Royal Society']],
    ['the publisher', 'publisher name', ['Example Press']],
    ['contributors', 'contributor contributor name', ['Grace Hopper', 'Emmy Noether', 'Data Team']],
    ['their roles', 'contributor roleName', ['Editor', 'ContactPerson', 'WorkPackageLeader']],
    ['the time of issue', 'datePublished', ['2026-03-14T00:00:00Z']],
    ['the time of creation', 'dateCreated', ['2025-12-24T10:00:00Z']],
    ['the time of the last update', 'dateModified', ['2026-11-21T05:12:00Z']],
    ['the language', 'inLanguage', ['de']],
    ['the type', 'additionalType', ['SEM image']],
    ['the name of a keyword with an address', 'keywords name', ['fracture']],
    ['a keyword with an address is a term', 'keywords @type', ['schema:DefinedTerm']],
    ['the set of a term', 'keywords inDefinedTermSet', ['MAT']],
    ['the address of a term', 'keywords url', ['https://example.org/vocabulary/fracture']],
    ['the licence', 'license', ['https://creativecommons.org/licenses/by/4.0/']],
    ['who has access', 'isAccessibleForFree', [true]],
    ['the resource that it is about', 'about', ['<https://example.org/images/7>']],
    ['the whole it is a part of', 'isPartOf', [doi('whole')]],
    [
      'what it cites and refers to',
      'citation',
      ['https://doi.org/10.5072/cited', 'https://doi.org/10.5072/referred'],
    ],
    ['what it is derived from', 'isBasedOn', ['https://doi.org/10.5072/source']],
    ['the schema of the document', 'dct:conformsTo', [`<${schemaPage}>`]],
    ['the name of a place', 'spatialCoverage name', ['Karlsruhe']],
    ['a point', 'spatialCoverage geo latitude', [49]],
    ['its longitude', 'spatialCoverage geo longitude', [8.4]],
    ['a box: south, west, north, east', 'spatialCoverage geo box', ['48.5 8 49.5 9']],
    ['a polygon, latitude before longitude', 'spatialCoverage geo polygon', ['48 8 48 9 49 9 48 8']],
    ['a grant', 'funding @type', ['schema:Grant']],
    ['the number of a grant', 'funding identifier', ['12345']],
    ['the title of a grant', 'funding name', ['Strong steel']],
    ['the address of a grant', 'funding url', ['https://example.org/grants/12345']],
    ['the funder', 'funding funder name', ['Research Council']],
    ['the identifier of the funder', 'funding funder identifier', ['501100000780']],
    ['the document', 'distribution contentUrl', [documentUrl]],
    ['the media type of the document', 'distribution encodingFormat', ['application/json']],
    ['the size of the document', 'distribution contentSize', ['1234 B']],
  ]
  checkFacts(facts, path => schemaOrgFacts(write('schemaorg'), path))

  it('a keyword without an address is a text', async () => {
    const [plain] = await schemaOrgFacts(write('schemaorg'), 'keywords')
    expect(plain).to.equal('steel')
  })

  it('a record that is not public is not free', async () => {
    expect(await schemaOrgFacts(write('schemaorg', closed), 'isAccessibleForFree')).to.deep.equal([false])
  })

  it('a schema is a document, not a data set', async () => {
    expect(await schemaOrgFacts(write('schemaorg', describedSchema), '@type')).to.deep.equal([
      'schema:CreativeWork',
      'schema:DigitalDocument',
    ])
  })
})

describe('What becomes of a record in Dublin Core', () => {
  const facts: readonly Fact[] = [
    ['every title', 'dc:title', ['Rod', 'Specimen 7', 'after the test', 'Stab', 'R7']],
    ['creators, the family name first', 'dc:creator', ['Lovelace, Ada', 'Steel Institute']],
    ['subjects', 'dc:subject', ['steel', 'fracture']],
    [
      'descriptions, the abstract first',
      'dc:description',
      ['A rod that broke.', 'Read this first.', 'As in the series.'],
    ],
    ['the publisher', 'dc:publisher', ['Example Press']],
    ['contributors', 'dc:contributor', ['Hopper, Grace', 'Noether, Emmy', 'Data Team']],
    [
      'the year and all dates',
      'dc:date',
      ['2026', '2026-03-14', '2025-12-24', '2026-11-01', '2026-01-05', '2026-11-21'],
    ],
    ['types', 'dc:type', ['InteractiveResource', 'SEM image']],
    ['formats and sizes', 'dc:format', ['application/json', 'image/tiff', '3 pages', '1234 bytes']],
    ['identifiers and the page', 'dc:identifier', [subject, page, 'sample', 'ark:/12345/x7']],
    ['the language', 'dc:language', ['de']],
    [
      'related resources, the schema and the version before',
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
    ['places', 'dc:coverage', ['Karlsruhe', '49 8.4', '48.5 8 49.5 9', '48 8, 48 9, 49 9, 48 8']],
    [
      'the licence by address and by name, and who has access',
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

  it('a record that is not public is restricted, or under embargo', () => {
    const rights = (record: Parameters<typeof describedSample>[0]) =>
      xmlFacts(write('oai_dc', describedSample(record, {}, { isPublic: false })), 'dc:rights')[0]
    expect(rights({})).to.equal('info:eu-repo/semantics/restrictedAccess')
    expect(rights({ embargoDate: '2027-01-01T00:00:00Z' })).to.equal('info:eu-repo/semantics/embargoedAccess')
  })

  it('a record of unknown creators and publisher names none', () => {
    const xml = write('oai_dc', describedSample({}))
    expect(xmlFacts(xml, 'dc:creator | dc:publisher')).to.deep.equal([])
  })
})

describe('What becomes of a record in a citation', () => {
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
  // The reader has a name of one part in BibTeX as a family name, lists keywords without blanks, and knows no editors in
  // RIS.
  const byFormat = {
    csl: { author: [...authors, { literal: institute }], editor: editors, keyword: 'steel, fracture' },
    bibtex: { author: [...authors, { family: institute }], editor: editors, keyword: 'steel,fracture' },
    ris: { author: [...authors, { literal: institute }], keyword: 'steel,fracture' },
  }
  for (const [name, special] of Object.entries(byFormat))
    for (const [member, value] of Object.entries({ ...facts, ...special }))
      it(`${member} in ${name}`, () => {
        const text = write(name as keyof typeof byFormat)
        const [item] = new Cite(name === 'csl' ? JSON.parse(text) : text).data
        expect(item?.[member]).to.deep.equal(value)
      })

  it('a metadata record is a data set, a schema is a document of the kind Schema', () => {
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

  it('editors in ris', () => {
    expect(write('ris')).to.contain('\r\nED  - Hopper, Grace\r\n')
  })
})

/** Every text in a value; numbers as texts. */
function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value]
  if (typeof value === 'number') return [String(value)]
  if (typeof value !== 'object' || value === null) return []
  return Object.values(value).flatMap(textsIn)
}
