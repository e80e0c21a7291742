import { useId } from 'preact/hooks'
import { maxMessageLength } from '../api/record-updates.js'
import { words } from '../words.js'

/** What a person says of a change, for the history. Enter stores. */
export function MessageField({
  message,
  setMessage,
  onStore,
}: {
  readonly message: string
  setMessage(message: string): void
  onStore(): void
}) {
  const id = useId()
  return (
    <p class="message">
      <label for={id}>
        {words.edit.message} <span class="dim">({words.edit.optional})</span>
      </label>
      <input
        id={id}
        type="text"
        dir="auto"
        maxLength={maxMessageLength}
        value={message}
        onInput={event => setMessage(event.currentTarget.value)}
        onKeyDown={event => {
          // Ctrl+Enter checks. Enter may also end the choice of a character.
          if (event.key !== 'Enter' || event.ctrlKey || event.metaKey || event.isComposing) return
          event.preventDefault()
          onStore()
        }}
      />
    </p>
  )
}
