// test-schedule: waits
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { maxForOneClient } from '../../src/core/scheduling/client-processes.js'
import { maxGitProcesses } from '../../src/features/git-http/git-conversations.js'
import { addLargeBranch, fetchAll } from '../support/http/git-requests.js'
import {
  formType,
  multipartBody,
  openRawConnection,
  type RawConnection,
} from '../support/http/raw-connection.js'
import { metadataRecordV1 } from '../support/http/test-service.js'
import { childrenOf } from '../support/program/child-processes.js'
import { isLongForm } from '../support/program/long-form.js'
import {
  runMetastore,
  runProgram,
  startServer,
  stopProcesses,
  temporaryFolder,
} from '../support/program/run-program.js'
import { plainRepositoryAt } from '../support/repository/plain-git-repository.js'
import { waitUntil } from '../support/repository/test-repository.js'
import {
  filePart,
  type MonitoredServer,
  recordPart,
  startMonitoredServer,
  stopCanaryServers,
} from '../support/servers/monitored-server.js'

const mebibyte = 2 ** 20
/** Limits of the server, and the delay after which it must have applied them, in seconds. */
const [headersTimeout, requestTimeout, grace] = [2, 4, 20]
/** Number of incompressible files of two and a half mebibytes, on a branch outside the records. */
const largeFiles = 6
/** Milliseconds after which the server has disconnected a client that reads nothing. */
const untilEnded = (2 * requestTimeout + 12) * 1000

