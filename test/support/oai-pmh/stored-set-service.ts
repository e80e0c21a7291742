import { createRepository } from '../../../src/store/work-tree/create-repository.js'
import { jsonSchema, metadataRecordV1, startService, type TestService } from '../http/test-service.js'
import { identifyWithTestSecret, userToken } from '../http/test-tokens.js'
import { temporaryRepository } from '../repository/test-repository.js'
import { harvestAll, idsOf, oaiOptions } from './oai-client.js'

export const anyone = [{ sid: 'anonymousUser', permission: 'READ' }]
export const sem = { spec: 'sem', name: 'Scanning electron microscopy', q: 'instrument.name:SEM' }
export const semDocument = '{"instrument":{"name":"SEM"}}'
export const temDocument = '{"instrument":{"name":"TEM"}}'

export function metastoreFile(...oaiSets: readonly object[]): string {
  return `${JSON.stringify({ layout: 1, name: 'Test', oaiSets }, undefined, 2)}\n`
}

/**
 * A service with a schema `plain`, whose repository has these sets from its first commit on.
 * @param page number of records in one answer
 * @param schema further members of the record of the schema
 */
export async function startWithSets(
  sets: readonly object[] = [sem],
  page = 2,
  schema: object = {},
): Promise<{ service: TestService; owner: string }> {
  const files = new Map([['metastore.json', Buffer.from(metastoreFile(...sets))]])
  const repository = await temporaryRepository({ make: dir => createRepository(dir, { bare: true, files }) })
  const service = await startService(
    { identify: identifyWithTestSecret, features: { ...oaiOptions, 'oai-page': page } },
    {},
    repository,
  )
  const owner = await userToken('owner')
  await service
    .postSchema({ schemaId: 'plain', acl: anyone, ...schema }, jsonSchema())
    .auth(owner, { type: 'bearer' })
    .expect(201)
  return { service, owner }
}

export function recordOf(id: string, acl: readonly object[] = anyone, schema = 'plain') {
  const owners = [{ sid: 'owner', permission: 'ADMINISTRATE' }, ...acl]
  return metadataRecordV1(`https://example.org/${id}`, schema, { id, acl: owners })
}

/** Requests of the owner. */
export function ownerOf({ service, owner }: { service: TestService; owner: string }) {
  const auth = [owner, { type: 'bearer' }] as const
  return {
    create: (id: string, document: string, acl = anyone, schema = 'plain') =>
      service
        .postMetadata(recordOf(id, acl, schema), document)
        .auth(...auth)
        .expect(201),
    update: (id: string, document: string, acl: readonly object[] = anyone) =>
      service
        .putMetadata(id, '*', recordOf(id, acl), document)
        .auth(...auth)
        .expect(200),
    putCrosswalk: (crosswalk: object) =>
      service
        .putSchema('plain', '*', { crosswalk })
        .auth(...auth)
        .expect(200),
    remove: (id: string) =>
      service.http
        .delete(`/api/v1/metadata/${id}`)
        .auth(...auth)
        .set('If-Match', '*')
        .expect(204),
  }
}

/** The ids of the records that a harvester gets of a set; those of deleted records begin with `-`. */
export async function told(service: TestService, set = 'sem', prefix = 'oai_dc', bearer?: string) {
  const parts = await harvestAll(service, `verb=ListIdentifiers&metadataPrefix=${prefix}&set=${set}`, {
    bearer,
  })
  return idsOf(parts).toSorted()
}

/**
 * State of a record. `departures` has an entry for each time that it left the set: whether anyone could read it before.
 */
export interface State {
  readonly isMember: boolean
  readonly isOpen: boolean
  readonly isRevoked: boolean
  readonly departures: readonly boolean[]
}

export function following({ isMember, isOpen, departures }: State, now: State): State {
  const isLost = isMember && (!now.isMember || (isOpen && (!now.isOpen || now.isRevoked)))
  return { ...now, departures: isLost ? [...departures, isOpen] : departures }
}

/** Entries of a record that anyone gets in a list of the set. */
export function entriesOf(id: string, { isMember, isOpen, isRevoked, departures }: State): readonly string[] {
  const isVisible = isOpen && !isRevoked
  if (isMember && isVisible) return [id]
  return departures.some(wasOpen => wasOpen || isVisible) ? [`-${id}`] : []
}
