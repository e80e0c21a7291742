import { useState } from 'preact/hooks'
import { words } from '../words.js'

/** Copies a text. Browsers permit it on pages of HTTPS and of the own machine. */
export function CopyButton({ text }: { readonly text: string }) {
  const [copied, setCopied] = useState<string>()
  if (!('clipboard' in navigator)) return null
  return (
    <p>
      <button
        type="button"
        onClick={() => void navigator.clipboard.writeText(text).then(() => setCopied(text))}
      >
        {words.reading.copy}
      </button>{' '}
      <span role="status">{copied === text && words.reading.copied}</span>
    </p>
  )
}
