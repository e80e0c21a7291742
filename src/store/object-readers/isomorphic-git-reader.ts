import fs from 'node:fs'
import type { Oid } from '../../core/value-types.js'
import { errorCode } from '../file-system/file-errors.js'
import { whilePacksChange } from '../git-commands/retry-while-packs-change.js'
import { DamagedObject, isObjectDamage, MissingObject } from '../objects/object-errors.js'
import type { GitObject, ObjectReader, ObjectType } from '../objects/object-reader.js'
import { streamOneByOne } from './cat-file-reader.js'

/** Limits of reads until the library's cache is dropped: that cache holds packs and delta bases without a limit. */
const maxCachedBytes = 64 * 1024 * 1024
const maxCachedReads = 20_000
/** Limit of concurrent reads. The library has no such limit, and more reads only cost memory and file handles. */
const maxAtOnce = 32

/** Loaded by the first read, because loading is slow and installations with git do not need it. */
const library = () => import('isomorphic-git')

/** Reads objects with isomorphic-git, for machines without a git binary. */
export function openIsomorphicGitReader(gitDir: string): ObjectReader {
  const reread = whilePacksChange(gitDir)
  let cache = {}
  let cachedBytes = 0
  let cachedReads = 0
  let closed = false
  let running = 0
  const waiting: (() => void)[] = []

  async function readOnce(oid: Oid, isAgain = false): Promise<GitObject> {
    if (closed) throw new Error('The object reader is closed.')
    const { readObject } = await library()
    const used = cache
    try {
      const found = await readObject({ fs, gitdir: gitDir, oid, format: 'content', cache: used })
      // `object` is always present in the format "content". A copy, because the buffer may belong to the cache.
      const bytes = Buffer.from(found.object as Uint8Array)
      cachedBytes += bytes.length
      cachedReads++
      if (cachedBytes > maxCachedBytes || cachedReads > maxCachedReads) dropCache()
      return { type: found.type as ObjectType, bytes }
    } catch (error) {
      if (errorCode(error) === 'NotFoundError') throw new MissingObject(oid)
      // The library lists the packs at every read, but its cache may still refer to removed packs. Try once without it.
      if (used === cache) dropCache()
      if (!isAgain) return await readOnce(oid, true)
      throw new DamagedObject(oid, error)
    }
  }

  function dropCache(): void {
    cache = {}
    cachedBytes = 0
    cachedReads = 0
  }

  async function read(oid: Oid): Promise<GitObject> {
    if (running >= maxAtOnce) await new Promise<void>(resolve => waiting.push(resolve))
    else running++
    try {
      return await reread(() => readOnce(oid), isObjectDamage)
    } finally {
      const next = waiting.shift()
      if (next) next()
      else running--
    }
  }

  return {
    read,
    stream: wanted => streamOneByOne(read, wanted),
    async close() {
      closed = true
      dropCache()
    },
  }
}
