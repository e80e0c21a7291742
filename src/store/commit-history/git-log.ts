import type { Oid } from '../../core/value-types.js'
import {
  type GitOptions,
  linesOf,
  memoryOfGit,
  outputOf,
  startGit,
  streamGitOutput,
} from '../git-commands/git-command.js'
import { isGitFailure } from '../git-commands/git-failure.js'
import { readWithGit, whilePacksChange } from '../git-commands/retry-while-packs-change.js'
import { type CommitInfo, parseCommit, parseCommitMessage, toCommitTime } from '../objects/commit-format.js'
import { MissingObject } from '../objects/object-errors.js'
import { hasObject, type ObjectReader } from '../objects/object-reader.js'
import { decodeUtf8Lossless } from '../objects/tree-format.js'
import type { CommitChanges, History, HistoryRelation, PathChange } from './first-parent-history.js'

/** Memory limit, in bytes, of a git process that reads the history of an empty repository for a client. */
const memoryForClient = 512 * 2 ** 20

/**
 * Reads the history with git.
 * @param objects of the same repository
 * @param options of git processes; those with a signal have bounds of their own
 * @see git-log(1), `--diff-merges`, which needs git 2.31
 */
export function openGitLogHistory(
  git: string,
  gitDir: string,
  objects: ObjectReader,
  options: GitOptions = {},
): History {
  const { environment } = options

  async function optionsFor(signal: AbortSignal | undefined): Promise<GitOptions> {
    if (!signal) return options
    return { environment, bounds: { signal, memory: await memoryOfGit(gitDir, memoryForClient) } }
  }

  /** @throws Error if git fails */
  async function run(args: readonly string[], signal?: AbortSignal, input?: string): Promise<Buffer> {
    const result = await readWithGit(git, gitDir, args, { ...(await optionsFor(signal)), input })
    return outputOf(result, args[0] ?? '')
  }

  async function relation(old: Oid, now: Oid, signal?: AbortSignal): Promise<HistoryRelation> {
    if (old === now) return 'same'
    if (!(await hasObject(objects, old))) return 'rewritten'
    // If `old` is on the chain, a listed commit has it as its first parent.
    const chain = await run(['rev-list', '--first-parent', '--parents', `${old}..${now}`, '--'], signal)
    // Lines are "commit parent parent…". All are checked: with wrong commit dates, git lists commits before `old`, too.
    if (linesOf(chain).some(line => line.split(' ')[1] === old)) return 'ahead'
    return (await reaches([now], old, signal)) ? 'merged' : 'rewritten'
  }

  async function reaches(tips: readonly Oid[], commit: Oid, signal?: AbortSignal): Promise<boolean> {
    if (tips.length === 0) return false
    // Lists a commit that is reachable from `commit` but from no tip: `commit` itself, or none.
    const names = [commit, ...tips.map(tip => `^${tip}`)]
    const found = await run(['rev-list', '--max-count=1', '--stdin'], signal, `${names.join('\n')}\n`)
    return found.length === 0
  }

  async function commit(oid: Oid) {
    return parseCommit(oid, (await objects.read(oid)).bytes)
  }

  return {
    // Not a generator that delegates to another generator, which would cost several promises for each commit.
    walk: (from, to, signal) =>
      walkWithGitLog({ git, gitDir, objects, environment, options: () => optionsFor(signal) }, from, to),
    relation,
    reaches,
    commit,
  }
}

/** Overrides user settings that change the output of `git log`. */
const settings = [
  'log.showSignature=false',
  'log.showRoot=true',
  'log.follow=false',
  'i18n.logOutputEncoding=UTF-8',
].flatMap(setting => ['-c', setting])

/** `git log` without a pathspec, which would make it much slower. */
const log = [
  ...['log', '--first-parent', '--diff-merges=first-parent', '--reverse', '--root', '--raw', '-z'],
  ...['--no-renames', '--no-abbrev', '--no-color', '--no-ext-diff', '--no-relative'],
  '--ignore-submodules=none',
  // Fields terminated by NUL, which no message, name or path contains. See `openLogParser`.
  '--format=tformat:%H%x00%T%x00%P%x00%an%x00%ae%x00%cn%x00%ct%x00%B%x00',
]

/** The repository to walk. */
interface WalkedRepository {
  readonly git: string
  readonly gitDir: string
  readonly objects: ObjectReader
  readonly environment: GitOptions['environment']
  /** Returns the options for a git process. */
  readonly options: () => Promise<GitOptions>
}

/** {@link History.walk} with `git log`. Continues with another process if git fails while packs change. */
async function* walkWithGitLog(
  repository: WalkedRepository,
  from: Oid | undefined,
  to: Oid,
): AsyncGenerator<CommitChanges> {
  if (from === to) return
  const reread = whilePacksChange(repository.gitDir, repository.environment)
  let last = from
  let portions = walkOnce(repository, from, to)
  /**
   * The next portion with commits. After a failure, the next call continues after the last yielded commit. Empty
   * portions are skipped: each would count as progress, so the same failure could repeat without end.
   */
  async function next(): Promise<IteratorResult<readonly CommitChanges[]>> {
    try {
      for (;;) {
        const portion = await portions.next()
        if (portion.done || portion.value.length > 0) return portion
      }
    } catch (error) {
      portions = walkOnce(repository, last, to)
      throw error
    }
  }
  try {
    for (;;) {
      const portion = await reread(next, isGitFailure)
      if (portion.done) return
      for (const entry of portion.value) yield entry
      last = portion.value.at(-1)?.commit.oid ?? last
    }
  } finally {
    await portions.return(undefined)
  }
}

