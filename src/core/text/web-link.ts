/*
 * Links in `Link` headers and in link sets.
 * @see RFC 8288, RFC 9264
 */

/** A link with a description of its target. */
export interface WebLink {
  /** Address of the target, absolute and in ASCII. */
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

/** The value of a `Link` header for one link. The attribute `type` is a media type without parameters. */
export function linkValue({ href, rel, type, profile }: WebLink, anchor?: string): string {
  const target = href.replace(/[<>]/g, encodeURIComponent)
  return (
    `<${target}>${attribute('rel', rel)}${attribute('anchor', anchor)}` +
    `${attribute('type', type)}${attribute('profile', profile)}`
  )
}

function attribute(name: string, value: string | undefined): string {
  return value === undefined ? '' : `; ${name}="${value.replace(/["\\]/g, '\\$&')}"`
}

/**
 * The links as the value of a `Link` header.
 * @param longest limit of the characters of the value; a link that does not fit is left out, but not a shorter one
 *   after it
 */
export function linkHeader(links: readonly WebLink[], longest = Number.POSITIVE_INFINITY): string {
  let header = ''
  for (const link of links) {
    const longer = header === '' ? linkValue(link) : `${header}, ${linkValue(link)}`
    if (longer.length <= longest) header = longer
  }
  return header
}
