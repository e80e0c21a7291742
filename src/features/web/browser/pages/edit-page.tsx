import type { RecordName } from '../api/records.js'
import { DocumentEditor } from '../editing/document-editor.js'
import { EditingPage } from '../editing/editing-page.js'

/** A document and its record, to be changed. */
export function EditPage(record: RecordName) {
  return <EditingPage {...record} Editor={DocumentEditor} />
}
