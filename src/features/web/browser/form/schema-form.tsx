import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { FormSchema } from './form-schema.js'
import { type Finding, FormProvider } from './form-state.js'
import type { JsonDocument } from './json-document.js'
import { PlaceField } from './place-field.js'

/** Milliseconds without a key after which the form is drawn again: what a value decides may have changed. */
const pause = 400

/** A form for a document, made from its schema. It changes the document as a person types. */
export function SchemaForm({
  document,
  schema,
  findings,
}: {
  readonly document: JsonDocument
  readonly schema: FormSchema
  readonly findings: readonly Finding[]
}) {
  const [drawn, setDrawn] = useState(0)
  const chosen = useRef(new Map<string, number>())

  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const unsubscribe = document.subscribe(isStructural => {
      clearTimeout(timer)
      if (isStructural) setDrawn(count => count + 1)
      else timer = setTimeout(() => setDrawn(count => count + 1), pause)
    })
    return () => {
      clearTimeout(timer)
      unsubscribe()
    }
  }, [document])

  const state = useMemo(
    () => ({
      document,
      schema,
      findings,
      chosen: chosen.current,
      Field: PlaceField,
      redraw: () => setDrawn(count => count + 1),
    }),
    [document, schema, findings, drawn],
  )
  return (
    <FormProvider value={state}>
      <div class="schema-form">
        <PlaceField path={[]} schemas={[schema.root]} />
      </div>
    </FormProvider>
  )
}
