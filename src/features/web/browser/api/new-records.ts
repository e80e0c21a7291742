import { answered, client, findingsOfAnswer, type Refusal, totalOf, unlessMissing } from './client.js'
import type { Record as MetastoreRecord, SentRecord } from './interface-types.js'
import { type FieldValues, identifierTypeOf } from './record-updates.js'
import { type Finding, noTitle, type RecordName, readDocument, readRecord, titleOf } from './records.js'

/*
 * Schemas that new documents can follow, and requests that create documents. The browser chooses the id of each new
 * record: after a lost connection it can ask whether the record is there.
 */

/** A schema that documents can follow. */
export interface SchemaChoice {
  readonly id: string
  readonly version: number
  readonly title: string
  readonly description: string | undefined
  readonly language: 'JSON' | 'XML'
}

/** What a person says of a new record. */
export interface NewRecord extends FieldValues {
  /** Id, which is unique by itself unless a person has chosen another one. */
  readonly id: string
}

/** A new record with its document. */
export interface NewDocument {
  readonly record: NewRecord
  readonly schema: string
  readonly content: Blob
}

/** Schemas that are read at once, for a person to choose from. */
export const schemasAtOnce = 200

/**
 * Schemas in the order of their ids.
 * @param query words in the syntax of the search; empty: all
 * @returns at most {@link schemasAtOnce}, and the number of all
 */
export async function listSchemas(
  query: string,
  signal?: AbortSignal,
): Promise<{ readonly schemas: readonly SchemaChoice[]; readonly total: number }> {
  const answer = await answered(
    client.GET('/api/v2/schemas', {
      params: { query: { size: schemasAtOnce, ...(query !== '' && { q: query }) } },
      headers: { Accept: 'application/json' },
      ...(signal && { signal }),
    }),
  )
  const schemas = answer.data.filter(({ state }) => state !== 'REVOKED').map(choiceOf)
  return { schemas, total: totalOf(answer) }
}

/** @throws Refusal if there is no such schema that one may read */
export async function readSchemaChoice(id: string, signal?: AbortSignal): Promise<SchemaChoice> {
  return choiceOf((await readRecord({ collection: 'schemas', id }, signal)).record)
}

function choiceOf(record: MetastoreRecord): SchemaChoice {
  const { id, version, descriptions, resourceType } = record
  return {
    id,
    version: Number(version),
    title: titleOf(record),
    // The label is the title already.
    description: descriptions?.find(({ type }) => type !== 'OTHER')?.description,
    language: resourceType.value === 'XML_Schema' ? 'XML' : 'JSON',
  }
}

/** An id that no other record has: a random UUID. Browsers have `randomUUID` on secure origins only. */
export function newId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  const text = [...bytes].map(byte => byte.toString(16).padStart(2, '0')).join('')
  const variant = ((Number.parseInt(text[16] ?? '', 16) & 3) | 8).toString(16)
  return `${text.slice(0, 8)}-${text.slice(8, 12)}-4${text.slice(13, 16)}-${variant}${text.slice(17, 20)}-${text.slice(20)}`
}

/** The record as it is sent. */
function sentRecord({ record: { id, title, resource }, schema }: NewDocument): SentRecord {
  return {
    id,
    titles: [{ value: title.trim() === '' ? noTitle : title }],
    relatedIdentifiers: [
      { value: resource, identifierType: identifierTypeOf(resource), relationType: 'IS_METADATA_FOR' },
      { value: schema, identifierType: 'INTERNAL', relationType: 'HAS_METADATA' },
    ],
  }
}

/** Stores a new document. @throws Refusal; TypeError if the connection is lost: then it may be stored or not */
export async function createDocument(document: NewDocument): Promise<void> {
  await answered(client.POST('/api/v2/metadata', { params: {}, body: formOf(document) as never }))
}

/**
 * Has a new document and its record checked as if it were stored. Stores nothing.
 * @returns why it would be refused; no findings: it would be stored
 * @throws Refusal if the server does not answer that; TypeError without a connection
 */
export async function checkNewDocument(
  document: NewDocument,
  signal?: AbortSignal,
): Promise<{ readonly findings: readonly Finding[]; readonly rival: Rival | undefined }> {
  let isTaken = false
  const findings = await findingsOfAnswer(
    client.POST('/api/v2/metadata', {
      params: { query: { dryRun: true } },
      body: formOf(document) as never,
      ...(signal && { signal }),
    }),
    refusal => {
      isTaken = refusal.status === 409
      return isAboutContent(refusal)
    },
  )
  return { findings, rival: isTaken ? await findRival(document.record, document.schema) : undefined }
}

/** The statuses of refusals that another record or document would avoid. */
const aboutContent: ReadonlySet<number> = new Set([400, 409, 410, 413, 415, 422])

function isAboutContent({ status }: Refusal): boolean {
  return aboutContent.has(status)
}

function formOf(document: NewDocument): FormData {
  const form = new FormData()
  form.append('record', JSON.stringify(sentRecord(document)))
  form.append('document', document.content)
  return form
}

/**
 * Stores new documents in one commit.
 * @returns the commit
 * @throws Refusal with the index of a refused document; TypeError if the connection is lost
 */
export async function createTogether(documents: readonly NewDocument[], message: string): Promise<string> {
  const form = new FormData()
  const changes = documents.map((document, index) => ({
    kind: 'metadata',
    action: 'create',
    record: sentRecord(document),
    document: `document-${index}`,
  }))
  form.append('changeset', JSON.stringify({ message, changes }))
  for (const [index, { content }] of documents.entries()) form.append(`document-${index}`, content)
  const { data } = await answered(client.POST('/api/changesets', { params: {}, body: form as never }))
  return data.commit ?? ''
}

/** Whether a record has the document: after a lost connection, whether the server has stored it. */
export async function isStored({ record, content }: NewDocument): Promise<boolean> {
  const stored = await unlessMissing(readDocument({ collection: 'metadata', id: record.id }))
  return stored !== undefined && stored.text === (await content.text())
}

/** A record that has the name or the resource of a new document already. */
export type Rival = RecordName & { readonly title: string }

/** The record that has the name or the resource of a new document already; undefined if one may not read it. */
export async function findRival(
  { id, resource }: Pick<NewRecord, 'id' | 'resource'>,
  schema: string,
): Promise<Rival | undefined> {
  const { data } = await answered(
    client.GET('/api/v2/metadata', {
      params: { query: { resourceId: [resource], schemaId: [schema], size: 1 } },
      headers: { Accept: 'application/json' },
    }),
  )
  const found = data[0] ?? (await unlessMissing(readRecord({ collection: 'metadata', id })))?.record
  return found && { collection: 'metadata', id: found.id, title: titleOf(found) }
}
