import { DownloadButton } from '../drafts/download-button.js'
import type { Draft } from '../drafts/drafts.js'
import { words } from '../words.js'
import { focusHeading } from './page-frame.js'
import { Time } from './time.js'

/** Offers a text of an earlier visit that was not stored. The editor opens when one of both texts was chosen. */
export function DraftOffer({
  draft,
  isOutdated,
  take,
  throwAway,
}: {
  readonly draft: Draft
  /** Another version was stored since. */
  readonly isOutdated: boolean
  take(): void
  throwAway(): void
}) {
  return (
    <section class="notice" aria-label={words.draft.title}>
      <p role="alert">
        {words.draft.found} <Time instant={draft.time} />
      </p>
      {isOutdated && <p>{words.draft.outdated(draft.version)}</p>}
      <p class="pager">
        <button
          type="button"
          onClick={() => {
            take()
            focusHeading()
          }}
        >
          {words.draft.take}
        </button>
        <button
          type="button"
          onClick={() => {
            if (!confirm(words.draft.sure)) return
            throwAway()
            focusHeading()
          }}
        >
          {words.draft.throwAway}
        </button>
        <DownloadButton textOf={() => draft.text} />
      </p>
    </section>
  )
}

/** Says that the browser keeps nothing, and lets the text be saved otherwise. */
export function DraftRefused({ textOf }: { textOf(): string }) {
  return (
    <div class="notice" role="alert">
      <p>{words.draft.refused}</p>
      <DownloadButton textOf={textOf} />
    </div>
  )
}
