import { Cite } from '@citation-js/core'
import { expect } from 'chai'
import fc from 'fast-check'
import '@citation-js/plugin-bibtex'
import '@citation-js/plugin-ris'
import { DataFactory, Store } from 'n3'
import type { Id } from '../../../src/core/value-types.js'
import type { DescribedRecord } from '../../../src/features/exports/datacite/export-context.js'
import { type PlainExportName, writeExport } from '../../../src/features/exports/export-formats.js'
import { citationsOf } from '../../../src/features/exports/formats/citation-styles.js'
import {
  type CrateEntity,
  crateJson,
  recordCrate,
} from '../../../src/features/exports/formats/crate-entities.js'
import { cslItem } from '../../../src/features/exports/formats/csl-json.js'
import { checkCrate, checkSchemaOrg } from '../../support/exports/check-export.js'
import { mappedRecord } from '../../support/exports/mapped-record.js'
import { canonicalJsonLd, canonicalTurtle, readTurtle } from '../../support/exports/read-rdf.js'
import {
  arbitraryStoredRecord,
  describedSample,
  describedSamples,
  fullRecord,
  sampleRecords,
} from '../../support/exports/sample-records.js'

/** Checks the samples, and random records. */
async function checkAll(check: (described: DescribedRecord) => Promise<void> | void): Promise<void> {
  for (const [title, described] of describedSamples) {
    try {
      await check(described)
    } catch (error) {
      throw new Error(`${title}: ${error instanceof Error ? error.message : error}`, { cause: error })
    }
  }
  const anyRecord = fc.asyncProperty(arbitraryStoredRecord(), async record => {
    await check(describedSample(record))
  })
  await fc.assert(anyRecord, { numRuns: 50 })
}

const write = (name: PlainExportName) => (described: DescribedRecord) => writeExport(name, described)

