import { type Instant, type Oid, toInstant } from '../../core/value-types.js'
import { MalformedObject } from './object-errors.js'
import { decodeUtf8Lossless } from './tree-format.js'

/*
 * The format of commits. Without input and output. @see git-commit-tree(1)
 */

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

/** A commit to make. */
export interface NewCommit {
  readonly tree: Oid
  readonly parents: readonly Oid[]
  readonly author: Author
  readonly time: Instant
  /** Author date; default: `time`. */
  readonly authoredAt?: Instant
  readonly subject: string
  readonly trailers: readonly (readonly [name: string, value: string])[]
}

/** Committer of every commit by a server. Commits with another committer are checked when they are found. */
export const serviceIdentity: Author = { name: 'git-metastore', email: 'service@git-metastore' }

/** The trailer with `lastUpdate` in milliseconds; Git's dates have seconds. */
const recordedAtTrailer = 'Recorded-At'

/** The bytes of a commit object with the server as committer, without the object's header. @see git-commit-tree(1) */
export function encodeCommit(commit: NewCommit): Buffer {
  const lines = [
    `tree ${commit.tree}`,
    ...commit.parents.map(parent => `parent ${parent}`),
    `author ${identityLine(commit.author, commit.authoredAt ?? commit.time)}`,
    `committer ${identityLine(serviceIdentity, commit.time)}`,
    '',
    commitMessage(commit),
  ]
  return Buffer.from(lines.join('\n'))
}

/**
 * Adds a signature to a commit as its last header. Continuation lines begin with a space.
 * @see gitformat-signature(5)
 */
export function addGpgSignature(commit: Buffer, armored: string): Buffer {
  const end = commit.indexOf('\n\n') + 1
  const header = `gpgsig ${armored.trim().replaceAll('\n', '\n ')}\n`
  return Buffer.concat([commit.subarray(0, end), Buffer.from(header), commit.subarray(end)])
}

/** Subject and trailers, including the time, with a final line break. @see git-interpret-trailers(1) */
export function commitMessage({
  subject,
  trailers,
  time,
}: Pick<NewCommit, 'subject' | 'trailers' | 'time'>): string {
  const all = [...trailers, [recordedAtTrailer, new Date(time).toISOString()] as const]
  return `${oneLine(subject)}\n\n${all.map(([name, value]) => `${name}: ${oneLine(value)}\n`).join('')}`
}

/**
 * The value of a commit's `author` or `committer`: `Name <email> seconds +0000`, without characters that break the
 * format.
 * @see git-fsck(1), badName, badEmail
 */
export function identityLine(who: Author, time: Instant): string {
  const clean = (text: string) => oneLine(text).replace(/[<>]/g, '').trim()
  return `${clean(who.name) || 'unknown'} <${clean(who.email)}> ${Math.floor(time / 1000)} +0000`
}

function oneLine(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is replaced
  return text.replace(/[\u0000-\u001f\u007f]+/g, ' ').trim()
}

/**
 * Parses a commit. Decodes its texts by the encoding that the commit names.
 * @param oid name of the commit
 * @param bytes the object without its header
 * @throws MalformedObject
 */
export function parseCommit(oid: Oid, bytes: Uint8Array): CommitInfo {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const blank = buffer.indexOf('\n\n')
  const head = blank < 0 ? buffer : buffer.subarray(0, blank + 1)
  const headers = parseHeaders(head)
  const header = (wanted: string) => headers.find(([name]) => name === wanted)?.[1]
  const text = decoderOf(header('encoding'))
  const parents = headers.filter(([name]) => name === 'parent').map(([, value]) => oidOf(value, oid))
  const [tree, author, committer] = [header('tree'), header('author'), header('committer')]
  if (!tree || !author || !committer) throw new MalformedObject(`The commit ${oid} lacks a header.`)
  const by = parseIdentity(text(author))
  const committed = parseIdentity(text(committer))
  const message = blank < 0 ? '' : text(buffer.subarray(blank + 2))
  return {
    oid,
    tree: oidOf(tree, oid),
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
  // The subject is the first line, even if no blank line follows.
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

/** Headers up to the blank line. Continuation lines are skipped. */
function parseHeaders(head: Buffer): readonly Header[] {
  const headers: Header[] = []
  let offset = 0
  while (offset < head.length) {
    const newline = head.indexOf(0x0a, offset)
    const end = newline < 0 ? head.length : newline
    const space = head.indexOf(0x20, offset)
    // Skip continuation lines, which begin with a space: none of the headers that are used has any.
    if (space > offset && space < end)
      headers.push([head.toString('latin1', offset, space), head.subarray(space + 1, end)])
    offset = end + 1
  }
  return headers
}

function oidOf(value: Buffer, commit: Oid): Oid {
  const text = value.toString('latin1')
  if (/^[0-9a-f]{40}$/.test(text)) return text as Oid
  throw new MalformedObject(`The commit ${commit} has a malformed object name.`)
}

/** Parses `Name <e-mail> seconds zone`. Tolerates malformed parts, as Git does. */
function parseIdentity(text: string): { name: string; email: string; time: Instant } {
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
    // The encoding is unknown: decode as if the commit named none.
    if (error instanceof RangeError) return decodeUtf8Lossless
    throw error
  }
}

export interface Author {
  readonly name: string
  readonly email: string
}
