// test-schedule: quick
import { expect } from 'chai'
import { documentTree } from '../../../../src/features/crosswalks/crosswalk/described-tree.js'
import { readCrosswalk } from '../../../../src/features/crosswalks/crosswalk/read-crosswalk.js'
import { knownSchemaOf, knownSchemas } from '../../../../src/features/crosswalks/known/known-schemas.js'
import { plainMembers } from '../../../../src/features/crosswalks/known/plain-members.js'
import { allSamples } from '../../../support/data/crosswalks/variants-samples.js'

/** The name of the known schema that a document follows. */
function schemaOf(document: unknown): string | undefined {
  const isXml = typeof document === 'string'
  const bytes = Buffer.from(isXml ? document : JSON.stringify(document))
  const tree = documentTree(bytes, isXml ? 'XML' : 'JSON')
  return tree && knownSchemaOf(tree)?.name
}

/** A known schema without the root element of a document, and METS without what is inside. */
function familyOf(name: string): string {
  return name.startsWith('DataCite') ? name : name.replace(/ (?:\(.*\)|with .*)$/, '')
}

describe('The known schemas', () => {
  it('have crosswalks without a fault, and each its source', () => {
    for (const { name, source, crosswalk } of knownSchemas) {
      expect(readCrosswalk(crosswalk).faults, name).to.deep.equal([])
      expect(source, name).to.match(/^https:\/\/[^/]+\/.+/)
    }
    expect(readCrosswalk(plainMembers({ at: '', noNames: [] })).faults).to.deep.equal([])
    expect(readCrosswalk(plainMembers({ at: 'a.', noNames: ['SELF'] })).faults).to.deep.equal([])
  })

  it('are told by namespace, root element, context, type or members, and each has three samples', () => {
    const found = allSamples.map(({ title, document }) => [title, schemaOf(document)])
    expect(found).to.deep.equal(allSamples.map(({ title, schema }) => [title, schema]))
    const counts = new Map<string, number>()
    for (const name of allSamples.map(({ schema }) => familyOf(schema)))
      counts.set(name, (counts.get(name) ?? 0) + 1)
    // The published examples of DataCite in XML have a test of their own.
    const names = new Set(knownSchemas.map(({ name }) => familyOf(name)))
    names.delete('DataCite (XML)')
    expect([...names].filter(name => (counts.get(name) ?? 0) < 3)).to.deep.equal([])
  })

  it('are not found in documents that only look like them', () => {
    const others = [
      '<article><title>DocBook</title></article>',
      '<ead><eadid>1</eadid></ead>',
      '<lido><name>Beach</name></lido>',
      '<mets xmlns="http://www.loc.gov/METS/"><dmdSec><mdRef MDTYPE="MODS"/></dmdSec></mets>',
      '<metadata><title>Own</title></metadata>',
      '<dc xmlns="http://example.org/"><title>Own</title></dc>',
      '<MD_Metadata><title>Own</title></MD_Metadata>',
      { '@context': { schema: 'https://schema.org/' }, 'schema:name': 'Prefixed' },
      {
        '@context': { codemeta: 'https://codemeta.github.io/terms/', x: 'http://example.org/' },
        title: 'Terms',
      },
      { '@type': 'dcat:Distribution', title: 'A file' },
      { name: 'a', resources: [{ url: 'https://example.org/a.csv' }] },
      { title: 'T', creators: [{ name: 'N' }], types: ['a'] },
    ]
    expect(others.map(document => schemaOf(document))).to.deep.equal(others.map(() => undefined))
  })

  it('include DataCite in JSON whose $schema is that of DataCite, and no other one whose name has the word', () => {
    const names = ['datacite-v4.3.json', 'https://example.org/datacite_4.2_schema.json', 'datacite-v4.json']
    expect(names.map(name => schemaOf({ $schema: name }))).to.deep.equal(names.map(() => 'DataCite (JSON)'))
    const others = [
      'https://example.org/datacite-mapping.json',
      'https://example.org/my-datacite-schema/creep.json',
      'urn:datacite:v4:extension',
      'https://datacite-v4.example.org/form.json',
    ]
    expect(others.map(name => schemaOf({ $schema: name }))).to.deep.equal(others.map(() => undefined))
  })
})
