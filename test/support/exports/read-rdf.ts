import jsonld from 'jsonld'
import { DataFactory, Parser, type Quad, Store, Writer } from 'n3'

/** Reads the statements of a Turtle text with n3. */
export function readTurtle(text: string): readonly Quad[] {
  return new Parser({ format: 'text/turtle' }).parse(text)
}

/** Refuses to load a context, so that tests do not use the network. */
async function documentLoader(url: string): Promise<never> {
  throw new Error(`The text refers to a context at ${url}.`)
}

/** Returns the canonical graph of a Turtle text, one statement per line. */
export async function canonicalTurtle(text: string): Promise<string> {
  const quads = new Writer({ format: 'N-Quads' }).quadsToString(readTurtle(text))
  return await jsonld.canonize(quads, {
    algorithm: 'RDFC-1.0',
    inputFormat: 'application/n-quads',
    format: 'application/n-quads',
    documentLoader,
  })
}

/** Returns the canonical graph of a JSON-LD text. */
export async function canonicalJsonLd(text: string): Promise<string> {
  return await jsonld.canonize(JSON.parse(text), {
    algorithm: 'RDFC-1.0',
    format: 'application/n-quads',
    safe: true,
    documentLoader,
  })
}

/** Returns the values of a property of all subjects. */
export function valuesOf(text: string, property: string): readonly string[] {
  const store = new Store(readTurtle(text))
  return store.getObjects(null, DataFactory.namedNode(property), null).map(({ value }) => value)
}
