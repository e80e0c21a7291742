import { createRequire } from 'node:module'
import '@citation-js/plugin-bibtex'
import '@citation-js/plugin-ris'
import { Cite } from '@citation-js/core'
import { expect } from 'chai'
import { unzipSync } from 'fflate'
import LinkHeader from 'http-link-header'
import jsonld from 'jsonld'
import { Validator } from 'ro-crate'
import type { ExportName } from '../../../src/features/exports/export-formats.js'
import { crateContext } from '../../../src/features/exports/formats/crate-entities.js'
import { faultsByStandards } from '../oai-pmh/oai-standards.js'
import { faultsOfDataCiteJson } from './datacite-json-schema.js'
import { faultsByShapes } from './dcat-shapes.js'
import { faultsOfProvenance } from './prov-shapes.js'
import { canonicalJsonLd, readTurtle } from './read-rdf.js'

/**
 * Validates an export with the schema of its standard or with a program of another project.
 * @throws AssertionError, or an error of the program
 */
export async function checkExport(name: ExportName, content: Buffer): Promise<void> {
  await checks[name](content.toString(), content)
}

const checks: Readonly<Record<ExportName, (text: string, bytes: Buffer) => Promise<void> | void>> = {
  'datacite-json': text => expectNone(faultsOfDataCiteJson(text), text),
  'datacite-xml': text => expectNone(faultsByStandards(text), text),
  oai_dc: text => expectNone(faultsByStandards(text), text),
  schemaorg: checkSchemaOrg,
  dcat: async text => void (await canonicalJsonLd(text)),
  'dcat-ttl': async text => {
    expectNone(await faultsByShapes(text), text)
    expectTypedTimes(text)
  },
  bibtex: text => expectOneItem(text),
  csl: text => expectOneItem(JSON.parse(text)),
  ris: text => expectOneItem(text),
  'ro-crate': text => checkCrate(text),
  'ro-crate-zip': (_, bytes) => checkCrateArchive(bytes),
  prov: async text => {
    expect(readTurtle(text)).to.not.have.length(0)
    expectNone(await faultsOfProvenance(text), text)
  },
  linkset: text => void linksOfJson(text),
  'linkset-text': text => void linksOfText(text),
}

function expectNone(faults: readonly string[], text: string): void {
  expect(faults, text).to.deep.equal([])
}

const formsOfTimes: Readonly<Record<string, RegExp>> = {
  gYear: /^-?\d{4,}$/,
  gYearMonth: /^-?\d{4,}-\d\d$/,
  date: /^-?\d{4,}-\d\d-\d\d$/,
  dateTime: /^-?\d{4,}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)?$/,
}

/** Shapes do not look into literals: their types and forms must be those of XML Schema. */
function expectTypedTimes(turtle: string): void {
  for (const [whole, text, type] of turtle.matchAll(/"([^"\n]*)"\^\^xsd:(\w+)/g)) {
    const form = formsOfTimes[type ?? '']
    if (form) expect(text, whole).to.match(form)
  }
}

function expectOneItem(source: unknown): void {
  const { data } = new Cite(source)
  expect(data).to.have.length(1)
  expect(data[0]?.title).to.be.a('string').and.not.equal('')
}

/** The terms of RO-Crate, which include those of schema.org. */
const { '@context': crateTerms } = createRequire(import.meta.url)('ro-crate/lib/context.json') as {
  readonly '@context': Readonly<Record<string, unknown>>
}
const schemaOrgTerms = Object.fromEntries(
  Object.entries(crateTerms).filter(([, iri]) => String(iri).startsWith('http://schema.org/')),
)

/**
 * Expands JSON-LD that has one context, a URL. Fails for a name that is not a term of the context.
 * @param terms the context at the URL
 */
async function expand(text: string, address: string, terms: Readonly<Record<string, unknown>>) {
  return await jsonld.expand(JSON.parse(text), {
    safe: true,
    async documentLoader(url) {
      expect(url).to.equal(address)
      return { document: { '@context': terms }, documentUrl: url }
    },
  })
}

