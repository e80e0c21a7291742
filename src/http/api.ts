import type { Context } from 'koa'
import type { Services } from '../service/services.js'
import type { Bases } from './base.js'
import type { Identify } from './identity.js'
import type { Landing } from './landing.js'
import type { Shown } from './shown.js'
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
  readonly landing: Landing
  readonly shown: Shown
}

/** What URLs in the answer begin with: base and mount of the request. @see contract, "URLs in bodies" */
export function rootOf(api: Api, ctx: Context): string {
  return api.basesOf(ctx).own + api.mount
}
