/** A request for everything a commit leads to, as a client of git sends it. */
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
 * A history for `git fast-import`: commits one after the other on a branch aside, each of which changes a file that is of
 * no record.
 * @param from commit on which it begins
 */
export function branchAside(branch: string, from: string, commits: number): string {
  return Array.from({ length: commits }, (_, n) => {
    const file = `${n}\n`
    return [
      `commit refs/heads/${branch}`,
      `committer Jane <jane@example.org> ${1_700_000_000 + n} +0000`,
      'data 4\nMore',
      ...(n === 0 ? [`from ${from}`] : []),
      `M 100644 inline notes/${n % 2000}.txt`,
      `data ${file.length}\n${file}`,
    ].join('\n')
  }).join('\n')
}
