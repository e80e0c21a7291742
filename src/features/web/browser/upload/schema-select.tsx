import type { SchemaChoice } from '../api/new-records.js'
import { words } from '../words.js'

/** A choice of schemas by their titles. @param id of the field */
export function SchemaSelect({
  id,
  schemas,
  value,
  choose,
}: {
  readonly id: string
  readonly schemas: readonly SchemaChoice[]
  readonly value: string | undefined
  choose(schema: string): void
}) {
  return (
    <select id={id} value={value ?? ''} onChange={event => choose(event.currentTarget.value)}>
      <option value="" disabled>
        {words.upload.chooseSchema}
      </option>
      {schemas.map(schema => (
        <option key={schema.id} value={schema.id}>
          {schema.title === schema.id ? schema.id : `${schema.title} (${schema.id})`}
        </option>
      ))}
    </select>
  )
}
