import type { Principal } from '../../core/access-control.js'
import type { Services } from '../../service/services.js'
import type { MetadataDraft } from '../../service/updates/record-drafts.js'
import type { JsonObject, RecordFormat } from '../record-formats/record-format-interface.js'

/** What parsing a change of a metadata record needs. */
export interface DraftContext {
  readonly recordFormat: RecordFormat
  readonly services: Pick<Services, 'collections'>
  readonly caller: Principal
  /** Base URLs of this server. */
  readonly bases: readonly string[]
}

/**
 * Reads a change of a metadata record from a request. A schema version without a schema is one of the current schema.
 * @param name id or another name of the record
 * @throws ProblemError `malformed-request`, `not-found`, `forbidden`
 */
export function parseMetadataDraft(
  json: JsonObject,
  name: string,
  { recordFormat, services, caller, bases }: DraftContext,
): MetadataDraft {
  const { edit, schemaId: named, schemaVersion } = recordFormat.parseMetadataChange(json, bases)
  const schemaId =
    named ?? (schemaVersion && services.collections.metadata.read(caller, name).record.schema?.schemaId)
  if (schemaId === undefined) return { edit }
  return { edit, schema: { schemaId, ...(schemaVersion === undefined ? {} : { version: schemaVersion }) } }
}
