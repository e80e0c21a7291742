import type { DescribeModule } from '../../core/records/document-description.js'
import type { Crosswalk } from './crosswalk/crosswalk-rules.js'
import { readCrosswalk } from './crosswalk/read-crosswalk.js'
import type { KnownSchema } from './known/document-facts.js'
import { knownSchemaOfSchema } from './known/known-schema-of-schema.js'
import { knownSchemas } from './known/known-schemas.js'

/** What a schema says about its documents. */
export interface SchemaStatement {
  readonly crosswalk?: Crosswalk
  /** The known schema that its documents follow. */
  readonly known?: KnownSchema
}

/** A statement as text. @param crosswalk as the record has it @returns undefined for a schema that says nothing */
export function writeStatement(crosswalk: unknown, known: string | undefined): string | undefined {
  return crosswalk === undefined && known === undefined ? undefined : JSON.stringify({ crosswalk, known })
}

/** Reads what {@link writeStatement} has written. Rules with faults are left out. */
export function readStatement(text: string): SchemaStatement {
  const { crosswalk, known: name } = JSON.parse(text) as { crosswalk?: unknown; known?: string }
  const known = knownSchemas.find(schema => schema.name === name)
  return {
    ...(crosswalk !== undefined && { crosswalk: readCrosswalk(crosswalk).crosswalk }),
    ...(known && { known }),
  }
}

export const saidBySchema: DescribeModule['saidBySchema'] = ({ record, documentType }, document) =>
  writeStatement(record.crosswalk, document && knownSchemaOfSchema(document, documentType)?.name)