describe('Exports, read by third-party programs', () => {
  it('DCAT is one graph as Turtle and as JSON-LD', async () => {
    await checkAll(async described => {
      const turtle = await canonicalTurtle(write('dcat-ttl')(described))
      expect(await canonicalJsonLd(write('dcat')(described))).to.equal(turtle)
      expect(turtle).to.contain('<http://www.w3.org/ns/dcat#distribution>')
    })
  })

  it('DCAT has subjects with an address as themes, and contact persons as contact points', () => {
    const graph = new Store(readTurtle(write('dcat-ttl')(describedSample(fullRecord))))
    const named = (name: string) => DataFactory.namedNode(name)
    const told = (property: string, label: string) =>
      graph
        .getObjects(null, named(property), null)
        .flatMap(object =>
          graph.getObjects(object, named(label), null).map(({ value }) => [object.value, value]),
        )

    expect(
      told('http://www.w3.org/ns/dcat#theme', 'http://www.w3.org/2004/02/skos/core#prefLabel'),
    ).to.deep.equal([['https://example.org/vocabulary/fracture', 'fracture']])
    const contacts = told('http://www.w3.org/ns/dcat#contactPoint', 'http://www.w3.org/2006/vcard/ns#fn')
    expect(contacts.map(([, name]) => name)).to.deep.equal(['Noether, Emmy'])
    const others = told('http://purl.org/dc/terms/contributor', 'http://xmlns.com/foaf/0.1/name')
    expect(others.map(([, name]) => name)).to.deep.equal(['Hopper, Grace'])
    const keywords = graph.getObjects(null, named('http://www.w3.org/ns/dcat#keyword'), null)
    expect(keywords.map(({ value }) => value)).to.have.members(['steel', 'fracture'])
  })

  it('schema.org has only terms of schema.org, and the members that search engines require', async () => {
    await checkAll(async described => await checkSchemaOrg(write('schemaorg')(described)))
    const misspelt = write('schemaorg')(describedSample(fullRecord)).replace('"inLanguage"', '"inLangauge"')
    const error = await checkSchemaOrg(misspelt).then(
      () => undefined,
      (failure: Error) => failure,
    )
    expect(error?.message).to.match(/safe mode/i)
  })

  it('BibTeX, RIS and CSL-JSON have the same content', async () => {
    await checkAll(described => {
      const item = cslItem(described)
      const [fromBibTex] = new Cite(write('bibtex')(described)).data
      const [fromCsl] = new Cite(JSON.parse(write('csl')(described))).data
      const [fromRis] = new Cite(write('ris')(described)).data
      for (const read of [fromBibTex, fromCsl, fromRis]) {
        expect(oneLine(read?.title)).to.equal(oneLine(item.title))
        expect(read?.URL).to.equal(item.URL)
        // The reader drops names that have only punctuation.
        if (item.author?.every(name => Object.values(name).every(part => /[\p{L}\p{N}]/u.test(String(part)))))
          expect((read?.author as object[] | undefined)?.length ?? 0).to.equal(item.author.length)
      }
      for (const read of [fromBibTex, fromCsl]) {
        expect((read?.issued as { 'date-parts': number[][] } | undefined)?.['date-parts'][0]?.[0]).to.equal(
          Number(described.document.publicationYear),
        )
        expect(read?.DOI).to.equal(item.DOI)
      }
    })
  })

  it('BibTeX keeps special characters, and keeps each name in one piece', () => {
    const [item] = new Cite(write('bibtex')(describedSample(fullRecord))).data

    expect(item).to.deep.include({
      title: 'Fracture surface of a “steel” rod {7} 100 % & more_\\',
      publisher: 'Example Press',
      DOI: '10.5072/Steel-Rod_7',
      URL: 'https://doi.org/10.5072/Steel-Rod_7',
    })
    expect(item?.author).to.deep.equal([
      { given: 'Ada King', family: 'Lovelace' },
      { family: 'Institute of Steel & Iron' },
      { given: 'Jean-Paul', family: 'Müller and Söhne, jr.' },
    ])
  })

  it('BibTeX has a key that begins with a letter: the id, or the id after a prefix', () => {
    for (const [id, key] of [
      ['Sample-7', 'Sample-7'],
      ['7.sample', 'record-7.sample'],
      ['*all*', 'record-_all_'],
      ['-x', 'record--x'],
    ] as const) {
      const text = write('bibtex')(describedSample(fullRecord, { id: id as Id }))
      expect(text).to.match(/^@misc\{[^,]+,\n/)
      expect(new Cite(text).data[0]?.['citation-key'], id).to.equal(key)
    }
  })

  it('BibTeX separates names that end in a special character', () => {
    const creators = ['&', '%', '$', '#', '_', '\\', '}', '~', '^'].map(character => ({
      givenName: `A${character}`,
      familyName: 'B',
    }))
    const [item] = new Cite(write('bibtex')(describedSample({ creators }))).data
    expect(item?.author).to.deep.equal(creators.map(({ givenName }) => ({ given: givenName, family: 'B' })))
  })

  it('BibTeX has balanced braces for any record', () => {
    const titles = [{ value: 'Sets } of { braces {' }]
    const creators = [{ givenName: 'and', familyName: 'Hook {' }, { familyName: 'A\nand\nB' }]
    const text = write('bibtex')(describedSample({ ...fullRecord, titles, creators }))

    let depth = 0
    for (const character of text.replace(/^@misc/, '')) {
      if (character === '{') depth += 1
      if (character === '}') depth -= 1
      expect(depth).to.be.at.least(0)
    }
    expect(depth).to.equal(0)
    const [item] = new Cite(text).data
    expect(item?.title).to.equal('Sets } of { braces {')
    expect(item?.author).to.have.length(2)
  })

  it('an RO-Crate has the date of availability only if it is in the year of publication', () => {
    for (const [available, year, published] of [
      ['2021-05-04T00:00:00Z', '2020', '2020'],
      ['2020-05-04T00:00:00Z', '2020', '2020-05-04T00:00:00Z'],
    ] as const) {
      const dates = [{ type: 'AVAILABLE', value: available }] as const
      const described = describedSample({ ...mappedRecord, dates, publicationYear: year })
      const { '@graph': entities } = JSON.parse(crateJson(recordCrate(described, { id: 'd', size: 1 }, [])))
      const root = entities.find((entity: CrateEntity) => entity['@id'] === './')
      expect(root.datePublished).to.equal(published)
    }
  })

  it('an RO-Crate is valid and flat, uses only terms of its context, and has only references to entities or to the web', async () => {
    await checkAll(async described => {
      const text = crateJson(recordCrate(described, { id: 'document.json', size: 12 }, []))
      const { '@graph': entities } = JSON.parse(text) as { '@graph': readonly CrateEntity[] }
      const byId = new Map(entities.map(entity => [entity['@id'], entity]))
      expect(byId.size).to.equal(entities.length)
      expect(entities[0]).to.deep.include({ '@id': 'ro-crate-metadata.json', about: { '@id': './' } })
      const root = byId.get('./')
      expect(root).to.include.keys('name', 'description', 'datePublished', 'license', 'hasPart')
      expect(root?.hasPart).to.deep.equal([{ '@id': 'document.json' }])
      for (const entity of entities) {
        if (entity['@type'] === 'Person' || entity['@type'] === 'Organization')
          expect(entity.name).to.not.equal('SELF')
        for (const [name, value] of Object.entries(entity)) {
          for (const each of [value].flat()) {
            if (typeof each !== 'object') continue
            expect(each, 'only a reference').to.have.all.keys('@id')
            const id = (each as { '@id': string })['@id']
            expect(byId.has(id) || /^https?:/.test(id), `${name}: ${id}`).to.equal(true)
          }
        }
      }
      await checkCrate(text, ['document.json'])
    })
  })

  it('an RO-Crate has its publisher, the licence and the resource as entities', () => {
    const resource = { identifierType: 'LSID', relationType: 'IS_METADATA_FOR', value: 'urn lsid 7/ü' }
    const relatedIdentifiers = [...(mappedRecord.relatedIdentifiers ?? []), resource]
    const described = describedSample({ ...mappedRecord, relatedIdentifiers } as typeof mappedRecord)
    const { '@graph': entities } = JSON.parse(crateJson(recordCrate(described, { id: 'd' }, [])))
    const byId = new Map(entities.map((entity: CrateEntity) => [entity['@id'], entity] as const))
    const named = (subject: string, member: string) =>
      [(byId.get(subject) as CrateEntity)[member]]
        .flat()
        .map(reference => byId.get((reference as CrateEntity)['@id']))

    for (const subject of ['./', 'd']) {
      const [publisher] = named(subject, 'publisher') as CrateEntity[]
      expect(publisher).to.include({ '@type': 'Organization', name: 'Example Press' })
      expect(named(subject, 'license')).to.deep.equal([
        {
          '@id': 'https://creativecommons.org/licenses/by/4.0/',
          '@type': 'CreativeWork',
          name: 'CC-BY-4.0',
          description: 'The licence CC-BY-4.0 of the SPDX list.',
          url: 'https://creativecommons.org/licenses/by/4.0/',
          identifier: 'CC-BY-4.0',
        },
      ])
    }
    expect(named('d', 'about')).to.deep.equal([
      undefined,
      {
        '@id': '#resource-urn%20lsid%207%2F%C3%BC',
        '@type': 'Thing',
        name: 'urn lsid 7/ü',
        identifier: 'urn lsid 7/ü',
      },
    ])
  })

  it('Dublin Core has every place, with the coordinates of its point, its box and its polygon', () => {
    const coverage = (record: Parameters<typeof describedSample>[0]) =>
      [...write('oai_dc')(describedSample(record)).matchAll(/<dc:coverage>([^<]*)</g)].map(([, text]) => text)

    expect(coverage(fullRecord)).to.deep.equal([
      'Karlsruhe',
      '49 8.4',
      '48.5 8 49.5 9',
      '48 8, 48 9, 49 9, 48 8',
    ])
    expect(coverage(sampleRecords['a record with values that are none'])).to.deep.equal([])
  })

  it('citations follow their style', () => {
    const texts = (record: Parameters<typeof describedSample>[0]) =>
      Object.fromEntries(citationsOf(describedSample(record)).map(({ style, text }) => [style, text]))
    const notes = {
      identifier: { value: '10.5072/notes' },
      titles: [{ value: 'Notes' }],
      creators: [
        { givenName: 'Ada King', familyName: 'Lovelace' },
        { givenName: 'Charles', familyName: 'Babbage' },
      ],
      publisher: 'Press',
      publicationYear: '1843',
    }

    expect(texts(notes)).to.deep.equal({
      APA: 'Lovelace, A. K., & Babbage, C. (1843). Notes (Version 3) [Data set]. Press. https://doi.org/10.5072/notes',
      Chicago:
        'Lovelace, Ada King, and Charles Babbage. 1843. “Notes.” Version 3. Press. https://doi.org/10.5072/notes.',
      Harvard:
        'Lovelace, A.K. and Babbage, C. (1843) ‘Notes’, version 3 [Dataset]. Press. Available at: https://doi.org/10.5072/notes.',
      Vancouver:
        'Lovelace AK, Babbage C. Notes [dataset]. Version 3. Press; 1843. Available from: https://doi.org/10.5072/notes',
    })
    expect(texts({ ...notes, publicationYear: 'in 1843' })).to.deep.equal(texts(notes))
    for (const publicationYear of ['forthcoming', '1843 or 1844'].map(text => `about ${text}`))
      expect(texts({ ...notes, publicationYear }).APA).to.contain('(2025)')
    expect(texts({}).APA).to.equal(
      'sample (Version 3) [Data set]. (2025). https://metastore.example.org/metadata-landing-page?id=sample',
    )
  })

  describe('citations list authors by the rules of their style', () => {
    /** The authors in each style: the text before the year, or before the title. */
    function authorsOf(creators: readonly object[]) {
      const record = { titles: [{ value: 'Notes' }], publicationYear: '1843', creators }
      const described = describedSample(record as Parameters<typeof describedSample>[0])
      return Object.fromEntries(
        citationsOf(described).map(({ style, text }) => [style, text.split(/ \(?1843| Notes \[/)[0]]),
      )
    }
    const people = (count: number) =>
      Array.from({ length: count }, (_, index) => ({ givenName: 'Ada', familyName: `F${index + 1}` }))
    const listed = (form: (name: string) => string, from: number, to: number) =>
      people(to)
        .slice(from - 1)
        .map(({ familyName }) => form(familyName))
        .join(', ')

    it('APA has up to 20 authors in full, otherwise the first 19 and the last', () => {
      const form = (name: string) => `${name}, A.`
      expect(authorsOf(people(20)).APA).to.equal(`${listed(form, 1, 19)}, & F20, A.`)
      expect(authorsOf(people(21)).APA).to.equal(`${listed(form, 1, 19)}, . . . F21, A.`)
      expect(authorsOf(people(30)).APA).to.equal(`${listed(form, 1, 19)}, . . . F30, A.`)
    })

    it('Chicago has up to 10 authors in full, otherwise the first 7', () => {
      const form = (name: string) => (name === 'F1' ? 'F1, Ada' : `Ada ${name}`)
      expect(authorsOf(people(10)).Chicago).to.equal(`${listed(form, 1, 9)}, and Ada F10.`)
      expect(authorsOf(people(11)).Chicago).to.equal(`${listed(form, 1, 7)}, et al.`)
    })

    it('Harvard has up to 3 authors in full, otherwise the first', () => {
      expect(authorsOf(people(3)).Harvard).to.equal('F1, A., F2, A. and F3, A.')
      expect(authorsOf(people(4)).Harvard).to.equal('F1, A. et al.')
    })

    it('Vancouver has up to 6 authors in full, otherwise the first 6', () => {
      const form = (name: string) => `${name} A`
      expect(authorsOf(people(6)).Vancouver).to.equal(`${listed(form, 1, 6)}.`)
      expect(authorsOf(people(7)).Vancouver).to.equal(`${listed(form, 1, 6)}, et al.`)
    })

    it('institutions keep their name, alone and beside people', () => {
      const institute = { familyName: 'Institute of Steel & Iron' }
      expect(authorsOf([institute])).to.deep.equal({
        APA: 'Institute of Steel & Iron.',
        Chicago: 'Institute of Steel & Iron.',
        Harvard: 'Institute of Steel & Iron',
        Vancouver: 'Institute of Steel & Iron.',
      })
      expect(authorsOf([institute, ...people(1), { familyName: 'Data Inc.' }])).to.deep.equal({
        APA: 'Institute of Steel & Iron, F1, A., & Data Inc.',
        Chicago: 'Institute of Steel & Iron, Ada F1, and Data Inc.',
        Harvard: 'Institute of Steel & Iron, F1, A. and Data Inc.',
        Vancouver: 'Institute of Steel & Iron, F1 A, Data Inc.',
      })
    })

    it('given names with a hyphen keep it in initials with stops', () => {
      const creators = [
        { givenName: 'Jean-Paul Émile', familyName: 'Sartre' },
        { givenName: 'anne-marie', familyName: 'de Staël' },
      ]
      expect(authorsOf(creators)).to.deep.equal({
        APA: 'Sartre, J.-P. É., & de Staël, A.-M.',
        Chicago: 'Sartre, Jean-Paul Émile, and anne-marie de Staël.',
        Harvard: 'Sartre, J.-P.É. and de Staël, A.-M.',
        Vancouver: 'Sartre JPÉ, de Staël AM.',
      })
    })
  })
})

function oneLine(text: unknown): string {
  return String(text).replace(/\s+/g, ' ').trim()
}
