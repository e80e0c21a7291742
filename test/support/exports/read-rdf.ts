import jsonld from 'jsonld'
import { DataFactory, Parser, type Quad, Store, Writer } from 'n3'

/** The statements of a Turtle text, read by n3. */
export function readTurtle(text: string): readonly Quad[] {
  return new Parser({ format: 'text/turtle' }).parse(text)
}

/** No context is read from the network. */
async function documentLoader(url: string): Promise<never> {
  throw new Error(`A context was looked for at ${url}.`)
}

/** The graph of a Turtle text in its canonical form, one statement a line. */
export async function canonicalTurtle(text: string): Promise<string> {
  const quads = new Writer({ format: 'N-Quads' }).quadsToString(readTurtle(text))
  return await jsonld.canonize(quads, {
    algorithm: 'RDFC-1.0',
    inputFormat: 'application/n-quads',
    format: 'application/n-quads',
    documentLoader,
  })
}

/** The same of a JSON-LD text. */
export async function canonicalJsonLd(text: string): Promise<string> {
  return await jsonld.canonize(JSON.parse(text), {
    algorithm: 'RDFC-1.0',
    format: 'application/n-quads',
    safe: true,
    documentLoader,
  })
}

/** Values of a property of any subject. */
export function valuesOf(text: string, property: string): readonly string[] {
  const store = new Store(readTurtle(text))
  return store.getObjects(null, DataFactory.namedNode(property), null).map(({ value }) => value)
}
