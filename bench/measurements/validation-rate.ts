import { fileURLToPath } from 'node:url'
import { asVersion } from '../../src/core/value-types.js'
import { compileJson } from '../../src/validation/json/ajv-compiler.js'
import type { SchemaBundle } from '../../src/validation/validator.js'
import { wasmEngine } from '../../src/validation/xml/libxml2-wasm-engine.js'
import { compileXsd } from '../../src/validation/xml/xsd-compiler.js'
import { documentOf, schemaDocument, schemaIdOf } from '../data/generated-records.js'
import { xmlOf, xmlSchema } from '../data/generated-xml.js'
import { dataciteJson } from '../data/published-data.js'
import { seed } from '../data/repository-cache.js'
import { numbers } from '../load/create-requests.js'
import { form, openConnection, requestBytes } from '../load/http-connection.js'
import { type LoadRequest, rateOf } from '../load/load-generator.js'
import type { Bench } from '../support/measurement.js'
import { startProcess, withServer } from '../support/server-process.js'
import { median } from '../support/statistics.js'

/*
 * Validation of documents of several sizes through HTTP and directly with the engine. One of twenty documents is
 * invalid, and both ways must find the same invalid documents. Published documents, if the machine has them, are all
 * valid.
 */

const bareForm = fileURLToPath(new URL('../baselines/koa-form-server.js', import.meta.url))
/** Number of documents of which one is invalid. */
const oneWrongOf = 20

/** Sizes of the documents. The smallest are unchanged generated documents. */
const sizes = [
  { bytes: 2_000, documents: 2_000 },
  { bytes: 20_000, documents: 400 },
  { bytes: 200_000, documents: 40 },
] as const

/** A schema that documents can follow. */
interface Subject {
  readonly language: 'JSON' | 'XML'
  readonly schemaId: string
  readonly schema: Buffer
}

interface Language extends Subject {
  /** Converts a generated document, which is JSON. */
  document(generated: Buffer): Buffer
  /** Makes a document invalid: it then lacks a required part. */
  broken(document: Buffer): Buffer
}

const languages: readonly Language[] = [
  {
    language: 'JSON',
    schemaId: schemaIdOf(0),
    schema: schemaDocument(0),
    document: generated => generated,
    broken: document => Buffer.from(document.toString().replace('"instrument"', '"instruments"')),
  },
  {
    language: 'XML',
    schemaId: 'measurement-xml',
    schema: xmlSchema,
    document: xmlOf,
    broken: document => Buffer.from(document.toString().replaceAll('instrument>', 'instruments>')),
  },
]

/** A document, and whether it is invalid. */
interface Sample {
  readonly bytes: Buffer
  readonly isWrong: boolean
}

/** A series of documents that are measured together. */
interface Series {
  readonly name: string
  /** Description in the table. */
  readonly what: string
  readonly samples: readonly Sample[]
  /** Number of validations of each document. */
  readonly rounds: number
}

export async function run(bench: Bench): Promise<void> {
  for (const language of languages) await measure(bench, language, generated(bench, language))
  const published = dataciteJson()
  if (!published) return
  const subject: Subject = { language: 'JSON', schemaId: 'datacite', schema: published.schema }
  const samples = published.documents.map(bytes => ({ bytes, isWrong: false }))
  const rounds = bench.options.count(2000, 20)
  await measure(bench, subject, [
    { name: 'validate published', what: 'JSON of DataCite 4.2', samples, rounds },
  ])
}

function generated({ options }: Bench, language: Language): readonly Series[] {
  return sizes.map(({ bytes, documents }) => {
    const samples = numbers(0, options.count(documents, 2 * oneWrongOf)).map(number =>
      sampleOf(language, number, bytes),
    )
    const size = median(samples.map(sample => sample.bytes.length))
    const what = `${language.language} of ${(size / 1000).toFixed(0)} KB`
    return { name: `validate ${bytes}`, what, samples, rounds: options.count(20, 1) }
  })
}

