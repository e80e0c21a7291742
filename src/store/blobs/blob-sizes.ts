import type { Writable } from 'node:stream'
import { openEntryCache } from '../../core/data-structures/entry-cache.js'
import type { Oid } from '../../core/value-types.js'
import { type GitOptions, outputOf, startGit } from '../git-commands/git-command.js'
import { readWithGit } from '../git-commands/retry-while-packs-change.js'
import { ignoreBrokenPipe } from '../process/run-program.js'
import type { BlobReader } from './blob-reader.js'

/** Makes git print a line for each object, in the order of the input. {@link sizeIn} reads it. */
const printSizes = '--batch-check=%(objecttype) %(objectsize)'

/** @returns the size of the blob in bytes; undefined if there is no such blob */
function sizeIn(line: string): number | undefined {
  const [, size] = /^blob (\d+)$/.exec(line) ?? []
  return size === undefined ? undefined : Number(size)
}

/** Sizes of blobs in bytes, without reading them. A blob that is missing is left out. */
export async function readBlobSizes(
  git: string,
  gitDir: string,
  blobs: readonly Oid[],
  options: GitOptions = {},
): Promise<ReadonlyMap<Oid, number>> {
  if (blobs.length === 0) return new Map()
  const result = await readWithGit(git, gitDir, ['cat-file', printSizes, '--buffer'], {
    ...options,
    input: blobs.map(oid => `${oid}\n`).join(''),
    isGood: ({ code, stdout }) => code === 0 && !/ missing$/m.test(stdout.toString('latin1')),
  })
  const lines = outputOf(result, 'cat-file').toString('latin1').split('\n')
  const sizes = new Map<Oid, number>()
  for (const [index, blob] of blobs.entries()) {
    const size = sizeIn(lines[index] ?? '')
    if (size !== undefined) sizes.set(blob, size)
  }
  return sizes
}

/** Reads the sizes of blobs without their content. */
interface BlobSizeReader {
  /** @returns the size in bytes @throws MissingObject if the repository has no such blob */
  size(oid: Oid): Promise<number>
  close(): Promise<void>
}

/** Limit of remembered sizes. */
const maxKnown = 50_000
/** Milliseconds without a request after which git is ended. */
const untilIdle = 30_000

/**
 * Reads sizes through one `git cat-file --batch-check`, which the first request starts. If git does not tell a size,
 * `blobs` reads the blob: that reader also copes with packs that are being replaced, and throws the right errors.
 * @param git undefined: all sizes come from `blobs`
 * @see git-cat-file(1)
 */
export function openBlobSizeReader(
  git: string | undefined,
  gitDir: string,
  blobs: BlobReader,
): BlobSizeReader {
  const known = openEntryCache<Oid, number>(maxKnown)
  let running: SizeProcess | undefined
  let isClosed = false
  /** The last read of a blob. Blobs may be large, so that one after another is read. */
  let last: Promise<unknown> = Promise.resolve()

  function readSize(oid: Oid): Promise<number> {
    const size = last.then(async () => (await blobs.read(oid)).length)
    last = size.catch(() => undefined)
    return size
  }

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
      const size = (await askGit(oid)) ?? (await readSize(oid))
      known.set(oid, size)
      return size
    },
    async close() {
      isClosed = true
      await running?.close()
    },
  }
}

interface SizeProcess {
  /** @returns undefined if git does not know the blob, or has ended */
  ask(oid: Oid): Promise<number | undefined>
  /** Resolves when the process has ended, after the answers to all requests. */
  close(): Promise<void>
}

/** @param onEnd called once when the process takes no further requests */
function startSizeProcess(git: string, gitDir: string, onEnd: () => void): SizeProcess {
  const starting = startGit(git, gitDir, ['cat-file', printSizes])
  const waiting: ((size: number | undefined) => void)[] = []
  const idle = setTimeout(stopAsking, untilIdle).unref()
  let text = ''
  let isOver = false

  function stopAsking(): void {
    if (isOver) return
    isOver = true
    clearTimeout(idle)
    onEnd()
    write(stdin => stdin.end())
  }
  function settleRest(): void {
    stopAsking()
    for (const settle of waiting.splice(0)) settle(undefined)
  }
  /** Writes to git. If git did not start, nothing happens here, and all requests get `undefined`. */
  function write(how: (stdin: Writable) => void): void {
    starting.then(
      ({ stdin }) => how(stdin),
      () => undefined,
    )
  }
  const ended = starting
    .then(({ stdin, stdout, stderr, closed }) => {
      stdin.on('error', ignoreBrokenPipe)
      stderr.resume()
      stdout.on('data', (chunk: Buffer) => {
        const lines = (text + chunk.toString('latin1')).split('\n')
        text = lines.pop() ?? ''
        for (const line of lines) waiting.shift()?.(sizeIn(line))
      })
      return closed
    })
    .then(settleRest, settleRest)

  return {
    ask(oid) {
      idle.refresh()
      return new Promise(resolve => {
        waiting.push(resolve)
        write(stdin => {
          // Requests of one iteration of the event loop share one write.
          stdin.cork()
          stdin.write(`${oid}\n`)
          process.nextTick(() => stdin.uncork())
        })
      })
    },
    async close() {
      stopAsking()
      await ended
    },
  }
}
