import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'preact/hooks'
import { useSearch } from 'wouter'
import { type MetastoreRecord, type RecordName, schemaOf } from '../api/records.js'
import { EditorViews } from '../editing/editor-views.js'
import { FailureMessage } from '../parts/failure-message.js'
import { useVersionText } from '../parts/use-record.js'
import { words } from '../words.js'

const reading = { onChange: () => undefined, onStore: () => undefined, onCheck: () => undefined }

/** The document of a version as fields or as text, which cannot be changed here. */
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
  const { data, error, refetch } = useVersionText(name, Number(record.version))
  const schema = name.collection === 'metadata' ? schemaOf(record) : undefined
  const isText = new URLSearchParams(useSearch()).get('view') === 'text'
  const hasForm = data?.language === 'JSON' && schema !== undefined && !isText
  // The form reads it.
  const form = useQuery({ queryKey: ['form schema', schema?.id, schema?.version], enabled: false })
  const isDrawn = error !== null || (data !== undefined && (!hasForm || !form.isPending))
  useEffect(() => {
    if (isDrawn) onDrawn()
  }, [isDrawn])
  return (
    <section aria-labelledby="document">
      <h2 id="document">{words.compare.document[name.collection]}</h2>
      {error && <FailureMessage error={error} retry={() => void refetch()} />}
      {!data && !error && <p role="status">{words.loading}</p>}
      {data && (
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