async function measure(bench: Bench, subject: Subject, series: readonly Series[]): Promise<void> {
  const { options, repositories, table, load } = bench
  const { clients } = options
  const measured = series.map(one => ({
    one,
    rates: { http: [] as number[], engine: [] as number[], form: [] as number[] },
    cpu: [] as number[],
  }))
  for (const { name, samples } of series) {
    await load.prepare(
      name,
      samples.map(sample => request(subject, sample)),
    )
  }
  for (let repeat = 0; repeat < options.repeats; repeat++) {
    await repositories.withCopy({ records: 0, bare: true }, dir =>
      withServer(dir, async ({ port }) => {
        await register(port, subject)
        for (const { one, rates, cpu } of measured) {
          const { name, samples, rounds } = one
          const order = Uint32Array.from(
            { length: rounds * samples.length },
            (_, index) => index % samples.length,
          )
          await load.run(name, { port, clients })
          const result = await load.run(name, { port, clients, order })
          rates.http.push(rateOf(result))
          cpu.push(result.cpu)
        }
      }),
    )
    for (const { one, rates } of measured) rates.engine.push(inLoop(subject, one))
    for (const { one, rates } of measured) rates.form.push(await formsAlone(bench, one))
  }
  for (const { one, rates, cpu } of measured) {
    await load.forget(one.name)
    const engine = { what: 'the engine called in a loop in one process', values: rates.engine }
    table.add({
      work: `validation through HTTP, ${one.what}, ${clients} clients`,
      unit: '/s',
      ours: { what: 'through HTTP', values: rates.http },
      against: engine,
      goal: { atLeast: 1 / 3 },
      note: `The clients took ${Math.round(median(cpu) * 100)} % of a core.`,
    })
    table.add({
      work: `forms of the same documents, ${one.what}, ${clients} clients`,
      unit: '/s',
      ours: { what: 'a bare Koa handler that receives them and checks nothing', values: rates.form },
      against: engine,
    })
  }
}

/** Measures only the receipt of the valid documents. @returns forms per second */
async function formsAlone({ options, load }: Bench, { name, samples, rounds }: Series): Promise<number> {
  const valid = samples.flatMap(({ isWrong }, index) => (isWrong ? [] : [index]))
  const order = Uint32Array.from(
    { length: rounds * valid.length },
    (_, index) => valid[index % valid.length] as number,
  )
  const server = await startProcess([bareForm])
  try {
    const { port } = server
    await load.run(name, { port, clients: options.clients, order: Uint32Array.from(valid) })
    return rateOf(await load.run(name, { port, clients: options.clients, order }))
  } finally {
    await server.stop()
  }
}

/** @param size approximate bytes of the document; its measurements and files are repeated until it has that size */
function sampleOf(language: Language, number: number, size: number): Sample {
  const generated = documentOf(seed, number, asVersion(1), 0)
  const once = language.document(generated)
  const more = language.document(repeated(generated, 2)).length - once.length
  const times = Math.max(1, Math.round(1 + (size - once.length) / more))
  const document = times === 1 ? once : language.document(repeated(generated, times))
  const isWrong = number % oneWrongOf === 0
  return { bytes: isWrong ? language.broken(document) : document, isWrong }
}

function repeated(generated: Buffer, times: number): Buffer {
  const document = JSON.parse(generated.toString()) as Readonly<Record<'measurements' | 'files', unknown[]>>
  const { measurements, files } = document
  const often = (list: readonly unknown[]) => Array.from({ length: times }, () => list).flat()
  const longer = { ...document, measurements: often(measurements), files: often(files) }
  return Buffer.from(`${JSON.stringify(longer, undefined, 1)}\n`)
}

function request({ schemaId }: Subject, { bytes, isWrong }: Sample): LoadRequest {
  const path = `/api/v1/schemas/${schemaId}/validate`
  return {
    bytes: requestBytes({ method: 'POST', path, ...form({ document: bytes }) }),
    expected: { status: isWrong ? 422 : 204 },
  }
}

/** Registers a schema. A generated repository already has the generated JSON Schema. */
async function register(port: number, { schemaId, schema }: Subject): Promise<void> {
  if (schemaId === schemaIdOf(0)) return
  const record = Buffer.from(JSON.stringify({ schemaId }))
  const parts = form({ record, schema })
  const connection = await openConnection(port)
  const answer = await connection.send(requestBytes({ method: 'POST', path: '/api/v1/schemas', ...parts }))
  connection.close()
  if (answer.status !== 201) throw new Error(`${answer.status}: ${answer.body.toString()}`)
}

/** @returns documents per second */
function inLoop({ language, schema }: Subject, { samples, rounds }: Series): number {
  const bundle: SchemaBundle = {
    key: language,
    type: language,
    document: schema,
    files: new Map(),
    registered: new Map(),
  }
  const compiled = language === 'JSON' ? compileJson(bundle) : compileXsd(wasmEngine, bundle)
  function once(): void {
    for (const { bytes, isWrong } of samples) {
      if (compiled.validate(bytes).length > 0 !== isWrong)
        throw new Error(`The engine gives the wrong result for a document: ${bytes.toString().slice(0, 300)}`)
    }
  }
  once()
  const started = performance.now()
  for (let round = 0; round < rounds; round++) once()
  return (rounds * samples.length * 1000) / (performance.now() - started)
}
