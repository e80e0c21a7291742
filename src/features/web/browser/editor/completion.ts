import {
  autocompletion,
  type CompletionSource,
  closeCompletion,
  completionKeymap,
} from '@codemirror/autocomplete'
import { type Extension, Prec } from '@codemirror/state'
import { type KeyBinding, keymap } from '@codemirror/view'

/** What an editor needs to complete names and values. */
export interface CompletionOptions {
  /** Is called when completion is first asked for. */
  open(): Promise<CompletionSource>
  /** Is called once if `open` fails: there is no completion then. */
  onFailure(error: unknown): void
}

/**
 * Escape closes the list and stays the key after which Tab leaves the editor, also if a list has nothing to show.
 */
const keys: readonly KeyBinding[] = completionKeymap.map(binding => {
  if (binding.key !== 'Escape') return binding
  return {
    key: 'Escape',
    run(view) {
      closeCompletion(view)
      return false
    },
  }
})

/** Completion while one types, and by Ctrl+Space. All that it shows is text. */
export function completion({ open, onFailure }: CompletionOptions): Extension {
  let opened: Promise<CompletionSource | undefined> | undefined
  const list = autocompletion({
    icons: false,
    defaultKeymap: false,
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
  return [list, Prec.highest(keymap.of(keys))]
}
