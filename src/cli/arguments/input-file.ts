import { readFile } from 'node:fs/promises'
import { ProblemError } from '../../core/problem.js'

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EISDIR: 'it is a folder',
  EACCES: 'you may not read it',
  ENOTDIR: 'a part of its path is not a folder',
}

/** Replaces the argument `-` (standard input) for yargs, which reads a single `-` as an option without a name. */
export const standardInput = '/dev/stdin'

/**
 * Reads a file that the command line names, or standard input. The file may be a link or a pipe: the user chose it.
 * Use `store/file-system/regular-files` for files in a folder that the user named.
 * @throws ProblemError `malformed-request` if the file cannot be read
 */
export async function readInput(file: string): Promise<Buffer> {
  if (file === standardInput) {
    const chunks: Buffer[] = []
    for await (const chunk of process.stdin) chunks.push(Buffer.from(chunk as Uint8Array))
    return Buffer.concat(chunks)
  }
  try {
    return await readFile(file)
  } catch (error) {
    const reason = reasons[(error as NodeJS.ErrnoException).code ?? '']
    if (reason === undefined) throw error
    throw new ProblemError('malformed-request', `${file} cannot be read: ${reason}.`, {}, { cause: error })
  }
}
