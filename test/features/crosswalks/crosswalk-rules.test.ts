// test-schedule: quick
import { expect } from 'chai'
import { readCrosswalk } from '../../../src/features/crosswalks/crosswalk/read-crosswalk.js'
import { describeDocument } from '../../../src/features/crosswalks/describe-document.js'

/** What a document says by a crosswalk: the values of one property. */
function valuesOf(property: string, rule: unknown, document: unknown): unknown[] {
  const { crosswalk, faults } = readCrosswalk({ [property]: rule })
  expect(faults).to.deep.equal([])
  const isXml = typeof document === 'string'
  const bytes = Buffer.from(isXml ? document : JSON.stringify(document))
  const described = describeDocument(bytes, isXml ? 'XML' : 'JSON', crosswalk)
  return ((described as Record<string, { value: unknown }[]>)[property] ?? []).map(({ value }) => value)
}

function faultsOf(crosswalk: unknown): readonly string[] {
  return readCrosswalk(crosswalk).faults.map(({ pointer, message }) => `${pointer}: ${message}`)
}

describe('A rule of a crosswalk', () => {
  const people = { people: [{ n: 'Ada', mail: 'a@example.org' }, { n: 'Max' }, {}] }

  it('gives an entry for each node at a path', () => {
    expect(valuesOf('creators', 'people.n', people)).to.deep.equal([{ name: 'Ada' }, { name: 'Max' }])
    expect(valuesOf('creators', { each: 'people', name: 'n' }, people)).to.deep.equal([
      { name: 'Ada' },
      { name: 'Max' },
    ])
    expect(valuesOf('sizes', 's', { s: ['1 MB', 7] })).to.deep.equal(['1 MB', '7'])
  })

  it('reads elements and attributes of XML by their local names, with the text inside of them', () => {
    const xml =
      '<x:a xmlns:x="urn:x"><x:t xml:lang="de">Ein <i>Titel</i></x:t><x:t>Two</x:t><p role="PI">Ada</p></x:a>'
    expect(valuesOf('titles', { each: 'a.t', title: '.', lang: '@lang' }, xml)).to.deep.equal([
      { title: 'Ein Titel', lang: 'de' },
      { title: 'Two' },
    ])
    expect(
      valuesOf('contributors', { each: 'a.p', name: '.', contributorType: { constant: 'Editor' } }, xml),
    ).to.deep.equal([{ contributorType: 'Editor', name: 'Ada' }])
  })

  it('leaves the other properties of a known schema as they are', () => {
    const { crosswalk } = readCrosswalk({ titles: 'headline' })
    const known = {
      ...{ '@context': 'https://schema.org', '@type': 'Dataset', name: 'Name', headline: 'Headline' },
      ...{ author: { '@type': 'Person', name: 'Ada Lovelace' }, version: '2' },
    }
    const described = (...own: Parameters<typeof describeDocument>[2][]) =>
      describeDocument(Buffer.from(JSON.stringify(known)), 'JSON', ...own)
    const { titles, ...others } = described(crosswalk)
    expect(titles).to.deep.equal([{ value: { title: 'Headline' }, path: 'headline' }])
    const { titles: _, ...built } = described()
    expect(others).to.deep.equal(built)
    expect(others).to.include.keys('creators', 'version')
  })

  it('says which of several elements a value is from', () => {
    const { crosswalk } = readCrosswalk({ titles: 'a.b.t', sizes: 'a.one' })
    const xml = '<a><b><t>1</t><t>2</t></b><b><t>3</t></b><one>4</one></a>'
    const { titles, sizes } = describeDocument(Buffer.from(xml), 'XML', crosswalk)
    expect([titles, sizes].map(all => all?.map(({ path }) => path))).to.deep.equal([
      ['a.b[0].t[0]', 'a.b[0].t[1]', 'a.b[1].t'],
      ['a.one'],
    ])
  })

  it('takes the first path that has a valid value', () => {
    const rule = { first: ['issued', 'made.on', { constant: '1999' }] }
    expect(valuesOf('publicationYear', rule, { issued: 'soon', made: { on: '1987-05' } })).to.deep.equal([
      '1987',
    ])
    expect(valuesOf('publicationYear', rule, {})).to.deep.equal(['1999'])
    const lists = { first: [{ each: 'author', name: 'n' }, ['people.n', 'team']] }
    expect(valuesOf('creators', lists, { ...people, team: 'Team' })).to.deep.equal([
      { name: 'Ada' },
      { name: 'Max' },
      { name: 'Team' },
    ])
  })

  it('takes the first rule that gives an entry at each node, in the order of the document', () => {
    const agents = {
      each: 'agents',
      first: [
        { each: '.', where: { kind: 'p' }, name: 'n', nameType: { constant: 'Personal' } },
        { where: { kind: ['p', 'o'] }, name: 'label' },
      ],
    }
    const document = {
      agents: [{ kind: 'o', n: 'X', label: 'Inc' }, { kind: 'p', n: 'Ada' }, { kind: 'p', label: 'Max' }, {}],
    }
    expect(valuesOf('creators', agents, document)).to.deep.equal([
      { name: 'Inc' },
      { name: 'Ada', nameType: 'Personal' },
      { name: 'Max' },
    ])
    expect(valuesOf('creators', ['agents[2].label', agents], document)).to.deep.equal([
      { name: 'Max' },
      { name: 'Inc' },
      { name: 'Ada', nameType: 'Personal' },
    ])
    const publisher = { each: 'agents', first: ['n', 'label'] }
    expect(valuesOf('publisher', publisher, document)).to.deep.equal([{ name: 'X' }])
  })

  it('gives no entry of constants alone for a place that has nothing of it', () => {
    const rule = { each: 'grants', funderName: { constant: 'DFG' }, awardNumber: 'number' }
    const grants = [{ number: '7' }, {}, { number: '' }]
    expect(valuesOf('fundingReferences', rule, { grants })).to.deep.equal([
      { funderName: 'DFG', awardNumber: '7' },
    ])
    const always = { each: 'grants', funderName: { constant: 'DFG' } }
    expect(valuesOf('fundingReferences', always, { grants: [{}] })).to.deep.equal([{ funderName: 'DFG' }])
  })

  it('leaves tags of HTML out of descriptions', () => {
    const text = '<p>One &amp; <b>two</b></p><p>if a < b</p>'
    expect(valuesOf('descriptions', 'd', { d: text })).to.deep.equal([
      { description: 'One & two\n\nif a < b', descriptionType: 'Abstract' },
    ])
  })

  it('replaces values by a table, in any case, and leaves out others on demand', () => {
    const values = { 'Raw Data': 'Dataset', code: 'Software' }
    const type = (more: object, kind: string) =>
      valuesOf('types', { resourceTypeGeneral: { path: 'kind', values, ...more } }, { kind })
    expect(type({}, 'raw data')).to.deep.equal([{ resourceTypeGeneral: 'Dataset' }])
    expect(type({}, 'Image')).to.deep.equal([{ resourceTypeGeneral: 'Image' }])
    expect(type({ only: true }, 'Image')).to.deep.equal([])
  })

  it('joins and splits texts', () => {
    const range = [{ date: { join: ['from', 'to'], with: '/' }, dateType: { constant: 'Collected' } }]
    expect(valuesOf('dates', range, { from: '2020', to: '2021-05' })).to.deep.equal([
      { date: '2020/2021-05', dateType: 'Collected' },
    ])
    expect(valuesOf('dates', range, { from: '2020' })).to.deep.equal([
      { date: '2020/', dateType: 'Collected' },
    ])
    expect(valuesOf('titles', { join: ['k', 'l'] }, { k: [' ', 'a'], l: 'b' })).to.deep.equal([
      { title: 'a b' },
    ])
    expect(valuesOf('subjects', { subject: { path: 'k' } }, { k: 'a; b' })).to.have.length(1)
    expect(valuesOf('formats', { path: 'k', split: ';' }, { k: 'a; b;;' })).to.deep.equal(['a', 'b'])
  })

  it('selects nodes by conditions, and by their number', () => {
    const roles = { p: [{ n: 'A', role: ['Author', 'x'] }, { n: 'B', role: 'editor' }, { n: 'C' }] }
    const named = (where: object) => valuesOf('creators', { each: 'p', where, name: 'n' }, roles)
    expect(named({ role: 'author' })).to.deep.equal([{ name: 'A' }])
    expect(named({ role: ['author', 'editor'] })).to.deep.equal([{ name: 'A' }, { name: 'B' }])
    expect(named({ role: { not: 'editor' } })).to.deep.equal([{ name: 'A' }, { name: 'C' }])
    expect(named({ role: false })).to.deep.equal([{ name: 'C' }])
    expect(named({ role: true })).to.deep.equal([{ name: 'A' }, { name: 'B' }])
    expect(valuesOf('creators', 'p[1].n', roles)).to.deep.equal([{ name: 'B' }])
    expect(valuesOf('version', { path: 'p.n', where: { '.': 'b' } }, roles)).to.deep.equal(['B'])
  })

  it('finds members whose names have dots', () => {
    expect(valuesOf('version', 'x.y.version', { 'x.y': { version: 2 } })).to.deep.equal(['2'])
  })

  it('leaves out values that DataCite does not permit', () => {
    expect(valuesOf('language', 'l', { l: 'a long sentence' })).to.deep.equal([])
    expect(valuesOf('titles', 't', { t: '  \u0000 ' })).to.deep.equal([])
    const date = (text: string) =>
      valuesOf('dates', { date: 'd', dateType: { constant: 'Issued' } }, { d: text })
    const noDates =
      '2023-02-31 2023-02-29 1900-02-29 2024-01-01T99:00Z 2024-01-01T10:61 2024-01-01T10:00+25:00 123456 2023-02-29/2024'
    for (const text of noDates.split(' ')) expect(date(text), text).to.deep.equal([])
    const dates =
      '2024-02-29 2000-02-29 2024-01-01T24:00:00Z 2016-12-31T23:59:60.5Z 2024-01-01T10:00:00-0930 -10000 0000'
    for (const text of dates.split(' '))
      expect(date(text), text).to.deep.equal([{ date: text, dateType: 'Issued' }])
    for (const text of ['-0044', '-0044-03-15', '44 BC'])
      expect(valuesOf('publicationYear', 'd', { d: text }), text).to.deep.equal([])
    expect(date('-0024/-0022')).to.deep.equal([{ date: '-0024/-0022', dateType: 'Issued' }])
    const place = { geoLocationPoint: { pointLatitude: 'lat', pointLongitude: 'lon' } }
    expect(valuesOf('geoLocations', place, { lat: 91, lon: 0 })).to.deep.equal([])
    expect(
      valuesOf('relatedIdentifiers', { relatedIdentifier: 'r', relationType: 'k' }, { r: 'x', k: 'Cites' }),
    ).to.deep.equal([])
  })

  it('completes what follows from the form of a value', () => {
    expect(valuesOf('identifier', 'doi', { doi: 'https://doi.org/10.5072/abc' })).to.deep.equal([
      { identifier: '10.5072/abc', identifierType: 'DOI' },
    ])
    const orcid = 'https://orcid.org/0000-0001-5727-2427'
    const creator = { each: 'c', name: 'n', nameIdentifiers: 'id' }
    expect(valuesOf('creators', creator, { c: { n: 'Doe, Jane', id: orcid } })).to.deep.equal([
      {
        name: 'Doe, Jane',
        nameType: 'Personal',
        givenName: 'Jane',
        familyName: 'Doe',
        nameIdentifiers: [
          { nameIdentifier: orcid, nameIdentifierScheme: 'ORCID', schemeUri: 'https://orcid.org' },
        ],
      },
    ])
    expect(valuesOf('rightsList', 'licence', { licence: 'cc-by-4.0' })).to.deep.include.members([
      {
        rights: 'cc-by-4.0',
        rightsUri: 'https://creativecommons.org/licenses/by/4.0/',
        rightsIdentifier: 'CC-BY-4.0',
        rightsIdentifierScheme: 'SPDX',
        schemeUri: 'https://spdx.org/licenses/',
      },
    ])
  })
})

