import { createHash, randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { packageFolder } from '../../../src/cli/installed-package.js'
import { openRawConnection, type RawConnection } from './raw-connection.js'

/*
 * A transcript contains the messages of a client and a server, in the form of `curl -v`: `### ` names a command of the
 * client, lines with `> ` are its requests, and lines with `< ` the answers. An answer may have more headers than the
 * transcript. In requests and answers, names in braces stand for:
 * - `{host}`, `{path}` and other names: texts of the settings;
 * - `{boundary}` and `{length}` in requests: 32 hex digits, and the length of the body;
 * - `{file:x}` and `{sha1:x}`: the bytes of a file of the settings, and their hash;
 * - `{etag…}`, `{id…}`, `{created…}`, `{changed…}`: the value in the first answer with the name. All later places have
 *   the same value.
 */

/** A command of a client and its exchanges with the server, in order. */
export interface Command {
  readonly title: string
  readonly exchanges: readonly Exchange[]
}

export interface Exchange {
  /** Line in the transcript, from 1. */
  readonly line: number
  readonly request: readonly string[]
  readonly answer: readonly string[]
}

export interface Settings {
  /** Port of the server on this machine. */
  readonly port: number
  /** Texts by their names in braces. */
  readonly texts: Readonly<Record<string, string>>
  readonly files: Readonly<Record<string, string>>
  /** Whether all requests use one connection instead of one each. */
  readonly keepAlive: boolean
}

/** Plays commands of a transcript in turn and remembers values of the answers. */
export interface Player {
  /** @throws AssertionError if an answer differs from the transcript */
  play(command: Command): Promise<void>
  close(): void
}

/**
 * Reads the commands of a transcript in the test folder, such as `e2e/clients/transcripts/kitdm-pycli-schemas.http`.
 */
export async function readRecordedRequests(name: string): Promise<readonly Command[]> {
  const lines = (await readFile(join(packageFolder(), 'test', name), 'utf8')).split('\n')
  const commands: { title: string; exchanges: { line: number; request: string[]; answer: string[] }[] }[] = []
  for (const [index, line] of lines.entries()) {
    const [, sign, text = ''] = /^(###|>|<)(?: (.*))?$/.exec(line) ?? []
    const command = commands.at(-1)
    const exchange = command?.exchanges.at(-1)
    if (sign === '###') commands.push({ title: text, exchanges: [] })
    else if (sign === '<') exchange?.answer.push(text)
    else if (sign === '>' && exchange?.answer.length === 0) exchange.request.push(text)
    else if (sign === '>') command?.exchanges.push({ line: index + 1, request: [text], answer: [] })
    else if (line !== '') throw new Error(`${name}, line ${index + 1} is not a line of a transcript: ${line}`)
  }
  return commands
}

export function openTranscriptPlayer({ port, texts, files, keepAlive }: Settings): Player {
  const names = new Map(Object.entries(texts))
  for (const [name, content] of Object.entries(files)) {
    names.set(`file:${name}`, content)
    names.set(`sha1:${name}`, createHash('sha1').update(content).digest('hex'))
  }
  let kept: RawConnection | undefined
  // The number of bytes of the kept connection that belong to earlier answers.
  let read = 0

  async function send(request: readonly string[]): Promise<Answer> {
    const connection = kept ?? (await openRawConnection(port))
    if (!keepAlive) read = 0
    else kept = connection
    const { head, body } = bytesOf(request, names)
    // Sends the head and the body separately, as Python's http.client does.
    connection.send(head)
    if (body.length > 0) connection.send(body)
    const { answer, end } = await nextAnswer(connection, read)
    if (keepAlive) read = end
    else connection.destroy()
    return answer
  }

  return {
    async play({ exchanges }) {
      for (const { line, request, answer: expected } of exchanges) {
        const answer = await send(request)
        compare(`${request[0]} (line ${line})`, answer, expected, names)
      }
    },
    close: () => kept?.destroy(),
  }
}

const placeholder = /\{(\w+(?::[\w.-]+)?)\}/g

function fill(text: string, names: ReadonlyMap<string, string>): string {
  return text.replaceAll(placeholder, (_, name: string) => {
    const value = names.get(name)
    if (value === undefined) throw new Error(`No earlier answer or setting defines {${name}}.`)
    return value
  })
}

function bytesOf(
  request: readonly string[],
  known: ReadonlyMap<string, string>,
): { readonly head: Buffer; readonly body: Buffer } {
  const end = request.indexOf('')
  const names = new Map(known).set('boundary', randomBytes(16).toString('hex'))
  const lines = (part: readonly string[]) =>
    Buffer.from(part.map(line => `${fill(line, names)}\r\n`).join(''))
  const body = lines(request.slice(end + 1))
  names.set('length', String(body.length))
  return { head: lines(request.slice(0, end + 1)), body }
}

interface Answer {
  readonly status: string
  /** By name in lower case. */
  readonly headers: ReadonlyMap<string, string>
  readonly body: Buffer
}

async function nextAnswer(
  connection: RawConnection,
  start: number,
): Promise<{ readonly answer: Answer; readonly end: number }> {
  const split = '\r\n\r\n'
  const before = await connection.once(received => received.includes(split, start))
  const bodyStart = before.indexOf(split, start) + split.length
  expect(bodyStart, `an answer in: ${before.slice(start)}`).to.be.above(start + split.length)
  const [status = '', ...lines] = before.slice(start, bodyStart - split.length).split('\r\n')
  const headers = new Map(
    lines.map(line => {
      const colon = line.indexOf(':')
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()] as const
    }),
  )
  const end = bodyStart + Number(headers.get('content-length') ?? 0)
  const whole = await connection.once(received => received.length >= end)
  return { answer: { status, headers, body: Buffer.from(whole.slice(bodyStart, end), 'latin1') }, end }
}

function compare(
  what: string,
  answer: Answer,
  expected: readonly string[],
  names: Map<string, string>,
): void {
  const end = expected.includes('') ? expected.indexOf('') : expected.length
  const [status, ...headers] = expected.slice(0, end)
  const body = expected.slice(end + 1)
  expect(answer.status, `${what}: ${answer.body}`).to.equal(status)
  for (const line of headers) {
    const [, name = '', template = ''] = /^([^:]+): (.*)$/.exec(line) ?? []
    const value = answer.headers.get(name.toLowerCase())
    learn(template, value, names)
    expect(value, `${name} of ${what}`).to.equal(fill(template, names))
  }
  if (body.length === 0) {
    expect(answer.body.toString(), `body of ${what}`).to.equal('')
  } else if (/^\{file:.*\}$/.test(body.join('\n'))) {
    const bytes = Buffer.from(fill(body.join('\n'), names))
    expect(answer.body.equals(bytes), `the bytes of ${what}: ${answer.body}`).to.equal(true)
  } else {
    const json: unknown = JSON.parse(answer.body.toString())
    expect(json, `body of ${what}`).to.deep.equal(filled(JSON.parse(body.join('\n')), json, names))
  }
}

/** Replaces the names in a template. A new name gets its text from the value. */
function filled(template: unknown, value: unknown, names: Map<string, string>): unknown {
  if (typeof template === 'string') {
    learn(template, value, names)
    return fill(template, names)
  }
  if (typeof template !== 'object' || template === null) return template
  const members = Object.entries(template).map(([key, member]) => {
    return [key, filled(member, (value as Record<string, unknown> | undefined)?.[key], names)] as const
  })
  return Array.isArray(template) ? members.map(([, member]) => member) : Object.fromEntries(members)
}

/** The form of a value, by the beginning of its name. @see docs/contract.md#values */
const kinds = {
  etag: /^"[0-9a-f]{40}"$/,
  id: /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
  created: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/,
  changed: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{0,2}[1-9])?Z$/,
}

function learn(template: string, value: unknown, names: Map<string, string>): void {
  const unknown = [...template.matchAll(placeholder)]
    .map(([, name = '']) => name)
    .find(name => !names.has(name))
  if (unknown === undefined) return
  const kind = Object.entries(kinds).find(([start]) => unknown.startsWith(start))?.[1]
  if (kind === undefined) throw new Error(`{${unknown}} is not a name of a transcript.`)
  const [before = '', after = ''] = template.split(`{${unknown}}`).map(text => fill(text, names))
  const text = String(value)
  const found = text.slice(before.length, text.length - after.length)
  expect(found, `{${unknown}} in ${text}`).to.match(kind)
  names.set(unknown, found)
}
