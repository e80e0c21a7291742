import { Link } from 'wouter'
import type { AffectedDocument } from '../api/interface-types.js'
import { Findings } from '../parts/failure-message.js'
import { recordAddress } from '../parts/page-frame.js'
import { useTitles } from '../search/use-titles.js'
import { schemaWords } from '../words-of-schemas.js'

interface Props {
  readonly documents: readonly AffectedDocument[]
  /** Whether no further document comes. Titles are read then, in few requests. */
  readonly isWhole: boolean
}

/** The documents that a next version of a schema would make wrong. */
export function AffectedDocuments({ documents, isWhole }: Props) {
  const titleOf = useTitles(isWhole ? documents.map(({ id }) => ({ kind: 'metadata', id })) : [])
  return (
    <ul class="records" aria-label={schemaWords.impact.documents}>
      {documents.map(document => (
        <Affected key={document.id} title={titleOf('metadata', document.id)} {...document} />
      ))}
    </ul>
  )
}

function Affected({
  id,
  title,
  version,
  schemaVersion,
  validBefore,
  findings,
}: AffectedDocument & { readonly title: string }) {
  return (
    <li>
      <p>
        <Link href={recordAddress({ collection: 'metadata', id }, 'edit')} dir="auto">
          {title}
        </Link>{' '}
        {title !== id && <small class="mono dim">{id}</small>}{' '}
        <strong>{validBefore ? schemaWords.impact.breaks : schemaWords.impact.wasWrong}</strong>
      </p>
      <p class="dim">{schemaWords.impact.follows(version, schemaVersion)}</p>
      <Findings findings={findings} />
    </li>
  )
}
