import { STATUS_CODES } from 'node:http'
import type { Context, Middleware } from 'koa'
import { ProblemError } from '../../../core/problem.js'
import { type Window, windowOf } from '../../../core/records/list-page.js'
import type { Listed } from '../../../core/records/list-query.js'
import type { Kind } from '../../../core/records/record-kind.js'
import type { Version } from '../../../core/value-types.js'
import type { Services } from '../../../service/services.js'
import type { ListView } from '../../html-pages/dashboard-and-list-pages.js'
import type { Frame } from '../../html-pages/html-layout.js'
import { type Addresses, addressesOf, type Interface } from '../../html-pages/page-urls.js'
import { problemPage } from '../../html-pages/problem-page.js'
import { contentSecurityPolicy } from '../../html-pages/stylesheet.js'
import { siteMounts } from '../../mounts.js'
import { pointIn } from '../../request/at-parameter.js'
import { prefersPage } from '../../request/content-negotiation.js'
import { rangeOf, wholeNumber } from '../../request/paging.js'
import { single, versionOf } from '../../request/query-parameters.js'
import { problemAnswer } from '../../response/problem-details.js'
import { pageHeaders } from '../../response/security-headers.js'
import type { Site } from '../../route-context.js'

/*
 * What the routes of all pages share: how a page is answered, and what is read from a request for one.
 */

/** A problem on one of these addresses is a page too where a browser asks. */
export function readable(site: Site): Middleware {
  return async (ctx, next) => {
    ctx.vary('Accept')
    const frame = frameOf(ctx, site)
    try {
      await next()
    } catch (error) {
      if (!(error instanceof ProblemError) || !prefersPage(ctx.headers.accept)) throw error
      sendProblem(ctx, frame, error)
    }
  }
}

/**
 * Answers what is not there as a page where a browser asks, on whatever address.
 * @returns whether it has
 */
export function openMissingPage(site: Omit<Site, 'mount'>): (ctx: Context, problem: ProblemError) => boolean {
  return (ctx, problem) => {
    if (problem.kind !== 'not-found') return false
    ctx.vary('Accept')
    if (!prefersPage(ctx.headers.accept)) return false
    const mount = siteMounts.findLast(each => ctx.path.startsWith(`${each}/`)) ?? ''
    const frame = frameIfUsable(ctx, { ...site, mount })
    if (frame) sendProblem(ctx, frame, problem)
    return frame !== undefined
  }
}

/** @returns undefined where the request does not say by a usable Host what the links of a page begin with */
function frameIfUsable(ctx: Context, site: Site): Frame | undefined {
  try {
    return frameOf(ctx, site)
  } catch (error) {
    if (error instanceof ProblemError) return undefined
    throw error
  }
}

function sendProblem(ctx: Context, frame: Frame, problem: ProblemError): void {
  const { status, headers } = problemAnswer(problem, ctx.path)
  ctx.remove('Content-Disposition')
  ctx.set(headers)
  send(ctx, problemPage(frame, status, STATUS_CODES[status] ?? '', problem.message), status)
}

/** Answers a page. */
export function send(ctx: Context, page: string, status = 200): void {
  ctx.status = status
  ctx.set({
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': contentSecurityPolicy,
    ...pageHeaders,
    'Cache-Control': 'no-cache',
  })
  ctx.body = page
}

export function frameOf(ctx: Context, { basesOf, mount, build }: Site): Frame {
  return { root: basesOf(ctx).own + mount, build }
}

/** @param version of the interface that the page leads to */
export function addressesIn(ctx: Context, site: Site, version: Interface = 1): Addresses {
  return addressesOf(site.basesOf(ctx).own, site.mount, version)
}

export function recordsOf(services: Services, kind: Kind): Services['schemas'] | Services['metadata'] {
  return kind === 'schema' ? services.schemas : services.metadata
}

/** `version=` without a number asks for none: templates of landing pages leave it so. */
export function versionAsked(ctx: Context): Version | undefined {
  return single(ctx.query, 'version') === '' ? undefined : versionOf(ctx.query)
}

/** The page a list is asked for, from 1, and what to show of it. @param size entries a page */
export function windowIn(
  ctx: Context,
  size: number,
): { readonly window: Window; readonly view: (records: Listed) => ListView } {
  const page = wholeNumber(ctx.query, 'page', 1, 1)
  const window = windowOf(page - 1, size)
  const view = (records: Listed) => {
    rangeOf(records) // refuses a page past the end
    const at = pointIn(ctx.query)
    const { commit } = records
    return {
      records,
      page,
      pages: Math.ceil(records.total / size),
      ...(at && commit ? { at: { name: at.text, commit } } : {}),
    }
  }
  return { window, view }
}
