import type { RecordName } from '../api/records.js'
import { EditingPage } from '../editing/editing-page.js'
import { SchemaEditor } from '../schemas/schema-editor.js'

/** The next version of a schema. */
export function SchemaEditPage(record: RecordName) {
  return <EditingPage {...record} Editor={SchemaEditor} />
}
