import type { Context } from 'koa'
import type { Principal } from '../../core/access-control.js'
import type { Collection } from '../../core/records/collection.js'
import { openEventLoopPauses } from '../../core/scheduling/event-loop-pauses.js'
import type { Services } from '../../service/services.js'
import type { MetadataDraft } from '../../service/updates/record-drafts.js'
import type { FormPart } from '../forms/form-parts.js'
import { parseJsonPart } from '../forms/json-part.js'
import type { JsonObject, RecordFormat } from '../record-formats/record-format-interface.js'
import type { ApiContext } from '../route-context.js'
import { isStrict } from './prefer-header.js'

/** Bytes of a record from which on parsing it takes milliseconds. */
const longRecord = 64 * 1024

/**
 * Parses the record of a request, and refuses misspelled members. Pauses for other requests if the record is long.
 * @throws ProblemError
 */
export async function parseDraft<T>(
  { recordFormat, limits, names }: Pick<ApiContext, 'recordFormat' | 'limits' | 'names'>,
  ctx: Context,
  kind: Collection,
  part: FormPart,
  parse: (json: JsonObject) => T,
): Promise<T> {
  const pauses = openEventLoopPauses()
  if (part.bytes.length > longRecord) await pauses.now()
  const json = parseJsonPart(part, limits)
  await pauses.ifDue()
  names.refuseUnknownMembers(json, recordFormat.version, kind, isStrict(ctx))
  await pauses.ifDue()
  const draft = parse(json)
  await pauses.ifDue()
  return draft
}

/** What parsing a change of a metadata record needs. */
export interface DraftContext {
  readonly recordFormat: RecordFormat
  readonly services: Pick<Services, 'collections'>
  readonly caller: Principal
  /** Base URLs of this server. */
  readonly bases: readonly string[]
}

/**
 * Reads a change of a metadata record from a request. A schema version without a schema is a version of the schema that
 * the record follows now.
 * @param name id or another name of the record
 * @throws ProblemError `malformed-request`, `not-found`, `forbidden`
 */
export function parseMetadataDraft(
  json: JsonObject,
  name: string,
  { recordFormat, services, caller, bases }: DraftContext,
): MetadataDraft {
  const { edit, schema } = recordFormat.parseMetadataChange(json, bases)
  const schemaId =
    schema.schemaId ??
    (schema.version && services.collections.metadata.read(caller, name).record.schema?.schemaId)
  return { edit, ...(schemaId !== undefined && { schema: { ...schema, schemaId } }) }
}
