import { readdirSync, readFileSync } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import {
  formType,
  multipartBody,
  openRawConnection,
  type RawConnection,
} from '../support/http/raw-connection.js'
import { metadataRecordV1 } from '../support/http/test-service.js'
import { isLongForm } from '../support/program/long-form.js'
import { runProgram, stopProcesses } from '../support/program/run-program.js'
import { waitUntil } from '../support/repository/test-repository.js'
import {
  filePart,
  type MonitoredServer,
  recordPart,
  startMonitoredServer,
  stopCanaryServers,
} from '../support/servers/monitored-server.js'

const mebibyte = 2 ** 20
const disposition = (name: string) => `Content-Disposition: form-data; name="${name}"`

describe('requests that exhaust or deceive the server', () => {
  let watched: MonitoredServer
  before(async () => {
    // On a busy machine, it takes longer than the default limit to open thousands of connections. They send no headers.
    const patience = ['--headers-timeout', '240']
    watched = await startMonitoredServer('--max-document', '4', '--allow-push', ...patience)
  })
  after(async () => {
    stopCanaryServers()
    await stopProcesses()
  })

  let count = 0
  const record = () => recordPart(metadataRecordV1(`http://example.org/${++count}`, 'note'))
  const document = filePart('document', 'd', 'application/json', '{"title": "x"}')
  const head = (headers: string, path = '/api/v1/metadata') =>
    `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: ${formType}\r\n${headers}\r\n`
  /** Sends chunks until the server answers. @returns the answer */
  async function pour(connection: RawConnection, chunk: string, max: number): Promise<string> {
    let sent = 0
    let answered = false
    const answer = connection
      .once(received => received.includes('\r\n\r\n'))
      .then(text => {
        answered = true
        return text
      })
    while (!answered && sent < max) {
      connection.send(`${chunk.length.toString(16)}\r\n${chunk}\r\n`)
      sent += chunk.length
      await sleep(0)
    }
    const text = await Promise.race([answer, sleep(20_000, 'nothing')])
    connection.destroy()
    return text
  }

  it('are refused if a form does not end, and leave nothing', async () => {
    await watched.stands(
      async () => {
        for (const start of [
          `--boundary\r\n${disposition('document')}; filename="x"\r\n\r\n`,
          `--boundary\r\n${disposition('record')}\r\n\r\n`,
          `--boundary\r\n${disposition('x')}\r\n${'X-Header: y\r\n'.repeat(100)}`,
          '--boundary\r\nX: ',
          'no boundary at all',
        ]) {
          const connection = await openRawConnection(watched.server.port)
          connection.send(head('Transfer-Encoding: chunked\r\n'))
          connection.send(`${start.length.toString(16)}\r\n${start}\r\n`)
          const answer = await pour(connection, 'x'.repeat(65_536), 64 * mebibyte)
          expect(answer, start.slice(0, 60)).to.match(/^HTTP\/1\.1 (413|400) /)
        }
      },
      { memory: 256 },
    )
  })

  it('are refused if a form has ten thousand parts', async () => {
    const many = (part: readonly [string, string]) =>
      Array.from({ length: 10_000 }, () => [part[0], Buffer.from(part[1])] as const)
    await watched.stands(async () => {
      for (const parts of [
        many([disposition('x'), '']),
        many([`${disposition('include')}; filename="a/b"`, 'x']),
        many([disposition('record'), '{}']),
        many(['X: y', 'no disposition']),
      ]) {
        const answer = await watched.send('POST', '/api/v1/metadata', [record(), ...parts, document])
        expect(answer.status, answer.text).to.be.oneOf([400, 413])
        const schema = await watched.send('POST', '/api/v1/schemas', parts)
        expect(schema.status, schema.text).to.be.oneOf([400, 413])
      }
    })
  })

  it('are refused if they state a wrong length, and their body is not read as a second request', async () => {
    const body = multipartBody(record(), document)
    await watched.stands(async () => {
      for (const headers of [
        'Content-Length: 10\r\nContent-Length: 20\r\n',
        `Content-Length: ${body.length}\r\nTransfer-Encoding: chunked\r\n`,
        'Content-Length: -1\r\n',
        'Content-Length: 1e3\r\n',
        'Content-Length: 99999999999999999999999\r\n',
        'Content-Length: +5\r\n',
        'Transfer-Encoding: chunked, identity\r\n',
        'Transfer-Encoding: x\r\n',
      ]) {
        const connection = await openRawConnection(watched.server.port)
        connection.send(head(`${headers}Connection: close\r\n`))
        connection.send(body)
        const answer = await Promise.race([connection.closed(), sleep(20_000, 'nothing')])
        expect(answer, headers).to.match(/^HTTP\/1\.1 (400|413|501) /)
        expect(answer.match(/HTTP\/1\.1 /g), headers).to.have.length(1)
      }
      // The form ends before the stated length. The server does not read the rest as a request.
      const smuggled = Buffer.concat([
        Buffer.from(`--boundary--\r\n`),
        Buffer.from('DELETE /api/v1/metadata/probe HTTP/1.1\r\nHost: localhost\r\nIf-Match: *\r\n\r\n'),
      ])
      const short = await openRawConnection(watched.server.port)
      short.send(head(`Content-Length: ${smuggled.length}\r\nConnection: close\r\n`))
      short.send(smuggled)
      expect(await short.closed()).to.match(/^HTTP\/1\.1 400 [\s\S]*$/)
      // The body ends before the stated length. The client disconnects, and the server does not wait for the rest.
      const long = await openRawConnection(watched.server.port)
      long.send(head(`Content-Length: ${body.length + 100}\r\n`))
      long.send(body)
      await sleep(100)
      long.destroy()
      for (const chunk of ['ffffffffffffffff\r\n', '-1\r\n', 'x\r\n', '5;ext=\x00\r\n', '80000000\r\n']) {
        const chunked = await openRawConnection(watched.server.port)
        chunked.send(head('Transfer-Encoding: chunked\r\nConnection: close\r\n'))
        chunked.send(chunk)
        chunked.end()
        const answer = await Promise.race([chunked.closed(), sleep(20_000, 'nothing')])
        expect(answer, chunk).to.match(/^(HTTP\/1\.1 4\d\d |$)/)
      }
    })
  })

  it('do not write a file with the name of a part', async () => {
    const names = [
      '../../../canary.txt',
      '/etc/passwd',
      'a/../../b.xsd',
      '..\\..\\b.xsd',
      'C:\\b.xsd',
      '.git/config',
      'a/.GIT/hooks/x',
      'git~1/x',
      '.gitmodules',
      'con',
      'aux.xsd',
      'a\u0000b',
      'a%00b',
      'record.json',
      'RECORD.JSON/x',
      'schema.xsd',
      'x'.repeat(300),
      `${'a/'.repeat(400)}b`,
      ' a',
      'a.',
      '-rf',
      'a\u202eb',
      'é.xsd',
      '~/x',
      '$(touch x)',
      '|x',
      '',
    ]
    const schema = filePart('schema', 's', 'application/json', '{"$ref": "x.json"}')
    const { folder } = watched.canary
    const before = await filesAround(folder)
    const listed = async (how: readonly string[]) => {
      const { code, stdout, stderr } = await runProgram('git', ['-C', watched.data, ...how])
      expect(code, stderr).to.equal(0)
      return stdout.split('\0')
    }
    const tracked = await Promise.all(
      [
        ['ls-files', '-z', '--cached', '--others'],
        ['ls-tree', '-rz', '--name-only', 'HEAD'],
      ].map(async how => [how, await listed(how)] as const),
    )
    await watched.stands(async () => {
      for (const name of names) {
        const answer = await watched.send('POST', '/api/v1/schemas', [
          recordPart({ schemaId: `n${++count}` }),
          schema,
          filePart('include', name.replaceAll('"', '%22'), 'application/json', '{}'),
          filePart('include', 'x.json', 'application/json', '{}'),
        ])
        // These names are harmless: they are paths below the folder of the schema.
        expect(answer.status, `${name}: ${answer.text}`).to.be.oneOf(
          ['~/x', '$(touch x)', 'a%00b'].includes(name) ? [201, 400, 422] : [400, 422],
        )
        const sent = await watched.send('POST', '/api/v1/metadata', [
          record(),
          filePart('document', name, 'application/json', '{}'),
        ])
        expect(sent.status, `${name}: ${sent.text}`).to.be.oneOf([201, 400])
      }
    })

    expect(await filesAround(folder)).to.deep.equal(before)
    const made =
      /^(?:schemas\/n\d+\/(?:record\.json|schema\.json|x\.json|a%00b|~\/x|\$\(touch x\))|metadata\/(?:[^/]+\/){4}[^/]+\/(?:record|document)\.json)$/
    for (const [how, known] of tracked) {
      const unexpected = (await listed(how)).filter(path => !known.includes(path) && !made.test(path))
      expect(unexpected, how.join(' ')).to.deep.equal([])
    }
  })

  it('are parsed in linear time if a parameter is long and repetitive, and do not delay other clients', async () => {
    const names = [
      'at',
      'from',
      'until',
      'since',
      'after',
      'version',
      'sort',
      'schemaId',
      'resourceId',
      'id',
      'mimeType',
      'page',
      'size',
      'x',
    ]
    const paths = [
      '/api/v1/metadata',
      '/api/v1/metadata/probe',
      '/api/v1/schemas/note',
      '/api/v2/metadata',
      '/api/v2/schemas',
      '/api/v1/changes',
    ]
    const runs = (run: string, other: string) => `a${run.repeat(4000)}${other.repeat(4000)}!`
    const values = [
      runs('T', '+'),
      runs('0', '.'),
      runs(' ', ','),
      runs('-', ':'),
      runs('Z', '='),
      `2026-01-01T00:00:00.${'0'.repeat(8000)}`,
    ]
    await watched.stands(async () => {
      for (const [row, path] of paths.entries()) {
        for (const [column, name] of names.entries()) {
          // The short form sends each parameter to each path with a third of the values.
          const sent = values.filter((_, at) => isLongForm || (row + column + at) % 3 === 0)
          const asked = sent.map(value => watched.ask('GET', `${path}?${name}=${encodeURIComponent(value)}`))
          for (const { status } of await Promise.all(asked))
            expect(status, `${path} ${name}`).to.be.below(500)
        }
      }
    })
    const long = await watched.ask('GET', `/api/v1/metadata?schemaId=${'a'.repeat(8193)}`)
    expect(long.status).to.equal(400)
    expect(long.text).to.contain('The parameter schemaId has 8193 characters; the limit is 8192.')
    const name = await watched.ask('GET', `/api/v1/metadata?${'a'.repeat(101)}=1`)
    expect(name.status).to.equal(400)
    expect(name.text).to.contain('has 101 characters; the limit is 100')
  })

  it('are refused if the headers or the request line are too long', async () => {
    await watched.stands(
      async () => {
        for (const text of [
          `GET /health HTTP/1.1\r\nHost: localhost\r\n${Array.from({ length: 5000 }, (_, n) => `X-${n}: y\r\n`).join('')}\r\n`,
          `GET /health HTTP/1.1\r\nHost: localhost\r\nX: ${'y'.repeat(mebibyte)}\r\n\r\n`,
          `GET /health HTTP/1.1\r\nHost: localhost\r\nCookie: ${'a=b; '.repeat(100_000)}\r\n\r\n`,
          `GET /${'x'.repeat(mebibyte)} HTTP/1.1\r\nHost: localhost\r\n\r\n`,
          `${'X'.repeat(mebibyte)} / HTTP/1.1\r\nHost: localhost\r\n\r\n`,
          `GET /health HTTP/1.1\r\nHost: localhost\r\n${' folded\r\n'.repeat(10_000)}\r\n`,
          `${'\r\n'.repeat(100_000)}NONSENSE\r\n\r\n`,
        ]) {
          const connection = await openRawConnection(watched.server.port)
          connection.send(text)
          const answer = await Promise.race([connection.closed(), sleep(20_000, 'nothing')])
          expect(answer, text.slice(0, 40)).to.match(/^(HTTP\/1\.1 4\d\d |$)/)
        }
        // Values for every header that the server reads, as long as the HTTP parser accepts.
        const long = (text: string) => text.repeat(Math.floor(12_000 / text.length))
        for (const [name, value] of [
          ['Accept', long('text/html;q=0.1,')],
          ['Accept', `text/html;${long(' ')}q=1`],
          ['Accept', long('a/b;c="\\"",')],
          ['If-Match', long('"a",')],
          ['If-Match', `"${long('a')}`],
          ['If-None-Match', long('W/"a",')],
          ['If-None-Match', long(', ')],
          ['Content-Type', `multipart/form-data;${long(' ;')}boundary=x`],
          ['Content-Type', `multipart/form-data; boundary=${long('x')}`],
          ['Forwarded', long('for=1;host=x,')],
          ['X-Forwarded-For', long('1.1.1.1,')],
          ['Authorization', `Bearer ${long('a.')}`],
          ['Git-Protocol', long('version=2:')],
          ['Accept-Encoding', long('gzip;q=0,')],
          ['Range', `bytes=${long('0-0,')}`],
          ['Origin', long('http://a')],
        ] as const) {
          for (const [method, path] of [
            ['GET', '/api/v1/schemas'],
            ['GET', '/api/v1/metadata/probe'],
            ['POST', '/api/v1/metadata'],
            ['PUT', '/api/v1/metadata/probe'],
            ['GET', '/repository.git/info/refs?service=git-upload-pack'],
          ]) {
            const start = performance.now()
            const answer = await watched.ask(method as string, path as string, { headers: { [name]: value } })
            expect(answer.status, `${method} ${path}, ${name}`).to.be.below(500)
            expect(performance.now() - start, `${method} ${path}, ${name}`).to.be.below(5000)
          }
        }
        // Queries that are short enough for an answer that repeats them in its headers.
        const fair = (text: string) => text.repeat(Math.floor(4000 / text.length))
        for (const query of [
          fair('a=b&'),
          fair('schemaId=x&'),
          fair('resourceId=y&'),
          `page=${fair('9')}`,
          `after=${fair('%2C')}`,
          `from=${fair('2026-')}`,
          `at=${fair('%7E')}`,
          `at=HEAD${fair('^')}`,
          `id=${fair('../')}`,
          `sort=${fair('id,')}`,
          fair('[a]'),
          fair(';'),
        ]) {
          for (const path of [
            '/api/v1/schemas',
            '/api/v2/metadata',
            '/metadata-landing-page',
            '/api/changes',
          ]) {
            await watched.ask('GET', `${path}?${query}`)
          }
        }
      },
      { memory: 256 },
    )
  })

  it('are refused if they have two Host headers', async () => {
    const connection = await openRawConnection(watched.server.port)
    connection.send('GET /health HTTP/1.1\r\nHost: localhost\r\nhost: evil.test\r\nConnection: close\r\n\r\n')
    const answer = await Promise.race([connection.closed(), sleep(20_000, 'nothing')])
    expect(answer).to.match(/^HTTP\/1\.1 400 /)
    expect(answer).to.contain('The request has two Host headers.')
  })

  it('get no content if a HEAD request is too long', async () => {
    const connection = await openRawConnection(watched.server.port)
    connection.send(`HEAD /health?${'y'.repeat(20_000)} HTTP/1.1\r\nHost: localhost\r\n\r\n`)
    const answer = await Promise.race([connection.closed(), sleep(20_000, 'nothing')])
    expect(answer).to.match(/^HTTP\/1\.1 431 /)
    expect(answer.endsWith('\r\n\r\n'), answer).to.equal(true)
  })

  it('do not delay other clients if they arrive byte by byte', async () => {
    const body = multipartBody(record(), document)
    const slow: RawConnection[] = []
    let over = false
    await watched.stands(async () => {
      const all = Promise.all(
        Array.from({ length: 300 }, async (_, n) => {
          const connection = await openRawConnection(watched.server.port)
          slow.push(connection)
          const text = n % 2 === 0 ? head('X: y\r\n') : head(`Content-Length: ${body.length}\r\n`) + body
          for (let at = 0; at < text.length && !over; at += 1) {
            connection.send(text.slice(at, at + 1))
            await sleep(100)
          }
        }),
      )
      await sleep(4000)
      for (let n = 0; n < 10; n++) {
        const answer = await watched.send('POST', '/api/v1/metadata', [record(), document])
        expect(answer.status, answer.text).to.equal(201)
      }
      over = true
      await all
    })
    for (const connection of slow) connection.destroy()
  })

  it('do not delay other clients if their responses are not read', async () => {
    const large = JSON.stringify({ title: 'x'.repeat(3 * mebibyte) })
    const parts = [record(), filePart('document', 'd', 'application/json', large)]
    const { body } = await watched.send('POST', '/api/v1/metadata', parts)
    const deaf: RawConnection[] = []
    await watched.stands(async () => {
      for (let n = 0; n < 50; n++) {
        const connection = await openRawConnection(watched.server.port)
        connection.pause()
        deaf.push(connection)
        connection.send(`GET /api/v1/metadata/${body.id} HTTP/1.1\r\nHost: localhost\r\n\r\n`.repeat(5))
      }
      await sleep(1000)
    })
    for (const connection of deaf) connection.destroy()
  })

  it('are refused, without memory, if they are too large together', async () => {
    const open: RawConnection[] = []
    await watched.stands(
      async () => {
        const start = `--boundary\r\n${disposition('document')}; filename="x"\r\n\r\n`
        const filling = 'x'.repeat(3.5 * mebibyte)
        // The server accepts each request alone, and none of them ends.
        const answers = Array.from({ length: 25 }, async () => {
          const connection = await openRawConnection(watched.server.port)
          open.push(connection)
          connection.send(head(`Content-Length: ${7 * mebibyte}\r\n`) + start + filling)
          const [answer] = await Promise.race([
            connection.once(text => text.includes('}')).then(text => [text]),
            sleep(20_000, ['']),
          ])
          return answer ?? ''
        })
        const said = await Promise.all(answers)
        const refused = said.filter(text => /^HTTP\/1\.1 503 /.test(text))
        expect(refused).to.have.length.above(10)
        for (const text of refused) expect(text).to.match(/\r\nRetry-After: \d+\r\n/i)
        for (const connection of open) connection.destroy()
        const answer = await waitUntil('the memory is free again', async () => {
          const sent = await watched.send('POST', '/api/v1/metadata', [record(), document])
          return sent.status !== 503 && sent
        })
        expect(answer.status, answer.text).to.equal(201)
      },
      { memory: 640 },
    )
  })

  it('are refused if a change set is one huge value', async () => {
    const changes = (text: string) => [filePart('changeset', 'c', 'application/json', text)]
    await watched.stands(
      async () => {
        for (const text of [
          `{"changes": [${'[],'.repeat(mebibyte)}1]}`,
          `{"changes": [${'{},'.repeat(mebibyte)}1]}`,
          `{${Array.from({ length: 400_000 }, (_, n) => `"${n}":1`).join(',')}}`,
          `{"changes": ${'['.repeat(100_000)}${']'.repeat(100_000)}}`,
        ]) {
          const answers = await Promise.all(
            Array.from({ length: 3 }, () => watched.send('POST', '/api/changesets', changes(text))),
          )
          for (const answer of answers) expect(answer.status, answer.text).to.be.oneOf([400, 413])
        }
      },
      { memory: 600 },
    )
  })

  it('are answered while thousands of silent connections are open', async () => {
    const connections: RawConnection[] = []
    const most = isLongForm ? 9900 : 2500
    const wanted = Math.min(most, connectionsFor(process.pid), connectionsFor(watched.server.child.pid))
    await watched.stands(
      async () => {
        // As many connections as the two processes may open.
        while (connections.length < wanted) {
          const batch = await Promise.allSettled(
            Array.from({ length: Math.min(250, wanted - connections.length) }, () =>
              openRawConnection(watched.server.port),
            ),
          )
          const opened = batch.flatMap(result => (result.status === 'fulfilled' ? [result.value] : []))
          connections.push(...opened)
          if (opened.length < batch.length) break
        }
        expect(connections).to.have.length(wanted)
        for (let n = 0; n < 20; n++) {
          const answer = await watched.send('POST', '/api/v1/metadata', [record(), document])
          expect(answer.status, answer.text).to.equal(201)
        }
        expect(connections.filter(({ open }) => !open)).to.have.length(0)
      },
      { memory: 512 },
    )
    console.log(`      with ${connections.length} connections`)
    for (const connection of connections) connection.destroy()
  })
})

/** The files beside a repository, with their sizes and times. */
async function filesAround(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder)
  return await Promise.all(
    names
      .filter(name => name !== 'data')
      .toSorted()
      .map(async name => {
        const { size, mtimeMs } = await stat(join(folder, name))
        return `${name} ${size} ${mtimeMs}`
      }),
  )
}

/** Number of connections that a process may open, minus a reserve. @see proc(5) */
function connectionsFor(pid: number | undefined): number {
  if (process.platform !== 'linux') return 900
  const [, max] = /^Max open files +(\d+) /m.exec(readFileSync(`/proc/${pid}/limits`, 'latin1')) ?? []
  if (max === undefined) throw new Error(`The system does not report how many files process ${pid} may open.`)
  return Number(max) - readdirSync(`/proc/${pid}/fd`).length - 100
}
