import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { problemBody, problemMediaType } from '../response/problem-details.js'
import { securityHeaders } from '../response/security-headers.js'

/** By code of the error. Other errors are 400. */
const unreadable: Readonly<Record<string, readonly [status: number, detail: string]>> = {
  HPE_HEADER_OVERFLOW: [431, 'The address and the headers of the request are too long.'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'The request did not come in time.'],
}

/**
 * Answers a request that Node.js cannot parse, so that Koa does not see it. A HEAD request gets no content.
 * @see https://nodejs.org/api/http.html#event-clienterror; RFC 9110 §9.3.2
 */
export function answerUnreadable(
  error: NodeJS.ErrnoException & { readonly rawPacket?: Buffer },
  socket: Socket,
): void {
  if (!socket.writable || error.code === 'ECONNRESET') return void socket.destroy()
  const [status, detail] = unreadable[error.code ?? ''] ?? [400, 'This is not a readable HTTP request.']
  const body = problemBody(status, detail)
  const isHead = error.rawPacket?.toString('latin1', 0, 5) === 'HEAD '
  socket.end(
    [
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
      'Connection: close',
      ...Object.entries(securityHeaders).map(([name, value]) => `${name}: ${value}`),
      `Content-Type: ${problemMediaType}`,
      `Content-Length: ${Buffer.byteLength(body)}`,
      '',
      isHead ? '' : body,
    ].join('\r\n'),
  )
}
