import { writeJson } from '../../../core/json/written-number.js'
import type { SchemaBundle } from '../../../validation/validator.js'
import { bundleJsonSchema } from '../bundle/json-schema-bundle.js'
import { outlineOfJsonSchema } from './json-schema-outline.js'
import type { SchemaOutline } from './schema-outline.js'
import { outlineOfXsd } from './xsd-outline.js'

/** What is made of a schema. */
export interface SchemaJob {
  readonly make: 'outline' | 'bundle'
  readonly bundle: SchemaBundle
}

/**
 * Makes an outline, or one JSON Schema of several files.
 * @returns JSON text
 * @throws ProblemError `unprocessable`
 */
export function runSchemaJob({ make, bundle }: SchemaJob): string {
  return make === 'outline' ? writeJson(outlineOf(bundle)) : bundleJsonSchema(bundle)
}

/** The outline of a schema that was compiled before. @throws ProblemError `unprocessable` with findings */
export function outlineOf(bundle: SchemaBundle): SchemaOutline {
  return bundle.type === 'JSON' ? outlineOfJsonSchema(bundle) : outlineOfXsd(bundle)
}
