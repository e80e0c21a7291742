import { type ComponentType, createContext } from 'preact'
import { useContext } from 'preact/hooks'
import type { FormSchema, Schema } from './form-schema.js'
import type { JsonDocument, Path } from './json-document.js'

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
  /** Names of the members of the object around it, in the order of the schema. */
  readonly order?: readonly string[] | undefined
}

/** What all fields of a form share. */
export interface FormState {
  readonly document: JsonDocument
  readonly schema: FormSchema
  readonly findings: readonly Finding[]
  /** The branches that a person has chosen, by place and choice. */
  readonly chosen: Map<string, number>
  /** Draws a place. Groups and lists draw what is inside of them with it. */
  readonly Field: ComponentType<Place>
  /** Draws the form again. */
  redraw(): void
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

/** The id of the field of a place, which summaries of findings link to. */
export function fieldId(pointer: string): string {
  return `field${encodeURIComponent(pointer)}`
}
