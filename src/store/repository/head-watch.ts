import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { undefinedIfMissing } from '../file-system/file-errors.js'
import { ownFolder, type Repository, servedRefFile } from './open-repository.js'

/*
 * Watches HEAD of a served data folder: a user may switch to another branch, check out a commit, bisect or rebase. The
 * server continues to serve the branch it started with.
 */

const branchPattern = /^ref: refs\/heads\/(\S+)$/

type WatchedRepository = Pick<Repository, 'dir' | 'gitDir' | 'branch' | 'bare'>

export function isAtServedBranch({ gitDir, branch }: WatchedRepository): boolean {
  return readHead(gitDir) === `ref: ${branch}`
}

/** Message about a HEAD that is not at the served branch, with the commands to go back; undefined if HEAD is there. */
export function strayText(place: WatchedRepository): string | undefined {
  const { gitDir, branch, bare } = place
  const head = readHead(gitDir)
  if (head === `ref: ${branch}`) return undefined
  const served = branch.replace('refs/heads/', '')
  const where = whereIs(head, gitDir)
  const files = bare ? '' : ' The files of the work tree are not brought up to date.'
  return `HEAD is ${where}, not at the branch ${served}, which is served: reads and updates go on there.${files} To go back: ${wayBack(place)}.${otherBranch(place, head)}`
}

/**
 * Reports each time HEAD leaves the served branch or comes back. Checks once at the start.
 * @returns a function that checks again
 */
export function openHeadWatch(place: WatchedRepository, report: (line: string) => void): () => void {
  let told: string | undefined
  const look = () => {
    const stray = strayText(place)
    if (stray === told) return
    report(stray ?? `HEAD is back at the branch ${place.branch.replace('refs/heads/', '')}, which is served.`)
    told = stray
  }
  look()
  return look
}

/** A sentence that says how to serve the branch at HEAD instead; empty if HEAD is at no branch. */
function otherBranch({ gitDir }: WatchedRepository, head: string): string {
  const [, name] = branchPattern.exec(head) ?? []
  if (name === undefined || operationIn(gitDir)) return ''
  const folder = join(gitDir, ownFolder)
  return ` To serve ${name} instead: stop the server, delete ${servedRefFile} and catalog.sqlite* in ${folder}, and start it again.`
}

/** The commands that bring HEAD back to the served branch. */
function wayBack({ dir, gitDir, branch, bare }: WatchedRepository): string {
  const git = `git -C ${dir}`
  if (bare) return `${git} symbolic-ref HEAD ${branch}`
  const back = `${git} switch ${branch.replace('refs/heads/', '')}`
  const operation = operationIn(gitDir)
  if (operation === undefined) return back
  const { end, branch: from } = operation
  return from === branch ? `${git} ${end}` : `${git} ${end} && ${back}`
}

function readHead(gitDir: string): string {
  return undefinedIfMissing(() => readFileSync(join(gitDir, 'HEAD'), 'latin1'))?.trim() ?? ''
}

function whereIs(head: string, gitDir: string): string {
  const operation = operationIn(gitDir)
  if (operation) return `in the middle of a ${operation.name}`
  const [, branch] = branchPattern.exec(head) ?? []
  if (branch !== undefined) return `at the branch ${branch}`
  return /^[0-9a-f]{40}$/.test(head) ? `detached at commit ${head.slice(0, 10)}` : 'at no branch'
}

interface Operation {
  readonly name: 'bisect' | 'rebase'
  /** Git arguments that end the operation. */
  readonly end: string
  /** Full name of the branch that HEAD returns to. */
  readonly branch: string | undefined
}

/** The unfinished git operation that moved HEAD; undefined if there is none. @see git-bisect(1), git-rebase(1) */
function operationIn(gitDir: string): Operation | undefined {
  const read = (name: string) => undefinedIfMissing(() => readFileSync(join(gitDir, name), 'utf8'))?.trim()
  for (const folder of ['rebase-merge', 'rebase-apply']) {
    // `git am` uses the second folder too, and leaves HEAD at the branch.
    if (!existsSync(join(gitDir, folder, 'head-name'))) continue
    return { name: 'rebase', end: 'rebase --abort', branch: read(`${folder}/head-name`) }
  }
  const start = read('BISECT_START')
  if (start === undefined) return undefined
  return { name: 'bisect', end: 'bisect reset', branch: `refs/heads/${start}` }
}
