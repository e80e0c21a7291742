import type { Context } from 'koa'
import type { RevisionExtras } from '../../catalog/read/revision-batch-reader.js'
import { writeJson } from '../../core/json/written-number.js'
import { entityTag } from '../../core/precondition.js'
import { ProblemError } from '../../core/problem.js'
import type { Collection } from '../../core/records/collection.js'
import type { Revision } from '../../core/records/revision.js'
import { truncate } from '../../core/value-types.js'
import {
  chooseRepresentation,
  type OfferedTypes,
  type Representation,
  tableTypes,
} from '../negotiation/content-negotiation.js'
import { recordCommit } from '../observability/request-log.js'
import { singleParameter } from '../parameters/query-parameters.js'
import type { RecordFormat } from '../record-formats/record-format-interface.js'
import { recordUrl } from '../record-formats/record-urls.js'
import { mediaTypeOf } from '../record-formats/render-json-properties.js'
import { indexEntry } from '../record-formats/search-index-entry.js'
import { v1 } from '../record-formats/v1/record-format.js'
import { v2 } from '../record-formats/v2/record-format.js'
import { renderContentInformation } from '../record-formats/v2/version-2-members.js'
import { renderingKey } from '../rendering/rendered-record.js'
import { type RequestedVersion, readRequestedItem } from '../request/read-requested.js'
import { type ApiContext, apiRootUrl } from '../route-context.js'
import { securityHeaders } from '../security-headers.js'
import { answerUnchanged, reserveMemory, sendJson, sendLong } from './send-body.js'

/** Answers a change with the record as it is after the change. */
export function answerChange(ctx: Context, api: ApiContext, revision: Revision, status: 200 | 201): void {
  const root = apiRootUrl(api, ctx)
  ctx.set('Location', recordUrl(root, revision.kind, revision.id, revision.version))
  ctx.set('ETag', entityTag(revision.commit))
  recordCommit(ctx, revision.commit)
  sendJson(ctx, api.recordFormat.render(revision, root), 'application/json', status)
}

/**
 * Answers with the record, its document, or a redirect to its page, as `Accept` prefers.
 * @param asked the id or another name as in the path, and the version
 */
export async function answerItem(
  ctx: Context,
  api: ApiContext,
  kind: Collection,
  asked: RequestedVersion & { readonly id: string },
): Promise<void> {
  const { id } = asked
  ctx.vary('Accept')
  const representation = chooseRepresentation(ctx.headers.accept, offerOf(api.recordFormat, kind))
  if (representation.of === 'page') {
    const at = singleParameter(ctx.query, 'at')
    redirectTo(ctx, api.landing.to(kind, id, asked.version, apiRootUrl(api, ctx), at))
    return
  }
  const root = apiRootUrl(api, ctx)
  const extras = isConditional(ctx) ? {} : extrasFor(api, representation.of, root)
  const { revision, document, rendered } = await withNotFoundMessage(
    api.recordFormat,
    representation.of,
    () => readRequestedItem(ctx, api, kind, id, asked, extras),
  )
  if (representation.of === 'document' || representation.of === 'record') {
    const links = api.renderer.links(representation.of, revision, root)
    if (links !== undefined) ctx.set('Link', links)
  }
  if (representation.of === 'document') {
    const readDocument = async () => document ?? (await api.services.readDocument(revision))
    await answerBytes(ctx, api, revision, mediaTypeOf[revision.documentType], readDocument)
    return
  }
  if (answerUnchanged(ctx, entityTag(revision.commit))) return
  const json = rendered ?? (await jsonOf(ctx, api, revision, representation.of, root))
  ctx.set('ETag', entityTag(revision.commit))
  if (representation.of === 'record' && api.recordFormat.locatesDocuments) {
    ctx.set('Location', recordUrl(root, kind, revision.id, revision.version, revision.unserved?.point))
  }
  sendLong(ctx, api.responseMemory, json, representation.mediaType)
}

/** Answers with a redirect to another representation. */
export function redirectTo(ctx: Context, url: string): void {
  ctx.body = null
  ctx.status = 302 // Set after the body, because Koa sets 204 for a null body.
  ctx.set('Location', url)
}

/** Whether the answer may be one without the record. */
function isConditional({ headers }: Context): boolean {
  return headers['if-match'] !== undefined || headers['if-none-match'] !== undefined
}

/** What the read of a record is to return in addition, so that the response needs no second read. */
function extrasFor(api: ApiContext, of: Representation['of'], root: string): RevisionExtras {
  if (of === 'document') return { document: true, record: false }
  return of === 'record' ? { renderAs: renderingKey(api.recordFormat, root), record: false } : {}
}

async function jsonOf(
  ctx: Context,
  api: ApiContext,
  revision: Revision,
  of: Exclude<Representation['of'], 'document' | 'page'>,
  root: string,
): Promise<string> {
  if (of === 'record') return api.renderer.record(revision, root)
  const value =
    of === 'content'
      ? renderContentInformation(revision, await api.services.contentInformation(revision), root)
      : indexEntry(api.callerOf(ctx), revision, await api.services.readDocument(revision), root)
  return writeJson(value)
}

const knownTypes = new Set([
  ...tableTypes,
  ...[v1, v2].flatMap(({ recordTypes, contentTypes, indexTypes }) => [
    ...Object.values(recordTypes).flat(),
    ...contentTypes,
    ...Object.values(indexTypes).flat(),
  ]),
])

function offerOf(recordFormat: RecordFormat, kind: Collection): OfferedTypes {
  return {
    record: recordFormat.recordTypes[kind],
    content: recordFormat.contentTypes,
    index: recordFormat.indexTypes[kind],
    elsewhere: knownTypes,
    onlyFittingDocuments: recordFormat.strictAcceptKinds.includes(kind),
  }
}

/** Runs `read`. A `not-found` problem of `read` gets the message that the interface version has for it. */
export async function withNotFoundMessage<T>(
  recordFormat: RecordFormat,
  wanted: Exclude<Representation['of'], 'page'>,
  read: () => T | Promise<T>,
): Promise<T> {
  try {
    return await read()
  } catch (error) {
    if (!(error instanceof ProblemError) || !error.extra.missing) throw error
    const { kind, name } = error.extra.missing
    throw new ProblemError(
      'not-found',
      recordFormat.notFoundMessage(kind, truncate(name, 200), wanted),
      error.extra,
      { cause: error },
    )
  }
}

/** Answers with an uploaded file of a revision. @param read reads the file @throws ProblemError `unavailable` */
export async function answerBytes(
  ctx: Context,
  api: Pick<ApiContext, 'responseMemory'>,
  revision: Revision,
  mediaType: string,
  read: () => Promise<Buffer>,
): Promise<void> {
  if (answerUnchanged(ctx, entityTag(revision.commit))) return
  const body = await read()
  reserveMemory(ctx, api.responseMemory, body.length)
  ctx.set({
    'Content-Type': mediaType,
    // A browser that shows an uploaded document must not run its scripts with the origin of this server.
    'Content-Security-Policy': `${securityHeaders['Content-Security-Policy']}; sandbox`,
    ETag: entityTag(revision.commit),
  })
  ctx.body = body
}
