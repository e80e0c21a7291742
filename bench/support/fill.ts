import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { directoryOf } from '../../src/store/layout.js'
import { benchDocument, benchRecord, uuid } from './records.js'

/** Runs git in a folder. @returns what it printed */
export function git(dir: string, ...args: string[]): string {
  return execFileSync('git', args, { cwd: dir, maxBuffer: 1 << 28 })
    .toString()
    .trim()
}

/**
 * Adds records to a repository with `git fast-import`, one commit each, as a server would have committed them, and
 * checks them out.
 * @param first number of the first record
 */
export async function fill(dir: string, first: number, count: number): Promise<void> {
  const child = spawn('git', ['fast-import', '--quiet'], { cwd: dir, stdio: ['pipe', 'inherit', 'inherit'] })
  const ended = once(child, 'exit')
  const start = Math.floor(Date.now() / 1000) - count - 1
  for (let at = 0; at < count; at++) {
    const number = first + at
    const folder = directoryOf('metadata', uuid(number))
    const message = `Create metadata ${uuid(number)}\n\nRecorded-At: ${new Date((start + at) * 1000).toISOString()}\n`
    const parts = [
      'commit refs/heads/main\n',
      `committer git-metastore <service@git-metastore> ${start + at} +0000\n`,
      data(message),
      at === 0 ? 'from refs/heads/main^0\n' : '',
      `M 100644 inline ${folder}/record.json\n`,
      data(benchRecord(number)),
      `M 100644 inline ${folder}/document.json\n`,
      data(benchDocument(number)),
    ]
    if (!child.stdin.write(parts.join(''))) await once(child.stdin, 'drain')
  }
  child.stdin.end()
  await ended
  git(dir, 'reset', '-q', '--hard')
}

function data(content: string | Buffer): string {
  return `data ${Buffer.byteLength(content)}\n${content}\n`
}
