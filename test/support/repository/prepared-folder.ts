import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runProgram } from '../program/run-program.js'

const prepared = new Map<string, Promise<string>>()

/**
 * Copies a data folder that `make` makes once in this process. Commands take half a second each to start, so tests that
 * begin with the same repository make it only once.
 * @param name name of the content; the same name means the same content
 * @param to path of the copy, which must not exist yet
 */
export async function copyPrepared(
  name: string,
  to: string,
  make: (folder: string) => Promise<void>,
): Promise<void> {
  let source = prepared.get(name)
  if (source === undefined) {
    source = prepare(make)
    prepared.set(name, source)
  }
  cpSync(await source, to, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true })
  // The index contains the inode numbers of the original, which git compares. The command fails if files differ, which
  // is permitted.
  await runProgram('git', ['-C', to, 'update-index', '-q', '--refresh'])
}

async function prepare(make: (folder: string) => Promise<void>): Promise<string> {
  const root = mkdtempSync(join(tmpdir(), 'git-metastore-prepared-'))
  process.once('exit', () => rmSync(root, { recursive: true, force: true, maxRetries: 3 }))
  const folder = join(root, 'data')
  await make(folder)
  return folder
}
