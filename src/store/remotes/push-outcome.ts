export type PushOutcome =
  | { readonly how: 'moved' }
  /** The other branch has commits that ours lacks; nothing was changed. */
  | { readonly how: 'elsewhere' }
  /** The other repository refused the push, for example by a hook or because of a lock. */
  | { readonly how: 'refused'; readonly said: string; readonly lacksObjects: boolean }
  /** No answer arrived; the push may have succeeded. */
  | { readonly how: 'unknown'; readonly said: string }
