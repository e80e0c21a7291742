import type { Header } from './specification-types.js'

export const headers: Readonly<Record<string, Header>> = {
  ETag: {
    description:
      'The state that was answered: the commit that made it, in double quotes. It goes into `If-Match` to change the record, and into `If-None-Match` to ask whether it has changed.',
    required: true,
    schema: { type: 'string', pattern: '^"[0-9a-f]{40}"$' },
    example: '"5f2a1c0d9b8e7f6a5b4c3d2e1f0a9b8c7d6e5f4a"',
  },
  ContentTag: {
    description: 'Tag of exactly this content.',
    required: true,
    schema: { type: 'string', pattern: '^"[A-Za-z0-9_-]+"$' },
    example: '"x3Xnt1ft5jDNCqERO9ECZhqziCnKUqZCKreChi8mhkY"',
  },
  Location: {
    description: 'Address of the version that was made, under the mount of the request.',
    required: true,
    schema: { type: 'string', format: 'uri', pattern: '\\?version=\\d+$' },
    example: 'http://localhost:8040/api/v1/metadata/overview-7?version=1',
  },
  Document: {
    description: 'With a record of version 2: address of its document.',
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
    description: 'Address of the page for people.',
    required: true,
    schema: { type: 'string', format: 'uri-reference', minLength: 1 },
    example: '/metadata-landing-page?id=overview-7&version=',
  },
  ContentRange: {
    description:
      'The part of the list that was answered: `<first>-<last>/<total>`, counted from 0; `*/<total>` where it has nothing, and `*` in place of a total of a search that is only a lower bound.',
    required: true,
    schema: { type: 'string', pattern: '^(\\d+-\\d+|\\*)/(\\d+|\\*)$' },
    example: '0-9/42',
  },
  PageLinks: {
    description:
      'Addresses of other pages of the list (RFC 8288): `first`, `prev`, `next`, `last`, as far as there are. They name the commit whose list this is, so that following them leaves nothing out and repeats nothing while others write. Where the filters are too long for a header, only `next` is there, or none.',
    schema: {
      type: 'string',
      pattern: links('first|prev|next|last'),
    },
    example:
      '<http://localhost:8040/api/v1/metadata?page=1&size=20&at=5f2a1c0d9b8e7f6a5b4c3d2e1f0a9b8c7d6e5f4a>; rel="next"',
  },
  ItemLinks: {
    description:
      'With a document the addresses of its record (`describedby`) and of the page that brings them together (`collection`), with a record that of the page (`describes`).',
    schema: { type: 'string', pattern: links('collection|describedby|describes') },
    example:
      '<http://localhost:8040/metadata-landing-page?id=overview-7&version=1>; rel="describes"; type="text/html"',
  },
  Signposts: {
    description:
      'What the page is about, for programs (FAIR Signposting): `describedby`, `item`, `license` and others.',
    required: true,
    schema: { type: 'string', pattern: links('[a-z-]+') },
    example:
      '<http://localhost:8040/api/v1/metadata/overview-7?version=1>; rel="item"; type="application/json"',
  },
  ContentDisposition: {
    description: 'The name of the file.',
    required: true,
    schema: { type: 'string', pattern: '^attachment; filename="[^"]+"$' },
    example: 'attachment; filename="overview-7-v1.json"',
  },
  Allow: {
    description: 'The methods the path has.',
    required: true,
    schema: { type: 'string', pattern: '^[A-Z]+(, [A-Z]+)*$' },
    example: 'HEAD, GET, OPTIONS',
  },
  Challenge: {
    description:
      'What to send (RFC 9110, 11.6.1); `error="invalid_token"` where a token was sent (RFC 6750).',
    required: true,
    schema: { type: 'string', pattern: '(^|, )Bearer realm="git-metastore"(, error="invalid_token")?$' },
    example: 'Bearer realm="git-metastore", error="invalid_token"',
  },
  RetryAfter: {
    description: 'Seconds after which a repeat makes sense.',
    schema: { type: 'integer', minimum: 1 },
    example: 5,
  },
  CacheControl: {
    description: 'How long the answer may be used again.',
    required: true,
    schema: { type: 'string' },
    example: 'no-store',
  },
  'X-Request-Id': {
    description:
      'Name of the request, as the log has it: what `X-Request-Id` or the trace of `traceparent` in the request says, or one of our own.',
    required: true,
    schema: { type: 'string', pattern: '^[A-Za-z0-9][A-Za-z0-9._:/+=@-]{0,127}$' },
    example: '4bf92f3577b34da6a3ce929d0e0e4736',
    'x-on-any-answer': true,
  },
  'X-Content-Type-Options': {
    description: 'An answer is what its type says.',
    required: true,
    schema: { const: 'nosniff' },
    'x-on-any-answer': true,
  },
  'Content-Security-Policy': {
    description:
      'What a browser that shows the answer may do: nothing, but for pages of our own. In a frame of another page it shows none.',
    required: true,
    schema: { type: 'string', pattern: "^default-src 'none'; " },
    example: "default-src 'none'; frame-ancestors 'none'",
    'x-on-any-answer': true,
  },
  'Referrer-Policy': {
    description: 'With a page: other sites are not told of the page that leads to them.',
    schema: { const: 'same-origin' },
    'x-on-any-answer': true,
  },
  'Cross-Origin-Resource-Policy': {
    description: 'Pages of other sites may not have it as a picture, script or the like.',
    required: true,
    schema: { const: 'same-origin' },
    'x-on-any-answer': true,
  },
  'Cross-Origin-Opener-Policy': {
    description: 'With a page: windows of other sites that opened it have no hold of it.',
    schema: { const: 'same-origin' },
    'x-on-any-answer': true,
  },
  RateLimit: {
    description:
      'Where clients have a share: `r` requests that are left to this one, `t` seconds until it has all of them again.',
    schema: { type: 'string', pattern: '^"client";r=\\d+;t=\\d+$' },
    example: '"client";r=480;t=1',
    'x-on-any-answer': true,
  },
  'RateLimit-Policy': {
    description: 'With the above: `q` requests in `w` seconds are the share.',
    schema: { type: 'string', pattern: '^"client";q=\\d+;w=\\d+$' },
    example: '"client";q=500;w=1',
    'x-on-any-answer': true,
  },
  'Preference-Applied': {
    description:
      'With `Prefer: handling=strict` in the request: what is unknown in it has been refused (RFC 7240).',
    schema: { const: 'handling=strict' },
    'x-on-any-answer': true,
  },
  Vary: {
    description: 'The headers of the request on which the answer depends.',
    schema: { type: 'string', pattern: '^[A-Za-z-]+(, [A-Za-z-]+)*$' },
    example: 'Accept',
    'x-on-any-answer': true,
  },
  'Access-Control-Allow-Origin': {
    description: 'The origin of the request, where its scripts may read the answer.',
    schema: { type: 'string' },
    'x-on-any-answer': true,
  },
  'Access-Control-Allow-Credentials': {
    description: 'With the above: also with credentials.',
    schema: { const: 'true' },
    'x-on-any-answer': true,
  },
  'Access-Control-Expose-Headers': {
    description: 'With the above: the headers scripts may read.',
    schema: { type: 'string' },
    'x-on-any-answer': true,
  },
  'Access-Control-Allow-Methods': {
    description: 'In the answer to a preflight: the methods scripts may use.',
    schema: { type: 'string' },
    'x-on-any-answer': true,
  },
  'Access-Control-Allow-Headers': {
    description: 'In the answer to a preflight: the headers scripts may send.',
    schema: { type: 'string' },
    'x-on-any-answer': true,
  },
}

/** A list of links with these relations. @see RFC 8288 §3 */
function links(relations: string): string {
  const link = `<[^>]+>; rel="(${relations})"(; type="[^"]+")?`
  return `^${link}(, ${link})*$`
}