describe('A crosswalk with faults', () => {
  it('says where each fault is, and what is possible', () => {
    expect(faultsOf({ title: 'x' })[0]).to.match(
      /^\/title: There is no property "title"\. Possible are .*titles/,
    )
    expect(faultsOf({ titles: { titel: 'x' } })[0]).to.match(/^\/titles\/titel: There is no member "titel"/)
    expect(faultsOf({ titles: 'a..b' })[0]).to.match(/^\/titles: A path has names/)
    expect(faultsOf({ titles: ['a', 7] })[0]).to.match(/^\/titles\/1: Here stands a path/)
    expect(faultsOf({ version: { path: 'a', constant: 'b' } })[0]).to.match(/^\/version: /)
    expect(faultsOf({ version: { path: 'a', values: { a: 1 } } })[0]).to.match(/^\/version\/values: /)
    expect(faultsOf({ titles: { title: 'a', where: { b: 7 } } })[0]).to.match(/^\/titles\/where\/b: /)
    expect(faultsOf([])[0]).to.match(/^: A crosswalk is an object/)
  })

  it('has a fault for each rule that can never give a value', () => {
    const wrong: readonly (readonly [crosswalk: object, said: RegExp])[] = [
      [
        { language: { constant: 'not a tag!' } },
        /^\/language\/constant: "not a tag!" .* a language tag, such as/,
      ],
      [{ language: { first: ['l', { constant: 'not a tag!' }] } }, /^\/language\/first\/1\/constant: /],
      [
        { types: { resourceTypeGeneral: { constant: 'Datasett' } } },
        /^\/types\/resourceTypeGeneral\/constant: .*Dataset,/,
      ],
      [{ publicationYear: { constant: 'soon' } }, /^\/publicationYear\/constant: .*a year of four digits/],
      [{ version: { constant: ' ' } }, /^\/version\/constant: A constant is a text that is not blank/],
      [{ dates: { date: 'x' } }, /^\/dates: An entry without "dateType" is not valid/],
      [{ dates: ['x', { date: 'x', dateType: { constant: 'Issued' } }] }, /^\/dates\/0: .*"dateType"/],
      [{ contributors: 'x' }, /^\/contributors: .*"contributorType"/],
      [{ relatedItems: { titles: 'x' } }, /^\/relatedItems: .*"relatedItemType" and "relationType"/],
      [{ identifier: { constant: 'none of a known type' } }, /^\/identifier: These constants together/],
      [{ creators: {} }, /^\/creators: An entry has a rule for one or more of name, givenName, familyName/],
      [{ creators: { each: 'a', nameType: { constant: 'Personal' } } }, /^\/creators: An entry has a rule/],
      [{ types: { where: { a: true } } }, /^\/types: An entry has a rule for one or more of/],
      [
        { geoLocations: { geoLocationPoint: { pointLongitude: 'x' } } },
        /^\/geoLocations\/geoLocationPoint: /,
      ],
      [
        { version: { path: 'v', values: { a: 'b' }, only: 'yes' } },
        /^\/version\/only: "only" is true or false/,
      ],
      [{ version: { path: 'v', only: true } }, /^\/version\/only: "only" stands beside "values"/],
      [
        { language: { path: 'l', values: { a: 'no tag!' }, only: true } },
        /^\/language\/values: No text of the table/,
      ],
      [{ version: { join: ['a', 'b'], with: 7 } }, /^\/version\/with: "with" is the text/],
      [{ version: { join: [] } }, /^\/version\/join: Here stands a list of one rule or more/],
      [
        { version: { join: [{ constant: 'a' }, { constant: 'b' }] } },
        /^\/version\/join: One of the rules has a path/,
      ],
      [{ version: { first: [] } }, /^\/version\/first: Here stands a list of one rule or more/],
      [{ creators: { first: [] } }, /^\/creators\/first: A list of rules has at least one rule/],
      [{ creators: { each: 'a', first: ['b'], name: 'c' } }, /^\/creators: .* no other member than "each"/],
      [{ creators: { each: '', first: ['b'] } }, /^\/creators\/each: A path has names/],
      [{ titles: [] }, /^\/titles: A list of rules has at least one rule/],
      [{ titles: { title: 't', where: { a: [] } } }, /^\/titles\/where\/a: A condition is/],
    ]
    for (const [crosswalk, said] of wrong) {
      const faults = faultsOf(crosswalk)
      expect(faults, JSON.stringify(crosswalk)).to.have.length(1)
      expect(faults[0]).to.match(said)
    }
  })

  it('has none for what the form of a value completes, or another member stands for', () => {
    const good = {
      identifier: { constant: 'https://doi.org/10.5072/abc' },
      alternateIdentifiers: { constant: '17' },
      descriptions: { constant: 'Text' },
      rightsList: [{ constant: 'CC-BY-4.0' }, { rightsUri: 'r' }],
      subjects: { valueUri: 's' },
      creators: { familyName: 'f', nameIdentifiers: { constant: 'https://orcid.org/0000-0001-5727-2427' } },
      types: { resourceTypeGeneral: { constant: 'dataset' } },
      geoLocations: { geoLocationPoint: 'p', geoLocationBox: { constant: '1 2 3 4' } },
      fundingReferences: { awardNumber: 'n' },
      sizes: { path: 's', values: { a: '1 MB' }, only: false, where: { '.': { not: [] } } },
      version: { join: ['a', { constant: 'b' }], with: '' },
    }
    expect(faultsOf(good)).to.deep.equal([])
    expect([...readCrosswalk(good).crosswalk.keys()]).to.have.members(Object.keys(good))
  })

  it('gives no value of a rule whose condition, or a part of whose join, has a fault', () => {
    const { crosswalk } = readCrosswalk({
      titles: { title: 't', where: { kind: 7 } },
      version: { path: 'v', where: 7 },
      language: { join: ['l', { constant: ' ' }] },
      sizes: 's',
    })
    expect([...crosswalk.keys()]).to.deep.equal(['sizes'])
  })

  it('still gives the values of the other rules', () => {
    const { crosswalk } = readCrosswalk({ titles: 'a..b', version: 'v' })
    expect([...crosswalk.keys()]).to.deep.equal(['version'])
  })

  it('has at most 1,000 rules, which limits their levels, and 1,000 conditions', () => {
    const many = Array.from({ length: 1200 }, (_, index) => `t${index}`)
    const conditions = Object.fromEntries(many.map(path => [path, false]))
    const nested = Array.from({ length: 20_000 }).reduce<unknown>(inner => ({ first: [inner] }), 't')
    for (const crosswalk of [
      { titles: many },
      { version: { first: many } },
      { version: { join: many } },
      { titles: { title: 't', where: conditions } },
      { version: nested },
      { titles: nested },
    ]) {
      const faults = faultsOf(crosswalk)
      expect(faults).to.have.length(1)
      expect(faults[0]).to.match(/at most 1000 (?:rules|conditions)/)
    }
  })

  it('has short texts between joined values', () => {
    const [said] = faultsOf({ version: { join: ['a', 'b'], with: 'x'.repeat(400) } })
    expect(said).to.match(/^\/version\/with: .* at most 300 characters/)
  })
})
