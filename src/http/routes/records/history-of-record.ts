import type { Context } from 'koa'
import type { Collection } from '../../../core/records/collection.js'
import type { Revision } from '../../../core/records/revision.js'
import { formatInstant } from '../../../core/value-types.js'
import type { Provenance } from '../../../service/record-history/record-log.js'
import { type Schema, schemaRef } from '../../openapi/specification-types.js'
import { exampleCommit } from '../../openapi/value-schemas.js'
import { type RequestedVersion, readRequestedRevision } from '../../request/read-requested.js'
import { withNotFoundMessage } from '../../response/record-response.js'
import type { ApiContext } from '../../route-context.js'

/** The meaning of the problem `not-found`. */
export const notFoundMeaning =
  'There is no such record or version, or there was none at the point `at`; or it is REVOKED and the caller may not read it.'

/** Members of the component `Origin` of the OpenAPI description. */
export const originMembers: Readonly<Record<string, Schema>> = {
  version: schemaRef('Version'),
  commit: schemaRef('Commit'),
  time: schemaRef('Instant'),
  author: { type: 'string', description: 'Name of the commit’s author.' },
}

/** A version of the record, if the caller may read it. */
export function readRevision(
  ctx: Context,
  context: ApiContext,
  kind: Collection,
  requested: RequestedVersion & { readonly id: string },
): Promise<Revision> {
  return withNotFoundMessage(context.recordFormat, 'record', () =>
    readRequestedRevision(ctx, context, kind, requested.id, requested),
  )
}

/** The origin of something as JSON: its version, with the commit, time and author. */
export function renderOrigin({ version, commit, time, author }: Provenance) {
  return { version, commit, time: formatInstant(time), author }
}

export const exampleOrigin = {
  version: 2,
  commit: exampleCommit,
  time: '2026-03-14T09:26:53.59Z',
  author: 'SELF',
}
