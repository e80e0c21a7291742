import type { Principal } from '../../core/access-control.js'
import type { Services } from '../../service/services.js'
import type { MetadataDraft } from '../../service/updates/record-drafts.js'
import type { JsonObject, RecordFormat } from '../record-formats/record-format-interface.js'

/** What a change of a metadata record is read with. */
export interface DraftContext {
  readonly recordFormat: RecordFormat
  readonly services: Pick<Services, 'collections'>
  readonly caller: Principal
  /** What an URL of ours may begin with. */
  readonly bases: readonly string[]
}

/** @param name of the record that is changed @throws ProblemError */
export function parseMetadataDraft(
  json: JsonObject,
  name: string,
  { recordFormat, services, caller, bases }: DraftContext,
): MetadataDraft {
  const { edit, schemaId: named, schemaVersion } = recordFormat.parseMetadataChange(json, bases)
  // a version alone is one of the schema the record follows
  const schemaId =
    named ?? (schemaVersion && services.collections.metadata.read(caller, name).record.schema?.schemaId)
  if (schemaId === undefined) return { edit }
  return { edit, schema: { schemaId, ...(schemaVersion === undefined ? {} : { version: schemaVersion }) } }
}
