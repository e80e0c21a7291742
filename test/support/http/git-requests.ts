import { randomBytes } from 'node:crypto'
import type { PlainRepository } from '../repository/plain-git-repository.js'

/** Makes a request for all objects of a commit, as a git client sends it. */
export function fetchAll(commit: string): string {
  const lines = ['command=fetch', 'no-progress', `want ${commit}`, 'done']
  const [command, ...args] = lines.map(line => `${(line.length + 5).toString(16).padStart(4, '0')}${line}\n`)
  const body = `${command}0001${args.join('')}0000`
  return [
    'POST /repository.git/git-upload-pack HTTP/1.1',
    'Host: localhost',
    'Git-Protocol: version=2',
    'Content-Type: application/x-git-upload-pack-request',
    `Content-Length: ${body.length}`,
    '',
    body,
  ].join('\r\n')
}

/**
 * Makes a history for `git fast-import`: consecutive commits on another branch, each of which changes a file outside
 * the records. The first commit has two folders of five hundred files. Each other commit replaces one folder by a copy
 * of the other. Git has to compare much, and fast-import has to write little.
 * @param from commit on which the branch begins
 */
export function branchAside(branch: string, from: string, commits: number): string {
  const commit = (n: number, changes: readonly string[]) =>
    [
      `commit refs/heads/${branch}`,
      `committer Jane <jane@example.org> ${1_700_000_000 + n} +0000`,
      'data 4\nMore',
      ...(n === 0 ? [`from ${from}`] : []),
      ...changes,
    ].join('\n')
  const file = (path: string, text: string) =>
    `M 100644 inline aside/${path}.txt\ndata ${text.length}\n${text}`
  const folders = Array.from({ length: 500 }, (_, n) => [
    file(`even/${n}`, `${n}`),
    file(`odd/${n}`, n === 250 ? 'odd' : `${n}`),
  ]).flat()
  return [
    commit(0, folders),
    ...Array.from({ length: commits - 1 }, (_, n) =>
      commit(n + 1, [`C aside/${n % 2 === 0 ? 'even' : 'odd'} aside/notes`]),
    ),
  ].join('\n')
}

/**
 * Makes a branch `large` with incompressible files of two and a half mebibytes. The configuration stops git from
 * attempts to compress them or to find similarities.
 * @returns the commit of the branch
 */
export function addLargeBranch({ git, feed }: PlainRepository, files: number): string {
  const size = 2.5 * 2 ** 20
  const commit = `commit refs/heads/large\ncommitter Jane <jane@example.org> 1700000000 +0000\ndata 5\nLarge\n`
  const parts = Array.from({ length: files }, (_, n) => [
    Buffer.from(`M 100644 inline large/${n}\ndata ${size}\n`),
    randomBytes(size),
    Buffer.from('\n'),
  ])
  git('config', 'pack.window', '0')
  feed(
    Buffer.concat([Buffer.from(`${commit}from ${git('rev-parse', 'main')}\n`), ...parts.flat()]),
    ...['-c', 'core.compression=0', '-c', 'fastimport.unpackLimit=1', 'fast-import', '--quiet'],
  )
  return git('rev-parse', 'large')
}
