import { useState } from 'preact/hooks'
import { Link } from 'wouter'
import type { RecordName } from '../api/records.js'
import { DownloadButton } from '../drafts/download-button.js'
import { type DraftName, listDrafts, removeDraft } from '../drafts/drafts.js'
import { focusHeading, PageFrame, recordAddress } from '../parts/page-frame.js'
import { Time } from '../parts/time.js'
import { NothingYet } from '../search/nothing-yet.js'
import { words } from '../words.js'

/** What this browser keeps: texts that were typed and not stored. */
export function DraftsPage() {
  const [drafts, setDrafts] = useState(() => listDrafts())
  function throwAway(record: DraftName) {
    removeDraft(record)
    setDrafts(listDrafts())
  }
  return (
    <PageFrame title={words.drafts.title}>
      <p>{words.drafts.explain}</p>
      {!drafts && <p role="status">{words.drafts.forbidden}</p>}
      {drafts?.length === 0 && <NothingYet said={words.drafts.none} hasSchemas />}
      <ul class="records">
        {drafts?.map(({ record, draft }) => (
          <li key={`${record.collection} ${record.id}`}>
            <p>
              <Link href={addressOf(record)} dir="auto">
                {draft.title}
              </Link>
            </p>
            <p class="dim">
              {words.drafts.kept} <Time instant={draft.time} />,{' '}
              {isNew(record) ? words.drafts.isNew[record.collection] : words.drafts.madeFrom(draft.version)}
              {draft.follows && words.drafts.follows(draft.follows.id, draft.follows.version)}
            </p>
            <p class="pager">
              <DownloadButton textOf={() => draft.text} />
              <button
                type="button"
                aria-label={words.drafts.throwAway(draft.title)}
                onClick={() => {
                  if (!confirm(words.draft.sure)) return
                  throwAway(record)
                  focusHeading()
                }}
              >
                {words.draft.throwAway}
              </button>
            </p>
          </li>
        ))}
      </ul>
    </PageFrame>
  )
}

type NewName = Exclude<DraftName, RecordName>

function isNew(name: DraftName): name is NewName {
  return name.collection === 'new' || name.collection === 'new-schema'
}

/** The page on which a draft is offered. */
function addressOf(name: DraftName): string {
  if (!isNew(name)) return recordAddress(name, 'edit')
  return name.collection === 'new' ? `/new?schema=${encodeURIComponent(name.id)}` : '/schemas/new'
}
