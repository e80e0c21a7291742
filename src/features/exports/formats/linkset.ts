import { linkValue, type WebLink } from '../../../core/text/web-link.js'
import { defined } from '../defined-members.js'

/*
 * Link sets: all links from and to the addresses of a record, in one document.
 * @see RFC 9264; https://signposting.org/FAIR/ level 2
 */

/** The links from one address. */
export interface LinkContext {
  readonly anchor: string
  readonly links: readonly WebLink[]
}

/** A linkset in the format `application/linkset+json`. @see RFC 9264 §4.2 */
export function linksetJson(contexts: readonly LinkContext[]): string {
  return JSON.stringify({ linkset: contexts.map(jsonContext) })
}

function jsonContext({ anchor, links }: LinkContext): Readonly<Record<string, unknown>> {
  const byRelation = new Map<string, object[]>()
  for (const { href, rel, type, profile } of links) {
    const targets = byRelation.get(rel) ?? []
    byRelation.set(rel, targets)
    // Attributes that the format does not define have lists as values.
    targets.push(defined({ href, type, profile: profile === undefined ? undefined : [profile] }))
  }
  return { anchor, ...Object.fromEntries(byRelation) }
}

/** A linkset in the format `application/linkset`: the syntax of `Link` headers, where line breaks are allowed. */
export function linksetText(contexts: readonly LinkContext[]): string {
  const values = contexts.flatMap(({ anchor, links }) => links.map(link => linkValue(link, anchor)))
  return `${values.join(',\n')}\n`
}
