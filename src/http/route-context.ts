import type { Context } from 'koa'
import type { Principal } from '../core/access-control.js'
import type { Collection } from '../core/records/collection.js'
import { openEventLoopPauses } from '../core/scheduling/event-loop-pauses.js'
import type { Services } from '../service/services.js'
import type { CallerOf } from './auth/identify-caller.js'
import { parseJsonPart } from './forms/json-part.js'
import type { FormLimits, FormPart } from './forms/multipart-form.js'
import type { LandingPageUrls } from './html-pages/landing-page-urls.js'
import type { LongLivedResponses } from './limits/long-lived-responses.js'
import type { MemoryBudget } from './limits/shared-memory-budget.js'
import type { TimeSlices } from './limits/time-slices.js'
import type { unversionedMounts } from './mounts.js'
import type { OaiOptions } from './oai-options.js'
import type { Metrics } from './observability/prometheus-metrics.js'
import type { OpenApiDocument } from './openapi/specification-types.js'
import type { ProgramInfo } from './program-info.js'
import type { BaseUrls } from './proxies/base-url.js'
import type { JsonObject, RecordFormat } from './record-formats/record-format-interface.js'
import type { RecordRenderer } from './rendering/rendered-record.js'
import { isStrict } from './request/prefer-header.js'
import type { RequestNames } from './route/request-names.js'

/** What the handlers of one interface version get, below one mount. */
export interface ApiContext {
  readonly services: Services
  readonly recordFormat: RecordFormat
  /** Such as `/metastore/api/v1`. */
  readonly mount: string
  readonly callerOf: CallerOf
  /** The caller whose view is public. */
  readonly publicCaller: Principal
  readonly basesOf: (ctx: Context) => BaseUrls
  readonly limits: FormLimits
  readonly names: RequestNames
  readonly landing: LandingPageUrls
  readonly renderer: RecordRenderer
  /** All mounts share it. */
  readonly longLived: LongLivedResponses
  readonly slices: TimeSlices
  /** Memory for responses that clients have not read yet. */
  readonly responseMemory: MemoryBudget
}

/** Bytes from which on parsing a record takes milliseconds. */
const longRecord = 64 * 1024

/**
 * Parses the record of a request, and refuses misspelled members. Pauses for other requests if the record is long.
 * @throws ProblemError
 */
export async function draftIn<T>(
  { recordFormat, limits, names }: ApiContext,
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

/** Base URL and mount of the request, with which URLs in the response begin. @see docs/contract.md#base-url */
export function apiRootUrl(api: ApiContext, ctx: Context): string {
  return api.basesOf(ctx).canonical + api.mount
}

/** What the handlers of routes without an interface version get. */
export interface UnversionedContext
  extends Pick<
    ApiContext,
    'services' | 'callerOf' | 'publicCaller' | 'basesOf' | 'limits' | 'names' | 'responseMemory' | 'longLived'
  > {
  readonly mount: (typeof unversionedMounts)[number]
  readonly build: ProgramInfo
  /** The OpenAPI description, with the URL of {@link mount} below `base` as its first server. */
  readonly describe: (base: string, mount: string) => OpenApiDocument
  /** Undefined: the server has no metrics. */
  readonly metrics: Metrics | undefined
  /** Undefined: nothing can be harvested. */
  readonly oai: OaiOptions | undefined
  /** Writes a line to the operator. */
  readonly note: (line: string) => void
}
