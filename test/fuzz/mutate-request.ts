import type { Random } from '../../bench/data/seeded-random.js'
import type { Part, Request } from './shrinkable-request.js'

/** Texts that have a special meaning for some layer between the socket and the repository. */
export const nasty: readonly string[] = [
  '',
  ' ',
  '.',
  '..',
  '../..',
  '%2e%2e%2f',
  '%00',
  '%ff',
  '%',
  '-1',
  '0',
  '1e999',
  '99999999999999999999',
  'NaN',
  'null',
  'true',
  '__proto__',
  'constructor',
  'con',
  '.git',
  '--upload-pack=x',
  '-rf',
  '*',
  '"',
  "'",
  '<script>',
  '$(id)',
  '#{x}',
  '{{x}}',
  ';',
  ',',
  '\\',
  '/',
  '//',
  '?',
  '#',
  '[]',
  '[a]=1',
  'a'.repeat(300),
  'a'.repeat(5000),
  '%F0%9F%98%80',
  '%C3%A9',
  'e%CC%81',
  'main',
  'HEAD~1000000',
  'HEAD^{tree}',
  'refs/heads/main:metastore.json',
  '2026-02-30',
  '9999-12-31T23:59:59Z',
  '0000',
  "' OR 1=1 --",
  '%25s%25n',
  '2147483648',
  '9007199254740993',
]

const repeated: readonly string[] = [...'aTZ+-.:/ ,;="\\%&#~*^@0_<(', 'a=', '%20', 'a,', ': ', '0.', '--']

/**
 * A long text of one or two runs of the same characters. Regular expressions that match a run in two ways take long for
 * it.
 */
function repetitive(random: Random): string {
  const run = () => random.pick(repeated).repeat(1 + random.below(random.pick([100, 2000, 8000])))
  return `${random.pick(['', 'a', '2026-', '"', 'W/"', '0', '{'])}${run()}${random.oneIn(2) ? run() : ''}${random.pick(['', '!', 'x'])}`
}

/** A text that is probably invalid in its place. */
const wrongText = (random: Random) => (random.oneIn(4) ? repetitive(random) : random.pick(nasty))

/** Removes characters that a header value may not contain: line breaks and characters outside Latin-1. */
const headerSafe = (text: string) => text.replace(/[^\t\x20-\x7e\x80-\xff]/g, '')

export const headerNames = [
  'Accept',
  'Accept-Encoding',
  'Authorization',
  'Content-Encoding',
  'Content-Type',
  'Cookie',
  'Expect-CT',
  'Forwarded',
  'Git-Protocol',
  'If-Match',
  'If-Modified-Since',
  'If-None-Match',
  'Last-Event-ID',
  'Origin',
  'Prefer',
  'Range',
  'Referer',
  'User-Agent',
  'Sec-Fetch-Site',
  'traceparent',
  'X-Forwarded-For',
  'X-Forwarded-Host',
  'X-Forwarded-Proto',
  'X-HTTP-Method-Override',
  'X-Request-Id',
  'X-Requested-With',
]
const headerValues = [
  ...nasty,
  '*/*',
  'text/html',
  'application/json;q=0',
  'application/x+json; charset=utf-16',
  'multipart/form-data',
  'multipart/form-data; boundary=',
  'multipart/form-data; boundary="a b"',
  'multipart/mixed; boundary=x',
  'gzip',
  'bytes=0-0',
  'bytes=-99999999999999999999',
  'W/"a"',
  '"a", "b"',
  'git/2.40',
  'version=2',
  'for=_x;host="a b";proto=http',
  'Thu, 01 Jan 1970 00:00:00 GMT',
]
const methods = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'TRACE', 'PROPFIND', 'QUERY']

/** Changes a request in one to four places. */
export function mutate(request: Request, random: Random): Request {
  let changed = request
  for (let left = 1 + random.below(4); left > 0; left--) changed = once(changed, random)
  return changed
}

