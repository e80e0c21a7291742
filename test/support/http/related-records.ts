import type { Test } from 'supertest'
import type { TestService } from './test-service.js'

/** Posts a public record that follows the schema `plain` and refers to other records by their ids. */
export function postRelated(
  { http }: Pick<TestService, 'http'>,
  id: string,
  others: readonly string[],
): Test {
  const record = {
    id,
    titles: [{ value: `Record ${id}` }],
    acls: [{ sid: 'anonymousUser', permission: 'READ' }],
    relatedIdentifiers: [
      { value: `https://example.org/${id}`, identifierType: 'URL', relationType: 'IS_METADATA_FOR' },
      { value: 'plain', identifierType: 'INTERNAL', relationType: 'HAS_METADATA' },
      ...others.map(value => ({ value, identifierType: 'INTERNAL', relationType: 'REFERENCES' })),
    ],
  }
  return http
    .post('/api/v2/metadata')
    .attach('record', Buffer.from(JSON.stringify(record)), {
      filename: 'record.json',
      contentType: 'application/json',
    })
    .attach('document', Buffer.from('{}'), 'document')
}
