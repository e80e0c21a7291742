import { FailureMessage } from '../parts/failure-message.js'
import { PageFrame } from '../parts/page-frame.js'
import { useSchemaChanges, useSchemas } from '../parts/schema-picker.js'
import { NothingYet } from '../search/nothing-yet.js'
import { words } from '../words.js'
import { writingWords } from '../words-of-writing.js'
import { UploadedFiles } from './uploaded-files.js'

/** Many files become documents: checked one by one, stored in one commit. */
export function UploadPage() {
  const { schemas, total, error, refetch } = useSchemas('')
  useSchemaChanges()
  return (
    <PageFrame title={writingWords.upload.title}>
      {error && <FailureMessage error={error} retry={() => void refetch()} />}
      {total === undefined && !error && <p role="status">{words.loading}</p>}
      {total === 0 && <NothingYet said={words.schemaChoice.noSchemas} />}
      {total !== undefined && total > 0 && <UploadedFiles schemas={schemas} />}
    </PageFrame>
  )
}
