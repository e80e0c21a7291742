import { type ComponentType, createContext } from 'preact'
import { useContext, useState } from 'preact/hooks'
import type { FormSchema, Schema } from './form-schema.js'
import type { JsonDocument, Path } from './json-document.js'

/** Length of the paths up to which what is required and missing is open: schemas may nest without end. */
export const maxOpenDepth = 3

/** What a validator said of a place. */
export interface Finding {
  /** JSON Pointer (RFC 6901) of the place. */
  readonly path: string
  readonly message: string
}

/** A place of a document. */
export interface Place {
  readonly path: Path
  readonly schemas: readonly (Schema | boolean)[]
  readonly isRequired?: boolean | undefined
  /** Whether it is drawn open although the document does not have it: the first item of a required list. */
  readonly isOffered?: boolean | undefined
  /** Names of the members of the object around it, in the order of the schema. */
  readonly order?: readonly string[] | undefined
}

/** What all fields of a form share. */
export interface FormState {
  readonly document: JsonDocument
  readonly schema: FormSchema
  /** The findings of now. */
  findings(): readonly Finding[]
  /** The branches that a person has chosen, by place and choice. */
  readonly chosen: Map<string, number>
  /** The pointer of an item that was added and that the focus has not left yet: its findings are not shown there. */
  readonly fresh: string | undefined
  setFresh(pointer: string | undefined): void
  /** Draws a place. Groups and lists draw what is inside of them with it. */
  readonly Field: ComponentType<Place>
  /** Draws the form again. */
  redraw(): void
  /** Tells people who do not see the form what has happened to it. */
  say(text: string): void
}

const FormContext = createContext<FormState | undefined>(undefined)

export const FormProvider = FormContext.Provider

/** @throws Error outside of a form */
export function useForm(): FormState {
  const state = useContext(FormContext)
  if (!state) throw new Error('A field stands outside of a form.')
  return state
}

/** The JSON Pointer of a path. @see https://www.rfc-editor.org/rfc/rfc6901 */
export function pointerOf(path: Path): string {
  return path.map(step => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
}

/** The path of a JSON Pointer in a document, which tells indexes of lists from names. */
export function pathOf(pointer: string, document: JsonDocument | undefined): Path {
  const path: (string | number)[] = []
  for (const step of pointer.split('/').slice(1)) {
    const isIndex = document?.nodeAt(path)?.type === 'array'
    path.push(isIndex ? Number(step) : step.replaceAll('~1', '/').replaceAll('~0', '~'))
  }
  return path
}

/** The id of the field of a place, which summaries of findings link to. */
export function fieldId(pointer: string): string {
  return `field${encodeURIComponent(pointer)}`
}

/**
 * The text of a field. What a person types stays as typed, until the document gets another value from elsewhere.
 * @param read the text of the value that the document has now
 */
export function useTyped(read: () => string) {
  const stored = read()
  const [typed, setTyped] = useState({ text: stored, stored, given: stored })
  const newest = typed.stored === stored ? typed : { text: stored, stored, given: stored }
  return {
    text: newest.text,
    /** The text that came from elsewhere last: it stays the same while a person types. */
    given: newest.given,
    /** Keeps what was typed, after the document got it. */
    keep: (text: string) => setTyped({ text, stored: read(), given: newest.given }),
  }
}

/**
 * Makes the choices within the items of a list follow the items.
 * @param list pointer of the list
 * @param indexes the former indexes of the items, in the new order
 */
export function moveChoices(chosen: FormState['chosen'], list: string, indexes: readonly number[]): void {
  const prefix = `${list}/`
  const within = [...chosen].filter(([key]) => key.startsWith(prefix))
  for (const [key] of within) chosen.delete(key)
  for (const [key, option] of within) {
    const [, index = '', rest = ''] = /^(\d+)(.*)$/s.exec(key.slice(prefix.length)) ?? []
    const at = indexes.indexOf(Number(index))
    if (at >= 0) chosen.set(`${prefix}${at}${rest}`, option)
  }
}
