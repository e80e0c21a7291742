import { useEffect, useState } from 'preact/hooks'
import type { Change } from '../api/change-pages.js'
import { openChangeStream } from '../api/change-stream.js'
import { point } from '../api/point.js'
import { RecordLink } from '../reading/record-link.js'
import { words } from '../words.js'
import { recordOf } from './record-words.js'

/** Limit of the changed records that are named. */
const maxNamed = 5

/** Says which records have changed since a list was read. The list itself does not move. */
export function ListNews({
  commit,
  kind,
  show,
}: {
  /** The commit that the list reflects. */
  readonly commit: string
  /** Of which records changes are told; empty: of all. */
  readonly kind: string
  /** Reads the list anew. @param commit that it must reflect */
  show(commit: string): void
}) {
  const [changes, setChanges] = useState<readonly Change[]>([])
  useEffect(() => {
    setChanges([])
    if (point !== undefined) return
    return openChangeStream(commit, {}, change => {
      // The newest change of each record.
      if (kind === '' || change.kind === kind)
        setChanges(known => [change, ...known.filter(other => !isOfSame(change, other))])
    })
  }, [commit, kind])
  const [newest] = changes
  return (
    <div role="status">
      {newest && (
        <p class="notice">
          {words.search.news(changes.length)}{' '}
          {changes.slice(0, maxNamed).map(change => (
            <span key={`${change.kind} ${change.id}`}>
              <NamedChange {...change} />{' '}
            </span>
          ))}
          <button type="button" onClick={() => show(newest.commit)}>
            {words.search.showNews}
          </button>
        </p>
      )}
    </div>
  )
}

function NamedChange(change: Change) {
  if (change.change === 'deleted') return <span class="mono">{change.id}</span>
  return (
    <RecordLink class="mono" record={recordOf({ kind: change.kind, record: change })}>
      {change.id}
    </RecordLink>
  )
}

function isOfSame(one: Change, other: Change): boolean {
  return one.kind === other.kind && one.id === other.id
}
