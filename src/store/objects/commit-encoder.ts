import type { Author } from '../../core/author.js'
import type { Instant, Oid } from '../../core/value-types.js'

/** Committer of every commit by a server. Commits with another committer are checked when they are found. */
export const serviceIdentity: Author = { name: 'git-metastore', email: 'service@git-metastore' }

/** The trailer with `lastUpdate` in milliseconds; Git's dates have seconds. */
export const recordedAtTrailer = 'Recorded-At'

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

/** The bytes of a commit object by the server, without the object's header. @see git-commit-tree(1) */
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
