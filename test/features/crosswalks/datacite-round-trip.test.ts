import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { type DocumentTree, documentTree } from '../../../src/features/crosswalks/crosswalk/described-tree.js'
import type { TreeNode } from '../../../src/features/crosswalks/crosswalk/tree-node.js'
import { faultsOfDataCiteJson } from '../../support/exports/datacite-json-schema.js'
import { readSchemaFiles, standard } from '../../support/exports/standards.js'
import { etagOf, startService, type TestService } from '../../support/http/test-service.js'
import { removeRepositories } from '../../support/repository/test-repository.js'

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

/** A published example. */
interface Example {
  readonly id: string
  readonly schema: string
  readonly file: string
}

/**
 * The examples of all kernels in a language, without three that are not valid by their own kernel: they have several
 * polygons in an element that it does not permit.
 */
function examplesOf(root: string, language: 'xml' | 'json'): readonly Example[] {
  return readdirSync(join(root, language)).flatMap(kernel =>
    readdirSync(join(root, language, kernel, 'example'))
      .filter(
        name => name.endsWith(language) && !(name.includes('polygon-advanced') && /4\.[134]$/.test(kernel)),
      )
      .map((name, index) => ({
        id: `${language}-${kernel}-${index}`,
        schema: `${language}-${kernel}`,
        file: join(root, language, kernel, 'example', name),
      })),
  )
}

/**
 * The document in a file. The schema of version 4.3 in JSON does not permit members of DataCite's interface that its
 * examples have; all of them are in other members, too.
 */
function documentOf(file: string): Buffer {
  const bytes = readFileSync(file)
  if (!file.includes(join('json', 'kernel-4.3'))) return bytes
  const { id: _, doi: __, agency: ___, state: ____, ...document } = JSON.parse(bytes.toString())
  return Buffer.from(JSON.stringify(document))
}

/** Stores examples as documents of their schema, in one change set. Their records say nothing. */
async function storeAll(service: TestService, examples: readonly Example[]): Promise<void> {
  const changes = examples.map(({ id, schema }) => ({
    kind: 'metadata',
    action: 'create',
    record: {
      id,
      titles: [{ value: 'Metadata 4 metastore' }],
      relatedIdentifiers: [
        { value: `https://example.org/${id}`, identifierType: 'URL', relationType: 'IS_METADATA_FOR' },
        { value: schema, identifierType: 'INTERNAL', relationType: 'HAS_METADATA' },
      ],
    },
    document: id,
  }))
  const sent = service.http.post('/api/changesets').field('changeset', JSON.stringify({ changes }))
  for (const { id, file } of examples) sent.attach(id, documentOf(file), id)
  const { status, body } = await sent
  expect([status, body.detail]).to.deep.equal([200, undefined])
}

