import type { Context } from 'koa'
import type { Principal } from '../core/access-control.js'
import type { ProblemError } from '../core/problem.js'
import type {
  DescribedRevision,
  DocumentDescription,
  ListedDescription,
} from '../core/records/document-description.js'
import type { Revision } from '../core/records/revision.js'
import type { OperationHooks } from '../service/operations/feature-hooks.js'
import type { RevisionReader } from '../service/record-history/follow-revisions.js'
import type { RecordHooks } from '../service/rules/record-hooks.js'
import type { Header, Schema } from './openapi/specification-types.js'
import type { ApiContext, PageSection, UnmountedContext, UnversionedContext } from './route-context.js'
import type { DescribedApiVersion } from './route-declaration/api-version.js'
import type { ListNarrowing } from './route-declaration/list-narrowing.js'
import type { Route } from './route-declaration/route.js'

/** What the handlers of a feature's routes get in addition. */
interface WithFeature<S> {
  /** What the feature opened. */
  readonly feature: S
}
export type FeatureContext<S> = UnversionedContext & WithFeature<S>
export type FeatureApiContext<S> = ApiContext & WithFeature<S>

/**
 * The routes of a feature. They are declared without a service, so that the OpenAPI description needs none.
 * @typeParam S what the feature opens
 */
export interface FeatureRoutes<S> {
  /** Routes without an interface version. They exist at the root and below `/metastore`. */
  readonly routes?: readonly Route<FeatureContext<S>>[]
  /** Routes of one version of the interface. */
  versionRoutes?(api: DescribedApiVersion): readonly Route<FeatureApiContext<S>>[]
  /**
   * Answers a problem in another form than problem details, even if it is found before the route is known.
   * @param site the context of routes without an interface version
   * @returns false if the request does not belong to the feature
   */
  answerProblem?(ctx: Context, problem: ProblemError, site: UnmountedContext & WithFeature<S>): boolean
  /** Narrows the lists of records by a parameter. One feature can have it. */
  readonly listNarrowing?: ListNarrowing<FeatureApiContext<S>>
  /** Schemas of the members of `/health` that {@link OpenFeature.health} gives. */
  readonly healthMembers?: Readonly<Record<string, Schema>>
  /** Components of the OpenAPI description that the routes and members of the feature refer to, by name. */
  readonly components?: {
    readonly schemas?: Readonly<Record<string, Schema>>
    readonly headers?: Readonly<Record<string, Header>>
    readonly securitySchemes?: Readonly<Record<string, Schema>>
  }
  /** Tags of these routes in the OpenAPI description. */
  readonly tags?: readonly { readonly name: string; readonly description: string }[]
}

/**
 * An open feature: its hooks into a running service. Each hook is optional.
 * @see docs/understand/features.md
 */
export interface OpenFeature<S = unknown> extends OperationHooks {
  /** What the handlers of its routes get. */
  readonly state?: S
  /** Is told of every revision, in the order of history, while a server runs. */
  readonly follows?: RevisionReader
  /** Sections of the page of a record, below its document. @param at the point of history of the page; undefined: now */
  sections?(revision: Revision, caller: Principal, at: string | undefined): Promise<readonly PageSection[]>
  /** What the documents of revisions say about themselves, in the order of the revisions. One feature can have it. */
  describeEach?(revisions: Iterable<Revision>): AsyncIterable<DescribedRevision>
  /** What a list shows of a record and of what its document says about itself. One feature can have it. */
  listDescription?(revision: Revision, description: DocumentDescription): ListedDescription
  /** Begins the work of the feature in a server, after all features are open. */
  start?(): void
  /** Slow work that a server does when it is quiet after its start, before a request needs the result. */
  prepare?(): Promise<void>
  /** Ends the work of the feature. It is called before the parts of the core close. */
  close?(): Promise<void> | void
}

/** An open feature with its routes. */
export type ServedFeature = OpenFeature &
  FeatureRoutes<never> &
  RecordHooks & { readonly name: string; readonly describeModule?: URL | undefined }
