import type { Context } from 'koa'
import type { Principal } from '../core/access-control.js'
import type { Revision } from '../core/records/revision.js'
import type { Services } from '../service/services.js'
import type { CallerOf } from './auth/identify-caller.js'
import type { FormLimits } from './forms/upload-limits.js'
import type { HtmlPart } from './html-template.js'
import type { LongLivedResponses } from './limits/long-lived-responses.js'
import type { MemoryBudget } from './limits/memory-budget.js'
import type { TimeSlices } from './limits/time-slices.js'
import type { unversionedMounts } from './mounts.js'
import type { Metrics } from './observability/prometheus-metrics.js'
import type { OpenApiDocument } from './openapi/specification-types.js'
import type { LandingPageUrls } from './page-urls/landing-page-urls.js'
import type { BaseUrls } from './proxies/request-addresses.js'
import type { RecordFormat } from './record-formats/record-format-interface.js'
import type { RecordRenderer } from './rendering/rendered-record.js'
import type { ResponseSignals } from './response/response-signals.js'
import type { RequestNames } from './route-declaration/request-names.js'

/** Name and version of this program. */
export interface ProgramInfo {
  readonly name: string
  readonly version?: string
}

/** A section of a page. */
export interface PageSection {
  /** The id of its heading. */
  readonly id: string
  readonly title: string
  /** A section without content is left out. */
  readonly content: HtmlPart
  /** Whether it is navigation, which stands above the document and shows no heading. Otherwise it stands below. */
  readonly isNavigation?: boolean
}

/** What the handlers of the routes of one interface version get, below one mount. */
export interface ApiContext {
  readonly services: Services
  readonly recordFormat: RecordFormat
  /** Path prefix of the routes, such as `/metastore/api/v1`. */
  readonly mount: string
  readonly callerOf: CallerOf
  /** The caller without a token: what this caller may read is public. */
  readonly publicCaller: Principal
  readonly basesOf: (ctx: Context) => BaseUrls
  readonly limits: FormLimits
  readonly names: RequestNames
  readonly landing: LandingPageUrls
  readonly renderer: RecordRenderer
  /** The count of responses that wait for changes, which all mounts share. */
  readonly longLived: LongLivedResponses
  /** The signals that end work for responses, which all mounts share. */
  readonly signals: ResponseSignals
  readonly slices: TimeSlices
  /** The limit on memory for responses that clients have not read yet. */
  readonly responseMemory: MemoryBudget
}

/** Beginning of the URLs in a response, such as `https://example.org/api/v1`. @see docs/contract.md#base-url */
export function apiRootUrl(api: ApiContext, ctx: Context): string {
  return api.basesOf(ctx).canonical + api.mount
}

/** What the handlers of routes without an interface version get. */
export interface UnversionedContext
  extends Pick<
    ApiContext,
    | 'services'
    | 'callerOf'
    | 'publicCaller'
    | 'basesOf'
    | 'limits'
    | 'names'
    | 'responseMemory'
    | 'longLived'
    | 'signals'
  > {
  readonly mount: (typeof unversionedMounts)[number]
  readonly build: ProgramInfo
  /** Makes the OpenAPI description, with the URL of {@link mount} below `base` as its first server. */
  readonly describe: (base: string, mount: string) => OpenApiDocument
  /** Undefined: the server has no metrics. */
  readonly metrics: Metrics | undefined
  /** The sections that features add to the page of a record. */
  readonly sectionsOf: (
    revision: Revision,
    caller: Principal,
    at: string | undefined,
  ) => Promise<readonly PageSection[]>
  /** Writes a message for the operator of the server. */
  readonly note: (line: string) => void
}

/** The same before the mount of a request is known. */
export type UnmountedContext = Omit<UnversionedContext, 'mount'>
