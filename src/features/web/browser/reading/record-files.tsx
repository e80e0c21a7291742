import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'preact/hooks'
import type { RecordName } from '../api/records.js'
import { saveFile } from '../files/save-file.js'
import { FailureMessage } from '../parts/failure-message.js'
import { words } from '../words.js'
import { CopyButton } from './copy-button.js'
import { readAsFile, readExport } from './record-description.js'

interface Props {
  readonly name: RecordName
  readonly version: number
}

/** Saves the document. A link of the browser would not send the token. */
export function RecordDownload({ name, version }: Props) {
  const saving = useMutation({
    mutationFn: () => readAsFile(name, version),
    onSuccess: file => saveFile(file.content, file.name),
  })
  return (
    <>
      {saving.error && <FailureMessage error={saving.error} />}
      <p>
        <button type="button" disabled={saving.isPending} onClick={() => saving.mutate()}>
          {words.reading.download}
        </button>
      </p>
      <p role="status">{saving.data && words.reading.downloaded(saving.data.name)}</p>
    </>
  )
}

/** The entry for lists of references, when it is asked for. */
export function RecordCitation({ name, version }: Props) {
  const [isOpen, setIsOpen] = useState(false)
  const { data, error, refetch } = useQuery({
    queryKey: ['bibtex', name.collection, name.id, version],
    queryFn: ({ signal }) => readExport(name, version, 'bibtex', signal),
    enabled: isOpen,
    staleTime: Number.POSITIVE_INFINITY,
  })
  return (
    <details onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
      <summary>{words.reading.bibtex}</summary>
      {error && <FailureMessage error={error} retry={() => void refetch()} />}
      {!data && !error && <p role="status">{words.loading}</p>}
      {data !== undefined && (
        <>
          <textarea
            class="mono"
            readOnly
            rows={8}
            aria-label={words.reading.bibtex}
            dir="auto"
            value={data}
          />
          <CopyButton text={data} />
        </>
      )}
    </details>
  )
}
