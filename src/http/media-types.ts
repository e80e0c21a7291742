/** The media type in a `Content-Type` header: in lower case, without parameters. */
export function mediaTypeIn(contentType: string): string {
  return contentType.split(';', 1)[0]?.trim().toLowerCase() ?? ''
}

/** Whether a media type is JSON: `application/json`, or a type that ends with `+json`. @see RFC 6839 §3.1 */
export function isJsonType(mediaType: string): boolean {
  return /^application\/(?:json|[\w!#$&^.+-]+\+json)$/.test(mediaType)
}
