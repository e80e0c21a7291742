import { asVersion } from '../../src/core/value-types.js'
import { readCrosswalk } from '../../src/features/crosswalks/crosswalk/read-crosswalk.js'
import { describeDocument } from '../../src/features/crosswalks/describe-document.js'
import { documentOf } from '../data/generated-records.js'
import { xmlOf } from '../data/generated-xml.js'
import { seed } from '../data/repository-cache.js'
import type { Bench } from '../support/measurement.js'

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
}
