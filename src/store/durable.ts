import { closeSync, fsyncSync, openSync, renameSync, writeFileSync, writeSync, writevSync } from 'node:fs'

/*
 * Synchronous, like everything that makes an update durable: it runs in a thread of its own (`publish-thread.ts`),
 * where some thirty file operations one after the other cost a fraction of what they cost as promises.
 */

/**
 * Writes a new file whose bytes are on disk on return. The name is only durable after {@link syncDirectory}.
 * @see fsync(2): "Calling fsync() does not necessarily ensure that the entry in the directory … has also reached disk"
 */
export function writeDurable(path: string, parts: readonly Uint8Array[]): void {
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
export function replaceFile(path: string, text: string): void {
  writeFileSync(`${path}.new`, text, { mode: 0o644 })
  renameSync(`${path}.new`, path)
}

/** The errno name of a failed system call (`ENOENT`), or undefined for any other thrown value. */
export function errnoOf(thrown: unknown): string | undefined {
  if (!(thrown instanceof Error) || !('code' in thrown)) return undefined
  return typeof thrown.code === 'string' ? thrown.code : undefined
}

/** Runs a file operation for which "no such file" is an answer. */
export function orMissing<T>(operation: () => T): T | undefined {
  try {
    return operation()
  } catch (thrown) {
    if (errnoOf(thrown) === 'ENOENT') return undefined
    throw thrown
  }
}

/** The same for an operation that is awaited. */
export async function unlessMissing<T>(operation: Promise<T>): Promise<T | undefined> {
  try {
    return await operation
  } catch (thrown) {
    if (errnoOf(thrown) === 'ENOENT') return undefined
    throw thrown
  }
}
