import { isUtf8 } from 'node:buffer'
import { ProblemError } from '../../core/problem.js'
import { type Instant, type Oid, toInstant, toOid } from '../../core/value-types.js'
import { restoreAdvice } from '../process/git-failure.js'
import { recordedAtTrailer, serviceIdentity } from './commit-encoder.js'

/*
 * The formats of commits and trees. Pure. @see gitformat-pack(5); git-commit-tree(1);
 *   https://github.com/git/git/blob/v2.31.0/tree-walk.c
 */

export interface TreeEntry {
  /** As Git writes it, padded to six digits: `100644`, `100755`, `120000`, `160000`, `040000`. */
  readonly mode: string
  /** As {@link decodeUtf8Lossless} reads it. */
  readonly name: string
  readonly oid: Oid
}

export const directoryMode = '040000'

/** The tree without entries. Git knows it even where no object of this name is stored. */
export const emptyTreeOid = toOid('4b825dc642cb6eb9a060e54bf8d69288fbee4904')

/** An object that is not what its type says. */
export class MalformedObject extends ProblemError {
  constructor(message: string) {
    super('damaged', `${message} ${restoreAdvice}`)
  }
}

/**
 * Entries of a tree in stored order (directories sort as if their names ended with `/`).
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
 * Commit message → subject, body and the time of the `Recorded-At` trailer. That counts only in commits of the
 * service's own: a commit that a person rebased or picked still has the trailer of its first making.
 */
export function parseCommitMessage(
  message: string,
  committerName: string,
): Pick<CommitInfo, 'subject' | 'body' | 'recordedAt'> {
  // Only the first line is the subject, whatever follows: a message by a server has a blank line after it.
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
 * The time in the last `Recorded-At` trailer of the last paragraph, as the server writes it; undefined where there is
 * none. Any other spelling of a time is a person's text, not ours.
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

/** Headers up to the blank line; continuation lines (a signature has them) belong to the header before. */
function parseHeaders(head: Buffer): readonly Header[] {
  const headers: Header[] = []
  let at = 0
  while (at < head.length) {
    const newline = head.indexOf(0x0a, at)
    const end = newline < 0 ? head.length : newline
    const space = head.indexOf(0x20, at)
    // A line that begins with a space continues a header none of whose later lines are of interest here.
    if (space > at && space < end)
      headers.push([head.toString('latin1', at, space), head.subarray(space + 1, end)])
    at = end + 1
  }
  return headers
}

function oidOf(value: Buffer, commit: Oid): Oid {
  const text = value.toString('latin1')
  if (/^[0-9a-f]{40}$/.test(text)) return text as Oid
  throw new MalformedObject(`The commit ${commit} names an object that is none.`)
}

/** `Name <e-mail> seconds zone`; what is broken in it is read as far as it goes, as Git does. */
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

/** Seconds until the end of the year 9999, the last that the interface can write. */
const lastSecond = Date.UTC(10_000, 0) / 1000 - 1

/** The time a commit claims, in seconds since 1970: 1970 itself where that is none a record could be given. */
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
    // An encoding nobody knows: as good as none.
    if (error instanceof RangeError) return decodeUtf8Lossless
    throw error
  }
}

/**
 * UTF-8; a byte that is none becomes a lone surrogate (U+DC80 to U+DCFF), so that different names of files stay
 * different. @see https://peps.python.org/pep-0383/
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

/** A commit, as far as a reader of the history needs it. */
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
  /** From the trailer `Recorded-At`, where a server made the commit. */
  readonly recordedAt?: Instant
}
