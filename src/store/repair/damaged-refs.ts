import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Oid } from '../../core/value-types.js'
import { undefinedIfMissingAsync } from '../file-system/file-errors.js'
import { readAllRefs } from '../refs/list-refs.js'

/** HEAD and the refs of a repository that may be damaged. */
export interface FoundRefs {
  /** Refs with an object name. */
  readonly good: ReadonlyMap<string, Oid>
  /** Refs with malformed content. */
  readonly garbage: readonly string[]
  /** Full name of the branch of HEAD; undefined if HEAD is malformed or detached. */
  readonly branch: string | undefined
  /** The fault of HEAD; undefined: none. */
  readonly head: 'garbage' | 'missing' | undefined
}

/** Reads HEAD and the refs from their files, because git refuses malformed ones. @see gitrepository-layout(5) */
export async function readDamagedRefs(gitDir: string): Promise<FoundRefs> {
  const refs = [...(await readAllRefs(gitDir))]
  const text = await undefinedIfMissingAsync(readFile(join(gitDir, 'HEAD'), 'latin1'))
  const branch = /^ref:\s*(refs\/heads\/\S+)$/.exec(text?.trim() ?? '')?.[1]
  const detached = /^[0-9a-f]{40}$/.test(text?.trim() ?? '')
  return {
    good: new Map(
      refs.filter(([, value]) => /^[0-9a-f]{40}$/.test(value)).map(([name, value]) => [name, value as Oid]),
    ),
    garbage: refs.filter(([, value]) => !/^(?:[0-9a-f]{40}|ref: \S+)$/.test(value)).map(([name]) => name),
    branch,
    head: text === undefined ? 'missing' : branch === undefined && !detached ? 'garbage' : undefined,
  }
}

/** The last value in the reflog of a ref; undefined if there is none. @see git-reflog(1) */
export async function lastReflogValue(gitDir: string, ref: string): Promise<Oid | undefined> {
  const text = await undefinedIfMissingAsync(readFile(join(gitDir, 'logs', ref), 'latin1'))
  const values = [...(text ?? '').matchAll(/^[0-9a-f]{40} ([0-9a-f]{40}) /gm)]
  const last = values.at(-1)?.[1]
  return last === undefined || /^0+$/.test(last) ? undefined : (last as Oid)
}
