import { useQuery } from '@tanstack/react-query'
import { useEditLock } from '../drafts/use-edit-lock.js'
import { PageFrame } from '../parts/page-frame.js'
import { NewSchema } from '../schemas/new-schema.js'
import { isDraftRegistered, newSchema } from '../schemas/schema-draft.js'
import { words } from '../words.js'
import { schemaWords } from '../words-of-schemas.js'

/** Registers a schema. */
export function SchemaNewPage() {
  const isKept = useEditLock(newSchema)
  // If it cannot be found out, the draft is offered.
  const { data: isRegistered = false, isLoading } = useQuery({
    queryKey: ['schema draft'],
    queryFn: isDraftRegistered,
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  })
  return (
    <PageFrame title={words.begin.schema}>
      <p>{schemaWords.schema.newExplain}</p>
      {isKept === false && <p class="notice">{schemaWords.schema.otherTab}</p>}
      {isKept === undefined || isLoading ? (
        <p role="status">{words.loading}</p>
      ) : (
        <NewSchema {...{ isKept, isRegistered }} />
      )}
    </PageFrame>
  )
}