describe('slow clients', () => {
  let watched: MonitoredServer
  before(async () => {
    const limits = ['--headers-timeout', `${headersTimeout}`, '--request-timeout', `${requestTimeout}`]
    const harvesting = ['--oai-admin', 'admin@example.org']
    watched = await startMonitoredServer('--max-document', '4', '--allow-push', ...harvesting, ...limits)
  })
  after(async () => {
    stopCanaryServers()
    await stopProcesses()
  })

  let count = 0
  const parts = (document: string) => [
    recordPart(metadataRecordV1(`http://example.org/${++count}`, 'note')),
    filePart('document', 'd', 'application/json', document),
  ]
  const head = (length: number) =>
    `POST /api/v1/metadata HTTP/1.1\r\nHost: localhost\r\nContent-Type: ${formType}\r\nContent-Length: ${length}\r\n\r\n`
  const isEnded = (connection: RawConnection) =>
    Promise.race([connection.closed(), sleep((requestTimeout + grace) * 1000, 'still open')])

  /** Connections that send requests and read nothing of the answers. */
  const deafTo = (asked: string, count: number, address?: string) =>
    Promise.all(
      Array.from({ length: count }, async () => {
        const connection = await openRawConnection(watched.server.port, address)
        connection.pause()
        connection.send(asked)
        return connection
      }),
    )
  /** Reads the buffers of connections that the server has ended. */
  async function endsOf(deaf: readonly RawConnection[]): Promise<readonly string[]> {
    for (const connection of deaf) connection.resume()
    const answers = await Promise.all(deaf.map(isEnded))
    expect(answers).to.not.include('still open')
    return answers
  }
  it('are disconnected if they send a byte per second, in the headers or the body, or stop in the middle', async () => {
    const body = multipartBody(...parts('{"title": "slow"}'))
    const text = head(body.length) + body.toString()
    const total = async () => (await watched.ask('GET', '/api/v1/metadata')).headers['content-range']
    const before = await total()
    await watched.stands(async () => {
      const ends = [0, head(body.length).length, text.length - 20].map(async begun => {
        const connection = await openRawConnection(watched.server.port)
        connection.send(text.slice(0, begun))
        const over = new AbortController()
        const drops = (async () => {
          for (let at = begun; at < text.length && !over.signal.aborted; at++) {
            connection.send(text.slice(at, at + 1))
            await sleep(1000)
          }
        })()
        const answer = await isEnded(connection)
        over.abort()
        await drops
        return answer
      })
      const stalled = await openRawConnection(watched.server.port)
      stalled.send(text.slice(0, text.length - 40))
      for (const answer of await Promise.all([...ends, isEnded(stalled)])) {
        expect(answer).to.match(/^(HTTP\/1\.1 408 |$)/)
      }
    })
    expect(await total()).to.equal(before)
  })

  it('release the memory of unfinished requests', async () => {
    const half = `--boundary\r\nContent-Disposition: form-data; name="document"; filename="x"\r\n\r\n${'x'.repeat(3.5 * mebibyte)}`
    const upload = () => watched.send('POST', '/api/v1/metadata', parts('{"title": "x"}'))
    await watched.stands(
      async () => {
        const stalled = await Promise.all(
          Array.from({ length: 25 }, async () => {
            const connection = await openRawConnection(watched.server.port)
            connection.send(head(7 * mebibyte) + half)
            return connection
          }),
        )
        const ended = await Promise.all(stalled.map(isEnded))
        expect(ended).to.not.include('still open')
        expect(
          ended.some(answer => answer.startsWith('HTTP/1.1 503 ')),
          'a request exceeded the limit of memory',
        ).to.equal(true)
        expect((await upload()).status).to.equal(201)
      },
      { memory: 640 },
    )
  })

  it('are disconnected if they read nothing of a response, and cost only the memory of the current piece', async () => {
    const large = JSON.stringify({ title: 'x'.repeat(3 * mebibyte) })
    const { body } = await watched.send('POST', '/api/v1/metadata', parts(large))
    const wants = `GET /api/v1/metadata/${body.id} HTTP/1.1\r\nHost: localhost\r\n\r\n`
    await watched.stands(
      async () => {
        const deaf = [...(await deafTo(wants.repeat(5), 10)), ...(await deafTo(wants.repeat(300), 1))]
        await sleep(untilEnded)
        for (const answer of await endsOf(deaf)) expect(answer.length).to.be.below(5 * 3 * mebibyte)
        // A client that reads the response gets all of it.
        expect((await watched.ask('GET', `/api/v1/metadata/${body.id}`)).text).to.equal(large)
      },
      { memory: 640 },
    )
  })

  it('are refused if their unread responses exceed the limit together, while small responses are sent', async () => {
    const large = JSON.stringify({ title: 'y'.repeat(3 * mebibyte) })
    const { body } = await watched.send('POST', '/api/v1/metadata', parts(large))
    const path = `/api/v1/metadata/${body.id}`
    await watched.stands(
      async () => {
        // One client can have at most 128 MiB. Each response is larger than the buffers of the connection.
        const deaf = await deafTo(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`.repeat(5), 60)
        const refused = await waitUntil('an answer is refused', async () => {
          const answer = await watched.ask('GET', path)
          return answer.status === 503 ? answer : undefined
        })
        expect(refused.headers['retry-after']).to.match(/^\d+$/)
        expect(refused.body.detail).to.contain('have not read their responses yet')
        for (const connection of deaf) connection.destroy()
        await waitUntil(
          'the memory is free again',
          async () => (await watched.ask('GET', path)).status === 200,
        )
      },
      { memory: 900 },
    )
  })

  it('are not read further if they send many requests behind a slow response', async () => {
    const { next } = (await watched.ask('GET', '/api/changes')).body as { next: string }
    const first = `GET /api/changes?since=${next}&wait=12 HTTP/1.1\r\nHost: localhost\r\n\r\n`
    const others = 'GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(400_000)
    await watched.stands(
      async () => {
        const [eager] = await deafTo(first + others, 1)
        await sleep(8000)
        eager?.destroy()
      },
      { memory: 240 },
    )
  })

  /** Requests a long answer by clients that read nothing of it. @param min least bytes of the answer */
  async function standsUnread(path: string, min: number): Promise<void> {
    const whole = (await watched.ask('GET', path)).bytes.length
    expect(whole).to.be.above(min)
    await watched.stands(
      async () => {
        const deaf = await deafTo(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`.repeat(5), 10)
        await sleep(untilEnded)
        for (const answer of await endsOf(deaf)) expect(answer.length).to.be.below(5 * whole)
        // A client that reads the answer gets all of it.
        expect((await watched.ask('GET', path)).bytes.length).to.equal(whole)
      },
      { memory: 640 },
    )
  }

  it('are disconnected if they read nothing of a list, and cost only the memory of the current pieces', async () => {
    const comment = 'x'.repeat(900_000)
    for (let n = 0; n < 12; n++) {
      const { status, text } = await watched.postSchema(
        { schemaId: `large-${n}`, comment },
        '{"type": "object"}',
      )
      expect(status, text.slice(0, 300)).to.equal(201)
    }
    await standsUnread('/api/v1/schemas?size=100', 12 * comment.length)
  })

  it('are disconnected if they read nothing of a harvest, and cost only the memory of the current documents', async () => {
    const xsd =
      '<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"><xs:element name="a" type="xs:string"/></xs:schema>'
    expect((await watched.postSchema({ schemaId: 'harvested' }, xsd)).status).to.equal(201)
    for (let n = 0; n < 4; n++) {
      const record = metadataRecordV1(`http://example.org/harvested/${n}`, 'harvested')
      const { status, text } = await watched.postMetadata(record, `<a>${'x'.repeat(3 * mebibyte)}</a>`)
      expect(status, text.slice(0, 300)).to.equal(201)
    }
    await standsUnread('/oaipmh?verb=ListRecords&metadataPrefix=harvested', 6 * mebibyte)
  })

  it('do not delay other clients if they harvest records of the largest size', async () => {
    const subjects = Array.from({ length: 14_000 }, (_, n) => ({ value: `${'x'.repeat(40)} subject ${n}` }))
    const longRecords = isLongForm ? 8 : 4
    for (let n = 0; n < longRecords; n++) {
      const id = `long-${n}`
      const relatedIdentifiers = [
        { identifierType: 'URL', value: `https://example.org/${id}`, relationType: 'IS_METADATA_FOR' },
        { identifierType: 'INTERNAL', value: 'note', relationType: 'HAS_METADATA' },
      ]
      const { status, text } = await watched.send('POST', '/api/v2/metadata', [
        recordPart({ id, titles: [{ value: id }], relatedIdentifiers, subjects }),
        filePart('document', 'd', 'application/json', '{}'),
      ])
      expect(status, text.slice(0, 300)).to.equal(201)
    }
    /** Counts the last subjects in all parts of a list. */
    async function harvest(verb: string, prefix: string): Promise<number> {
      let found = 0
      let query = `metadataPrefix=${prefix}`
      for (;;) {
        const { status, text } = await watched.ask('GET', `/oaipmh?verb=${verb}&${query}`)
        expect(status, text.slice(0, 300)).to.equal(200)
        found += text.split(' subject 13999<').length - 1
        const [, token] = /<resumptionToken[^>]*>([^<]+)</.exec(text) ?? []
        if (token === undefined) return found
        query = `resumptionToken=${token}`
      }
    }
    await watched.stands(
      async () => {
        expect(await harvest('ListIdentifiers', 'oai_dc')).to.equal(0)
        const found = ['oai_dc', 'datacite', 'datacite'].map(prefix => harvest('ListRecords', prefix))
        expect(await Promise.all(found)).to.deep.equal([longRecords, longRecords, longRecords])
        const single = await watched.ask(
          'GET',
          '/oaipmh?verb=GetRecord&metadataPrefix=oai_dc&identifier=long-0',
        )
        expect(single.text).to.contain(' subject 13999<')
      },
      { memory: 640 },
    )
  })

  it('are disconnected with their git process if they read nothing of a clone, while others can clone', async () => {
    // The branch is larger than the buffers of a connection.
    const wanted = fetchAll(addLargeBranch(plainRepositoryAt(watched.data), largeFiles))
    const folder = await temporaryFolder()
    const clone = (name: string) =>
      runProgram('git', ['clone', '-q', '--bare', `${watched.server.url}repository.git`, join(folder, name)])
    await watched.stands(
      async () => {
        // As many connections as one client may have. Places remain for others.
        const deaf = await deafTo(wanted, maxForOneClient(maxGitProcesses), '127.0.1.1')
        await waitUntil('git sends to them', () => childrenOf(watched.server, 'upload-pack').length > 0)
        const meanwhile = await clone('meanwhile')
        expect(meanwhile.code, meanwhile.stderr).to.equal(0)
        await waitUntil(
          'all git processes of these clients end',
          () => childrenOf(watched.server, 'upload-pack').length === 0,
          3 * untilEnded,
        )
        for (const answer of await endsOf(deaf)) {
          expect(answer).to.match(/^HTTP\/1\.1 200 /)
          expect(answer.length).to.be.below(largeFiles * 2.5 * mebibyte)
        }
        const clones = await Promise.all(
          Array.from({ length: isLongForm ? 3 : 2 }, (_, n) => clone(`afterwards-${n}`)),
        )
        for (const { code, stderr } of clones) expect(code, stderr).to.equal(0)
      },
      // Eight git processes with a packing process each, which maps and unpacks its objects.
      { memory: 640 },
    )
    const { code, stdout, stderr } = await runProgram('git', [
      '-C',
      join(folder, 'meanwhile'),
      'fsck',
      '--strict',
    ])
    expect(code, stdout + stderr).to.equal(0)
  })

  it('get a complete clone if they read it slowly, for longer than the time limit of a silent client', async () => {
    const { text } = await watched.ask('GET', '/repository.git/info/refs?service=git-upload-pack')
    const [, advertised = ''] = /([0-9a-f]{40}) refs\/heads\/large/.exec(text) ?? []
    const connection = await openRawConnection(watched.server.port)
    let over = false
    const answer = connection.ending('\r\n0\r\n\r\n').finally(() => {
      over = true
    })
    connection.send(fetchAll(advertised))
    const began = performance.now()
    for (let pauses = 0; pauses < 6 && !over; pauses++) {
      connection.pause()
      await sleep((requestTimeout / 2) * 1000)
      connection.resume()
      await sleep(20)
    }
    expect((await answer).length).to.be.above(largeFiles * 2.5 * mebibyte)
    expect(performance.now() - began).to.be.above(requestTimeout * 1000)
    connection.destroy()
  })

  it('leave their places to others if they disconnect early', async () => {
    // With tokens, the server needs a moment to identify a client, which may have disconnected then.
    const secret = 'a secret of at least thirty-two bytes'
    const env = { METASTORE_JWT_SECRET: secret }
    const server = await startServer(['--data', join(await temporaryFolder(), 'data'), '--auth'], { env })
    const tokenOf = async (name: string) => (await runMetastore(['token', name], { env })).stdout.trim()
    const eventsFor = (token: string) =>
      `GET /api/changes HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\nAuthorization: Bearer ${token}\r\n\r\n`
    const events = eventsFor(await tokenOf('ann'))
    for (let round = 0; round < (isLongForm ? 12 : 4); round++) {
      await Promise.all(
        Array.from({ length: 100 }, async (_, n) => {
          const connection = await openRawConnection(server.port)
          connection.send(events)
          if (n % 4 > 0) await sleep(n % 6)
          connection.destroy()
        }),
      )
    }
    await sleep(300)
    // As many waiting connections as one token may have. A place that was not released would be missing.
    const waiting = await Promise.all(
      Array.from({ length: 64 }, async () => {
        const connection = await openRawConnection(server.port)
        connection.send(events)
        return connection
      }),
    )
    const answers = await Promise.all(waiting.map(connection => connection.until(/\r\n\r\n/)))
    for (const answer of answers) expect(answer).to.match(/^HTTP\/1\.1 200 /)
    const further = await openRawConnection(server.port)
    further.send(events)
    expect(await further.until(/\r\n\r\n/)).to.match(/^HTTP\/1\.1 503 /)
    const other = await openRawConnection(server.port)
    other.send(eventsFor(await tokenOf('bob')))
    expect(await other.until(/\r\n\r\n/), 'answer to another client, which has its own places').to.match(
      /^HTTP\/1\.1 200 /,
    )
    for (const connection of [...waiting, further, other]) connection.destroy()
  })
})
