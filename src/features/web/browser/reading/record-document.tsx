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
}: {
  readonly name: RecordName
  readonly record: MetastoreRecord
  readonly title: string
}) {
  const { data, error, refetch } = useVersionText(name, Number(record.version))
  const schema = name.collection === 'metadata' ? schemaOf(record) : undefined
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
