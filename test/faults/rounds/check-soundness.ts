import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { together } from '../../../bench/support/statistics.js'
import { parseId } from '../../../src/core/value-types.js'
import {
  documentFileName,
  recordDirectory,
  recordFile,
} from '../../../src/store/records/repository-layout.js'
import { runMetastore, runProgram } from '../../support/program/run-program.js'
import { type Change, type Log, pathOf, type RecordLog, type Update } from './acknowledged-updates.js'

/** A repository on which servers are started repeatedly. */
export interface Subject {
  readonly dir: string
  readonly bare: boolean
}

/** Milliseconds within which the work tree must follow the branch after a start. */
const patience = 20_000
/** Number of records whose versions are read at once. */
const askedAtOnce = 8

/** Extent of the check. */
export interface Depth {
  /** Whether to check every version of every record, not only the newest ones and the updates without an answer. */
  readonly whole: boolean
}

/**
 * Compares a started server and its repository with the updates as clients see them. Resolves updates without an
 * answer.
 * @returns complaints
 */
export async function complaintsAbout(
  { dir, bare }: Subject,
  url: string,
  log: Log,
  { whole }: Depth,
): Promise<readonly string[]> {
  const found: string[] = []
  for (const update of log.unsure) found.push(...(await findOut(url, log, update)))
  found.push(...(await newestDiffer(dir, log)))
  if (whole) {
    await together(log.records.length, askedAtOnce, async at => {
      found.push(...(await versionsDiffer(url, log.records[at] as RecordLog)))
    })
  }

  found.push(...(await fsckComplains(dir)))
  // Among other checks, `verify` compares the catalog with a rebuilt one.
  const verified = await runMetastore(['verify', '--data', dir])
  if (verified.code !== 0)
    found.push(`verify ended with ${verified.code}: ${verified.stdout}${verified.stderr}`)
  if (!bare) found.push(...(await workTreeDiffers(dir)))
  found.push(...(await leftovers(dir, bare)))
  return found
}

/** Resolves an update without an answer: the server has applied all of it in one commit, or nothing. */
async function findOut(url: string, log: Log, update: Update): Promise<readonly string[]> {
  const looks = await Promise.all(update.map(change => lookFor(url, change)))
  const odd = looks.flatMap(({ complaint }) => (complaint === undefined ? [] : [complaint]))
  if (odd.length > 0) return odd
  const [there, missing] = [true, false].map(wanted =>
    update.filter((_, index) => looks[index]?.isThere === wanted).map(({ record }) => record.id),
  )
  if (there?.length !== 0 && missing?.length !== 0)
    return [`Of a change set ${there?.join(', ')} are there, and ${missing?.join(', ')} are not`]
  const etags = [...new Set(looks.flatMap(({ etag }) => etag ?? []))]
  if (there?.length === 0) log.settle(update, false)
  else if (etags.length > 1) return [`The change set of ${there?.join(', ')} is in ${etags.join(' and ')}`]
  else log.settle(update, true, etags[0])
  return []
}

interface Look {
  readonly isThere?: boolean
  readonly etag?: string | undefined
  readonly complaint?: string
}

/** Finds out whether a record has the state before a change or the state after it. Any other state is a complaint. */
async function lookFor(url: string, { record, bytes, standing }: Change): Promise<Look> {
  const { id, history } = record
  const address = url + pathOf(record)
  const now = await readFrom(address)
  const next = await readFrom(`${address}?version=${history.length + 1}`)
  const has = ({ status, body }: Read, wanted: string | undefined) =>
    wanted === undefined ? status === 404 : status === 200 && body === wanted
  const after = standing === 'gone' ? undefined : bytes
  if (has(now, after) && has(next, after)) return { isThere: true, etag: now.etag }
  if (has(now, history.at(-1)?.bytes) && has(next, undefined)) return { isThere: false }
  return {
    complaint: `${id} is neither as before nor as updated: ${now.status} ${now.body.slice(0, 200)}, and as version ${history.length + 1} ${next.status} ${next.body.slice(0, 200)}`,
  }
}

interface Read {
  readonly status: number
  readonly body: string
  readonly etag: string | undefined
}

async function readFrom(url: string): Promise<Read> {
  const answer = await fetch(url)
  return {
    status: answer.status,
    body: await answer.text(),
    etag: answer.headers.get('etag') ?? undefined,
  }
}

/**
 * Runs `git fsck`. While a server or `git gc` merges packs, fsck can miss a pack that it has listed. Real damage
 * remains, so only an error that repeats is a complaint.
 */
