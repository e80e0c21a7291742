import { writeJson } from '../../../core/json/written-number.js'
import { ProblemError } from '../../../core/problem.js'
import type { SchemaBundle } from '../../../validation/validator.js'
import { bundleJsonSchema } from '../bundle/json-schema-bundle.js'
import { outlineOfJsonSchema } from './json-schema-outline.js'
import type { SchemaOutline } from './schema-outline.js'
import { type SkeletonSource, skeletonOf, usualRoot } from './skeleton.js'
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

/** A document to start from, for pages; undefined if the schema cannot be read, or declares no documents. */
export function skeletonOfSchema(bundle: SchemaBundle): string | undefined {
  try {
    const source = JSON.parse(writeJson(outlineOf(bundle))) as SkeletonSource
    const root = usualRoot(source)
    return root && skeletonOf(source, root, true)
  } catch (thrown) {
    if (thrown instanceof ProblemError && thrown.kind === 'unprocessable') return undefined
    throw thrown
  }
}
