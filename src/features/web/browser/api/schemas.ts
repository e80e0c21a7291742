import { answered, client, findingsOfAnswer, Refusal, unlessMissing } from './client.js'
import { readEvents } from './event-stream.js'
import type { AffectedDocument, Finding, Impact, Problem } from './interface-types.js'
import { readDocument, readFiles, textOf } from './records.js'

/** The files of a schema, as they are sent. */
export interface SchemaContent {
  /** Name of the main file, by which the others may refer to it; undefined: it was typed. */
  readonly name: string | undefined
  readonly main: Blob
  /** Further files by path relative to the main file. */
  readonly files: ReadonlyMap<string, Blob>
}

function formOf({ name, main, files }: SchemaContent, record?: object): FormData {
  const form = new FormData()
  if (record) form.append('record', new Blob([JSON.stringify(record)], { type: 'application/json' }))
  form.append('schema', main, name ?? 'schema')
  for (const [path, content] of files) form.append('include', content, path)
  return form
}

/** Registers a schema. @param dryRun stores nothing, and refuses what would be refused @throws Refusal */
export async function registerSchema(
  { id, title }: { readonly id: string; readonly title: string },
  content: SchemaContent,
  { dryRun = false, signal }: { readonly dryRun?: boolean; readonly signal?: AbortSignal } = {},
): Promise<void> {
  await answered(
    client.POST('/api/v2/schemas', {
      params: { query: dryRun ? { dryRun } : {} },
      body: formOf(content, { id, titles: [{ value: title }] }) as never,
      ...(signal && { signal }),
    }),
  )
}

/** Whether a schema was registered with this content: after a lost connection, whether the server has stored it. */
export async function isRegistered(id: string, { main, files }: SchemaContent): Promise<boolean> {
  const stored = await unlessMissing(readDocument({ collection: 'schemas', id }, 1))
  if (stored?.text !== textOf(await main.arrayBuffer())) return false
  const storedFiles = await readFiles(id, 1)
  if (storedFiles.size !== files.size) return false
  for (const [path, content] of files)
    if ((await storedFiles.get(path)?.text()) !== (await content.text())) return false
  return true
}

const isInvalid = ({ status }: Refusal) => status === 422

/** What the server finds wrong with a next version of a schema. Stores nothing. */
export async function checkRevision(
  id: string,
  etag: string,
  content: SchemaContent,
  signal: AbortSignal,
): Promise<readonly Finding[]> {
  return await findingsOfAnswer(
    client.PUT('/api/v2/schemas/{id}', {
      params: { path: { id }, header: { 'If-Match': etag }, query: { dryRun: true } },
      body: formOf(content) as never,
      signal,
    }),
    isInvalid,
  )
}

/** What the server finds wrong with a new schema, whatever its name will be. Stores nothing. */
export async function checkNewSchema(
  content: SchemaContent,
  signal: AbortSignal,
): Promise<readonly Finding[]> {
  // A name that no schema has: the text alone is checked.
  const id = `unnamed-${Math.random().toString(36).slice(2)}`
  return await findingsOfAnswer(
    client.POST('/api/v2/schemas', {
      params: { query: { dryRun: true } },
      body: formOf(content, { id, titles: [{ value: id }] }) as never,
      signal,
    }),
    isInvalid,
  )
}

/** What is wrong with a document by a schema that is not stored. @throws Refusal also if the schema is not valid */
export async function tryDocument(content: SchemaContent, document: Blob): Promise<readonly Finding[]> {
  const form = formOf(content)
  form.append('document', document)
  const { data } = await answered(client.POST('/api/v2/trials', { body: form as never }))
  return data.findings
}

export type ImpactCounts = Pick<Impact, 'checked' | 'breaking' | 'invalidBefore'> & { readonly total: number }

/** What an assessment tells while it runs. */
export type ImpactEvent =
  | { readonly kind: 'progress'; readonly counts: ImpactCounts }
  | { readonly kind: 'document'; readonly document: AffectedDocument }
  | { readonly kind: 'result'; readonly result: Impact }

/**
 * Checks the stored documents against a schema that is not stored, and tells what it finds as it is found.
 * @param signal ends the work of the server
 * @throws Refusal; TypeError if the connection ends before the result
 */
export async function* assessImpact(
  id: string,
  content: SchemaContent,
  signal: AbortSignal,
): AsyncGenerator<ImpactEvent, void> {
  const { data, response } = await answered(
    client.POST('/api/v2/schemas/{id}/impact', {
      // Every document comes as an event of its own.
      params: { path: { id }, query: { limit: 0 } },
      headers: { Accept: 'text/event-stream' },
      body: formOf(content) as never,
      parseAs: 'stream',
      signal,
    }),
  )
  for await (const { name, data: text } of readEvents(data as unknown as ReadableStream<Uint8Array>)) {
    const value: unknown = JSON.parse(text)
    if (name === 'problem') throw new Refusal(value as Problem, response)
    if (name === 'progress') yield { kind: 'progress', counts: value as ImpactCounts }
    if (name === 'document') yield { kind: 'document', document: value as AffectedDocument }
    if (name !== 'result') continue
    yield { kind: 'result', result: value as Impact }
    return
  }
  throw new TypeError('The connection ended before the result.')
}
