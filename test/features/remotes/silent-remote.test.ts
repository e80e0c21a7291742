// test-schedule: waits
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { join } from 'node:path'
import { expect } from 'chai'
import { programScript, runMetastore, temporaryFolder } from '../../support/program/run-program.js'

describe('a server whose shared log accepts connections and does not answer', () => {
  let remote: Server
  let data: string
  before(async () => {
    remote = createServer(socket => socket.on('error', () => undefined))
    await once(remote.listen(0, '127.0.0.1'), 'listening')
    data = join(await temporaryFolder(), 'data')
    for (const args of [
      ['init', '--empty', data],
      ['list', '--data', data],
    ])
      expect((await runMetastore(args)).code).to.equal(0)
  })
  after(() => remote.close())

  it('ends in order on a signal during its start', async () => {
    // This is less than the minute of silence after which the server ends git.
    const { port } = remote.address() as AddressInfo
    const log = `http://127.0.0.1:${port}/log.git`

    const args = ['serve', '--data', data, '--port', '0', '--push-to', log, '--ack-remote']
    const connected = once(remote, 'connection')
    const server = spawn(process.execPath, [programScript, ...args], { stdio: 'ignore' })
    const ended = once(server, 'exit')
    await connected
    server.kill('SIGTERM')

    expect(await ended).to.deep.equal([0, null])
  })
})
