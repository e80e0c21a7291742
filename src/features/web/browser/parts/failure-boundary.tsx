import { Component, type ComponentChildren, type ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { words } from '../words.js'
import { explanationOf, isMissingScript } from './explain-failure.js'
import { FailureMessage } from './failure-message.js'
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
          {isMissingScript(failure) ? explanationOf(failure) : words.failure.outdated}
        </p>
        {!isMissingScript(failure) && (
          <p class="dim mono">{failure instanceof Error ? failure.message : String(failure)}</p>
        )}
        <p>
          <button type="button" onClick={() => location.reload()}>
            {words.failure.reload}
          </button>
        </p>
      </PageFrame>
    )
  }
}

/**
 * A part of a page that is a script of its own, which is loaded when the part is shown. If it cannot be loaded, its place
 * says so and offers to try again: the rest of the page stays, with what somebody has typed.
 */
export function lazyPart<P extends object>(load: () => Promise<ComponentType<P>>): ComponentType<P> {
  let loaded: ComponentType<P> | undefined
  return function LazyPart(props: P) {
    const [Part, setPart] = useState(() => loaded)
    const [failure, setFailure] = useState<unknown>()
    async function open(): Promise<void> {
      setFailure(undefined)
      try {
        loaded = await load()
        setPart(() => loaded)
      } catch (error) {
        setFailure(error)
      }
    }
    useEffect(() => {
      if (!Part) void open()
    }, [])
    if (Part) return <Part {...props} />
    if (failure !== undefined) return <FailureMessage error={failure} retry={() => void open()} />
    return <p role="status">{words.loading}</p>
  }
}
