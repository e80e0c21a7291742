import { type Finding, firstFault, ProblemError } from '../../core/problem.js'
import type { DocumentType } from '../../core/records/collection.js'
import type { StoredRecord } from '../../core/records/record.js'
import { recordFile } from '../../store/records/repository-layout.js'

/** A schema that a request stores, or whose record it changes. */
export interface CheckedSchema {
  readonly record: StoredRecord
  /** The current record; undefined for a new schema. */
  readonly before: StoredRecord | undefined
  readonly type: DocumentType
  /** Bytes of the document. */
  document(): Promise<Uint8Array>
}

/** What a feature adds to the rules for records. */
export interface RecordHooks {
  /** Finds faults in the record of a schema: JSON Pointers into the record. A request with faults is refused. */
  checkSchemaRecord?(schema: CheckedSchema): Promise<readonly Finding[]>
}

/** Refuses the record of a schema in which a feature finds faults. @throws ProblemError `unprocessable` */
export async function refuseByFeatures(
  features: readonly RecordHooks[],
  schema: CheckedSchema,
): Promise<void> {
  for (const feature of features) {
    const found = (await feature.checkSchemaRecord?.(schema)) ?? []
    const findings = found.map(finding => ({ file: recordFile, ...finding }))
    if (findings.length > 0)
      throw new ProblemError('unprocessable', String(firstFault(findings)), { findings })
  }
}
