import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'preact/hooks'
import { jsonSchemaQuery, type MetastoreRecord, type RecordName, schemaOf } from '../api/records.js'
import { EditorViews, useTextView, ViewChoice } from '../editing/editor-views.js'
import { FailureMessage } from '../parts/failure-message.js'
import { useVersionText } from '../parts/use-record.js'
import { words } from '../words.js'
import { historyWords } from '../words-of-history.js'
import { CopyButton } from './copy-button.js'
import { readDrawing, ServerDrawing } from './server-drawing.js'

const reading = { onChange: () => undefined, onStore: () => undefined, onCheck: () => undefined }

/**
 * The document of a version as fields or as text, and a schema as tree or as text. Nothing can be changed here. The server
 * draws schemas and XML.
 */
export function RecordDocument({
  name,
  record,
  title,
  onDrawn,
}: {
  readonly name: RecordName
  readonly record: MetastoreRecord
  readonly title: string
  /** Is called when nothing is read any more for the document. */
  onDrawn(): void
}) {
  const version = Number(record.version)
  const { isText, choose } = useTextView()
  const isSchema = name.collection === 'schemas'
  const text = useVersionText(name, isSchema && !isText ? undefined : version)
  const canBeDrawn = isSchema || text.data?.language === 'XML'
  const drawing = useQuery({
    queryKey: ['drawing', name.collection, name.id, version],
    queryFn: ({ signal }) => readDrawing(name, version, signal),
    enabled: canBeDrawn && !isText,
    staleTime: Number.POSITIVE_INFINITY,
  })
  // A schema that cannot be drawn is shown as text.
  const instead = useVersionText(name, isSchema && !isText && drawing.data === null ? version : undefined)
  const isByServer = canBeDrawn && !isText && drawing.data !== null
  const { data, error, refetch } = instead.data || instead.error ? instead : text
  const schema = isSchema ? undefined : schemaOf(record)
  const hasForm = data?.language === 'JSON' && schema !== undefined && !isText
  // The form reads it.
  const form = useQuery({ ...jsonSchemaQuery(schema ?? { id: '', version: 0 }), enabled: false })
  const isDrawn =
    error !== null ||
    (isByServer ? drawing.data !== undefined : data !== undefined && (!hasForm || !form.isPending))
  useEffect(() => {
    if (isDrawn) onDrawn()
  }, [isDrawn])
  return (
    <section aria-labelledby="document">
      <h2 id="document">{historyWords.compare.document[name.collection]}</h2>
      {error && <FailureMessage error={error} retry={() => void refetch()} />}
      {canBeDrawn && drawing.data !== null && (
        <ViewChoice
          views={[isSchema ? 'tree' : 'fields', 'text']}
          view={isText ? 'text' : isSchema ? 'tree' : 'fields'}
          choose={choose}
        />
      )}
      {isByServer && drawing.data && <ServerDrawing drawing={drawing.data} />}
      {!isDrawn && <p role="status">{words.loading}</p>}
      {data && !isByServer && (
        <EditorViews
          key={record.version}
          {...{ document: { language: data.language, schema }, text: data.text, caret: 0, on: reading }}
          label={words.edit.label(title)}
          isReadOnly={true}
          textNow={() => data.text}
          onOpen={() => undefined}
        />
      )}
      {data && !isByServer && !hasForm && <CopyButton text={data.text} />}
    </section>
  )
}
