import { expect } from 'chai'
import fc from 'fast-check'
import {
  dataCiteProperties,
  type Shape,
} from '../../../src/features/crosswalks/crosswalk/datacite-properties.js'
import { readCrosswalk } from '../../../src/features/crosswalks/crosswalk/read-crosswalk.js'
import { describeDocument } from '../../../src/features/crosswalks/describe-document.js'
import { dataCiteXml } from '../../../src/features/exports/datacite/datacite-xml.js'
import { dataCiteDocument } from '../../../src/features/exports/datacite/record-to-datacite.js'
import { describeSample } from '../../support/data/crosswalks/known-sample.js'
import { faultsOfDataCiteJson } from '../../support/exports/datacite-json-schema.js'
import { revisionOf, sampleContext } from '../../support/exports/sample-records.js'

const names = ['a', 'b', 'c', '@id', '@graph', 'name', 'title']
const texts = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom(
    '2024-02-30',
    '10.5072/x',
    'https://orcid.org/0000-0001-5727-2427',
    'en',
    '12.5',
    'CC-BY-4.0',
    ' ',
  ),
)
const { json } = fc.letrec(tie => ({
  json: fc.oneof(
    { depthSize: 'small' },
    texts,
    fc.double(),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('json'), { maxLength: 4 }),
    fc.dictionary(fc.constantFrom(...names), tie('json'), { maxKeys: 5 }),
  ),
}))
const paths = fc
  .array(fc.constantFrom(...names), { minLength: 1, maxLength: 3 })
  .map(parts => parts.join('.'))

/** A rule for a value of the shape, which may also be no rule at all. */
function arbitraryRule(shape: Shape): fc.Arbitrary<unknown> {
  const text = fc.oneof(
    paths,
    fc.record({ constant: texts }),
    fc.record({ first: fc.array(paths, { maxLength: 3 }) }),
    fc.record({ join: fc.array(paths, { maxLength: 3 }), with: fc.constantFrom('/', ', ') }),
    fc.record({ path: paths, values: fc.dictionary(texts, texts, { maxKeys: 2 }) }),
    json,
  )
  if (shape.type === 'text') return text
  if (shape.type === 'list')
    return fc.oneof(
      arbitraryRule(shape.of),
      fc.array(arbitraryRule(shape.of), { maxLength: 2 }),
      fc.record({ each: paths, first: fc.array(arbitraryRule(shape.of), { maxLength: 2 }) }),
    )
  const members = Object.entries(shape.members).map(([name, inner]) => [name, arbitraryRule(inner)] as const)
  return fc.oneof(text, fc.record({ each: paths, ...Object.fromEntries(members) }, { requiredKeys: [] }))
}

const crosswalks = fc.record(
  Object.fromEntries(Object.entries(dataCiteProperties).map(([name, shape]) => [name, arbitraryRule(shape)])),
  { requiredKeys: [] },
)

function xmlOf(value: unknown): string {
  if (Array.isArray(value)) return value.map(xmlOf).join('')
  if (typeof value === 'object' && value !== null)
    return Object.entries(value)
      .map(([name, inner]) => `<${name.replace('@', 'x')}>${xmlOf(inner)}</${name.replace('@', 'x')}>`)
      .join('')
  return String(value).replace(/[&<>]/g, '')
}

