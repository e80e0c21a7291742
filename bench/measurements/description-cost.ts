import { openInMemory } from '../../src/catalog/database/sqlite-connection.js'
import { defaultTitles } from '../../src/core/records/record.js'
import type { Revision } from '../../src/core/records/revision.js'
import { asVersion, type Id, toInstant, toOid, toSha1 } from '../../src/core/value-types.js'
import { readCrosswalk } from '../../src/features/crosswalks/crosswalk/read-crosswalk.js'
import { describeDocument } from '../../src/features/crosswalks/describe-document.js'
import { withoutAddresses } from '../../src/features/exports/datacite/export-context.js'
import { sourcedDocument } from '../../src/features/exports/datacite/record-to-datacite.js'
import { recordWithDescription } from '../../src/features/exports/datacite/record-with-description.js'
import { openIndexRows } from '../../src/features/search/index/index-rows.js'
import { asStored, type DescribeRecord } from '../../src/features/search/index/load-describe-module.js'
import { createSearchTables } from '../../src/features/search/index/search-tables.js'
import { documentOf } from '../data/generated-records.js'
import { xmlOf } from '../data/generated-xml.js'
import { knownDocuments } from '../data/known-documents.js'
import { seed } from '../data/repository-cache.js'
import type { Bench } from '../support/measurement.js'
import { median } from '../support/statistics.js'

/** Bytes of a described document. */
const size = 20_000

/** A crosswalk for the generated measurements, in JSON and in XML with a root element. */
function crosswalkOf(type: 'JSON' | 'XML') {
  const at = type === 'XML' ? 'measurement.' : ''
  const [creators, keywords] = type === 'XML' ? ['creator', 'keyword'] : ['creators', 'keywords']
  return readCrosswalk({
    titles: `${at}title`,
    creators: { each: at + creators, name: 'name', affiliation: 'affiliation', nameIdentifiers: 'orcid' },
    publicationYear: `${at}date`,
    subjects: at + keywords,
    descriptions: `${at}description`,
    rightsList: { constant: 'CC-BY-4.0' },
  }).crosswalk
}

/** XML with many elements below levels of elements, each of which declares a namespace. */
function wideXml(bytes: number, levels: number): Buffer {
  const each = (part: (level: number) => string) =>
    Array.from({ length: levels }, (_, level) => part(level)).join('')
  const element = '<p:note p:at="1"/>'
  const content = element.repeat(Math.floor(bytes / element.length))
  return Buffer.from(
    `<p:report xmlns:p="urn:p">${each(level => `<p:part xmlns:n${level}="urn:n">`)}${content}${each(() => '</p:part>')}</p:report>`,
  )
}

/** Milliseconds of describing each document once. Fails if one has no title. */
function describeAll(documents: readonly Buffer[], type: 'JSON' | 'XML'): readonly number[] {
  const schema = crosswalkOf(type)
  return documents.map(bytes => {
    const start = performance.now()
    const { titles } = describeDocument(bytes, type, schema)
    const milliseconds = performance.now() - start
    if (!titles) throw new Error('A document has no title.')
    return milliseconds
  })
}

/** Number of descriptions whose processor time is measured together. */
const together = 10

/** Processor time of describing a document of a known schema, in milliseconds. Fails if it has no title. */
function describeTimes(bytes: Buffer, type: 'JSON' | 'XML', times: number): readonly number[] {
  const all = Array.from({ length: 2 * times }, () => {
    const start = process.cpuUsage()
    for (let n = 0; n < together; n++)
      if (!describeDocument(bytes, type).titles) throw new Error('A document has no title.')
    const { user, system } = process.cpuUsage(start)
    return (user + system) / 1000 / together
  })
  // V8 compiles in the first half.
  return all.slice(times)
}

/** Documents of {@link size}: generated ones with a long last member. */
function documentsOf(count: number): readonly Buffer[] {
  return Array.from({ length: count }, (_, number) => {
    const value = JSON.parse(documentOf(seed, number, asVersion(1), 0).toString())
    const steps = Array.from({ length: 120 }, (_, at) => ({
      at,
      note: `Step ${at} of the preparation of sample ${number}.`,
    }))
    return Buffer.from(JSON.stringify({ ...value, steps }).padEnd(size))
  })
}

const nothing = '0'.repeat(40)

/** The revision of a record that says nothing, as a client of version 1 stores it. */
function revisionOf(number: number): Revision {
  const id = `m${number}` as Id
  return {
    ...{
      kind: 'metadata',
      id,
      version: asVersion(1),
      time: toInstant(0),
      createdAt: toInstant(0),
      sequence: number,
    },
    ...{
      documentType: 'JSON',
      documentHash: toSha1(nothing),
      document: toOid(nothing),
      commit: toOid(nothing),
    },
    files: new Map(),
    record: {
      id,
      schema: { schemaId: 'measurement' as Id, version: asVersion(1) },
      titles: defaultTitles,
      creators: [{ givenName: 'SELF' }],
      publisher: 'SELF',
    },
  }
}

