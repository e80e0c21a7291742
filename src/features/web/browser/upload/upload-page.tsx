import { FailureMessage } from '../parts/failure-message.js'
import { PageFrame } from '../parts/page-frame.js'
import { NoSchemas, useSchemas } from '../parts/schema-picker.js'
import { words } from '../words.js'
import { UploadedFiles } from './uploaded-files.js'

/** Many files become documents: checked one by one, stored in one commit. */
export function UploadPage() {
  const { schemas, total, error, refetch } = useSchemas('')
  return (
    <PageFrame title={words.upload.title}>
      {error && <FailureMessage error={error} retry={() => void refetch()} />}
      {total === undefined && !error && <p role="status">{words.loading}</p>}
      {total === 0 && <NoSchemas />}
      {total !== undefined && total > 0 && <UploadedFiles schemas={schemas} />}
    </PageFrame>
  )
}
