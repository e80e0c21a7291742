export type PushOutcome =
  | { readonly how: 'moved' }
  /** It has commits there that ours lacks: nothing was changed. */
  | { readonly how: 'elsewhere' }
  /** It was not taken, and why: a hook, a lock. */
  | { readonly how: 'refused'; readonly said: string; readonly lacksObjects: boolean }
  /** Nothing was heard of it: it may have arrived all the same. */
  | { readonly how: 'unknown'; readonly said: string }