/** Bytes of a search index of documents in memory. */
function indexSize(documents: readonly Buffer[], describeRecord: DescribeRecord): number {
  const connection = openInMemory()
  try {
    createSearchTables(connection, '')
    const rows = openIndexRows(connection, describeRecord)
    for (const [number, document] of documents.entries())
      rows.put(number + 1, number + 1, { revision: revisionOf(number), document, textLimit: 2 ** 20 })
    connection.exec("INSERT INTO words (words) VALUES ('optimize')")
    const size =
      'SELECT (SELECT page_count FROM pragma_page_count()) * (SELECT page_size FROM pragma_page_size())'
    return connection.prepare<readonly [number]>(size).get()?.[0] ?? 0
  } finally {
    connection.close()
  }
}

/** Measures the description of documents, which exports, pages and the search index ask for. */
export async function run({ options, table }: Bench): Promise<void> {
  const json = documentsOf(options.count(2000, 20))
  const parsed = () =>
    json.map(bytes => {
      const start = performance.now()
      JSON.parse(bytes.toString())
      return performance.now() - start
    })
  describeAll(json, 'JSON')
  table.add({
    work: `description of a JSON document of ${size / 1000} KB`,
    unit: 'ms',
    goal: { below: 0.5 },
    ours: { what: 'by a crosswalk', values: describeAll(json, 'JSON') },
    against: { what: 'JSON.parse', values: parsed() },
  })
  const xml = Array.from({ length: options.count(2000, 20) }, (_, number) =>
    xmlOf(documentOf(seed, number, asVersion(1), 0)),
  )
  describeAll(xml, 'XML')
  table.add({
    work: 'description of an XML document of 2 KB',
    unit: 'ms',
    ours: { what: 'by a crosswalk', values: describeAll(xml, 'XML') },
    against: { what: 'JSON.parse of the same data of 20 KB', values: parsed() },
  })
  const times = options.count(50, 2)
  const all = knownDocuments(size, size)
  for (const { schema, bytes, type } of knownDocuments(size, size / 4))
    table.add({
      work: `description of ${schema}, ${size / 1000} KB, a quarter of which it reads`,
      unit: 'ms',
      goal: { below: 0.5 },
      ours: { what: 'by a known crosswalk, processor time', values: describeTimes(bytes, type, times) },
      against: { what: 'JSON.parse of another document of 20 KB', values: parsed() },
    })
  table.add({
    work: `description of documents of ${all.length} known schemas, ${size / 1000} KB, all of which it reads`,
    unit: 'ms',
    ours: {
      what: 'median of each schema, processor time',
      values: all.map(({ bytes, type }) => median(describeTimes(bytes, type, times))),
    },
    against: { what: 'JSON.parse of another document of 20 KB', values: parsed() },
  })
  const [deep, flat] = [200, 0].map(levels => wideXml(4_000_000, levels))
  const once = (bytes: Buffer | undefined) =>
    Array.from({ length: options.count(5, 1) }, () => {
      const start = process.cpuUsage()
      describeDocument(bytes ?? Buffer.alloc(0), 'XML')
      const { user, system } = process.cpuUsage(start)
      return (user + system) / 1000
    })
  table.add({
    work: 'description of XML of 4 MB, most of it below 200 levels that declare namespaces',
    unit: 'ms',
    goal: { atMost: 2 },
    ours: { what: 'processor time', values: once(deep) },
    against: { what: 'the same elements without the levels', values: once(flat) },
  })
  const small = Array.from({ length: options.count(1000, 100) }, (_, number) =>
    documentOf(seed, number, asVersion(1), 0),
  )
  const crosswalk = crosswalkOf('JSON')
  const described: DescribeRecord = (revision, document) => {
    const description = document && describeDocument(document, 'JSON', crosswalk)
    return recordWithDescription(
      revision.record,
      sourcedDocument(revision, { ...withoutAddresses, ...(description && { description }) }),
    )
  }
  for (const [kilobytes, documents] of [
    [20, json.slice(0, small.length)],
    [2, small],
  ] as const)
    table.add({
      work: `search index of ${documents.length} documents of ${kilobytes} KB, whose records say nothing`,
      unit: 'MB',
      ...(kilobytes === 20 && { goal: { atMost: 1.1 } }),
      ours: { what: 'with what they say about themselves', values: [indexSize(documents, described) / 1e6] },
      against: { what: 'with their records alone', values: [indexSize(documents, asStored) / 1e6] },
    })
}
