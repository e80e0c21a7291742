import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { wasmEngine } from '../../../src/validation/xml/libxml2-wasm-engine.js'
import type { XmlPart, XmlSchema } from '../../../src/validation/xml/xsd-engine.js'
import { noteXsdText } from '../data/note-schema.js'

/*
 * The official schemas of OAI-PMH, Dublin Core and DataCite, in the folder STANDARDS_DIR. Without the folder, answers
 * are not validated, and a test reports that.
 */

const folder = process.env.STANDARDS_DIR

/** Whether answers are validated. */
export const hasStandards = folder !== undefined

const imports: readonly (readonly [namespace: string, location: string])[] = [
  ['http://www.openarchives.org/OAI/2.0/', 'OAI-PMH.xsd'],
  ['http://www.openarchives.org/OAI/2.0/oai_dc/', 'oai_dc.xsd'],
  ['http://www.openarchives.org/OAI/2.0/oai-identifier', 'oai-identifier.xsd'],
  ['http://datacite.org/schema/kernel-4', 'metadata.xsd'],
  ['http://example.org/note', 'note.xsd'],
]

let schema: XmlSchema | undefined

/**
 * Validates an OAI-PMH answer, or a document in Dublin Core or DataCite. Of the stored documents in an answer it
 * validates only notes, because tests define the schemas of the others.
 * @returns faults; empty if the schemas are missing
 */
export function faultsByStandards(document: string): readonly string[] {
  if (folder === undefined) return []
  schema ??= wasmEngine.compile(standardsParts('main.xsd'))
  return schema
    .validate(Buffer.from(document))
    .map(({ message, line }) => `line ${line}: ${message}`)
    .filter(fault => !isOfStoredDocument(fault))
}

/**
 * Whether a fault is about a stored document. OAI-PMH requires a namespace and a schema for every embedded document.
 */
export function isOfStoredDocument(fault: string): boolean {
  if (!/strict wildcard|Expected is \( ##other/.test(fault)) return false
  const namespace = /Element '\{([^}]*)\}/.exec(fault)?.[1]
  return !imports.some(([known]) => known === namespace)
}

/** Returns the schemas behind a main schema that imports all of them; empty if the folder is missing. */
export function standardsParts(name: string): readonly XmlPart[] {
  if (folder === undefined) return []
  const own = join(folder, 'oai-pmh')
  const dataCite = join(folder, '..', 'data', 'datacite', 'xml', 'kernel-4.6')
  if (!existsSync(dataCite)) throw new Error(`${dataCite} does not have the schema of DataCite 4.6.`)
  const main = `<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" targetNamespace="urn:test">${imports
    .map(([namespace, location]) => `<xs:import namespace="${namespace}" schemaLocation="${location}"/>`)
    .join('')}</xs:schema>`
  return [
    { name, text: main },
    ...filesIn(own, ''),
    ...filesIn(dataCite, ''),
    ...filesIn(join(dataCite, 'include'), 'include/'),
    { name: 'note.xsd', text: noteXsdText },
  ]
}

function filesIn(path: string, prefix: string): readonly XmlPart[] {
  return readdirSync(path)
    .filter(name => name.endsWith('.xsd'))
    .map(name => ({ name: `${prefix}${name}`, text: withoutDoctype(readFileSync(join(path, name), 'utf8')) }))
}

/** Removes the XML declaration and the DOCTYPE, because the engine takes text and refuses a DOCTYPE. */
function withoutDoctype(text: string): string {
  return text.replace(/^\ufeff?<\?xml[^>]*\?>/, '').replace(/<!DOCTYPE[^[>]*(?:\[[^\]]*\])?>/, '')
}