describe('DataCite’s published examples, each stored as a document of its own schema', () => {
  if (!folder) return
  const examples = { xml: examplesOf(folder, 'xml'), json: examplesOf(folder, 'json') }
  let service: TestService

  before(async () => {
    service = await startService()
    for (const kernel of readdirSync(join(folder, 'xml'))) {
      const { schema, files } = await readSchemaFiles(join(folder, 'xml', kernel), 'metadata.xsd')
      await service.postSchema({ schemaId: `xml-${kernel}` }, schema, files).expect(201)
    }
    for (const kernel of readdirSync(join(folder, 'json'))) {
      const [name = ''] = readdirSync(join(folder, 'json', kernel)).filter(file => file.endsWith('.json'))
      const schema = readFileSync(join(folder, 'json', kernel, name))
      await service.postSchema({ schemaId: `json-${kernel}` }, schema).expect(201)
    }
    for (const of of [examples.xml, examples.json])
      for (const schema of new Set(of.map(example => example.schema)))
        await storeAll(
          service,
          of.filter(example => example.schema === schema),
        )
  })
  after(removeRepositories)

  async function exportOf({ id }: Example, format: 'datacite-json' | 'datacite-xml'): Promise<string> {
    const path = `/api/v1/metadata/${id}/export/${format}`
    const { text, body } = await service.http.get(path).buffer(true).expect(200)
    return text ?? JSON.stringify(body)
  }

  it('come out of the export in XML as they went in, element by element', async () => {
    expect(examples.xml.length).to.be.greaterThan(130)
    for (const example of examples.xml) {
      const after = factsOf(treeOf(Buffer.from(await exportOf(example, 'datacite-xml'))))
      const lost = factsOf(treeOf(readFileSync(example.file))).filter(
        fact => !isListed(fact) && !isAmong(fact, after),
      )
      expect(lost, example.file).to.deep.equal([])
    }
  })

  it('come out of the export in JSON as they went in, member by member', async () => {
    expect(examples.json.length).to.be.greaterThan(30)
    for (const example of examples.json) {
      const after = JSON.parse(await exportOf(example, 'datacite-json'))
      const lost = lostMembers(inNewForm(JSON.parse(readFileSync(example.file, 'utf8'))), after)
      expect(lost, example.file).to.deep.equal([])
    }
  })

  it('are valid by the JSON Schema of DataCite', async () => {
    for (const example of [...examples.xml, ...examples.json])
      expect(faultsOfDataCiteJson(await exportOf(example, 'datacite-json')), example.file).to.deep.equal([])
  })

  it('have schemas against which paths are checked', async () => {
    const etag = etagOf(await service.http.get('/api/v1/schemas/xml-kernel-4.6').expect(200))
    const put = (titles: string) => service.putSchema('xml-kernel-4.6', etag, { crosswalk: { titles } })
    const { body } = await put('resource.title').expect(422)
    expect(body.detail).to.contain('"resource.title"')
    await put('resource.titles.title').expect(200)
  })
})

interface JsonExample {
  readonly identifiers: readonly { readonly identifier: string; readonly identifierType: string }[]
  readonly publisher: string
  readonly creators: readonly Named[]
  readonly contributors?: readonly Named[]
  readonly types: Readonly<Record<string, unknown>>
  readonly [member: string]: unknown
}
interface Named {
  readonly affiliation?: string | readonly object[]
}

/**
 * A published JSON document as the JSON of version 4.6 writes the same. Left out is what DataCite's interface adds: the
 * state and the address of a DOI, other programs' names of the type, and `container`, which a description or a related
 * identifier says, too.
 */
function inNewForm({ id: _, agency: __, state: ___, container: ____, ...document }: JsonExample): object {
  const { identifiers, publisher, creators, contributors = [], types } = document
  const [first, ...others] = identifiers
  const named = ({ affiliation, ...of }: Named) => ({
    ...of,
    ...(affiliation !== undefined &&
      affiliation !== '' && {
        affiliation: typeof affiliation === 'string' ? [{ name: affiliation }] : affiliation,
      }),
  })
  return {
    ...document,
    identifiers: [{ ...first, identifier: first?.identifier.replace('https://doi.org/', '') }],
    alternateIdentifiers: others.map(({ identifier, identifierType }) => ({
      alternateIdentifier: identifier,
      alternateIdentifierType: identifierType,
    })),
    publisher: { name: publisher },
    creators: creators.map(named),
    contributors: contributors.map(named),
    types: { resourceTypeGeneral: types.resourceTypeGeneral, resourceType: types.resourceType },
  }
}

/** The places in a published JSON document of which the other one does not have the value. */
function lostMembers(before: unknown, after: unknown, path = ''): readonly string[] {
  if (Array.isArray(before)) {
    const others = Array.isArray(after) ? after : []
    return before.flatMap((entry, index) => {
      const all = others.map(other => lostMembers(entry, other, `${path}/${index}`))
      if (all.some(lost => lost.length === 0)) return []
      return [...all].sort((one, other) => one.length - other.length)[0] ?? [`${path}/${index}`]
    })
  }
  if (typeof before === 'object' && before !== null) {
    const other = (typeof after === 'object' && after !== null ? after : {}) as Readonly<
      Record<string, unknown>
    >
    return Object.entries(before).flatMap(([name, value]) =>
      lostMembers(value, other[name], `${path}/${name}`),
    )
  }
  return plain(String(before)) === plain(String(after))
    ? []
    : [`${path} ${before} : ${JSON.stringify(after)}`]
}
