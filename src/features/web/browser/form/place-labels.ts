import { describePlace, membersOf, schemasOfItem } from './describe-place.js'
import { labelOfPlace } from './field-frame.js'
import { FormSchema, isSchema, type Schema } from './form-schema.js'
import { JsonDocument, type Path } from './json-document.js'

/**
 * Names of places that people read: the titles of the schema, else the names in words.
 * @param schema JSON text
 * @param text of the document with the places
 */
export function placeLabels(schema: string, text: string): (path: Path) => string {
  const form = new FormSchema(JSON.parse(schema))
  const opened = JsonDocument.open(text)
  const document = opened instanceof JsonDocument ? opened : undefined
  return path => {
    let schemas: readonly (Schema | boolean)[] = [form.root]
    const labels = path.map((step, at) => {
      const value = document?.valueAt(path.slice(0, at))
      const around = describePlace(form, schemas, value)
      schemas =
        typeof step === 'number'
          ? schemasOfItem(around, step)
          : (membersOf(around, isSchema(value) ? value : {}).find(({ name }) => name === step)?.schemas ?? [])
      const own = path.slice(0, at + 1)
      return labelOfPlace(describePlace(form, schemas, document?.valueAt(own)).title, own)
    })
    return labels.join(' › ') || labelOfPlace(undefined, [])
  }
}