async function fsckComplains(dir: string): Promise<readonly string[]> {
  for (let left = 3; ; left--) {
    const { code, stdout, stderr } = await runProgram('git', [
      '-C',
      dir,
      'fsck',
      '--full',
      '--strict',
      '--no-dangling',
    ])
    if (code === 0 && stdout + stderr === '') return []
    if (left === 0) return [`git fsck ended with ${code}: ${stdout}${stderr}`]
    await sleep(500)
  }
}

/** Compares the newest records and documents in git with the acknowledged states. */
async function newestDiffer(dir: string, log: Log): Promise<readonly string[]> {
  const known = log.records.filter(({ history }) => history.length > 0)
  const folders = known.map(({ kind, id }) => recordDirectory(kind, parseId(id, 'id')))
  const documents = await blobsAt(
    dir,
    known.map(({ kind, type }, index) => `${folders[index]}/${documentFileName(kind, type)}`),
  )
  const records = await blobsAt(
    dir,
    folders.map(folder => `${folder}/${recordFile}`),
  )
  return known.flatMap(({ id, history, standing }, index) => {
    const [document, record] = [documents[index], records[index]]
    if (standing === 'gone')
      return document === undefined && record === undefined ? [] : [`${id} was removed and is there`]
    if (document === undefined || record === undefined) return [`${id} was acknowledged and is not there`]
    const { state } = JSON.parse(record) as { readonly state?: string }
    return [
      ...(document === history.at(-1)?.bytes
        ? []
        : [`${id} is not its version ${history.length}, which was acknowledged`]),
      ...((state === 'REVOKED') === (standing === 'revoked')
        ? []
        : [`${id} is ${state ?? 'served'}, not ${standing}`]),
    ]
  })
}

/** Reads files of the newest commit; undefined if a file does not exist. */
async function blobsAt(dir: string, paths: readonly string[]): Promise<readonly (string | undefined)[]> {
  const input = paths.map(path => `HEAD:${path}\n`).join('')
  const { bytes } = await runProgram('git', ['-C', dir, 'cat-file', '--batch'], { input })
  let at = 0
  return paths.map(() => {
    const end = bytes.indexOf(0x0a, at)
    const [, type, size] = bytes.toString('latin1', at, end).split(' ')
    at = end + 1
    if (type !== 'blob') return undefined
    const body = bytes.toString('utf8', at, at + Number(size))
    at += Number(size) + 1
    return body
  })
}

/** Checks that version numbers have no gap and that each version has its acknowledged bytes and ETag. */
async function versionsDiffer(url: string, record: RecordLog): Promise<readonly string[]> {
  const { id, history, standing } = record
  const at = (version: number) => readFrom(`${url + pathOf(record)}?version=${version}`)
  const found: string[] = []
  for (const { version, bytes, etag } of standing === 'gone' ? [] : history) {
    const answer = await at(version)
    if (answer.body !== bytes) found.push(`Version ${version} of ${id} has other bytes`)
    if (etag !== undefined && answer.etag !== etag) found.push(`Version ${version} of ${id} has another ETag`)
  }
  const first = standing === 'gone' ? 1 : history.length + 1
  if ((await at(first)).status !== 404) found.push(`${id} has a version ${first} that was not sent`)
  return found
}

async function workTreeDiffers(dir: string): Promise<readonly string[]> {
  const until = performance.now() + patience
  for (;;) {
    const { stdout, stderr } = await runProgram('git', ['-C', dir, 'status', '--porcelain'])
    if (stdout + stderr === '') return []
    if (performance.now() > until) return [`git status is not clean: ${stdout}${stderr}`]
    await sleep(100)
  }
}

/** Files that exist only during a flush. */
async function leftovers(dir: string, bare: boolean): Promise<readonly string[]> {
  const gitDir = bare ? dir : join(dir, '.git')
  const own = join(gitDir, 'git-metastore')
  const until = performance.now() + patience
  for (;;) {
    const files = [
      ...(await readdir(own)),
      ...(await readdir(join(own, 'locks'))),
      ...(await readdir(join(gitDir, 'objects/pack'))).filter(
        name => !/\.(?:pack|idx|rev|bitmap|mtimes)$/.test(name),
      ),
      ...(await readdir(gitDir)).filter(name => name.endsWith('.lock')),
      ...(await readdir(join(gitDir, 'refs/heads'))).filter(name => name.endsWith('.lock')),
    ].filter(name => /~|^checkout-|^new-|^probe-|\.keep$|tmp|^(?:HEAD|index|.*heads.*)\.lock$/.test(name))
    if (files.length === 0) return []
    if (performance.now() > until) return [`There are left: ${files.join(', ')}`]
    await sleep(100)
  }
}
