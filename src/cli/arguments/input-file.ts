import { readFile } from 'node:fs/promises'
import { ProblemError } from '../../core/problem.js'

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EISDIR: 'it is a folder',
  EACCES: 'you may not read it',
  ENOTDIR: 'a part of its path is no folder',
}

/**
 * How the commands know standard input, `-` on the command line: yargs takes a lone `-` for an option without a name.
 */
export const standardInput = '/dev/stdin'

/**
 * Bytes of a file named on the command line, or of standard input. A name that is a link or a pipe is followed: it is
 * the person's own choice. What lies in a folder that is named is read by `store/file-system/regular-files`.
 * @throws ProblemError `malformed-request` where it cannot be read
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
