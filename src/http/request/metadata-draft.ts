import type { Principal } from '../../core/access-control.js'
import type { Services } from '../../service/services.js'
import type { MetadataDraft } from '../../service/updates/record-drafts.js'
import type { JsonObject, WireFormat } from '../record-formats/record-format-interface.js'

/** What a change of a metadata record is read with. */
export interface DraftContext {
  readonly wire: WireFormat
  readonly services: Pick<Services, 'metadata'>
  readonly caller: Principal
  /** What an URL of ours may begin with. */
  readonly bases: readonly string[]
}

/** @param name of the record that is changed @throws ProblemError */
export function parseMetadataDraft(
  json: JsonObject,
  name: string,
  { wire, services, caller, bases }: DraftContext,
): MetadataDraft {
  const { edit, schemaId: named, schemaVersion } = wire.parseMetadataChange(json, bases)
  // a version alone is one of the schema the record follows
  const schemaId = named ?? (schemaVersion && services.metadata.read(caller, name).record.schema?.schemaId)
  if (schemaId === undefined) return { edit }
  return { edit, schema: { schemaId, ...(schemaVersion === undefined ? {} : { version: schemaVersion }) } }
}
