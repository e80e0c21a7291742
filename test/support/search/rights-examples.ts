import type { Response } from 'supertest'
import { searchHasAll } from '../http/search-examples.js'
import { jsonSchema, startService, type TestService } from '../http/test-service.js'
import { identifyWithTestSecret, signToken, userToken } from '../http/test-tokens.js'
import type { TestEngine } from './search-engines.js'

const permissions = ['NONE', 'READ', 'WRITE', 'ADMINISTRATE'] as const
export const words = ['alloy', 'bronze', 'copper'] as const
export const languages = ['de', 'en'] as const
/** Number of combinations of the rights of carl and of the team. */
export const recordCount = 16

/** Callers of a search. */
export const callers = [
  'the administrator',
  'carl',
  'a member of the team',
  'a holder of a temporary token',
  'a service that reads',
  'a service that writes',
  'a service that administrates',
  'a stranger',
  'a caller without a token',
] as const

export interface Listed {
  readonly id: string
  readonly language?: string
  readonly lastUpdate: string
  readonly titles: readonly { readonly value: string }[]
}

/** A service with a record for each combination of rights. */
export interface RightsExamples {
  readonly service: TestService
  /** Sends a request as a caller. */
  as<T extends { set(headers: object): T }>(caller: string, sent: T): T
  get(caller: string, path: string): Promise<Response>
  /** Returns the records that a list shows to the caller. A search must not show others. */
  listed(caller: string, collection?: 'metadata' | 'schemas'): Promise<readonly Listed[]>
  /** Waits until the search index has every commit. */
  searchHasAll(): Promise<void>
}

/** Makes the access list of a record. */
export function aclsOf(number: number): readonly object[] {
  return [
    { sid: 'carl', permission: permissions[number % 4] },
    { sid: 'team', permission: permissions[Math.floor(number / 4)] },
    ...(number % 5 === 0 ? [{ sid: 'anonymousUser', permission: 'READ' }] : []),
  ]
}

/** Starts a service with {@link recordCount} records; two of them are REVOKED. */
export async function startRightsExamples({ options }: TestEngine): Promise<RightsExamples> {
  const tokens = new Map<string, string>()
  const service = await startService({ identify: identifyWithTestSecret, ...options })
  const granted = ['record-3', 'record-8', 'schema-3', 'schema-8'].map(resourceId => ({
    resourceType: 'DataResource',
    resourceId,
    permission: 'READ',
  }))
  const asService = (permission: string) =>
    signToken({ tokenType: 'SERVICE', servicename: 'robot', roles: `["ROLE_SERVICE_${permission}"]` })
  tokens
    .set('the administrator', await userToken('root', ['ADMINISTRATOR']))
    .set('carl', await userToken('carl'))
    .set('a member of the team', await userToken('gina', ['USER'], { groups: ['team'] }))
    .set(
      'a holder of a temporary token',
      await signToken({
        tokenType: 'TEMPORARY',
        principalname: 'tim',
        permissions: JSON.stringify(granted),
      }),
    )
    .set('a service that reads', await asService('READ'))
    .set('a service that writes', await asService('WRITE'))
    .set('a service that administrates', await asService('ADMINISTRATE'))
    .set('a stranger', await userToken('eve'))
  const acl = [{ sid: 'anonymousUser', permission: 'READ' }]
  await as('the administrator', service.postSchema({ schemaId: 'base', acl }, jsonSchema())).expect(201)
  for (let number = 0; number < recordCount; number++) await store(number)
  // This makes them REVOKED, so that only their administrators have them in lists.
  for (const id of ['record-2', 'record-6']) await remove(id)
  await hasAll()
  return { service, as, get, listed, searchHasAll: hasAll }

  function headersOf(caller: string): Readonly<Record<string, string>> {
    const token = tokens.get(caller)
    return token === undefined ? {} : { Authorization: `Bearer ${token}` }
  }

  function as<T extends { set(headers: object): T }>(caller: string, sent: T): T {
    return sent.set(headersOf(caller))
  }

  function get(caller: string, path: string): Promise<Response> {
    return as(caller, service.http.get(path)).expect(200) as unknown as Promise<Response>
  }

  async function remove(id: string): Promise<void> {
    await as('the administrator', service.http.delete(`/api/v1/metadata/${id}`).set('If-Match', '*')).expect(
      204,
    )
  }

  async function listed(caller: string, collection = 'metadata'): Promise<readonly Listed[]> {
    return (await get(caller, `/api/v2/${collection}?size=100`)).body
  }

  async function hasAll(): Promise<void> {
    await searchHasAll(service, headersOf('the administrator'))
  }

  /** Stores a record for a combination of rights, with a few words and languages. */
  async function store(number: number): Promise<void> {
    const record = {
      id: `record-${number}`,
      titles: [{ value: `${words[number % 3]} plate${number} secret${number}` }],
      language: languages[number % 2],
      acls: aclsOf(number),
      relatedIdentifiers: [
        { value: `https://example.org/${number}`, identifierType: 'URL', relationType: 'IS_METADATA_FOR' },
        { value: 'base', identifierType: 'INTERNAL', relationType: 'HAS_METADATA' },
      ],
    }
    const document = {
      text: `all ${words[(number + 1) % 3]}`,
      own: `hidden${number}`,
      description: `About ${number}.`,
    }
    const sent = service.http
      .post('/api/v2/metadata')
      .attach('record', Buffer.from(JSON.stringify(record)), {
        filename: 'r',
        contentType: 'application/json',
      })
      .attach('document', Buffer.from(JSON.stringify(document)), 'document')
    await as('the administrator', sent).expect(201)
  }
}
