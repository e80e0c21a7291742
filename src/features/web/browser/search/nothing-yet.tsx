import { Link } from 'wouter'
import { point } from '../api/point.js'
import { LoginOffer } from '../login/login-offer.js'
import { words } from '../words.js'

/**
 * Says that there is nothing, and what one can do next. At a point of history one can do nothing.
 * @param props.hasSchemas whether a document can follow one of the schemas
 */
export function NothingYet({
  said,
  hasSchemas = false,
}: {
  readonly said: string
  readonly hasSchemas?: boolean
}) {
  return (
    <div class="empty">
      <p role="status">{said}</p>
      {point === undefined && (
        <p class="pager">
          {hasSchemas && (
            <Link href="/new" class="button main">
              {words.begin.document}
            </Link>
          )}
          <Link href="/schemas/new" class={hasSchemas ? 'button' : 'button main'}>
            {words.begin.schema}
          </Link>
          <LoginOffer />
        </p>
      )}
    </div>
  )
}
