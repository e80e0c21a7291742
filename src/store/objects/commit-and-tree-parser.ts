import { isUtf8 } from 'node:buffer'
import { ProblemError } from '../../core/problem.js'
import { type Instant, type Oid, toInstant } from '../../core/value-types.js'
import { restoreAdvice } from '../process/git-failure.js'
import { recordedAtTrailer, serviceIdentity } from './commit-encoder.js'

/*
 * Parsers of commits and trees. Pure. @see gitformat-pack(5); git-commit-tree(1);
 */

export interface TreeEntry {
  /** As Git writes it, padded to six digits: `100644`, `100755`, `120000`, `160000`, `040000`. */
  readonly mode: string
  /** As {@link decodeUtf8Lossless} reads it. */
  readonly name: string
  readonly oid: Oid
}

export const directoryMode = '040000'

/** An object whose bytes do not have the format of its type. */
export class MalformedObject extends ProblemError {
  constructor(message: string) {
    super('damaged', `${message} ${restoreAdvice}`)
  }
}

/**
 * Entries of a tree in stored order. Directories sort as if their names ended with `/`.
 * @throws MalformedObject
 */
export function parseTree(bytes: Uint8Array): readonly TreeEntry[] {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const entries: TreeEntry[] = []
  let at = 0
  while (at < buffer.length) {
    const space = buffer.indexOf(0x20, at)
    const end = buffer.indexOf(0, space + 1)
    if (space < 0 || end < 0 || end + 21 > buffer.length)
      throw new MalformedObject('A tree object is cut off.')
    const mode = buffer.toString('latin1', at, space)
    if (!/^[0-7]{5,6}$/.test(mode)) throw new MalformedObject('A tree object has an entry without a mode.')
    entries.push({
      mode: mode.padStart(6, '0'),
      name: decodeUtf8Lossless(buffer.subarray(space + 1, end)),
      oid: buffer.toString('hex', end + 1, end + 21) as Oid,
    })
    at = end + 21
  }
  return entries
}

/**
 * Parses a commit, with its texts in the encoding that it names.
 * @param oid name of the commit
 * @param bytes the object without its header
 * @throws MalformedObject
 */
export function parseCommit(oid: Oid, bytes: Uint8Array): CommitInfo {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const blank = buffer.indexOf('\n\n')
  const head = blank < 0 ? buffer : buffer.subarray(0, blank + 1)
  const headers = parseHeaders(head)
  const text = decoderOf(headers.find(([name]) => name === 'encoding')?.[1])
  const parents = headers.filter(([name]) => name === 'parent').map(([, value]) => oidOf(value, oid))
  const tree = headers.find(([name]) => name === 'tree')
  const author = headers.find(([name]) => name === 'author')
  const committer = headers.find(([name]) => name === 'committer')
  if (!tree || !author || !committer) throw new MalformedObject(`The commit ${oid} lacks a header.`)
  const by = parseSignature(text(author[1]))
  const committed = parseSignature(text(committer[1]))
  const message = blank < 0 ? '' : text(buffer.subarray(blank + 2))
  return {
    oid,
    tree: oidOf(tree[1], oid),
    parents,
    authorName: by.name,
    authorEmail: by.email,
    committedAt: committed.time,
    ...parseCommitMessage(message, committed.name),
  }
}

/**
 * Splits a commit message into subject, body and the time of its `Recorded-At` trailer. The trailer counts only in
 * commits by the service: a commit that a person rebased still has the trailer of the original.
 */
export function parseCommitMessage(
  message: string,
  committerName: string,
): Pick<CommitInfo, 'subject' | 'body' | 'recordedAt'> {
  // The subject is the first line, also without a blank line after it.
  const text = message.replace(/^\n+/, '')
  const end = text.indexOf('\n')
  const subject = end < 0 ? text : text.slice(0, end)
  const body = end < 0 ? '' : text.slice(end + 1).replace(/^\n+/, '')
  const recordedAt = committerName === serviceIdentity.name ? recordedAtOf(body) : undefined
  return { subject, body, ...(recordedAt === undefined ? {} : { recordedAt }) }
}

