import { describePlace, membersOf, schemasOfItem } from './describe-place.js'
import { labelOfPlace } from './field-frame.js'
import { type FormSchema, isSchema, type Schema } from './form-schema.js'
import type { JsonDocument, Path } from './json-document.js'

/**
 * Names of places that people read: the titles of the schema, else the names in words.
 * @param document with the places
 */
export function placeLabels(form: FormSchema, document: JsonDocument | undefined): (path: Path) => string {
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
