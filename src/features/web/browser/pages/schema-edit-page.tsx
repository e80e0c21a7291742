import type { RecordName } from '../api/records.js'
import { SchemaEditor } from '../schemas/schema-editor.js'
import { EditPage } from './edit-page.js'

/** The next version of a schema. */
export function SchemaEditPage(record: RecordName) {
  return <EditPage {...record} Editor={SchemaEditor} />
}