function once(request: Request, random: Random): Request {
  const { path, query, headers, parts, body } = request
  const steps: (() => Request)[] = [
    () => ({ ...request, method: random.pick(methods) }),
    () => ({ ...request, path: mutatePath(path, random) }),
    () => ({
      ...request,
      query: mutateList(query, random, () => `${random.pick(queryNames)}=${queryValue(random)}`),
    }),
    () => ({ ...request, query: query.map(each => each.replace(/=.*/s, () => `=${queryValue(random)}`)) }),
    () => ({ ...request, headers: mutateList(headers, random, () => header(random)) }),
    () => ({ ...request, headers: [...headers, header(random)] }),
  ]
  if (parts) {
    const change = (part: (each: Part) => Part) => {
      const at = random.below(parts.length)
      return { ...request, parts: parts.map((each, place) => (place === at ? part(each) : each)) }
    }
    if (parts.length > 0) {
      steps.push(
        ...Array.from(
          { length: 6 },
          () => () => change(part => ({ ...part, body: mutateBytes(part.body, random) })),
        ),
        () => change(part => ({ ...part, headers: part.headers.map(line => mutateHeader(line, random)) })),
      )
    }
    steps.push(() => ({ ...request, parts: mutateList(parts, random, () => randomPart(random)) }))
  } else if (body) {
    steps.push(() => ({ ...request, body: mutateBytes(body, random) }))
  } else {
    steps.push(() => ({ ...request, parts: [randomPart(random)] }))
  }
  return random.pick(steps)()
}

const queryNames = [
  'page',
  'size',
  'version',
  'at',
  'id',
  'schemaId',
  'sort',
  'from',
  'until',
  'after',
  'since',
  'limit',
  'to',
  'resourceId',
  'resoureId',
  'service',
  'mimeType',
  'search',
  'state',
  'q',
  'x',
]

/** Encodes a repetitive value, so that the server's own parsers get all of its characters. */
function queryValue(random: Random): string {
  return random.oneIn(4) ? encodeURIComponent(repetitive(random)) : random.pick(nasty)
}

function header(random: Random): readonly [string, string] {
  const value = random.oneIn(4) ? repetitive(random) : random.pick(headerValues)
  return [random.pick(headerNames), headerSafe(value)]
}

function randomPart(random: Random): Part {
  const name = random.pick(['record', 'document', 'schema', 'include', 'changeset', 'x', wrongText(random)])
  const file = random.oneIn(2) ? `; filename="${wrongText(random)}"` : ''
  return {
    headers: [`Content-Disposition: form-data; name="${name}"${file}`],
    body: Buffer.from(random.pick([...nasty, '{}', '<a/>', '{"$ref":"#"}'])),
  }
}

function mutateHeader(line: string, random: Random): string {
  const changes = [
    () => line.replace(/filename="[^"]*"/, () => `filename="${wrongText(random)}"`),
    () => line.replace(/name="[^"]*"/, () => `name="${wrongText(random)}"`),
    () => line.replace(/: .*/, () => `: ${random.oneIn(4) ? repetitive(random) : random.pick(headerValues)}`),
    () => line.slice(0, random.below(line.length + 1)),
    () => `${line}; charset=${random.pick(['utf-16', 'latin1', 'base64', 'x', 'UTF-8'])}`,
    () => `${line}\r\nContent-Transfer-Encoding: base64`,
  ]
  return random.pick(changes)()
}

