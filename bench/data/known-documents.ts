import { dataCiteXml } from '../../src/features/exports/datacite/datacite-xml.js'
import { dataCiteDocument } from '../../src/features/exports/datacite/record-to-datacite.js'
import { describeSample } from '../../test/support/data/crosswalks/known-sample.js'
import { librariesSamples } from '../../test/support/data/crosswalks/libraries-samples.js'
import { sciencesSamples } from '../../test/support/data/crosswalks/sciences-samples.js'
import { variantsSamples } from '../../test/support/data/crosswalks/variants-samples.js'
import { webSamples } from '../../test/support/data/crosswalks/web-samples.js'
import { revisionOf, sampleContext } from '../../test/support/exports/sample-records.js'

/*
 * Documents of known schemas of about 20 KB, made of the longest samples of the tests.
 */

export interface KnownDocument {
  readonly schema: string
  readonly type: 'JSON' | 'XML'
  readonly bytes: Buffer
}

/**
 * A document for each known schema.
 * @param said bytes that descriptions read, roughly: the content of a sample, several times. The rest of the document is
 * content that no description reads, such as a text, files or variables.
 */
export function knownDocuments(size: number, said: number): readonly KnownDocument[] {
  return [...longestSamples()].map(([schema, document]) =>
    typeof document === 'string'
      ? { schema, type: 'XML', bytes: Buffer.from(longXml(document, size, said)) }
      : { schema, type: 'JSON', bytes: Buffer.from(longJson(document, size, said)) },
  )
}

function longestSamples(): ReadonlyMap<string, unknown> {
  const longest = new Map<string, unknown>()
  const lengthOf = (document: unknown) => JSON.stringify(document ?? '').length
  for (const { schema, document } of [
    ...librariesSamples,
    ...sciencesSamples,
    ...webSamples,
    ...variantsSamples,
  ])
    if (lengthOf(document) > lengthOf(longest.get(schema))) longest.set(schema, document)
  const dataCite = describeSample(longest.get('DataCite (JSON)'))
  const context = { ...sampleContext, description: dataCite }
  return longest.set('DataCite (XML)', dataCiteXml(dataCiteDocument(revisionOf({}), context)))
}

const note = (n: number) => `Step ${n} of the preparation, which took ${n % 60} minutes at ${300 + n} K.`

/** Texts in a number that fills these bytes. */
function parts(bytes: number, partOf: (n: number) => string): readonly string[] {
  return Array.from({ length: Math.max(0, Math.floor(bytes / partOf(100).length)) }, (_, n) => partOf(n))
}

function longXml(document: string, size: number, said: number): string {
  const [, start = '', content = '', end = ''] =
    /^((?:<\?[^>]*>\s*)?<[^>]*>)([\s\S]*)(<\/[^>]+>\s*)$/.exec(document) ?? []
  const read = content.repeat(Math.max(1, Math.round(said / content.length)))
  const others = parts(
    size - read.length,
    n => `<part n="${n}"><label>${n}</label><note>${note(n)}</note></part>`,
  )
  return `${start}${read}<more>${others.join('')}</more>${end}`
}

function longJson(document: unknown, size: number, said: number): string {
  let times = 1
  while (times < 100 && JSON.stringify(withMore(document, times + 1)).length <= said) times++
  const read = withMore(document, times) as object
  const others = parts(size - JSON.stringify(read).length, n => JSON.stringify({ at: n, note: note(n) }))
  return JSON.stringify({ ...read, more: others.map(part => JSON.parse(part)) })
}

/** The value with the entries of each outer list several times; a graph has more parts instead. */
function withMore(value: unknown, times: number): unknown {
  if (Array.isArray(value)) return Array.from({ length: times }, () => value).flat()
  if (typeof value !== 'object' || value === null || '@graph' in value) return value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, withMore(inner, times)]))
}
