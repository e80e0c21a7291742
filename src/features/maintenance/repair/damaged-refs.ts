import { readdir, readFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import type { Oid } from '../../../core/value-types.js'
import { undefinedIfMissingAsync } from '../../../store/file-system/file-errors.js'
import { readLooseRefs } from '../../../store/refs/list-refs.js'
import {
  isObjectName,
  packedRefsFault,
  packedRefsFile,
  parsePackedRefs,
} from '../../../store/refs/read-refs.js'

/** HEAD and the refs of a repository that may be damaged. */
export interface FoundRefs {
  /** Refs that contain an object name, by their full names. */
  readonly good: ReadonlyMap<string, Oid>
  /** Full names of refs with malformed content. */
  readonly garbage: readonly string[]
  /** Full name of the branch of HEAD; undefined if HEAD is malformed or detached. */
  readonly branch: string | undefined
  /** The fault of HEAD; undefined if there is none. */
  readonly head: 'garbage' | 'missing' | undefined
  /** The fault of a damaged `packed-refs`, and its intact lines as a new content; undefined if it is intact. */
  readonly packed: { readonly what: string; readonly intact: string } | undefined
}

/** Reads HEAD and the refs from their files, because git refuses malformed ones. @see gitrepository-layout(5) */
export async function readDamagedRefs(gitDir: string): Promise<FoundRefs> {
  const packed = await readPackedRefs(gitDir)
  const refs = [...new Map([...packed.refs, ...(await readLooseRefs(gitDir))])]
  const text = await undefinedIfMissingAsync(readFile(join(gitDir, 'HEAD'), 'latin1'))
  const branch = /^ref:\s*(refs\/heads\/\S+)$/.exec(text?.trim() ?? '')?.[1]
  const detached = isObjectName(text?.trim() ?? '')
  return {
    good: new Map(refs.filter((ref): ref is [string, Oid] => isObjectName(ref[1]))),
    garbage: refs.filter(([, value]) => !/^(?:[0-9a-f]{40}|ref: \S+)$/.test(value)).map(([name]) => name),
    branch,
    head: text === undefined ? 'missing' : branch === undefined && !detached ? 'garbage' : undefined,
    packed: packed.what === undefined ? undefined : { what: packed.what, intact: packed.intact },
  }
}

async function readPackedRefs(gitDir: string) {
  const text = (await undefinedIfMissingAsync(readFile(join(gitDir, packedRefsFile), 'latin1'))) ?? ''
  // Without a line break at its end, the last line may have lost a part of its name.
  const whole = text.slice(0, text.lastIndexOf('\n') + 1)
  const refs = [...parsePackedRefs(whole)].filter(([, value]) => isObjectName(value))
  const intact = refs.map(([name, value]) => `${value} ${name}\n`).join('')
  return { refs, intact, what: packedRefsFault(text) }
}

/** Full names of the branches that have a reflog. Git deletes the reflog of a branch together with the branch. */
export async function branchesWithReflog(gitDir: string): Promise<readonly string[]> {
  const folder = join(gitDir, 'logs', 'refs', 'heads')
  const options = { recursive: true, withFileTypes: true } as const
  const entries = (await undefinedIfMissingAsync(readdir(folder, options))) ?? []
  const files = entries.filter(entry => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name))
  return files.map(path => relative(join(gitDir, 'logs'), path).replaceAll('\\', '/'))
}

/** The last value in the reflog of a ref; undefined if there is none. @see git-reflog(1) */
export async function lastReflogValue(gitDir: string, ref: string): Promise<Oid | undefined> {
  const text = await undefinedIfMissingAsync(readFile(join(gitDir, 'logs', ref), 'latin1'))
  const values = [...(text ?? '').matchAll(/^[0-9a-f]{40} ([0-9a-f]{40}) /gm)]
  const last = values.at(-1)?.[1]
  return last === undefined || /^0+$/.test(last) ? undefined : (last as Oid)
}
