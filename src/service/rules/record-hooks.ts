import { type Finding, firstFault, ProblemError } from '../../core/problem.js'
import type { StoredRecord } from '../../core/records/record.js'
import { recordFile } from '../../store/records/repository-layout.js'
import type { SchemaBundle } from '../../validation/validator.js'

/** A schema that is stored, or whose record changes. */
export interface CheckedSchema {
  readonly record: StoredRecord
  /** The current record; undefined for a new schema. */
  readonly before: StoredRecord | undefined
  /** The schema with everything that it refers to. */
  bundle(): Promise<SchemaBundle>
}

/** What a feature adds to the rules for records. */
export interface RecordHooks {
  /** Finds faults in the record of a schema: JSON Pointers into the record. */
  checkSchemaRecord?(schema: CheckedSchema): Promise<readonly Finding[]>
}

/** Faults that features find in the record of a schema. The first feature that finds one gives all. */
export async function findByFeatures(
  features: readonly RecordHooks[],
  schema: CheckedSchema,
): Promise<readonly Finding[]> {
  for (const feature of features) {
    const found = (await feature.checkSchemaRecord?.(schema)) ?? []
    if (found.length > 0) return found.map(finding => ({ file: recordFile, ...finding }))
  }
  return []
}

/** Refuses the record of a schema in which a feature finds faults. @throws ProblemError `unprocessable` */
export async function refuseByFeatures(
  features: readonly RecordHooks[],
  schema: CheckedSchema,
): Promise<void> {
  const findings = await findByFeatures(features, schema)
  if (findings.length > 0) throw new ProblemError('unprocessable', String(firstFault(findings)), { findings })
}
