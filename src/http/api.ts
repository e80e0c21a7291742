import type { Context } from 'koa'
import { ProblemError } from '../core/problem.js'
import { clip, type Id, isId, type Kind } from '../core/values.js'
import type { Services } from '../service/services.js'
import type { Bases } from './base.js'
import type { Identify } from './identity.js'
import type { LandingPages } from './landing.js'
import type { UploadLimits } from './upload.js'
import type { Wire } from './wire/wire.js'

/** What the routes of one interface version under one mount work with. */
export interface Api {
  readonly services: Services
  readonly wire: Wire
  /** Such as `/metastore/api/v1`. */
  readonly mount: string
  readonly identify: Identify
  readonly basesOf: (ctx: Context) => Bases
  readonly limits: UploadLimits
  readonly landingPages: LandingPages
}

/** What URLs in the answer begin with: base and mount of the request. @see contract, "URLs in bodies" */
export function rootOf(api: Api, ctx: Context): string {
  return api.basesOf(ctx).own + api.mount
}

/**
 * The id in a path. One that is not permitted is no record's, so it is not found.
 * @throws ProblemError `not-found`
 */
export function idIn(text: string | undefined, kind: Kind): Id {
  if (text !== undefined && isId(text)) return text
  const subject = kind === 'schema' ? 'Schema' : 'Metadata'
  throw new ProblemError('not-found', `${subject} document with ID '${clip(text ?? '')}' doesn't exist!`)
}
