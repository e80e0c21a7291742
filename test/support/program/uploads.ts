/** Stores a schema or a metadata record with its document in a running server, by version 1 of the interface. */
export async function upload(
  url: string,
  kind: 'schema' | 'metadata',
  record: object,
  document: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<void> {
  const form = new FormData()
  form.append('record', new Blob([JSON.stringify(record)], { type: 'application/json' }), 'record.json')
  form.append(kind === 'schema' ? 'schema' : 'document', new Blob([document]), 'document')
  const path = kind === 'schema' ? 'schemas' : 'metadata'
  const answer = await fetch(`${url}api/v1/${path}`, { method: 'POST', body: form, headers })
  if (answer.status !== 201) throw new Error(`${answer.status}: ${await answer.text()}`)
}
