import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import { once } from 'node:events'
import { LRUCache } from 'lru-cache'
import type { Oid } from '../../core/value-types.js'
import { type GitBounds, outputOf, spawnGit } from '../process/git-command.js'
import { readWithGit } from '../process/git-read-command.js'
import { ignoreBrokenPipe } from '../process/run-program.js'
import type { BlobReader } from './blob-reader.js'

/**
 * Bytes of blobs, without reading them. A blob that is missing is left out.
 * @param environment where their objects are, beside the Git directory
 */
export async function readBlobSizes(
  git: string,
  gitDir: string,
  blobs: readonly Oid[],
  environment: Readonly<Record<string, string>> = {},
  bounds?: GitBounds,
): Promise<ReadonlyMap<Oid, number>> {
  if (blobs.length === 0) return new Map()
  const args = ['cat-file', '--batch-check=%(objectname) %(objecttype) %(objectsize)', '--buffer']
  const result = await readWithGit(git, gitDir, args, {
    environment,
    bounds,
    input: blobs.map(oid => `${oid}\n`).join(''),
    isGood: ({ code, stdout }) => code === 0 && !/ missing$/m.test(stdout.toString('latin1')),
  })
  const text = outputOf(result, 'cat-file').toString('latin1')
  const lines = text.matchAll(/^([0-9a-f]{40}) blob (\d+)$/gm)
  return new Map([...lines].map(([, oid, size]) => [oid as Oid, Number(size)]))
}

/** Reads the sizes of blobs without their content. */
export interface BlobSizeReader {
  /** @returns bytes @throws MissingObject if the repository has no such blob */
  size(oid: Oid): Promise<number>
  close(): Promise<void>
}

/** Limit of remembered sizes. */
const mostKnown = 50_000
/** Milliseconds without a request after which git is ended. */
const untilIdle = 30_000

/**
 * Reads sizes through one `git cat-file --batch-check`, which the first request starts. A size that git does not tell
 * is that of the bytes which `blobs` reads: that reader also handles packs that are being replaced, and errors.
 * @param git undefined: all sizes come from `blobs`
 * @see git-cat-file(1)
 */
export function openBlobSizeReader(
  git: string | undefined,
  gitDir: string,
  blobs: BlobReader,
): BlobSizeReader {
  // With `max` the cache would allocate room for all of them at once: 4 ms of each start.
  const known = new LRUCache<Oid, number>({ maxSize: mostKnown, sizeCalculation: () => 1 })
  let running: SizeProcess | undefined
  let isClosed = false

  async function askGit(oid: Oid): Promise<number | undefined> {
    if (git === undefined || isClosed) return undefined
    running ??= startSizeProcess(git, gitDir, () => {
      running = undefined
    })
    return await running.ask(oid)
  }

  return {
    async size(oid) {
      const found = known.get(oid)
      if (found !== undefined) return found
      const size = (await askGit(oid)) ?? (await blobs.read(oid)).length
      known.set(oid, size)
      return size
    },
    async close() {
      isClosed = true
      await running?.end()
    },
  }
}

interface SizeProcess {
  /** @returns undefined if git does not know the blob, or has ended */
  ask(oid: Oid): Promise<number | undefined>
  end(): Promise<void>
}

/** @param onEnd called once when the process takes no further requests */
function startSizeProcess(git: string, gitDir: string, onEnd: () => void): SizeProcess {
  const child = spawnGit(git, gitDir, ['cat-file', '--batch-check=%(objecttype) %(objectsize)'])
  const waiting: ((size: number | undefined) => void)[] = []
  const idle = setTimeout(stop, untilIdle).unref()
  let text = ''
  let isOver = false

  function stop(): void {
    if (isOver) return
    isOver = true
    clearTimeout(idle)
    onEnd()
    child.stdin.end()
  }
  function giveUp(): void {
    stop()
    for (const settle of waiting.splice(0)) settle(undefined)
  }
  child.stdin.on('error', ignoreBrokenPipe)
  child.stderr.resume()
  child.stdout.on('data', (chunk: Buffer) => {
    const lines = (text + chunk.toString('latin1')).split('\n')
    text = lines.pop() ?? ''
    for (const line of lines) waiting.shift()?.(sizeIn(line))
  })
  child.on('error', giveUp)
  child.on('close', giveUp)

  return {
    ask(oid) {
      idle.refresh()
      return new Promise(resolve => {
        waiting.push(resolve)
        child.stdin.write(`${oid}\n`)
      })
    },
    async end() {
      stop()
      if (hasEnded(child)) return
      await once(child, 'close')
    },
  }
}

function sizeIn(line: string): number | undefined {
  const [, size] = /^blob (\d+)$/.exec(line) ?? []
  return size === undefined ? undefined : Number(size)
}

function hasEnded({ pid, exitCode, signalCode }: ChildProcessWithoutNullStreams): boolean {
  return pid === undefined || exitCode !== null || signalCode !== null
}
