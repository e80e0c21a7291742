import { useEffect, useId, useState } from 'preact/hooks'
import type { SchemaChoice } from '../api/new-records.js'
import { writingWords } from '../words-of-writing.js'
import { SchemaSelect } from './schema-select.js'
import { withoutEnding } from './uploaded-file.js'
import type { Upload } from './use-upload.js'

/** Gives all files one schema, or what they describe one beginning. It opens when several files lack a schema. */
export function ForAllFiles({
  upload,
  schemas,
}: {
  readonly upload: Upload
  readonly schemas: readonly SchemaChoice[]
}) {
  const [id, setId] = useState<string>()
  const [beginning, setBeginning] = useState('')
  const field = useId()
  const lacking = upload.files.filter(({ language, schema }) => language && schema === undefined).length
  const [isOpen, setIsOpen] = useState(false)
  useEffect(() => {
    if (lacking > 1) setIsOpen(true)
  }, [lacking > 1])
  function useSchema(): void {
    const schema = schemas.find(each => each.id === id)
    if (schema)
      upload.change(({ language }) => (language === schema.language ? { schema: schema.id } : undefined))
  }
  return (
    <details open={isOpen} onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
      <summary>{writingWords.upload.all}</summary>
      <p class="pager">
        <label for={`${field}-schema`}>{writingWords.upload.schemaForAll}</label>
        <SchemaSelect id={`${field}-schema`} schemas={schemas} value={id} choose={setId} />
        <button type="button" aria-describedby={`${field}-schema`} onClick={useSchema}>
          {writingWords.upload.use}
        </button>
      </p>
      <p class="pager">
        <label for={field}>{writingWords.upload.beginning}</label>
        <input
          id={field}
          type="text"
          value={beginning}
          aria-describedby={`${field}-hint`}
          onInput={event => setBeginning(event.currentTarget.value)}
        />
        <button
          type="button"
          aria-describedby={field}
          onClick={() => upload.change(({ path }) => ({ resource: beginning + withoutEnding(path) }))}
        >
          {writingWords.upload.use}
        </button>
        <span id={`${field}-hint`} class="dim">
          {writingWords.upload.beginningHint}
        </span>
      </p>
    </details>
  )
}
