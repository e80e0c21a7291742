import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { expect } from 'chai'
import { runMetastore } from '../../support/program/run-program.js'

describe('a command on a server whose connection breaks during an answer', () => {
  for (const status of ['200 OK', '404 Not Found']) {
    it(`reports that there is no answer, for the status ${status}`, async () => {
      const server = createServer(socket => {
        socket.on('error', () => undefined)
        socket.once('data', () => {
          const head = `HTTP/1.1 ${status}\r\ncontent-type: application/json\r\ncontent-length: 1000\r\n\r\n`
          socket.write(`${head}{"title":`, () => socket.destroy())
        })
      })
      await once(server.listen(0, '127.0.0.1'), 'listening')
      const { port } = server.address() as AddressInfo
      const { code, stdout, stderr } = await runMetastore(['list', '--url', `http://127.0.0.1:${port}`])
      server.close()
      expect(stderr).to.match(/^git-metastore: No answer from http:\/\/127\.0\.0\.1:\d+: .+\n$/)
      expect(stdout).to.equal('')
      expect(code).to.equal(1)
    })
  }
})
