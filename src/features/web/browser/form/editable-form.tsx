import { useQuery } from '@tanstack/react-query'
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { Finding } from '../api/interface-types.js'
import { jsonSchemaQuery } from '../api/records.js'
import type { PlacedFinding } from '../editor/placed-findings.js'
import type { EditorOptions, TextEditor } from '../editor/text-editor.js'
import { FailureMessage } from '../parts/failure-message.js'
import { words } from '../words.js'
import { writingWords } from '../words-of-writing.js'
import { FormSchema } from './form-schema.js'
import { fieldId, pathOf, pointerOf } from './form-state.js'
import type { JsonFault } from './json-depth.js'
import { JsonDocument } from './json-document.js'
import { placeLabels } from './place-labels.js'
import { SchemaForm } from './schema-form.js'

interface Props {
  readonly text: string
  /** The text that the last form was of. */
  readonly before: string
  readonly label: string
  readonly isReadOnly: boolean
  /** The version of the schema from which the fields are made. */
  readonly schema: { readonly id: string; readonly version: number }
  readonly on: Pick<EditorOptions, 'onChange' | 'onStore' | 'onCheck'>
  /** Gets the form as an editor when it is open. */
  onOpen(editor: TextEditor): void
}

/** A document as fields. What it offers to pages is what an editor of text offers. */
export function EditableForm({ text, before, label, isReadOnly, schema, on, onOpen }: Props) {
  const read = useQuery({ ...jsonSchemaQuery(schema), select: formSchemaOf })
  const [opened, setOpened] = useState(() => openText(text))
  const [placed, setPlaced] = useState<readonly PlacedFinding[]>([])
  /** The name of a field, by the JSON Pointer of its place. */
  const labelOf = (pointer: string) =>
    placeLabels(read.data ?? new FormSchema({}), opened.document)(pathOf(pointer, opened.document))
  const latest = useRef({ opened, placed, on, labelOf })
  latest.current = { opened, placed, on, labelOf }

  useEffect(() => opened.document?.subscribe(() => latest.current.on.onChange()), [opened])
  // The page gets the editor once. The newest state answers what it asks later.
  useEffect(
    () =>
      onOpen({
        text: () => latest.current.opened.document?.text ?? latest.current.opened.text,
        caret: () => 0,
        mark(findings) {
          const { labelOf } = latest.current
          const shown = inOrderOfFields(findings).map(each => ({
            ...each,
            label: labelOf(fieldPathOf(each.finding)),
            plain: plainOfField(each),
          }))
          setPlaced(shown)
          return shown
        },
        goTo(place, finding = latest.current.placed.find(({ from }) => from === place)?.finding) {
          focusOn(finding ? fieldPathOf(finding) : '')
        },
        replace(changed) {
          latest.current.opened = openText(changed)
          setOpened(latest.current.opened)
          latest.current.on.onChange()
        },
        close: () => undefined,
      }),
    [],
  )
  const findings = useMemo(
    () =>
      placed.map(({ finding, plain }) => ({
        path: fieldPathOf(finding),
        message: plain ? `${plain} (${finding.message})` : finding.message,
      })),
    [placed],
  )

  function onKey(event: KeyboardEvent): void {
    if (!event.ctrlKey && !event.metaKey) return
    const action = { s: on.onStore, Enter: on.onCheck }[event.key]
    if (!action) return
    event.preventDefault()
    action()
  }

  if (opened.fault) {
    return (
      <>
        <NoForm fault={opened.fault} text={opened.text} />
        {read.data && <LastForm {...{ label, text: before, schema: read.data }} />}
      </>
    )
  }
  // The fields stay if the schema cannot be read anew.
  if (!read.data)
    return read.error ? (
      <FailureMessage
        error={read.error}
        retry={() => void read.refetch()}
        of={{ collection: 'schemas', id: schema.id }}
      />
    ) : (
      <p role="status">{words.loading}</p>
    )
  return (
    // The keys of the editor of text work here, too.
    <form aria-label={label} class="plain" onKeyDown={onKey} onSubmit={event => event.preventDefault()}>
      <fieldset class="whole" disabled={isReadOnly}>
        <SchemaForm document={opened.document} schema={read.data} findings={findings} />
      </fieldset>
    </form>
  )
}

/** @throws Error with the reason for people */
function formSchemaOf(text: string): FormSchema {
  try {
    return new FormSchema(JSON.parse(text))
  } catch (cause) {
    throw new Error(writingWords.form.noSchema(cause instanceof Error ? `${cause.message}.` : ''), { cause })
  }
}

/** The closed fields of a text that was JSON, while the text of now is none. */
function LastForm({
  label,
  text,
  schema,
}: {
  readonly label: string
  readonly text: string
  readonly schema: FormSchema
}) {
  const [{ document }] = useState(() => openText(text))
  if (!document) return null
  return (
    <form aria-label={label} class="plain">
      <p>{writingWords.form.lastGood}</p>
      <fieldset class="whole" disabled>
        <SchemaForm document={document} schema={schema} findings={[]} />
      </fieldset>
    </form>
  )
}

type Opened =
  | { readonly text: string; readonly document: JsonDocument; readonly fault?: never }
  | { readonly text: string; readonly document?: never; readonly fault: JsonFault }

function openText(text: string): Opened {
  const opened = JsonDocument.open(text)
  return opened instanceof JsonDocument ? { text, document: opened } : { text, fault: opened }
}

/** A text that is no JSON has no fields. It stays as it is. */
function NoForm({ fault, text }: { readonly fault: JsonFault; readonly text: string }) {
  const before = text.slice(0, fault.offset).split('\n')
  const [line, column] = [before.length, (before.at(-1)?.length ?? 0) + 1]
  return (
    <p class="notice" role="alert">
      {writingWords.form.closed(writingWords.form.faults[fault.message] ?? fault.message, line, column)}
    </p>
  )
}

/** The place of the field that a finding is about: a missing member has a field, too. */
function fieldPathOf({ path = '', missing }: Finding): string {
  return missing === undefined ? path : path + pointerOf([missing])
}

/** What a finding means, beside the label of its field: the names of the text are not those of the form. */
function plainOfField({ finding, plain }: PlacedFinding): string | undefined {
  if (finding.missing !== undefined) return words.finding.ofField.missing
  return finding.unknown === undefined ? plain : words.finding.ofField.unknown
}

/** The field of a place, or the nearest one around it. */
function fieldAt(path: string): HTMLElement | undefined {
  for (let pointer = path; ; pointer = pointer.slice(0, pointer.lastIndexOf('/'))) {
    const place = globalThis.document.getElementById(fieldId(pointer))
    if (place || pointer === '') return place ?? undefined
  }
}

/** Findings in the order of the fields on the page. */
function inOrderOfFields(findings: readonly PlacedFinding[]): readonly PlacedFinding[] {
  const fields = new Map(findings.map(each => [each, fieldAt(fieldPathOf(each.finding))]))
  return findings.toSorted((one, other) => {
    const [a, b] = [fields.get(one), fields.get(other)]
    return a && b && a.compareDocumentPosition(b) & Node.DOCUMENT_POSITION_PRECEDING ? 1 : -1
  })
}

/** Moves the focus to the field of a place, or to the nearest one around it, and opens the groups around that. */
function focusOn(path: string): void {
  const place = fieldAt(path)
  for (let around = place?.closest('details'); around; around = around.parentElement?.closest('details'))
    around.open = true
  place?.focus()
}
