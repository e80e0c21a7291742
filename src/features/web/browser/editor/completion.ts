import {
  autocompletion,
  CompletionContext,
  type CompletionSource,
  closeCompletion,
  completionKeymap,
} from '@codemirror/autocomplete'
import { ensureSyntaxTree } from '@codemirror/language'
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
        // Ends the query when the text changes: while it waited, none would begin for the text as it is then.
        context.addEventListener('abort', () => undefined, { onDocChange: true })
        opened ??= open().catch((error: unknown) => {
          onFailure(error)
          return undefined
        })
        return (await opened)?.(parsedToCaret(context)) ?? null
      },
    ],
  })
  return [list, Prec.highest(keymap.of(keys))]
}

/** Longest time in milliseconds for the rest of the syntax tree. An editor goes on to parse a longer text in pauses. */
const maxParsing = 200

/** The context with a syntax tree up to the caret: after a change, an editor parses for 20 ms only. */
export function parsedToCaret({ state, pos, explicit, view }: CompletionContext): CompletionContext {
  ensureSyntaxTree(state, pos, maxParsing)
  // A state keeps its tree. The next one has what was parsed.
  return new CompletionContext(state.update({}).state, pos, explicit, view)
}
