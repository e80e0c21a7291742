import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { FormSchema } from './form-schema.js'
import { type Finding, FormProvider } from './form-state.js'
import type { JsonDocument } from './json-document.js'
import { PlaceField } from './place-field.js'

/** Milliseconds without a key after which the form is drawn again where it has changed: a value may decide what else there is. */
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
  /** Another number: each field is drawn again. */
  const [drawn, setDrawn] = useState(0)
  const [, setPauses] = useState(0)
  const latest = useRef(findings)
  latest.current = findings
  const [fresh, setFresh] = useState<string>()
  const [said, setSaid] = useState({ text: '', count: 0 })
  const chosen = useRef(new Map<string, number>())

  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const unsubscribe = document.subscribe(isStructural => {
      clearTimeout(timer)
      if (isStructural) setDrawn(count => count + 1)
      else timer = setTimeout(() => setPauses(count => count + 1), pause)
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
      findings: () => latest.current,
      chosen: chosen.current,
      fresh,
      setFresh,
      Field: PlaceField,
      redraw: () => setDrawn(count => count + 1),
      say: (text: string) => setSaid(({ count }) => ({ text, count: count + 1 })),
    }),
    [document, schema, fresh, drawn],
  )
  return (
    <FormProvider value={state}>
      <div class="schema-form">
        <p class="unseen" role="status">
          {/* A text that is said again is a new element: otherwise nobody would hear it. */}
          {said.count > 0 && <span key={said.count}>{said.text}</span>}
        </p>
        <PlaceField path={[]} schemas={[schema.root]} />
      </div>
    </FormProvider>
  )
}
