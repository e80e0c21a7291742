import { PageFrame } from '../parts/page-frame.js'
import { NewSchema } from '../schemas/new-schema.js'
import { words } from '../words.js'

/** Registers a schema. */
export function SchemaNewPage() {
  return (
    <PageFrame title={words.schema.newTitle}>
      <p>{words.schema.newExplain}</p>
      <NewSchema />
    </PageFrame>
  )
}
