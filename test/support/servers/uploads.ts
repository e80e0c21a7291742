/** Stores a schema or a metadata record with its document in a running server, with version 1 of the interface. */
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

/** Stores a metadata record of version 2 with its document. */
export async function uploadTitled(
  url: string,
  {
    id,
    schema,
    ...record
  }: {
    readonly id: string
    readonly schema: string
    readonly title: string
    readonly [more: string]: unknown
  },
  document: string,
): Promise<void> {
  const { title, ...more } = record
  const form = new FormData()
  const whole = {
    id,
    titles: [{ value: title }],
    relatedIdentifiers: [
      { value: `https://example.org/${id}`, identifierType: 'URL', relationType: 'IS_METADATA_FOR' },
      { value: schema, identifierType: 'INTERNAL', relationType: 'HAS_METADATA' },
    ],
    ...more,
  }
  form.append('record', new Blob([JSON.stringify(whole)], { type: 'application/json' }), 'record.json')
  form.append('document', new Blob([document]), 'document')
  const answer = await fetch(`${url}api/v2/metadata`, { method: 'POST', body: form })
  if (answer.status !== 201) throw new Error(`${answer.status}: ${await answer.text()}`)
}
