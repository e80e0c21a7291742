import { answered, client } from './client.js'
import type { CurrentRecord, MetastoreRecord, RecordName } from './records.js'

/**
 * Stores a record in place of the one that it was made from. Its document stays.
 * @param changes members that differ from those of the record
 * @throws Refusal with status 412 if another state was stored meanwhile
 */
export async function storeRecord(
  { collection, id }: RecordName,
  { record, etag }: CurrentRecord,
  changes: Partial<Pick<MetastoreRecord, 'acls' | 'state'>>,
): Promise<void> {
  const body = new FormData()
  // The record goes on following its schema. To name the schema again would need the permission to read it.
  const relatedIdentifiers = record.relatedIdentifiers?.filter(
    ({ relationType }) => relationType !== 'HAS_METADATA',
  )
  const sent = JSON.stringify({ ...record, ...(relatedIdentifiers && { relatedIdentifiers }), ...changes })
  body.append('record', new Blob([sent], { type: 'application/json' }))
  const params = { path: { id }, header: { 'If-Match': etag } }
  await answered(client.PUT(`/api/v2/${collection}/{id}`, { params, body: body as never }))
}

/** Takes the next step of a deletion: a record becomes REVOKED, a REVOKED one GONE. @throws Refusal */
export async function deleteRecord({ collection, id }: RecordName, etag: string): Promise<void> {
  const params = { path: { id }, header: { 'If-Match': etag } }
  await answered(client.DELETE(`/api/v2/${collection}/{id}`, { params }))
}