function mutatePath(path: string, random: Random): string {
  const pieces = path.split('/')
  const at = 1 + random.below(Math.max(1, pieces.length - 1))
  const piece = encodeURI(wrongText(random).slice(0, 4000)).replaceAll('%25', '%').replace(/[?#]/g, '%23')
  const changes = [
    () => pieces.with(Math.min(at, pieces.length - 1), piece),
    () => [...pieces, piece],
    () => pieces.toSpliced(at, 1),
    () => [...pieces, ''],
    () => pieces.map((each, place) => (place === at ? each.toUpperCase() : each)),
  ]
  const changed = random.pick(changes)().join('/')
  return changed.startsWith('/') ? changed : `/${changed}`
}

function mutateList<T>(items: readonly T[], random: Random, make: () => T): readonly T[] {
  const at = random.below(items.length + 1)
  const changes = [
    () => items.toSpliced(at, 1),
    () => items.toSpliced(at, 0, make()),
    () => (items[at] === undefined ? items : items.toSpliced(at, 0, items[at])),
    () => items.toReversed(),
  ]
  return random.pick(changes)()
}

const pieces: readonly (string | Buffer)[] = [
  '{}',
  '[]',
  '[[[[',
  '}',
  '"',
  '\\ud800',
  '\\u0000',
  ':null',
  ':7',
  ':[]',
  ':{}',
  ':""',
  ':1e999',
  ':true',
  '"__proto__":{},',
  '"$ref":"#",',
  '"$ref":"../x",',
  '"$id":"http://x/",',
  '"pattern":"(a+)+$",',
  '<',
  '</a>',
  '<!DOCTYPE a>',
  '<!--',
  '<![CDATA[',
  '&#0;',
  '&x;',
  '<xs:include schemaLocation="x"/>',
  Buffer.from([0]),
  Buffer.from([0xff, 0xfe]),
  Buffer.from([0xef, 0xbb, 0xbf]),
  Buffer.from([0xed, 0xa0, 0x80]),
]

function mutateBytes(bytes: Buffer, random: Random): Buffer {
  const at = random.below(bytes.length + 1)
  const to = Math.min(bytes.length, at + random.below(12))
  const insert = Buffer.from(random.pick(pieces) as string)
  const changes = [
    () => Buffer.concat([bytes.subarray(0, at), insert, bytes.subarray(at)]),
    () => Buffer.concat([bytes.subarray(0, at), insert, bytes.subarray(to)]),
    () => Buffer.concat([bytes.subarray(0, at), bytes.subarray(to)]),
    () => bytes.subarray(0, at),
    () => Buffer.concat([bytes, bytes.subarray(at)]),
    () => {
      const copy = Buffer.from(bytes)
      if (copy.length > 0) copy[at % copy.length] = random.below(256)
      return copy
    },
    () => mutateJson(bytes, random),
    () => mutateJson(bytes, random),
    () => mutateJson(bytes, random),
  ]
  return random.pick(changes)()
}

const values: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  1.5,
  1e300,
  '',
  'x',
  [],
  {},
  [null],
  [[]],
  { a: null },
  '../x',
  '2026',
  'a'.repeat(2000),
]

/** Replaces, adds or removes a value at a random place of a JSON text. Returns any other text unchanged. */
function mutateJson(bytes: Buffer, random: Random): Buffer {
  let json: unknown
  try {
    json = JSON.parse(bytes.toString())
  } catch (error) {
    if (error instanceof SyntaxError) return bytes
    throw error
  }
  const change = (value: unknown, depth: number): unknown => {
    if (typeof value !== 'object' || value === null || depth === 0 || random.oneIn(6)) {
      return random.oneIn(2) ? wrongText(random) : random.pick(values)
    }
    if (Array.isArray(value)) {
      if (value.length === 0 || random.oneIn(5)) return [...value, random.pick(values)]
      const at = random.below(value.length)
      return value.map((item, place) => (place === at ? change(item, depth - 1) : item))
    }
    const names = Object.keys(value)
    if (names.length === 0 || random.oneIn(8))
      return { ...value, [random.pick(nasty) || 'x']: random.pick(values) }
    const name = random.pick(names)
    if (random.oneIn(8)) return Object.fromEntries(Object.entries(value).filter(([other]) => other !== name))
    return { ...value, [name]: change((value as Record<string, unknown>)[name], depth - 1) }
  }
  return Buffer.from(JSON.stringify(change(json, 1 + random.below(5))))
}
