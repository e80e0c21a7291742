import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'

/** The files of a stored record, by path. */
export interface StoredFiles {
  readonly name: string
  readonly files: ReadonlyMap<string, Buffer>
}

/** Runs git in a folder. @returns trimmed standard output */
export function git(dir: string, ...args: string[]): string {
  return execFileSync('git', args, { cwd: dir, maxBuffer: 1 << 28 })
    .toString()
    .trim()
}

/**
 * Objects that git syncs to disk: none, which is its default for loose objects, or all, which is the setting of the
 * server's repositories.
 * @see git-config(1), `core.fsync`
 */
export type Sync = 'none' | 'all'

function environment(sync: Sync): NodeJS.ProcessEnv {
  const settings = { 'core.fsync': sync, 'user.name': 'bench', 'user.email': 'bench@example.org' }
  const pairs = Object.entries(settings).flatMap(([key, value], index) => [
    [`GIT_CONFIG_KEY_${index}`, key],
    [`GIT_CONFIG_VALUE_${index}`, value],
  ])
  return { ...process.env, GIT_CONFIG_COUNT: '3', ...Object.fromEntries(pairs) }
}

/** A script that prints the microseconds of each `git add` and of each `git commit`. */
const commitLoop = `set -e
while read -r folder; do
  a=$EPOCHREALTIME
  git add -- "$folder"
  b=$EPOCHREALTIME
  git commit -q -m "Create $folder"
  c=$EPOCHREALTIME
  echo "$(( \${b/[.,]/} - \${a/[.,]/} )) $(( \${c/[.,]/} - \${b/[.,]/} ))"
done`

/**
 * Writes the files of records to the work tree. Then adds and commits each record in a shell.
 * @returns milliseconds of each `git add` and of each `git commit`
 */
export async function commitOneByOne(
  dir: string,
  records: readonly StoredFiles[],
  sync: Sync = 'none',
  through: readonly string[] = [],
): Promise<{ readonly add: readonly number[]; readonly commit: readonly number[] }> {
  const folders: string[] = []
  for (const { files } of records) {
    for (const [path, bytes] of files) {
      await mkdir(dirname(join(dir, path)), { recursive: true })
      await writeFile(join(dir, path), bytes)
    }
    folders.push(dirname([...files.keys()][0] as string))
  }
  const [program = 'bash', ...args] = [...through, 'bash', '-c', commitLoop]
  const out = execFileSync(program, args, {
    cwd: dir,
    env: environment(sync),
    input: `${folders.join('\n')}\n`,
  })
  const times = out
    .toString()
    .trim()
    .split('\n')
    .map(line => line.split(' ').map(text => Number(text) / 1000))
  if (times.length !== records.length)
    throw new Error(`Git made ${times.length} commits, not ${records.length}.`)
  return { add: times.map(([add]) => add as number), commit: times.map(([, commit]) => commit as number) }
}

/**
 * Commits records with `git fast-import`, one commit each, on top of the branch, without syncs.
 * @returns milliseconds from the start of git to its end; its input is prepared before
 * @see git-fast-import(1)
 */
export async function fastImport(gitDir: string, records: readonly StoredFiles[]): Promise<number> {
  const branch = 'refs/heads/main'
  const parts: Buffer[] = []
  const data = (bytes: Buffer) => parts.push(Buffer.from(`data ${bytes.length}\n`), bytes, newline)
  for (const [index, { name, files }] of records.entries()) {
    const time = 1_800_000_000 + index
    parts.push(
      Buffer.from(`commit ${branch}\ncommitter git-metastore <service@git-metastore> ${time} +0000\n`),
    )
    data(Buffer.from(`Create metadata ${name}\n\nRecorded-At: ${new Date(time * 1000).toISOString()}\n`))
    if (index === 0) parts.push(Buffer.from(`from ${branch}^0\n`))
    for (const [path, bytes] of files) {
      parts.push(Buffer.from(`M 100644 inline ${path}\n`))
      data(bytes)
    }
  }
  const input = Buffer.concat(parts)
  const before = git(gitDir, 'rev-list', '--count', branch)
  const started = performance.now()
  const child = spawn('git', [`--git-dir=${gitDir}`, 'fast-import', '--quiet'], {
    stdio: ['pipe', 'inherit', 'inherit'],
    env: environment('none'),
  })
  const ended = once(child, 'close')
  child.stdin.end(input)
  const [code] = await ended
  const elapsed = performance.now() - started
  if (code !== 0) throw new Error(`git fast-import ended with ${code}.`)
  const made = Number(git(gitDir, 'rev-list', '--count', branch)) - Number(before)
  if (made !== records.length) throw new Error(`git fast-import made ${made} commits, not ${records.length}.`)
  return elapsed
}

const newline = Buffer.from('\n')

/** Reads the files at these paths of a commit; undefined if a file does not exist. @see git-cat-file(1), `--batch` */
export function readFiles(
  dir: string,
  commit: string,
  paths: readonly string[],
): readonly (Buffer | undefined)[] {
  const out = execFileSync('git', ['cat-file', '--batch'], {
    cwd: dir,
    input: paths.map(path => `${commit}:${path}\n`).join(''),
    maxBuffer: 2 ** 31 - 1,
  })
  let at = 0
  return paths.map(() => {
    const end = out.indexOf('\n', at)
    const line = out.toString('latin1', at, end)
    at = end + 1
    if (line.endsWith(' missing')) return undefined
    const size = Number(line.slice(line.lastIndexOf(' ') + 1))
    const bytes = out.subarray(at, at + size)
    at += size + 1
    return bytes
  })
}

/** @throws Error if git finds damage or uncommitted changes */
export function assertSound(dir: string, bare: boolean): void {
  git(dir, 'fsck', '--strict', '--no-dangling', '--no-progress')
  if (bare) return
  const status = git(dir, 'status', '--porcelain')
  if (status !== '') throw new Error(`The work tree is not clean:\n${status.slice(0, 500)}`)
}
