import { spawn } from 'node:child_process'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** An HTTP server that runs git's own server program. */
export interface GitHttp {
  /** URL with a slash at the end. The name of a repository follows. */
  readonly url: string
  close(): Promise<void>
}

/** Serves the repositories of a folder to all clients. @see git-http-backend(1) */
export async function gitOverHttp(folder: string): Promise<GitHttp> {
  const server = createServer((request, response) => {
    const { pathname, search } = new URL(request.url ?? '/', 'http://localhost')
    const { 'content-type': type, 'content-encoding': encoding, 'git-protocol': protocol } = request.headers
    const env = {
      ...process.env,
      GIT_PROJECT_ROOT: folder,
      GIT_HTTP_EXPORT_ALL: '1',
      REQUEST_METHOD: request.method ?? 'GET',
      PATH_INFO: pathname,
      QUERY_STRING: search.slice(1),
      REMOTE_USER: 'jane',
      CONTENT_TYPE: type ?? '',
      HTTP_CONTENT_ENCODING: encoding ?? '',
      GIT_PROTOCOL: typeof protocol === 'string' ? protocol : '',
    }
    const child = spawn('git', ['http-backend'], { env, stdio: ['pipe', 'pipe', 'ignore'] })
    request.pipe(child.stdin)
    child.stdin.on('error', () => request.destroy())
    const chunks: Buffer[] = []
    child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk))
    child.on('close', () => {
      const all = Buffer.concat(chunks)
      const end = all.indexOf('\r\n\r\n')
      const lines = all.subarray(0, end).toString().split('\r\n')
      const headers = lines.map(line => line.split(': ', 2) as [string, string])
      const status = Number.parseInt(headers.find(([name]) => name === 'Status')?.[1] ?? '200', 10)
      response.writeHead(status, Object.fromEntries(headers.filter(([name]) => name !== 'Status')))
      response.end(all.subarray(end + 4))
    })
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/`,
    close: () => new Promise(resolve => server.close(() => resolve())),
  }
}
