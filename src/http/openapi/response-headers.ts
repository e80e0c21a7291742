import type { Header } from './specification-types.js'
import { exampleCommit } from './value-schemas.js'

/** Headers that responses of every operation may have. */
const onAnyAnswer: Readonly<Record<string, Header>> = {
  'X-Request-Id': {
    description:
      'Id of the request in the log: the `X-Request-Id` or the trace id of `traceparent` in the request, else a new id.',
    required: true,
    schema: { type: 'string', pattern: '^[A-Za-z0-9][A-Za-z0-9._:/+=@-]{0,127}$' },
    example: '4bf92f3577b34da6a3ce929d0e0e4736',
  },
  'X-Content-Type-Options': {
    description: 'Browsers must not guess another content type.',
    required: true,
    schema: { const: 'nosniff' },
  },
  'Content-Security-Policy': {
    description:
      'A browser that shows the response must not load or run anything, except for the pages of this server. It must not show the response in a frame.',
    required: true,
    schema: { type: 'string', pattern: "^default-src 'none'; " },
    example: "default-src 'none'; frame-ancestors 'none'",
  },
  'Referrer-Policy': {
    description: 'On an HTML page: browsers do not send the address of the page to other sites.',
    schema: { const: 'same-origin' },
  },
  'Cross-Origin-Resource-Policy': {
    description: 'Pages of other sites must not embed the response, for example as an image or a script.',
    required: true,
    schema: { const: 'same-origin' },
  },
  'Cross-Origin-Opener-Policy': {
    description: 'On an HTML page: windows of other sites that opened the page have no access to it.',
    schema: { const: 'same-origin' },
  },
  RateLimit: {
    description:
      'If the server limits rates: the client may send `r` more requests, and has all of them again in `t` seconds.',
    schema: { type: 'string', pattern: '^"client";r=\\d+;t=\\d+$' },
    example: '"client";r=480;t=1',
  },
  'RateLimit-Policy': {
    description: 'If the server limits rates: a client may send `q` requests in `w` seconds.',
    schema: { type: 'string', pattern: '^"client";q=\\d+;w=\\d+$' },
    example: '"client";q=500;w=1',
  },
  'Preference-Applied': {
    description: 'The server has applied `Prefer: handling=strict` of the request (RFC 7240).',
    schema: { const: 'handling=strict' },
  },
  Vary: {
    description: 'The request headers on which the response depends.',
    schema: { type: 'string', pattern: '^[A-Za-z-]+(, [A-Za-z-]+)*$' },
    example: 'Accept',
  },
  'Access-Control-Allow-Origin': {
    description: 'The origin of the request, if its scripts may read the response.',
    schema: { type: 'string' },
  },
  'Access-Control-Allow-Credentials': {
    description: 'Present with `Access-Control-Allow-Origin`: requests may have credentials.',
    schema: { const: 'true' },
  },
  'Access-Control-Expose-Headers': {
    description: 'Present with `Access-Control-Allow-Origin`: response headers that scripts may read.',
    schema: { type: 'string' },
  },
  'Access-Control-Allow-Methods': {
    description: 'In the response to a preflight request: methods that scripts may use.',
    schema: { type: 'string' },
  },
  'Access-Control-Allow-Headers': {
    description: 'In the response to a preflight request: headers that scripts may send.',
    schema: { type: 'string' },
  },
}

export const headers: Readonly<Record<string, Header>> = {
  ETag: {
    description:
      'The commit that made the state in the response, in double quotes. Send it in `If-Match` to change the record, and in `If-None-Match` to ask whether the record has changed.',
    required: true,
    schema: { type: 'string', pattern: '^"[0-9a-f]{40}"$' },
    example: `"${exampleCommit}"`,
  },
  ContentTag: {
    description: 'A hash of the content, in double quotes.',
    required: true,
    schema: { type: 'string', pattern: '^"[A-Za-z0-9_-]+"$' },
    example: '"x3Xnt1ft5jDNCqERO9ECZhqziCnKUqZCKreChi8mhkY"',
  },
  Location: {
    description: 'Address of the new version, under the mount of the request.',
    required: true,
    schema: { type: 'string', format: 'uri', pattern: '\\?version=\\d+$' },
    example: 'http://localhost:8040/api/v1/metadata/overview-7?version=1',
  },
  Document: {
    description: 'For a record of version 2: address of its document.',
    schema: { type: 'string', format: 'uri', pattern: '\\?version=\\d+(&at=[0-9a-f]{40})?$' },
    example: 'http://localhost:8040/repository/api/v2/metadata/overview-7?version=1',
  },
  Elsewhere: {
    description: 'The address of the record.',
    required: true,
    schema: { type: 'string', format: 'uri' },
    example: 'http://localhost:8040/repository/api/v2/schemas/measurement',
  },
  LandingPage: {
    description: 'Address of the landing page.',
    required: true,
    schema: { type: 'string', format: 'uri-reference', minLength: 1 },
    example: '/metadata-landing-page?id=overview-7&version=',
  },
  ContentRange: {
    description:
      'The part of the list in the response: `<first>-<last>/<total>`, counted from 0; `*/<total>` if the response has no records. The total of a search is `*` if only a lower bound is known.',
    required: true,
    schema: { type: 'string', pattern: '^(\\d+-\\d+|\\*)/(\\d+|\\*)$' },
    example: '0-9/42',
  },
  PageLinks: {
    description:
      'Addresses of other pages of the list (RFC 8288): `first`, `prev`, `next`, `last`, if there are such pages. They name the commit of the list, so that a client that follows them misses and repeats no record while others write. If the filters are too long for a header, only `next` is present, or no link.',
    schema: {
      type: 'string',
      pattern: linkPattern('first|prev|next|last'),
    },
    example: `<http://localhost:8040/api/v1/metadata?page=1&size=20&at=${exampleCommit}>; rel="next"`,
  },
  ItemLinks: {
    description:
      'For a document, the addresses of its record (`describedby`) and of its landing page (`collection`); for a record, the address of its landing page (`describes`).',
    schema: { type: 'string', pattern: linkPattern('collection|describedby|describes') },
    example:
      '<http://localhost:8040/metadata-landing-page?id=overview-7&version=1>; rel="describes"; type="text/html"',
  },
  Allow: {
    description: 'The methods of the path.',
    required: true,
    schema: { type: 'string', pattern: '^[A-Z]+(, [A-Z]+)*$' },
    example: 'HEAD, GET, OPTIONS',
  },
  Challenge: {
    description:
      'The authentication scheme (RFC 9110, 11.6.1); with `error="invalid_token"` if the token of the request is not valid (RFC 6750).',
    required: true,
    schema: { type: 'string', pattern: '(^|, )Bearer realm="git-metastore"(, error="invalid_token")?$' },
    example: 'Bearer realm="git-metastore", error="invalid_token"',
  },
  RetryAfter: {
    description: 'Seconds after which the client may try again.',
    schema: { type: 'integer', minimum: 1 },
    example: 5,
  },
  CacheControl: {
    description: 'How long caches may reuse the response.',
    required: true,
    schema: { type: 'string' },
    example: 'no-store',
  },
  ...Object.fromEntries(
    Object.entries(onAnyAnswer).map(([name, header]) => [name, { ...header, 'x-on-any-answer': true }]),
  ),
}

/** The pattern of a `Link` header with links of these relations. @see RFC 8288 §3 */
export function linkPattern(relations: string): string {
  const link = `<[^>]+>; rel="(${relations})"(; type="[^"]+")?(; profile="[^"]+")?`
  return `^${link}(, ${link})*$`
}
