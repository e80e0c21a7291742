import { Component, type ComponentChildren } from 'preact'
import { words } from '../words.js'
import { PageFrame } from './page-frame.js'

interface Props {
  readonly children: ComponentChildren
}

/**
 * Shows a page in place of one that failed. The usual cause is a script that cannot be loaded: an upgrade of the server
 * removes the scripts of the version before.
 */
export class FailureBoundary extends Component<Props, { readonly failure: unknown }> {
  override state: { readonly failure: unknown } = { failure: undefined }

  static override getDerivedStateFromError(failure: unknown) {
    return { failure }
  }

  override render({ children }: Props, { failure }: { readonly failure: unknown }) {
    if (failure === undefined) return children
    return (
      <PageFrame title={words.failure.title}>
        <p class="notice" role="alert">
          {words.failure.outdated}
        </p>
        <p class="dim mono">{failure instanceof Error ? failure.message : String(failure)}</p>
        <p>
          <button type="button" onClick={() => location.reload()}>
            {words.failure.reload}
          </button>
        </p>
      </PageFrame>
    )
  }
}