// regexp-time: linear, as blanks stand only before the end of a line that begins with the trailer.
const recordedAtLine = new RegExp(
  `^${recordedAtTrailer}: (\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(?:\\.\\d{1,3})?Z)[ \\t]*$`,
  'gm',
)

/**
 * The time of the last `Recorded-At` trailer in the last paragraph; undefined if there is none. Accepts only the format
 * that the server writes.
 */
function recordedAtOf(body: string): Instant | undefined {
  const last =
    body
      .trimEnd()
      .split(/\n[ \t]*\n/)
      .at(-1) ?? ''
  const times = Array.from(last.matchAll(recordedAtLine), found => found[1])
  const time = Date.parse(times.at(-1) ?? '')
  return Number.isNaN(time) ? undefined : toInstant(time)
}

type Header = readonly [name: string, value: Buffer]

/** Headers up to the blank line, without continuation lines. */
function parseHeaders(head: Buffer): readonly Header[] {
  const headers: Header[] = []
  let at = 0
  while (at < head.length) {
    const newline = head.indexOf(0x0a, at)
    const end = newline < 0 ? head.length : newline
    const space = head.indexOf(0x20, at)
    // Skips continuation lines, which begin with a space: no header in use has any.
    if (space > at && space < end)
      headers.push([head.toString('latin1', at, space), head.subarray(space + 1, end)])
    at = end + 1
  }
  return headers
}

function oidOf(value: Buffer, commit: Oid): Oid {
  const text = value.toString('latin1')
  if (/^[0-9a-f]{40}$/.test(text)) return text as Oid
  throw new MalformedObject(`The commit ${commit} has a malformed object name.`)
}

/** Parses `Name <e-mail> seconds zone`. Tolerates malformed parts, as Git does. */
function parseSignature(text: string): { name: string; email: string; time: Instant } {
  const open = text.indexOf('<')
  const close = text.lastIndexOf('>')
  const seconds = /^ *(\d+)/.exec(text.slice(close + 1))?.[1]
  return {
    name: (open < 0 ? text : text.slice(0, open)).trim(),
    email: open < 0 || close < open ? '' : text.slice(open + 1, close).trim(),
    time: toCommitTime(Number(seconds ?? 0)),
  }
}

/** Last second of the year 9999, the last year of the interface's time format. */
const lastSecond = Date.UTC(10_000, 0) / 1000 - 1

/** Converts a commit's seconds since 1970; 0 if the time is outside the range of records. */
export function toCommitTime(seconds: number): Instant {
  return toInstant(seconds >= 0 && seconds <= lastSecond ? seconds * 1000 : 0)
}

function decoderOf(encoding: Buffer | undefined): (bytes: Buffer) => string {
  const label = encoding?.toString('latin1').trim()
  if (label === undefined) return decodeUtf8Lossless
  try {
    const decoder = new TextDecoder(label)
    return bytes => decoder.decode(bytes)
  } catch (error) {
    // Treats an unknown encoding as none.
    if (error instanceof RangeError) return decodeUtf8Lossless
    throw error
  }
}

/**
 * Decodes UTF-8. An invalid byte becomes a lone surrogate (U+DC80 to U+DCFF), so that distinct file names stay
 * distinct.
 * @see https://peps.python.org/pep-0383/
 */
export function decodeUtf8Lossless(bytes: Uint8Array): string {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (isUtf8(buffer)) return buffer.toString()
  let text = ''
  for (let at = 0; at < buffer.length; ) {
    const size = [1, 2, 3, 4].find(length => isUtf8(buffer.subarray(at, at + length)))
    text +=
      size === undefined
        ? String.fromCharCode(0xdc00 + buffer.readUInt8(at))
        : buffer.toString('utf8', at, at + size)
    at += size ?? 1
  }
  return text
}

/** The members of a commit that readers of the history need. */
export interface CommitInfo {
  readonly oid: Oid
  readonly tree: Oid
  readonly parents: readonly Oid[]
  readonly authorName: string
  readonly authorEmail: string
  /** First line of the message. */
  readonly subject: string
  /** The whole message after the first line and its blank line, trailers included. */
  readonly body: string
  /** Committer date. */
  readonly committedAt: Instant
  /** From the trailer `Recorded-At`, if a server made the commit. */
  readonly recordedAt?: Instant
}
