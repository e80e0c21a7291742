import type { Context } from 'koa'
import type { Collection } from '../core/records/collection.js'
import { openEventLoopPauses } from '../core/scheduling/event-loop-pauses.js'
import type { Services } from '../service/services.js'
import type { CallerOf } from './auth/identify-caller.js'
import type { LandingPageUrls } from './html-pages/landing-page-urls.js'
import type { LongLivedResponses } from './limits/long-lived-responses.js'
import type { Room } from './limits/shared-memory-budget.js'
import type { Slices } from './limits/time-slices.js'
import type { unversionedMounts } from './mounts.js'
import type { Metrics } from './observability/prometheus-metrics.js'
import type { Description } from './openapi/specification-types.js'
import type { ProgramInfo } from './program-info.js'
import type { BaseUrls } from './proxies/base-url.js'
import type { JsonObject, WireFormat } from './record-formats/record-format-interface.js'
import type { RecordRenderer } from './rendering/rendered-record.js'
import { type FormLimits, type FormPart, parseRecordPart } from './request/multipart-form.js'
import { isStrict } from './request/prefer-header.js'
import type { RequestNames } from './request/unknown-names.js'

/** What the routes of one interface version under one mount work with. */
export interface ApiContext {
  readonly services: Services
  readonly wire: WireFormat
  /** Such as `/metastore/api/v1`. */
  readonly mount: string
  readonly callerOf: CallerOf
  readonly basesOf: (ctx: Context) => BaseUrls
  readonly limits: FormLimits
  readonly names: RequestNames
  readonly landing: LandingPageUrls
  readonly shown: RecordRenderer
  /** Shared by all mounts. */
  readonly waiting: LongLivedResponses
  readonly slices: Slices
  /** Room for the answers that clients have not taken yet. */
  readonly answerRoom: Room
}

/** Bytes from which on a record takes milliseconds to read. */
const longRecord = 64 * 1024

/**
 * What the record of a request asks for, with no member that was meant otherwise. A long one is read in steps, and others have
 * their turn in between.
 * @throws ProblemError
 */
export async function draftIn<T>(
  { wire, limits, names }: ApiContext,
  ctx: Context,
  kind: Collection,
  part: FormPart,
  parse: (json: JsonObject) => T,
): Promise<T> {
  const pauses = openEventLoopPauses()
  if (part.bytes.length > longRecord) await pauses.now()
  const json = parseRecordPart(part, limits)
  await pauses.ifDue()
  names.refuseUnknownMembers(json, wire.version, kind, isStrict(ctx))
  await pauses.ifDue()
  const draft = parse(json)
  await pauses.ifDue()
  return draft
}

/** What URLs in the answer begin with: base and mount of the request. @see docs/contract.md#base-url */
export function apiRootUrl(api: ApiContext, ctx: Context): string {
  return api.basesOf(ctx).canonical + api.mount
}

/** What answers beside the interface itself. */
export interface UnversionedContext
  extends Pick<
    ApiContext,
    'services' | 'callerOf' | 'basesOf' | 'limits' | 'names' | 'answerRoom' | 'waiting'
  > {
  /** One of {@link unversionedMounts}. */
  readonly mount: (typeof unversionedMounts)[number]
  readonly build: ProgramInfo
  /** The description of the interface, as it is below `base` and {@link mount}. */
  readonly describe: (base: string, mount: string) => Description
  /** Undefined: nothing is measured. */
  readonly metrics: Metrics | undefined
}
