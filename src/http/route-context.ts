import type { Context } from 'koa'
import { type Caller, demandCreator, demandToken } from '../core/access-control.js'
import type { Kind } from '../core/records/record-kind.js'
import { openPauses } from '../core/scheduling/event-loop-pauses.js'
import type { Services } from '../service/services.js'
import type { CallerOf } from './auth/identify-caller.js'
import type { Landing } from './html-pages/landing-page-urls.js'
import type { Waiting } from './limits/long-lived-responses.js'
import type { Room } from './limits/shared-memory-budget.js'
import type { Slices } from './limits/time-slices.js'
import type { siteMounts } from './mounts.js'
import type { Metrics } from './observability/prometheus-metrics.js'
import type { Build } from './program-name.js'
import type { Bases } from './proxies/base-url.js'
import type { Json, Wire } from './record-formats/record-format-interface.js'
import type { Shown } from './rendering/rendered-record.js'
import { type Part, parseRecordPart, receiveParts, type Uploads } from './request/multipart-form.js'
import { isStrict } from './request/prefer-header.js'
import type { RequestNames } from './request/unknown-names.js'

/** What the routes of one interface version under one mount work with. */
export interface Api {
  readonly services: Services
  readonly wire: Wire
  /** Such as `/metastore/api/v1`. */
  readonly mount: string
  readonly callerOf: CallerOf
  readonly basesOf: (ctx: Context) => Bases
  readonly limits: Uploads
  readonly names: RequestNames
  readonly landing: Landing
  readonly shown: Shown
  readonly slices: Slices
  /** Room for the answers that clients have not taken yet. */
  readonly answerRoom: Room
}

/** Who asks for a change, before anything is made of it. @throws ProblemError `unauthenticated` */
export function editorIn({ callerOf }: Pick<Api, 'callerOf'>, ctx: Context): Caller {
  const caller = callerOf(ctx)
  demandToken(caller)
  return caller
}

/** Who asks for a record to be created, likewise. @throws ProblemError `unauthenticated`, `forbidden` */
export function creatorIn({ callerOf }: Pick<Api, 'callerOf'>, ctx: Context): Caller {
  const caller = callerOf(ctx)
  demandCreator(caller)
  return caller
}

/** The parts of a form, with none that was meant otherwise. @see receiveParts @throws ProblemError */
export async function partsIn(
  { limits, names }: Pick<Api, 'limits' | 'names'>,
  ctx: Context,
  admit?: () => Promise<void>,
): Promise<readonly Part[]> {
  const parts = await receiveParts(ctx, limits, admit)
  names.refuseUnknownParts(ctx, parts)
  return parts
}

/** Bytes from which on a record takes milliseconds to read. */
const longRecord = 64 * 1024

/**
 * What the record of a request asks for, with no member that was meant otherwise. A long one is read in steps, and others have
 * their turn in between.
 * @throws ProblemError
 */
export async function draftIn<T>(
  { wire, limits, names }: Api,
  ctx: Context,
  kind: Kind,
  part: Part,
  parse: (json: Json) => T,
): Promise<T> {
  const pauses = openPauses()
  if (part.bytes.length > longRecord) await pauses.now()
  const json = parseRecordPart(part, limits)
  await pauses.ifDue()
  names.refuseUnknownMembers(json, wire.version, kind, isStrict(ctx))
  await pauses.ifDue()
  const draft = parse(json)
  await pauses.ifDue()
  return draft
}

/** What URLs in the answer begin with: base and mount of the request. @see contract, "URLs in bodies" */
export function rootOf(api: Api, ctx: Context): string {
  return api.basesOf(ctx).own + api.mount
}

/** What answers beside the interface itself. */
export interface Site
  extends Pick<Api, 'services' | 'callerOf' | 'basesOf' | 'limits' | 'names' | 'answerRoom'> {
  /** One of {@link siteMounts}. */
  readonly mount: (typeof siteMounts)[number]
  readonly build: Build
  /** Shared by all mounts. */
  readonly waiting: Waiting
  /** Undefined: nothing is measured. */
  readonly metrics: Metrics | undefined
}
