/*
 * Links in `Link` headers and in sets of links.
 * @see RFC 8288, RFC 9264
 */

/** A link with a description of its target. */
export interface WebLink {
  /** Absolute, and ASCII. */
  readonly href: string
  readonly rel: string
  /** Media type of the target, without parameters. */
  readonly type?: string
  /** The profile of the target: the parameter `profile` of media types. */
  readonly profile?: string
}

/** A media type with its profile as a parameter: for `Content-Type`, and for attributes of HTML. */
export function mediaTypeWith(type: string, profile: string | undefined): string {
  return profile === undefined ? type : `${type};profile="${profile}"`
}

/** The value of a `Link` header for one link. Parameters of a media type never go into `type`. */
export function linkValue({ href, rel, type, profile }: WebLink, anchor?: string): string {
  const attributes = [
    ['rel', rel],
    ['anchor', anchor],
    ['type', type],
    ['profile', profile],
  ] as const
  const written = attributes.flatMap(([name, value]) =>
    value === undefined ? [] : [`; ${name}="${value.replace(/["\\]/g, '\\$&')}"`],
  )
  return `<${href.replace(/[<>]/g, encodeURIComponent)}>${written.join('')}`
}

/**
 * The links as the value of a `Link` header.
 * @param longest most characters of the value; links that do not fit are left out, shorter ones after them are not
 */
export function linkHeader(links: readonly WebLink[], longest = Number.POSITIVE_INFINITY): string {
  let header = ''
  for (const link of links) {
    const longer = header === '' ? linkValue(link) : `${header}, ${linkValue(link)}`
    if (longer.length <= longest) header = longer
  }
  return header
}
