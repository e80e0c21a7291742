import type { DocumentType } from '../../core/records/collection.js'
import { type HtmlPart, html } from '../../http/html-template.js'
import { documentText } from '../../http/record-formats/document-text.js'
import type { SchemaBundle } from '../../validation/validator.js'
import { readJsonDeclaration } from './declarations/json-declarations.js'
import { readXsdDeclarations } from './declarations/xsd-declarations.js'
import type { DrawnDocument } from './documents/drawn-value.js'
import { drawnJson } from './documents/json-values.js'
import { drawnXml } from './documents/xml-values.js'
import { schemaMarkup } from './html/schema-markup.js'
import { documentMarkup } from './html/value-markup.js'

/** What is drawn: plain data, for a thread. */
export type DrawJob =
  | {
      readonly of: 'document'
      readonly type: DocumentType
      readonly document: Uint8Array
      /** Undefined: the names in the document are its labels. */
      readonly schema: SchemaBundle | undefined
    }
  | { readonly of: 'schema'; readonly schema: SchemaBundle }

/**
 * Draws a document, or a schema.
 * @returns markup; empty for a document that cannot be read, and a schema without members
 */
export function runDrawJob(job: DrawJob): string {
  return html`${job.of === 'schema' ? schemaMarkup(job.schema) : drawDocument(job)}`.markup
}

function drawDocument({ type, document, schema }: Extract<DrawJob, { of: 'document' }>): HtmlPart {
  const text = documentText(document, type)
  const drawn = readValues(text, type, schema)
  if (!drawn) return undefined
  return html`${
    drawn.isPart &&
    html`<p class="notice">This document is long: only its beginning is drawn here. The text below, or the download, has all of it.</p>
`
  }${documentMarkup(drawn.value)}`
}

function readValues(
  text: string,
  type: DocumentType,
  schema: SchemaBundle | undefined,
): DrawnDocument | undefined {
  if (type === 'JSON') return drawnJson(text, schema && readJsonDeclaration(schema))
  return drawnXml(text, schema && readXsdDeclarations(schema))
}