/** Expands a schema.org text with one thing. Fails for a property or a type that is not one of schema.org. */
export async function expandSchemaOrg(text: string): Promise<Readonly<Record<string, unknown>>> {
  const [thing, ...others] = await expand(text, 'https://schema.org/', schemaOrgTerms)
  expect(others).to.deep.equal([])
  return thing ?? {}
}

/** Checks that every property and type is one of schema.org, and that the properties for search engines exist. */
export async function checkSchemaOrg(text: string): Promise<void> {
  const thing = await expandSchemaOrg(text)
  for (const member of ['name', 'description', 'identifier', 'distribution', 'url'])
    expect(thing).to.have.property(`http://schema.org/${member}`)
}

/** @param files paths of the files in the crate; undefined if the files are on the web */
export async function checkCrate(text: string, files?: readonly string[]): Promise<void> {
  const validator = new Validator()
  // The package contains the context of version 1.2. It would fetch that of 1.1 from the web.
  validator.parseJSON(text.replace(crateContext, crateContext.replace('1.1', '1.2')))
  await validator.crate?.resolveContext()
  validator.rootDataEntity()
  if (files) validator.checkFiles(Object.fromEntries(files.map(path => [path, { exists: true }])))
  expect(validator.results.filter(({ status }) => status !== 'success')).to.deep.equal([])
  const { '@graph': entities } = JSON.parse(text) as { readonly '@graph': readonly unknown[] }
  const context = { ...crateTerms, '@base': 'https://crate.example.org/' }
  expect(await expand(text, crateContext, context)).to.have.length(entities.length)
}

async function checkCrateArchive(bytes: Buffer): Promise<void> {
  const { 'ro-crate-metadata.json': metadata = new Uint8Array(), ...files } = unzipSync(bytes)
  await checkCrate(Buffer.from(metadata).toString(), Object.keys(files))
}

/** A link of a linkset. */
export interface ReadLink {
  readonly anchor: string
  readonly rel: string
  readonly href: string
  readonly type?: string
  readonly profile?: string
}

/** Reads the links of a linkset in JSON. @see RFC 9264 §4.2 */
export function linksOfJson(text: string): readonly ReadLink[] {
  const { linkset, ...others } = JSON.parse(text)
  expect(others).to.deep.equal({})
  expect(linkset).to.be.an('array').and.not.have.length(0)
  return linkset.flatMap(({ anchor, ...relations }: Readonly<Record<string, unknown>>) =>
    Object.entries(relations).flatMap(([rel, targets]) => {
      expect(targets, rel).to.be.an('array').and.not.have.length(0)
      return (targets as readonly Readonly<Record<string, unknown>>[]).map(({ href, type, profile }) => {
        if (profile !== undefined) expect(profile).to.be.an('array').with.length(1)
        return linkOf({ anchor, rel, href, type, profile: (profile as readonly unknown[] | undefined)?.[0] })
      })
    }),
  )
}

/** Reads the links of a linkset in the format of a `Link` header. @see RFC 9264 §4.1 */
export function linksOfText(text: string): readonly ReadLink[] {
  return LinkHeader.parse(text).refs.map(({ uri, ...attributes }) => linkOf({ ...attributes, href: uri }))
}

function linkOf({
  anchor,
  rel,
  href,
  type,
  profile,
  ...others
}: Readonly<Record<string, unknown>>): ReadLink {
  expect(others).to.deep.equal({})
  for (const address of [anchor, href]) expect(URL.canParse(String(address)), String(address)).to.equal(true)
  expect(rel).to.match(/^[a-z][a-z-]*$/)
  if (type !== undefined) expect(type).to.match(/^[a-z]+\/[\w.+-]+$/)
  return {
    anchor: String(anchor),
    rel: String(rel),
    href: String(href),
    ...(type !== undefined && { type: String(type) }),
    ...(profile !== undefined && { profile: String(profile) }),
  }
}