/** Walks with a single process. Yields portions, because yielding each commit would cost several promises. */
async function* walkOnce(
  { git, gitDir, objects, options }: WalkedRepository,
  from: Oid | undefined,
  to: Oid,
): AsyncGenerator<readonly CommitChanges[], undefined> {
  const range = from === undefined ? to : `${from}..${to}`
  const program = await startGit(git, gitDir, [...settings, ...log, range, '--'], await options())
  const parser = openLogParser()
  // With wrong commit dates, git may also list commits before `from`. The range begins with the child of `from`.
  let begun = false
  async function accepted(commits: readonly CommitChanges[]): Promise<readonly CommitChanges[]> {
    const [first] = commits
    if (begun || !first) return commits
    if (from === undefined) await assertRoot(objects, first.commit.oid)
    const start = from === undefined ? 0 : commits.findIndex(({ commit }) => commit.parents[0] === from)
    if (start < 0) return []
    begun = true
    return commits.slice(start)
  }
  for await (const chunk of streamGitOutput(program, 'log')) yield await accepted(parser.take(chunk))
  yield await accepted(parser.end())
  if (!begun) throw new Error(`The commit ${from} is not on the first-parent chain of ${to}.`)
}

/** Detects a shallow clone, where git shows the oldest available commit as a root. */
async function assertRoot(objects: ObjectReader, oid: Oid): Promise<void> {
  const parent = parseCommit(oid, (await objects.read(oid)).bytes).parents[0]
  if (parent !== undefined) throw new MissingObject(parent)
}

/** Number of fields of a commit: H, T, P, an, ae, cn, ct, B, and an empty one, because `-z` adds another NUL. */
const fieldCount = 9

/**
 * Parses the output of `git log -z --raw` in the format of `git-log.ts`. The fields of a commit are followed by its
 * changes: pairs of `:<mode> <mode> <blob> <blob> <letter>` and path. A newline is before the first pair.
 * @throws Error if the output has another format
 */
function openLogParser() {
  let pending: Buffer[] = []
  let fields: Buffer[] = []
  let meta: string | undefined
  let commit: CommitInfo | undefined
  let changes: PathChange[] = []

  function token(bytes: Buffer): CommitChanges | undefined {
    if (meta !== undefined) {
      changes.push(toChange(meta, decodeUtf8Lossless(bytes)))
      meta = undefined
      return undefined
    }
    if (fields.length === 0 && (bytes[0] === 0x3a || (bytes[0] === 0x0a && bytes[1] === 0x3a))) {
      meta = bytes.toString('latin1').trim()
      return undefined
    }
    const before = fields.length === 0 ? flush() : undefined
    fields.push(bytes)
    if (fields.length === fieldCount) {
      commit = toCommit(fields)
      fields = []
    }
    return before
  }

  function flush(): CommitChanges | undefined {
    const done = commit && { commit, changes }
    commit = undefined
    changes = []
    return done
  }

  return {
    /** @returns the commits that the chunk completes */
    take(chunk: Buffer): readonly CommitChanges[] {
      const done: CommitChanges[] = []
      let offset = 0
      for (let end = chunk.indexOf(0); end >= 0; end = chunk.indexOf(0, offset)) {
        const piece = chunk.subarray(offset, end)
        const whole = pending.length === 0 ? piece : Buffer.concat([...pending, piece])
        pending = []
        offset = end + 1
        const before = token(whole)
        if (before) done.push(before)
      }
      if (offset < chunk.length) pending.push(chunk.subarray(offset))
      return done
    },
    /** @returns the last commit */
    end(): readonly CommitChanges[] {
      if (pending.length > 0 || fields.length > 0 || meta !== undefined) {
        throw new Error('The output of git log is cut off.')
      }
      const last = flush()
      return last ? [last] : []
    },
  }
}

function toCommit(fields: readonly Buffer[]): CommitInfo {
  const ascii = (index: number) => fields[index]?.toString('latin1') ?? ''
  const text = (index: number) => decodeUtf8Lossless(fields[index] as Buffer)
  const [oid, tree, parents, seconds] = [ascii(0), ascii(1), ascii(2), ascii(6)]
  if (!/^[0-9a-f]{40}$/.test(oid)) throw new Error(`Unexpected output of git log: ${oid.slice(0, 200)}`)
  return {
    oid: oid as Oid,
    tree: tree as Oid,
    parents: parents === '' ? [] : (parents.split(' ') as Oid[]),
    authorName: text(3),
    authorEmail: text(4),
    committedAt: toCommitTime(Number(seconds)),
    ...parseCommitMessage(text(7), text(5)),
  }
}

function toChange(meta: string, path: string): PathChange {
  const [, mode, , after, letter] = meta.split(' ')
  if (mode === undefined || after === undefined || letter === undefined) {
    throw new Error(`Unexpected output of git log: ${meta.slice(0, 200)}`)
  }
  return letter === 'D' ? { path } : { path, after: after as Oid, mode }
}
