import { describePlace, membersOf } from './describe-place.js'
import type { FormSchema, Schema } from './form-schema.js'
import { isSchema } from './form-schema.js'
import { maxOpenDepth } from './form-state.js'
import { JsonDocument, type Path } from './json-document.js'

/**
 * The text with which a new document begins: what is required and can have one value only.
 * @param text that is changed; with lines, so that members stand on lines of their own
 */
export function startText(form: FormSchema, text: string): string {
  const document = JsonDocument.open(text)
  if (!(document instanceof JsonDocument)) return text
  fill(form, document, [], [form.root])
  return document.text
}

function fill(
  form: FormSchema,
  document: JsonDocument,
  path: Path,
  schemas: readonly (Schema | boolean)[],
  order: readonly string[] = [],
): void {
  const value = document.valueAt(path)
  const description = describePlace(form, schemas, value)
  const [only, other] = description.values ?? []
  if (value === undefined && only && !other) document.set(path, JSON.stringify(only.value), order)
  if (description.types[0] !== 'object' || description.choices.length > 0 || path.length > maxOpenDepth)
    return
  const members = membersOf(description, isSchema(value) ? value : {})
  const names = members.map(({ name }) => name)
  for (const { name, schemas: inner, isRequired } of members)
    if (isRequired) fill(form, document, [...path, name], inner, names)
}
