import {
  closeSync,
  fsync,
  fsyncSync,
  openSync,
  renameSync,
  unlinkSync,
  writeFileSync,
  writeSync,
  writevSync,
} from 'node:fs'
import { promisify } from 'node:util'

/*
 * Synchronous, like nearly everything that makes an update durable: it runs in a thread of its own
 * (`persist-batch-thread.ts`), where some thirty file operations one after the other cost a fraction of what they cost as
 * promises. Only what can wait for the disk at the same time does so as promises.
 */

/** A file that is to be written. */
export interface NewFile {
  readonly path: string
  /** Its bytes, in pieces. */
  readonly parts: readonly Uint8Array[]
}

const fsyncLater = promisify(fsync)

/**
 * Writes new files whose bytes are all on disk on return, as {@link writeFileDurably} does for one. The disk is waited for
 * once: a file system that keeps a journal brings files that are synced at the same time there in one go. After a
 * failure none of them is there.
 */
export async function writeFilesDurably(files: readonly NewFile[]): Promise<void> {
  const opened: { readonly path: string; readonly file: number }[] = []
  try {
    for (const { path, parts } of files) {
      const file = openSync(path, 'wx', 0o644)
      opened.push({ path, file })
      writeAll(file, parts)
    }
    // Settled, because no file may be closed while it is being synced.
    const synced = await Promise.allSettled(opened.map(({ file }) => fsyncLater(file)))
    for (const each of synced) if (each.status === 'rejected') throw each.reason
  } catch (thrown) {
    for (const { path } of opened) unlinkSync(path)
    throw thrown
  } finally {
    for (const { file } of opened) closeSync(file)
  }
}

/**
 * Writes a new file whose bytes are on disk on return. The name is only durable after {@link syncDirectory}.
 * @see fsync(2): "Calling fsync() does not necessarily ensure that the entry in the directory … has also reached disk"
 */
export function writeFileDurably(path: string, parts: readonly Uint8Array[]): void {
  const file = openSync(path, 'wx', 0o644)
  try {
    writeAll(file, parts)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

function writeAll(file: number, parts: readonly Uint8Array[]): void {
  const total = parts.reduce((sum, part) => sum + part.length, 0)
  let written = writevSync(file, [...parts], 0)
  if (written === total) return
  // A short write is legal (a signal, more than 1,024 parts, a nearly full disk): go on where it stopped.
  const whole = Buffer.concat(parts)
  while (written < total) written += writeSync(file, whole, written, total - written, written)
}

/** Makes the names in a directory durable. */
export function syncDirectory(path: string): void {
  const directory = openSync(path, 'r')
  try {
    fsyncSync(directory)
  } finally {
    closeSync(directory)
  }
}

/** Replaces a derived file in one step; not durable, for what can be worked out again. */
export function replaceFileAtomically(path: string, text: string): void {
  writeFileSync(`${path}.new`, text, { mode: 0o644 })
  renameSync(`${path}.new`, path)
}

/** The errno name of a failed system call (`ENOENT`), or undefined for any other thrown value. */
export function errorCode(thrown: unknown): string | undefined {
  if (!(thrown instanceof Error) || !('code' in thrown)) return undefined
  return typeof thrown.code === 'string' ? thrown.code : undefined
}

/** Runs a file operation for which "no such file" is an answer. */
export function undefinedIfMissing<T>(operation: () => T): T | undefined {
  try {
    return operation()
  } catch (thrown) {
    if (errorCode(thrown) === 'ENOENT') return undefined
    throw thrown
  }
}

/** The same for an operation that is awaited. */
export async function undefinedIfMissingAsync<T>(operation: Promise<T>): Promise<T | undefined> {
  try {
    return await operation
  } catch (thrown) {
    if (errorCode(thrown) === 'ENOENT') return undefined
    throw thrown
  }
}
