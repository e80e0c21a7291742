/** A part of a multipart form. */
export interface Part {
  /** Header lines of the part. */
  readonly headers: readonly string[]
  readonly body: Buffer
}

/** An HTTP request in pieces that can be changed or omitted. */
export interface Request {
  readonly method: string
  readonly path: string
  /** Encoded pairs `name=value`. */
  readonly query: readonly string[]
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly parts?: readonly Part[]
  /** A body without a form; an alternative to `parts`. */
  readonly body?: Buffer
}

const boundary = 'fuzz-boundary'

export function address({ path, query }: Request): string {
  return query.length === 0 ? path : `${path}?${query.join('&')}`
}

export function bytesOf({ parts, body }: Request): Buffer | undefined {
  if (!parts) return body
  return Buffer.concat([
    ...parts.flatMap(part => [
      Buffer.from(`--${boundary}\r\n${part.headers.map(line => `${line}\r\n`).join('')}\r\n`),
      part.body,
      Buffer.from('\r\n'),
    ]),
    Buffer.from(`--${boundary}--\r\n`),
  ])
}

export function headersOf({ headers, parts }: Request): Request['headers'] {
  const typed = headers.some(([name]) => name.toLowerCase() === 'content-type')
  if (!parts || typed) return headers
  return [...headers, ['Content-Type', `multipart/form-data; boundary=${boundary}`]]
}

export function filePart(
  name: string,
  content: string | Buffer,
  type = 'application/json',
  file = name,
): Part {
  return {
    headers: [`Content-Disposition: form-data; name="${name}"; filename="${file}"`, `Content-Type: ${type}`],
    body: Buffer.from(content as string),
  }
}

/** Formats the request as a shell command. */
export function asCurl(request: Request, base: string): string {
  const quoted = (text: string) => `'${text.replaceAll("'", String.raw`'\''`)}'`
  const body = bytesOf(request)
  const send = body === undefined ? '' : `printf %s ${body.toString('base64')} | base64 -d | `
  return [
    `${send}curl -i --path-as-is --max-time 60 -X ${quoted(request.method)} ${quoted(base + address(request))}`,
    ...headersOf(request).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    ...(body === undefined ? [] : ['--data-binary @-']),
  ].join(' ')
}

/** Yields the request without one of its pieces, large pieces first. */
export function* smaller(request: Request): Generator<Request> {
  const without = <T>(items: readonly T[], at: number) => items.filter((_, place) => place !== at)
  const { parts, body, query, headers } = request
  if (parts) {
    for (const at of parts.keys()) yield { ...request, parts: without(parts, at) }
    for (const [index, part] of parts.entries()) {
      for (const shorter of halves(part.body)) {
        yield {
          ...request,
          parts: parts.map((each, place) => (place === index ? { ...each, body: shorter } : each)),
        }
      }
    }
  }
  if (body) for (const shorter of halves(body)) yield { ...request, body: shorter }
  for (const at of query.keys()) yield { ...request, query: without(query, at) }
  for (const at of headers.keys()) yield { ...request, headers: without(headers, at) }
}

function* halves(bytes: Buffer): Generator<Buffer> {
  const half = bytes.length >> 1
  if (half === 0) return
  yield bytes.subarray(0, half)
  yield bytes.subarray(half)
}
