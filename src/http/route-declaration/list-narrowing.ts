import type { Context } from 'koa'
import type { PointExpression } from '../../core/history-point.js'
import type { Collection } from '../../core/records/collection.js'
import type { ListQuery } from '../../core/records/list-query.js'
import type { RequestParameter } from '../parameters/request-parameter.js'

/** A list that a parameter of a feature narrows. */
export interface NarrowedList {
  readonly kind: Collection
  /** The value of the parameter. */
  readonly value: string
  readonly filters: ListQuery
  /** The record whose versions the request asks for. */
  readonly versionsOf: string | undefined
  readonly page: number
  readonly size: number
  readonly at: PointExpression | undefined
}

/** How a feature narrows the lists of records by a parameter. */
export interface ListNarrowing<C> {
  /** Its value is undefined if the list is not narrowed. */
  readonly parameter: RequestParameter<string | undefined>
  /** When the list is `not-found` because of the parameter. */
  readonly notFound: string
  /** Answers a narrowed list. */
  answer(ctx: Context, context: C, list: NarrowedList): Promise<void>
}
