import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'preact/hooks'
import { type MetastoreRecord, type RecordName, schemaOf } from '../api/records.js'
import { EditorViews, useTextView, ViewChoice } from '../editing/editor-views.js'
import { FailureMessage } from '../parts/failure-message.js'
import { useVersionText } from '../parts/use-record.js'
import { words } from '../words.js'
import { readDrawing, SchemaDrawing } from './schema-drawing.js'

const reading = { onChange: () => undefined, onStore: () => undefined, onCheck: () => undefined }

/** The document of a version as fields or as text, and a schema as tree or as text. Nothing can be changed here. */
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
  const drawing = useQuery({
    queryKey: ['drawing', name.id, version],
    queryFn: ({ signal }) => readDrawing(name, version, signal),
    enabled: name.collection === 'schemas' && !isText,
    staleTime: Number.POSITIVE_INFINITY,
  })
  const isTree = name.collection === 'schemas' && !isText && drawing.data !== null
  const { data, error, refetch } = useVersionText(name, isTree ? undefined : version)
  const schema = name.collection === 'metadata' ? schemaOf(record) : undefined
  const hasForm = data?.language === 'JSON' && schema !== undefined && !isText
  // The form reads it.
  const form = useQuery({ queryKey: ['form schema', schema?.id, schema?.version], enabled: false })
  const isDrawn = error !== null || !!drawing.data || (data !== undefined && (!hasForm || !form.isPending))
  useEffect(() => {
    if (isDrawn) onDrawn()
  }, [isDrawn])
  return (
    <section aria-labelledby="document">
      <h2 id="document">{words.compare.document[name.collection]}</h2>
      {error && <FailureMessage error={error} retry={() => void refetch()} />}
      {name.collection === 'schemas' && drawing.data !== null && (
        <ViewChoice views={['tree', 'text']} view={isTree ? 'tree' : 'text'} choose={choose} />
      )}
      {isTree && drawing.data && <SchemaDrawing drawing={drawing.data} />}
      {!isDrawn && <p role="status">{words.loading}</p>}
      {data && !isTree && (
        <EditorViews
          key={record.version}
          {...{ document: { language: data.language, schema }, text: data.text, caret: 0, on: reading }}
          label={words.edit.label(title)}
          isReadOnly={true}
          textNow={() => data.text}
          onOpen={() => undefined}
        />
      )}
    </section>
  )
}
