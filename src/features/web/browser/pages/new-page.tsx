import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'preact/hooks'
import { Link, useSearchParams } from 'wouter'
import { Refusal } from '../api/client.js'
import { readSchemaChoice, type SchemaChoice } from '../api/new-records.js'
import { jsonSchemaQuery, readDocument, readOutline, readRecord, schemaOf, titleOf } from '../api/records.js'
import { useEditLock } from '../drafts/use-edit-lock.js'
import type { NewDocumentStart } from '../editing/new-document-editor.js'
import { RecordFields } from '../editing/record-fields.js'
import { lazyPart } from '../parts/failure-boundary.js'
import { FailureMessage } from '../parts/failure-message.js'
import { PageFrame } from '../parts/page-frame.js'
import { SchemaPicker } from '../parts/schema-picker.js'
import { RecordLink } from '../reading/record-link.js'
import { words } from '../words.js'
import { writingWords } from '../words-of-writing.js'

/** One chooses a schema before one edits. */
const NewDocumentEditor = lazyPart(
  async () => (await import('../editing/new-document-editor.js')).NewDocumentEditor,
)

/** A new document: of a schema that a person chooses, or a copy of another document. */
export function NewPage() {
  const [address] = useSearchParams()
  const schema = address.get('schema')
  const from = address.get('from')
  const resource = address.get('resource') ?? ''
  // The document begins in the view with which the page opens.
  const [isText] = useState(address.get('view') === 'text')
  if (from !== null) return <Beginning key={`copy ${from}`} {...{ from, resource }} />
  if (schema !== null) return <Beginning key={schema} {...{ schema, resource, isText }} />
  function addressOf(id: string): string {
    const query = new URLSearchParams({ schema: id, ...(resource && { resource }) })
    return `/new?${query}`
  }
  return (
    <PageFrame title={words.begin.document}>
      <p>{writingWords.newDocument.choose}</p>
      <SchemaPicker
        choice={({ id, title }) => (
          <Link href={addressOf(id)} dir="auto">
            {title}
          </Link>
        )}
      />
    </PageFrame>
  )
}

type Wanted = { readonly schema: string; readonly isText: boolean } | { readonly from: string }

/** What documents of a schema may have; undefined if the server cannot tell: then a person begins with nothing. */
async function outlineOf({ id, version }: SchemaChoice, signal: AbortSignal) {
  try {
    return await readOutline(id, version, signal)
  } catch (error) {
    if (error instanceof Refusal) return undefined
    throw error
  }
}

async function readStart(
  wanted: Wanted,
  queries: QueryClient,
  signal: AbortSignal,
): Promise<NewDocumentStart> {
  if ('schema' in wanted) {
    const schema = await readSchemaChoice(wanted.schema, signal)
    const outline = schema.language === 'XML' || wanted.isText ? await outlineOf(schema, signal) : undefined
    if (outline) {
      const { beginningOf } = await import('../editing/begin-with.js')
      const isChosen = schema.language === 'XML'
      return {
        schema,
        text: beginningOf(outline),
        outline: isChosen ? outline : undefined,
        copyOf: undefined,
      }
    }
    const text = schema.language === 'JSON' ? await readStartText(schema, queries) : ''
    return { schema, text, copyOf: undefined }
  }
  const source = { collection: 'metadata', id: wanted.from } as const
  const [{ record, title: copyOf }, { text }] = await Promise.all([
    readRecord(source, signal),
    readDocument(source, undefined, signal),
  ])
  const schema = await readSchemaChoice(schemaOf(record)?.id ?? '', signal)
  const title = titleOf(record)
  return {
    ...{ schema, text, copyOf },
    // The id is no title: the copy has that of its document, too.
    ...(title !== record.id && { title }),
  }
}

/** A JSON document with what its schema leaves no choice in. Without fields it begins empty. */
async function readStartText(schema: SchemaChoice, queries: QueryClient): Promise<string> {
  // A form writes members on lines of their own into a text that has lines.
  const empty = '{\n}\n'
  const [read, { FormSchema }, { startText }] = await Promise.all([
    queries.fetchQuery(jsonSchemaQuery(schema)),
    import('../form/form-schema.js'),
    import('../form/start-text.js'),
  ])
  try {
    return startText(new FormSchema(JSON.parse(read)), empty)
  } catch {
    // The form says what is wrong with the schema.
    return empty
  }
}

function Beginning({ resource, ...wanted }: Wanted & { readonly resource: string }) {
  const queries = useQueryClient()
  const start = useQuery({
    queryKey: ['start', wanted],
    queryFn: ({ signal }) => readStart(wanted, queries, signal),
    // What arrives later must not replace what somebody types.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  })
  const { data } = start
  return (
    <PageFrame title={data ? writingWords.newDocument.titleOf(data.schema.title) : words.begin.document}>
      {start.error && <FailureMessage error={start.error} retry={() => void start.refetch()} />}
      {data ? <Locked start={data} resource={resource} /> : !start.error && <NotYet resource={resource} />}
    </PageFrame>
  )
}

/** The fields of a new document are shown before they can be used: they are the same for every schema. */
function NotYet({ resource }: { readonly resource: string }) {
  return (
    <>
      <p role="status">{words.loading}</p>
      <fieldset class="whole" disabled>
        <RecordFields record={{ id: '', title: '', resource }} faults={{}} change={() => undefined} />
      </fieldset>
    </>
  )
}

/** Only one window keeps the draft of a new document of a schema. */
function Locked({ start, resource }: { readonly start: NewDocumentStart; readonly resource: string }) {
  const { schema, copyOf } = start
  const isKept = useEditLock({ collection: 'new', id: schema.id })
  return (
    <>
      <p>
        {words.schemaChoice.schema}:{' '}
        <RecordLink record={{ collection: 'schemas', id: schema.id }}>{schema.title}</RecordLink>,{' '}
        {words.schemaChoice.version(schema.version)}.{' '}
        <Link href="/new">{writingWords.newDocument.chooseOther}</Link>
      </p>
      {copyOf !== undefined && <p dir="auto">{writingWords.newDocument.copyOf(copyOf)}</p>}
      {isKept === false && <p class="notice">{writingWords.newDocument.otherTab}</p>}
      {isKept !== undefined && <NewDocumentEditor {...{ start, resource, isKept }} />}
    </>
  )
}
