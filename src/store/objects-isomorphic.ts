import fs from 'node:fs'
import { readdir } from 'node:fs/promises'
import type { Oid } from '../core/values.js'
import { unlessMissing } from './durable.js'
import {
  DamagedObject,
  type GitObject,
  hasObject,
  MissingObject,
  type ObjectReader,
  type ObjectType,
} from './objects.js'
import { packFolder } from './pack-folder.js'
import { streamSingly } from './stream-objects.js'

/** Looks at one object that cannot be read before it is given up. */
const mostLooks = 4
/** Looks at one object that is not found while packs come and go: a repack moves it from pack to pack while we look. */
const mostLooksForMoved = 20
/** What is read before the library's cache is dropped: it holds whole packs and the bases of deltas, without a bound. */
const mostCachedBytes = 64 * 1024 * 1024
const mostCachedReads = 20_000
/** The library reads files without a queue of its own: more at once only costs memory and file handles. */
const mostAtOnce = 32

/** Loaded by the first read: it takes a tenth of a second, and nobody needs it who has git. */
const library = () => import('isomorphic-git')

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'NotFoundError'
}

/** The packs there are, as a text that is another one where they are others. */
async function packsIn(gitDir: string): Promise<string> {
  const names = (await unlessMissing(readdir(packFolder(gitDir)))) ?? []
  return names.sort().join(' ')
}

/** Reads objects with isomorphic-git, where there is no git binary. */
export function openIsomorphic(gitDir: string): ObjectReader {
  let cache = {}
  let cachedBytes = 0
  let cachedReads = 0
  let closed = false
  let running = 0
  const waiting: (() => void)[] = []

  async function look(oid: Oid): Promise<GitObject> {
    const { readObject } = await library()
    const used = cache
    try {
      const found = await readObject({ fs, gitdir: gitDir, oid, format: 'content', cache: used })
      // Always present in the format "content". A copy, for what the library gives out may be the cache's own.
      const bytes = Buffer.from(found.object as Uint8Array)
      cachedBytes += bytes.length
      cachedReads++
      if (cachedBytes > mostCachedBytes || cachedReads > mostCachedReads) dropCache()
      return { type: found.type as ObjectType, bytes }
    } catch (error) {
      // The library lists the packs anew at every read; only what it remembers of packs that are gone misleads it.
      if (!isMissing(error) && used === cache) dropCache()
      throw error
    }
  }

  function dropCache(): void {
    cache = {}
    cachedBytes = 0
    cachedReads = 0
  }

  async function lookAgain(oid: Oid): Promise<GitObject> {
    let packs: string | undefined
    for (let looks = 1; ; looks++) {
      if (closed) throw new Error('The object reader is closed.')
      try {
        return await look(oid)
      } catch (error) {
        if (!isMissing(error)) {
          if (looks >= mostLooks) throw new DamagedObject(oid, error)
          continue
        }
        const before = packs
        packs = await packsIn(gitDir)
        if (packs === before || looks >= mostLooksForMoved) throw new MissingObject(oid)
      }
    }
  }

  async function read(oid: Oid): Promise<GitObject> {
    if (running >= mostAtOnce) await new Promise<void>(resolve => waiting.push(resolve))
    else running++
    try {
      return await lookAgain(oid)
    } finally {
      const next = waiting.shift()
      if (next) next()
      else running--
    }
  }

  return {
    read,
    has: oid => hasObject(read, oid),
    stream: wanted => streamSingly(read, wanted),
    async close() {
      closed = true
      dropCache()
    },
  }
}
