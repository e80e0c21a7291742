import { isRegistered } from '../api/schemas.js'
import { type Draft, type DraftName, readDraft } from '../drafts/drafts.js'
import { schemaWords } from '../words-of-schemas.js'
import { type GivenState, givenFile } from './given-schema-files.js'
import { contentOf } from './use-given-files.js'

/** The draft of a new schema. A browser keeps one, because the id may still change. */
export const newSchema: DraftName = { collection: 'new-schema', id: '' }

/** A schema that is not stored, as a person has typed or given it. */
export interface UnstoredSchema extends GivenState {
  readonly title: string
  readonly id: string
  readonly text: string
  readonly caret: number
}

export const emptySchema: UnstoredSchema = { title: '', id: '', text: '', caret: 0, given: [] }

/** Whether both have the same text, names and files. */
export function isSameSchema(a: UnstoredSchema, b: UnstoredSchema): boolean {
  return a.text === b.text && a.title === b.title && a.id === b.id && a.given === b.given && a.main === b.main
}

export function draftOf({ title, id, text, caret, given, main }: UnstoredSchema): Omit<Draft, 'time'> {
  const files = given.map(({ path, bytes }) => ({ path, bytes: charactersOf(bytes) }))
  return {
    ...{ title: title || id || schemaWords.schema.unnamed, etag: '', version: 0, text, caret },
    schema: { title, id, main, files },
  }
}

export function schemaOfDraft({ text, caret, schema }: Draft): UnstoredSchema {
  const { files = [], title = '', id = '', main } = schema ?? {}
  const given = files.map(({ path, bytes }) => givenFile(path, bytesOf(bytes)))
  return { title, id, text, caret, given, main }
}

/** Whether the draft was registered, and the browser did not get to know it. */
export async function isDraftRegistered(): Promise<boolean> {
  const draft = readDraft(newSchema)
  if (!draft?.schema?.id) return false
  const schema = schemaOfDraft(draft)
  return await isRegistered(schema.id, contentOf(schema, schema.text))
}

/** Bytes that become characters at once: a call has a limit of arguments. */
const partLength = 32_768

function charactersOf(bytes: Uint8Array): string {
  let text = ''
  for (let start = 0; start < bytes.length; start += partLength)
    text += String.fromCharCode(...bytes.subarray(start, start + partLength))
  return text
}

function bytesOf(characters: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(characters, character => character.charCodeAt(0))
}
