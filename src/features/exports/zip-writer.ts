import { openEventLoopPauses } from '../../core/scheduling/event-loop-pauses.js'
import type { Instant } from '../../core/value-types.js'

/** A file of a ZIP file. Its bytes are read only when they are written. */
export interface ZipEntry {
  /** A path below the root, with slashes. */
  readonly path: string
  read(): Promise<Uint8Array>
}

/** Number of bytes that are compressed in one step. */
const stepBytes = 64 * 1024

/**
 * Writes a ZIP file, in pieces. Only one of its files is in memory at a time. The same files and time give the same
 * bytes.
 * @param time of all files
 */
export async function* writeZip(
  entries: readonly ZipEntry[],
  time: Instant,
): AsyncGenerator<Uint8Array, void> {
  // Loaded on first use: most servers and commands write no ZIP file.
  const { Zip, ZipDeflate } = await import('fflate')
  const pauses = openEventLoopPauses()
  let ready: Uint8Array[] = []
  let failure: Error | undefined
  const zip = new Zip((error, piece) => {
    if (error) failure = error
    else ready.push(piece)
  })
  function* take() {
    if (failure) throw failure
    const pieces = ready
    ready = []
    yield* pieces
  }
  for (const { path, read } of entries) {
    const file = new ZipDeflate(path, { level: 6 })
    file.mtime = zipTime(time)
    zip.add(file)
    const bytes = await read()
    for (let offset = 0; ; offset += stepBytes) {
      const isLast = offset + stepBytes >= bytes.length
      // Copied, because the compressor keeps its input, and others use bytes from a cache, too.
      file.push(Uint8Array.from(bytes.subarray(offset, offset + stepBytes)), isLast)
      yield* take()
      await pauses.ifDue()
      if (isLast) break
    }
  }
  zip.end()
  yield* take()
}

/** First and last year that a time in a ZIP file can have. */
const firstYear = 1980
const lastYear = 2099

/** A time whose local year, month… are the UTC ones of `time`. `fflate` writes local ones: they depend on the zone. */
function zipTime(time: Instant): Date {
  const utc = new Date(time)
  const year = Math.min(Math.max(utc.getUTCFullYear(), firstYear), lastYear)
  return new Date(
    year,
    utc.getUTCMonth(),
    utc.getUTCDate(),
    utc.getUTCHours(),
    utc.getUTCMinutes(),
    utc.getUTCSeconds(),
  )
}
