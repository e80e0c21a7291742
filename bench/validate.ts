import { toVersion } from '../src/core/values.js'
import { compileJson } from '../src/validation/json-schema.js'
import type { SchemaBundle } from '../src/validation/validator.js'
import { compileXml } from '../src/validation/xml-schema.js'
import { wasmEngine } from '../src/validation/xml-wasm.js'
import type { Bench } from './support/bench.js'
import { form, openConnection, requestBytes } from './support/connection.js'
import { numbers } from './support/creates.js'
import { documentOf, schemaDocument, schemaIdOf } from './support/generated.js'
import { type LoadRequest, rateOf } from './support/load.js'
import { seed } from './support/repositories.js'
import { withServer } from './support/server.js'
import { median } from './support/statistics.js'
import { xmlFor, xmlSchema } from './support/xml.js'

/*
 * Validation of documents of some 2 KB, one in twenty of them not valid, through HTTP and by calling the engine. Both
 * have to find the same documents wrong.
 */

const xmlSchemaId = 'measurement-xml'
/** Of this many documents one is not valid. */
const oneWrongOf = 20
const documents = 2_000

interface Language {
  readonly name: 'JSON' | 'XML'
  readonly schemaId: string
  readonly schema: Buffer
  document(number: number): Buffer
  /** The same without what the schema requires. */
  broken(document: Buffer): Buffer
}

const languages: readonly Language[] = [
  {
    name: 'JSON',
    schemaId: schemaIdOf(0),
    schema: schemaDocument(0),
    document: number => documentOf(seed, number, toVersion(1), 0),
    broken: document => Buffer.from(document.toString().replace('"instrument"', '"instruments"')),
  },
  {
    name: 'XML',
    schemaId: xmlSchemaId,
    schema: xmlSchema,
    document: xmlFor,
    broken: document => Buffer.from(document.toString().replaceAll('instrument>', 'instruments>')),
  },
]

export async function run(bench: Bench): Promise<void> {
  const { options, repositories, table, load } = bench
  const { clients } = options
  const rounds = options.count(10, 1)
  for (const language of languages) {
    const rates = { http: [] as number[], engine: [] as number[] }
    const cpu: number[] = []
    const all = numbers(0, options.count(documents, 200)).map(number => {
      const document = language.document(number)
      const isWrong = number % oneWrongOf === 0
      return { bytes: isWrong ? language.broken(document) : document, isWrong }
    })
    await load.prepare(
      'validate',
      all.map(({ bytes, isWrong }) => request(language, bytes, isWrong)),
    )
    const order = Uint32Array.from({ length: rounds * all.length }, (_, at) => at % all.length)
    for (let repeat = 0; repeat < options.repeats; repeat++) {
      await repositories.withCopy({ records: 0, bare: true }, dir =>
        withServer(dir, async ({ port }) => {
          if (language.name === 'XML') await register(port)
          await load.run('validate', { port, clients })
          const result = await load.run('validate', { port, clients, order })
          rates.http.push(rateOf(result))
          cpu.push(result.cpu)
        }),
      )
      rates.engine.push(inLoop(language, all, rounds))
    }
    await load.forget('validate')
    table.add({
      work: `validation through HTTP, ${language.name}, ${clients} clients`,
      unit: '/s',
      ours: { what: 'through HTTP', values: rates.http },
      against: { what: 'the engine called in a loop in one process', values: rates.engine },
      goal: { atLeast: 1 / 3 },
      note: `The clients took ${Math.round(median(cpu) * 100)} % of a core; documents of ${Math.round(median(all.map(({ bytes }) => bytes.length)))} bytes.`,
    })
  }
}

function request({ schemaId }: Language, document: Buffer, isWrong: boolean): LoadRequest {
  const path = `/api/v1/schemas/${schemaId}/validate`
  return {
    bytes: requestBytes({ method: 'POST', path, ...form({ document }) }),
    expected: { status: isWrong ? 422 : 204 },
  }
}

async function register(port: number): Promise<void> {
  const record = Buffer.from(JSON.stringify({ schemaId: xmlSchemaId }))
  const parts = form({ record, schema: xmlSchema })
  const connection = await openConnection(port)
  const answer = await connection.send(requestBytes({ method: 'POST', path: '/api/v1/schemas', ...parts }))
  connection.close()
  if (answer.status !== 201) throw new Error(`${answer.status}: ${answer.body.toString()}`)
}

/** @returns documents a second */
function inLoop(
  { name, schema }: Language,
  all: readonly { readonly bytes: Buffer; readonly isWrong: boolean }[],
  rounds: number,
): number {
  const bundle: SchemaBundle = {
    key: name,
    type: name,
    document: schema,
    files: new Map(),
    registered: new Map(),
  }
  const compiled = name === 'JSON' ? compileJson(bundle) : compileXml(wasmEngine, bundle)
  function once(): void {
    for (const { bytes, isWrong } of all) {
      if (compiled.validate(bytes).length > 0 !== isWrong)
        throw new Error(`The engine says the opposite of a document: ${bytes.toString().slice(0, 300)}`)
    }
  }
  once()
  const started = performance.now()
  for (let round = 0; round < rounds; round++) once()
  return (rounds * all.length * 1000) / (performance.now() - started)
}
