import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import {
  type DocumentTree,
  documentTree,
  type TreeNode,
} from '../../../src/features/crosswalks/crosswalk/described-tree.js'
import { describeDocument } from '../../../src/features/crosswalks/describe-document.js'
import { dataCiteXml } from '../../../src/features/exports/datacite/datacite-xml.js'
import { dataCiteDocument } from '../../../src/features/exports/datacite/record-to-datacite.js'
import { faultsOfDataCiteJson } from '../../support/exports/datacite-json-schema.js'
import { revisionOf, sampleContext } from '../../support/exports/sample-records.js'
import { standard } from '../../support/exports/standards.js'

const folder = standard('..', 'data', 'datacite')

interface Fact {
  readonly element: string
  readonly text: string
  readonly attributes: Readonly<Record<string, string>>
}

/** The elements without elements inside, and all elements with attributes. */
function factsOf({ root }: DocumentTree): readonly Fact[] {
  const facts: Fact[] = []
  function visit(node: TreeNode, path: string): void {
    const names = node.names()
    const attributes = names.filter(name => name.startsWith('@') && name !== '@schemaLocation')
    const elements = names.filter(name => !name.startsWith('@') && name !== 'br')
    const values = attributes.map(name => [name, plain(node.children(name)[0]?.text)] as const)
    if (elements.length === 0 || values.length > 0) {
      const text = elements.length === 0 ? plain(node.text) : ''
      facts.push({ element: path, text, attributes: Object.fromEntries(values) })
    }
    for (const name of elements) for (const child of node.children(name)) visit(child, `${path}/${name}`)
  }
  for (const name of root.names()) for (const child of root.children(name)) visit(child, name)
  return facts
}

/** A text in one line; a number without zeros that say nothing. */
function plain(text = ''): string {
  const line = text.trim().replace(/\s+/g, ' ')
  return /^[+-]?\d+\.\d+$/.test(line) ? String(Number(line)) : line
}

/** What comes out in another way, and why. */
function isListed({ element, text, attributes }: Fact): boolean {
  const values = Object.values(attributes)
  return (
    // An element without content says nothing.
    (text === '' && (values.length === 0 || /resourceType$|rights$|description$|titleType$/.test(element))) ||
    // Version 3 writes points and boxes as texts; DataCite's JSON has one polygon a place.
    /geoLocation(?:Point|Box)$|geoLocationPolygons\//.test(element) ||
    // Values that are new in version 4.7.
    values.some(value => ['Poster', 'Presentation', 'RAiD', 'SWHID'].includes(value)) ||
    '@relationTypeInformation' in attributes ||
    // Values that no version permits: words as dates, and addresses that are none.
    ['321 BCE', 'Yesterday'].includes(text) ||
    values.some(value => /^(?:Some|Subject|dataCurator|curators|rights:|some ).*(?:URI)$/.test(value)) ||
    '@affilicationIdentifierScheme' in attributes
  )
}

/** Whether a fact is among others, which may have more attributes, such as the SPDX identifier of a licence. */
function isAmong({ element, text, attributes }: Fact, others: readonly Fact[]): boolean {
  return others.some(
    other =>
      other.element === element &&
      other.text === text &&
      Object.entries(attributes).every(([name, value]) => other.attributes[name] === value),
  )
}

function treeOf(bytes: Uint8Array): DocumentTree {
  const tree = documentTree(bytes, 'XML')
  if (!tree) throw new Error('The document cannot be read.')
  return tree
}

function exported(bytes: Uint8Array, type: 'XML' | 'JSON') {
  const description = describeDocument(bytes, type)
  return dataCiteDocument(revisionOf({}), { ...sampleContext, description })
}

describe('DataCite’s published examples, as documents of a bare record', () => {
  if (!folder) return
  const files = (kind: 'xml' | 'json') =>
    readdirSync(join(folder, kind)).flatMap(kernel =>
      readdirSync(join(folder, kind, kernel, 'example'))
        .filter(name => name.endsWith(kind))
        .map(name => join(folder, kind, kernel, 'example', name)),
    )

  it('come out of the export in XML as they went in, element by element', () => {
    const all = files('xml')
    expect(all.length).to.be.greaterThan(130)
    for (const file of all) {
      const bytes = readFileSync(file)
      const after = factsOf(treeOf(Buffer.from(dataCiteXml(exported(bytes, 'XML')))))
      const lost = factsOf(treeOf(bytes)).filter(fact => !isListed(fact) && !isAmong(fact, after))
      expect(lost, file).to.deep.equal([])
    }
  })

  it('come out of the export in JSON as they went in', () => {
    const all = files('json')
    expect(all.length).to.be.greaterThan(30)
    for (const file of all) {
      const before = JSON.parse(readFileSync(file, 'utf8'), (_, value) =>
        typeof value === 'string' ? plain(value) : value,
      )
      const after = JSON.parse(JSON.stringify(exported(readFileSync(file), 'JSON')))
      for (const name of [
        'titles',
        'creators',
        'subjects',
        'contributors',
        'descriptions',
        'fundingReferences',
      ])
        for (const [index, entry] of (before[name] ?? []).entries())
          expect(after[name]?.[index], `${file} ${name}/${index}`).to.deep.include(withoutNothing(entry))
      expect(after.doi).to.equal(before.doi)
      expect(after.publicationYear).to.equal(before.publicationYear)
      expect(after.publisher.name).to.equal(before.publisher.trim())
    }
  })

  it('are valid by the JSON Schema of DataCite', () => {
    for (const file of [...files('xml'), ...files('json')]) {
      const document = exported(readFileSync(file), file.endsWith('xml') ? 'XML' : 'JSON')
      expect(faultsOfDataCiteJson(JSON.stringify(document)), file).to.deep.equal([])
    }
  })
})

/** An entry without empty lists and texts. An affiliation in one text, as until version 4.2, is a list. */
function withoutNothing(entry: Readonly<Record<string, unknown>>): object {
  const { affiliation, ...others } = entry
  const affiliations = typeof affiliation === 'string' ? [{ name: affiliation }] : affiliation
  return Object.fromEntries(
    Object.entries({ ...others, affiliation: affiliations }).filter(
      ([, value]) => value !== undefined && value !== '' && !(Array.isArray(value) && value.length === 0),
    ),
  )
}