describe('Any document and any crosswalk', () => {
  it('give a valid document of DataCite, with valid or absent values', () => {
    fc.assert(
      fc.property(json, crosswalks, fc.boolean(), (document, rules, isXml) => {
        const { crosswalk } = readCrosswalk(rules)
        const text = isXml ? `<a>${xmlOf(document)}</a>` : JSON.stringify(document)
        const description = describeDocument(Buffer.from(text), isXml ? 'XML' : 'JSON', crosswalk)
        const described = dataCiteDocument(revisionOf({}), { ...sampleContext, description })
        expect(faultsOfDataCiteJson(JSON.stringify(described))).to.deep.equal([])
        expect(dataCiteXml(described)).to.match(/^<resource /)
      }),
      { numRuns: 300 },
    )
  })

  it('end after a limited number of steps', () => {
    const wide = Buffer.from(
      JSON.stringify({ a: Array.from({ length: 5000 }, () => ({ b: Array(50).fill('x') })) }),
    )
    const rule = {
      each: 'a',
      subject: { first: Array.from({ length: 200 }, (_, index) => `a.b.none${index}`) },
    }
    const { crosswalk } = readCrosswalk({ subjects: [rule, 'a.b'], titles: Array(300).fill('a.b') })
    const started = process.cpuUsage()
    describeDocument(wide, 'JSON', crosswalk)
    expect(process.cpuUsage(started).user / 1e6, 'seconds of processor time').to.be.below(5)
  })

  it('end after a limited amount of text, however many rules read it', () => {
    const rule = (index: number) => ({ path: '.', split: ',', values: { [`${index}`]: 'x' }, only: true })
    const { crosswalk, faults } = readCrosswalk({
      subjects: Array.from({ length: 300 }, (_, index) => ({ subject: rule(index) })),
      sizes: Array.from({ length: 300 }, (_, index) => ({
        path: 'a',
        values: { [`${index}`]: 'x' },
        only: true,
      })),
    })
    expect(faults).to.deep.equal([])
    const text = 'none, '.repeat(300_000)
    const started = process.cpuUsage()
    for (const [document, type] of [
      [`<r><a>${'<b>none, </b>'.repeat(100_000)}</a></r>`, 'XML'],
      [JSON.stringify(text), 'JSON'],
      [JSON.stringify({ a: text }), 'JSON'],
    ] as const)
      describeDocument(Buffer.from(document), type, crosswalk)
    expect(process.cpuUsage(started).user / 1e6, 'seconds of processor time').to.be.below(10)
  })

  it('give a limited amount of text, however many places repeat constants, tables and joins', () => {
    const long = 'x'.repeat(1000)
    const rules = [
      { constant: long },
      { path: 'b', values: { x: long } },
      { join: ['b', { constant: long }], with: 'x'.repeat(300) },
    ]
    for (const rule of rules) {
      const { crosswalk, faults } = readCrosswalk({
        creators: { each: 'a', name: 'name', affiliation: Array(70).fill(rule) },
        publisher: { constant: 'Example Institute' },
      })
      expect(faults).to.deep.equal([])
      const people = Array.from({ length: 10_000 }, (_, index) => ({ name: `Doe, Jane ${index}`, b: 'x' }))
      const { creators, publisher } = describeDocument(
        Buffer.from(JSON.stringify({ a: people })),
        'JSON',
        crosswalk,
      )
      expect(creators).to.have.length.within(10, 9000)
      expect(JSON.stringify(creators)).to.have.length.below(32 * 2 ** 20)
      expect(publisher?.[0]?.value.name).to.equal('Example Institute')
    }
  })

  it('look for languages, positions, references and own texts of one place once', () => {
    const many = (path: string) => ({ sizes: Array.from({ length: 900 }, () => path) })
    const members = Object.fromEntries(Array.from({ length: 100_000 }, (_, index) => [`k${index}`, 'x']))
    const started = process.cpuUsage()
    for (const [path, document] of [
      ['a.#languages', JSON.stringify({ a: members })],
      ['a.#positions', JSON.stringify({ a: '1'.repeat(3_000_000) })],
      ['r.a.#target', `<r><a>${'x'.repeat(3_000_000)}</a></r>`],
      ['r.#text', `<r>${'<a/>'.repeat(500_000)}</r>`],
    ] as const) {
      const { crosswalk } = readCrosswalk(many(path))
      const type = document.startsWith('<') ? 'XML' : 'JSON'
      expect(describeDocument(Buffer.from(document), type, crosswalk)).to.not.have.property('sizes')
    }
    expect(process.cpuUsage(started).user / 1e6, 'seconds of processor time').to.be.below(8)
  })

  it('end soon after the last step, however many rules are left', () => {
    const { crosswalk } = readCrosswalk({
      creators: { each: 'a.b', name: { first: Array.from({ length: 900 }, (_, index) => `none${index}`) } },
    })
    const wide = { a: Array(400).fill({ b: Array(500).fill({ c: 1 }) }) }
    const started = process.cpuUsage()
    describeDocument(Buffer.from(JSON.stringify(wide)), 'JSON', crosswalk)
    expect(process.cpuUsage(started).user / 1e6, 'seconds of processor time').to.be.below(1.5)
  })

  it('give all of 3,000 authors, as experiments of physics have them, and what stands behind more of them', () => {
    const orcid = '0000-0001-5727-2427'
    const numbers = (count: number) => Array.from({ length: count }, (_, number) => number)
    const formOf: readonly ((count: number) => unknown)[] = [
      count => ({
        types: { resourceTypeGeneral: 'Dataset' },
        titles: [{ title: 'Decay' }],
        publicationYear: 2013,
        creators: numbers(count).map(number => ({
          ...{
            name: `Doe${number}, Jane`,
            nameType: 'Personal',
            givenName: 'Jane',
            familyName: `Doe${number}`,
          },
          nameIdentifiers: [{ nameIdentifier: orcid, nameIdentifierScheme: 'ORCID' }],
          affiliation: ['Example Institute'],
        })),
      }),
      count => ({
        ...{ '@context': 'https://schema.org', '@type': 'Dataset', name: 'Decay', datePublished: '2013' },
        author: numbers(count).map(number => ({
          ...{ '@type': 'Person', '@id': orcid, name: `Jane Doe${number}`, familyName: `Doe${number}` },
          affiliation: { name: 'Example Institute' },
        })),
      }),
      count => {
        const authors = numbers(count).map(
          number =>
            `<contrib contrib-type="author"><contrib-id>${orcid}</contrib-id><name><surname>Doe${number}</surname>` +
            '<given-names>Jane</given-names></name><xref ref-type="aff" rid="a"/></contrib>',
        )
        return (
          '<article><front><article-meta><title-group><article-title>Decay</article-title></title-group>' +
          `<contrib-group>${authors.join('')}</contrib-group><aff id="a"><institution>Example Institute</institution></aff>` +
          '<pub-date><year>2013</year></pub-date></article-meta></front></article>'
        )
      },
    ]
    for (const form of formOf) {
      expect(describeSample(form(3000)).creators).to.have.length(3000)
      for (const count of [3000, 9000]) {
        const { creators, titles, publicationYear, dates } = describeSample(form(count))
        expect(creators).to.have.length.at.least(3000)
        const year = publicationYear?.[0]?.value ?? dates?.[0]?.value.date
        expect([titles?.[0]?.value.title, year]).to.deep.equal(['Decay', '2013'])
      }
    }
  })

  it('bear many prefixes for one vocabulary', () => {
    const prefixes = Array.from({ length: 40_000 }, (_, number) => [`p${number}`, 'https://schema.org/'])
    const others = Array.from({ length: 40_000 }, (_, number) => ({ '@type': `x${number}:Thing` }))
    const entity = { '@context': Object.fromEntries(prefixes), '@type': 'p1:Dataset', 'p1:name': 'Many' }
    const started = process.cpuUsage()
    expect(describeSample([entity, ...others]).titles?.[0]?.value.title).to.equal('Many')
    expect(process.cpuUsage(started).user / 1e6, 'seconds of processor time').to.be.below(5)
  })

  it('bear deep documents', () => {
    const { crosswalk } = readCrosswalk({ titles: 'a', sizes: 'a.a.a' })
    for (const [text, type] of [
      ['['.repeat(100_000) + ']'.repeat(100_000), 'JSON'],
      [`{"a":${'['.repeat(50_000)}1${']'.repeat(50_000)}}`, 'JSON'],
      ['<a>'.repeat(50_000) + '</a>'.repeat(50_000), 'XML'],
    ] as const)
      expect(describeDocument(Buffer.from(text), type, crosswalk)).to.be.an('object')
  })
})
