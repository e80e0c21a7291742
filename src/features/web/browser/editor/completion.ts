import { autocompletion, type CompletionSource } from '@codemirror/autocomplete'
import type { Extension } from '@codemirror/state'

/** What an editor needs to complete names and values. */
export interface CompletionOptions {
  /** Is called when completion is first asked for. */
  open(): Promise<CompletionSource>
  /** Is called once if `open` fails: there is no completion then. */
  onFailure(error: unknown): void
}

/** Completion while one types, and by Ctrl+Space. All that it shows is text. */
export function completion({ open, onFailure }: CompletionOptions): Extension {
  let opened: Promise<CompletionSource | undefined> | undefined
  return autocompletion({
    icons: false,
    // The values of a member follow its name.
    activateOnCompletion: ({ apply }) => typeof apply === 'string' && apply.endsWith(': '),
    override: [
      async context => {
        opened ??= open().catch((error: unknown) => {
          onFailure(error)
          return undefined
        })
        return (await opened)?.(context) ?? null
      },
    ],
  })
}
