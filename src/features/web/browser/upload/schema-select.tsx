import type { SchemaChoice } from '../api/new-records.js'
import { writingWords } from '../words-of-writing.js'

/**
 * A choice of schemas by their titles.
 * @param props.id of the field, if it has a label element
 * @param props.label of the field, if it has none
 */
export function SchemaSelect({
  id,
  label,
  schemas,
  value,
  choose,
}: {
  readonly id?: string
  readonly label?: string
  readonly schemas: readonly SchemaChoice[]
  readonly value: string | undefined
  choose(schema: string): void
}) {
  return (
    <select
      id={id}
      aria-label={label}
      value={value ?? ''}
      onChange={event => choose(event.currentTarget.value)}
    >
      <option value="" disabled>
        {writingWords.upload.chooseSchema}
      </option>
      {schemas.map(schema => (
        <option key={schema.id} value={schema.id}>
          {schema.title === schema.id ? schema.id : `${schema.title} (${schema.id})`}
        </option>
      ))}
    </select>
  )
}
