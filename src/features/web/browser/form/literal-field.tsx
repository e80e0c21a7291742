import { useState } from 'preact/hooks'
import { writingWords } from '../words-of-writing.js'
import type { PlaceDescription } from './describe-place.js'
import { FieldFrame, labelOfPlace, usePlace } from './field-frame.js'
import { type Place, useForm, useTyped } from './form-state.js'

/** A value as JSON text, for what fields cannot show. The document changes when the text is JSON. */
export function LiteralField({
  path,
  isRequired,
  order,
  description,
  why,
}: Place & { readonly description: PlaceDescription; readonly why?: string }) {
  const { document } = useForm()
  const { text, keep } = useTyped(() => document.literalAt(path) ?? '')
  const [failed, setFailed] = useState<{ readonly text: string; readonly why: string }>()
  const fault = failed?.text === text ? failed.why : undefined
  const about = [description.description, why].filter(Boolean).join(' ') || undefined
  const { id, findings, attributes } = usePlace(path, about ?? fault)

  function change(typed: string) {
    try {
      document.setOrRemove(path, typed.trim(), order)
      setFailed(undefined)
    } catch (error) {
      const why = writingWords.form.notJson(error instanceof Error ? error.message : String(error))
      setFailed({ text: typed, why })
    }
    keep(typed)
  }

  const said = fault === undefined ? findings : [fault, ...findings]
  return (
    <FieldFrame
      {...{
        id,
        label: labelOfPlace(description.title, path),
        description: about,
        isRequired,
        findings: said,
      }}
    >
      <textarea
        {...attributes}
        aria-invalid={said.length > 0}
        class="mono"
        spellcheck={false}
        rows={Math.min(12, Math.max(2, text.split('\n').length))}
        value={text}
        onInput={event => change(event.currentTarget.value)}
      />
    </FieldFrame>
  )
}
