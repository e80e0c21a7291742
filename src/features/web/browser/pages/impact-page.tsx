import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'preact/hooks'
import { Link } from 'wouter'
import type { RecordName } from '../api/records.js'
import { readDraft } from '../drafts/drafts.js'
import { type EditedDocument, readEdited } from '../editing/store-content.js'
import { FailureMessage } from '../parts/failure-message.js'
import { PageFrame, recordAddress } from '../parts/page-frame.js'
import { ImpactReport } from '../schemas/impact-report.js'
import { useImpact } from '../schemas/use-impact.js'
import { schemaWords } from '../words-of-schemas.js'

/** Which documents would be wrong by the text that this browser keeps, else by the newest version of a schema. */
export function ImpactPage(record: RecordName) {
  const read = useQuery({
    queryKey: ['edited', record.collection, record.id],
    queryFn: ({ signal }) => readEdited(record, signal),
    gcTime: 0,
  })
  return (
    <PageFrame title={schemaWords.impact.title(read.data?.title ?? record.id)} record={record}>
      {read.error && <FailureMessage error={read.error} retry={() => void read.refetch()} />}
      {read.data && <Assessment key={read.data.etag} record={record} edited={read.data} />}
    </PageFrame>
  )
}

function Assessment({ record, edited }: { readonly record: RecordName; readonly edited: EditedDocument }) {
  const impact = useImpact(record.id)
  const draft = readDraft(record)
  const text = draft?.text ?? edited.text
  const run = () =>
    void impact.assess({ name: undefined, main: new Blob([text]), files: new Map<string, Blob>() })
  useEffect(run, [text])
  return (
    <>
      <p>
        {draft ? schemaWords.impact.ofDraft(draft.version) : schemaWords.impact.ofNewest(edited.version)}{' '}
        <Link href={recordAddress(record, 'edit')}>{schemaWords.impact.change}</Link>
      </p>
      <ImpactReport impact={impact} />
      {impact.phase !== 'running' && (
        <p>
          <button type="button" onClick={run}>
            {schemaWords.impact.again}
          </button>
        </p>
      )}
    </>
  )
}
