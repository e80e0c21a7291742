import { Agent, request } from 'node:http'
import { benchDocument, benchResource, benchSchemaId } from './records.js'

/** Posts metadata records to a server on this machine over kept-alive connections. */
export interface Client {
  /** @throws Error for any other answer than 201 */
  create(number: number): Promise<void>
  close(): void
}

const boundary = '----------------------------git-metastore-bench'

export function openClient(port: number, connections: number): Client {
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  return {
    create(number) {
      const body = multipart(number)
      return new Promise((resolve, reject) => {
        const headers = {
          'content-type': `multipart/form-data; boundary=${boundary}`,
          'content-length': body.length,
        }
        const sent = request({
          agent,
          host: '127.0.0.1',
          port,
          method: 'POST',
          path: '/api/v1/metadata',
          headers,
        })
        sent.on('error', reject)
        sent.on('response', response => {
          const chunks: Buffer[] = []
          response.on('data', (chunk: Buffer) => chunks.push(chunk))
          response.on('end', () => {
            if (response.statusCode === 201) resolve()
            else reject(new Error(`${response.statusCode}: ${Buffer.concat(chunks).toString()}`))
          })
        })
        sent.end(body)
      })
    },
    close: () => agent.destroy(),
  }
}

function multipart(number: number): Buffer {
  const record = JSON.stringify({
    relatedResource: { identifier: benchResource(number), identifierType: 'URL' },
    schema: { identifier: benchSchemaId, identifierType: 'INTERNAL' },
    schemaVersion: 1,
  })
  return Buffer.concat([
    Buffer.from(part('record', 'record.json')),
    Buffer.from(record),
    Buffer.from(`\r\n${part('document', 'document.json')}`),
    benchDocument(number),
    Buffer.from(`\r\n--${boundary}--\r\n`),
  ])
}

function part(name: string, file: string): string {
  return `--${boundary}\r\nContent-Disposition: form-data; name="${name}"; filename="${file}"\r\nContent-Type: application/json\r\n\r\n`
}
