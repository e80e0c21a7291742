import { execFileSync } from 'node:child_process'
import { expect } from 'chai'
import { openRawConnection } from '../support/http/raw-connection.js'
import { metadataRecordV1 } from '../support/http/test-service.js'
import { stopProcesses } from '../support/program/run-program.js'
import { waitUntil } from '../support/repository/test-repository.js'
import {
  filePart,
  type MonitoredServer,
  recordPart,
  startMonitoredServer,
  stopCanaryServers,
} from '../support/servers/monitored-server.js'

/** Permitted ids that have a special meaning for some file systems or for git. */
const permitted = [
  '.git',
  '.gitmodules',
  'git-1',
  'con',
  'nul.txt',
  'com1',
  'aux.json',
  'lpt9.',
  '-rf',
  '--upload-pack',
  '*',
  '...a',
  '.a',
  'a.',
  'record.json',
  'schema.json',
  'metastore.json',
  'head',
  'main.lock',
  '__proto__',
  'constructor',
  'tostring',
  'null',
  'undefined',
  'x'.repeat(200),
  '*'.repeat(200),
]
/** Texts that are refused as ids in every part of a request. */
const refused = [
  '.',
  '..',
  '...',
  '../../canary.txt',
  '/etc/passwd',
  'a/b',
  'a\\b',
  '..\\..\\x',
  'a%2fb',
  '%2e%2e',
  'a%00b',
  'a\u0000b',
  'a\nb',
  'a b',
  ' ',
  '',
  'a\u202eb',
  'é',
  'e\u0301',
  'ａ',
  '\ud83d\ude00',
  'a:b',
  'c:',
  'a|b',
  'a?b',
  'a#b',
  'a"b',
  '$(touch x)',
  '`x`',
  '~',
  'git~1',
  'a=b',
  'x'.repeat(201),
  'x'.repeat(100_000),
]

describe('ids with a meaning for a file system, a shell or git', () => {
  let watched: MonitoredServer
  before(async () => {
    watched = await startMonitoredServer()
  })
  after(async () => {
    stopCanaryServers()
    await stopProcesses()
  })

  let count = 0
  const document = () =>
    filePart('document', 'd', 'application/json', JSON.stringify({ title: `${++count}` }))
  const withId = (id: string) => recordPart(metadataRecordV1(`http://example.org/${++count}`, 'note', { id }))
  const git = (...args: string[]) => execFileSync('git', ['-C', watched.data, ...args]).toString()
  const paths = () =>
    git('-c', 'core.quotePath=false', 'ls-tree', '-r', '-z', '--name-only', 'HEAD').split('\0')

  it('are refused, or name a record in its own folder', async () => {
    await watched.stands(async () => {
      const made: string[] = []
      for (const id of permitted) {
        const parts = [withId(id), document()]
        const created = await watched.send('POST', '/api/v1/metadata', parts)
        expect(created.status, `${id}: ${created.text}`).to.equal(201)
        expect(created.body.id).to.equal(id)
        made.push(id)
        const schema = await watched.send('POST', '/api/v1/schemas', [
          recordPart({ schemaId: `${id.slice(0, 190)}-s` }),
          filePart('schema', 's', 'application/json', '{"type": "object"}'),
        ])
        expect(schema.status, `${id}: ${schema.text}`).to.equal(201)
      }
      for (const id of refused) {
        for (const [path, parts] of [
          ['/api/v1/metadata', [withId(id), document()]],
          [
            '/api/v1/schemas',
            [recordPart({ schemaId: id }), filePart('schema', 's', 'application/json', '{"type": "object"}')],
          ],
        ] as const) {
          const answer = await watched.send('POST', path, parts)
          // If the id is empty, the server may generate one.
          const statuses = id === '' && path.endsWith('metadata') ? [201, 400] : [400]
          expect(answer.status, `${JSON.stringify(id.slice(0, 50))}: ${answer.text}`).to.be.oneOf(statuses)
        }
      }
      for (const id of made) {
        const { status, body } = await watched.ask('GET', `/api/v1/metadata/${encodeURIComponent(id)}`)
        expect(status, id).to.equal(200)
        expect(body.title).to.be.a('string')
      }
    })
    const all = paths()
    expect(all.filter(path => !/^[a-z0-9=~._/-]*$|^README|^LICENSE/.test(path))).to.deep.equal([])
    expect(
      all.filter(path => /(^|\/)(\.git|\.\.?|con|nul|aux|com\d|lpt\d)(\.[^/]*)?(\/|$)/.test(path)),
    ).to.deep.equal([])
    expect(new Set(all.map(path => path.toLowerCase())).size).to.equal(all.length)
    // The work tree may lag behind many updates.
    await waitUntil('a clean status', async () => git('status', '--porcelain') === '')
  })

  it('do not escape the path of a URL', async () => {
    const { canary } = watched
    const ways = [
      `/api/v1/metadata/../../../../../..${canary.files.txt}`,
      `/api/v1/metadata/..%2f..%2f..%2f..%2f..${canary.files.txt.replaceAll('/', '%2f')}`,
      `/api/v1/metadata/%2e%2e/%2e%2e/canary.txt`,
      `/api/v1/schemas/..%5c..%5ccanary.txt`,
      `/download/metadata/..%2f..%2fcanary.txt`,
      `/download/schemas/%2e%2e%2fcanary.txt`,
      `/swagger-ui/..%2f..%2f..%2fpackage.json`,
      `/swagger-ui/../../../package.json`,
      `/repository.git/../canary.txt`,
      `/repository.git/config`,
      `/repository.git/HEAD`,
      `/repository.git/objects/info/packs`,
      `/repository.git/objects/../config`,
      `/repository.git/%2e%2e/canary.txt`,
      `/.git/config`,
      `//canary.txt`,
      `/api/v1/metadata/probe/../../../canary.txt`,
      `/api/v1/metadata/probe%00.txt`,
      `/api/v1/metadata/probe;x`,
      `/api/v1/metadata/PROBE`,
      `/api/v1/metadata/probe%20`,
      `/api/v1/metadata/probe.`,
      `/api/v1/metadata/%70robe%2f`,
      `http://127.0.0.1:1/api/v1/metadata/../x`,
      `${canary.url}/x`,
    ]
    await watched.stands(async () => {
      for (const way of ways) {
        for (const method of ['GET', 'PUT', 'DELETE']) {
          // Sends the path unchanged, because HTTP clients of Node.js normalize it.
          const connection = await openRawConnection(watched.server.port)
          connection.send(
            `${method} ${way} HTTP/1.1\r\nHost: localhost\r\nIf-Match: *\r\nConnection: close\r\n\r\n`,
          )
          const answer = await connection.closed()
          expect(answer, `${method} ${way}`).to.match(/^HTTP\/1\.1 4\d\d /)
          expect(answer, `${method} ${way}`).to.not.contain(canary.secret)
        }
      }
      for (const name of ['at', 'id', 'schemaId', 'version', 'from', 'since']) {
        for (const value of [
          canary.files.txt,
          'main:metastore.json',
          'HEAD:../canary.txt',
          '--output=/tmp/x',
          '-x',
          ':/x',
          '@{-1}',
          'main..main',
          'main^{tree}',
          'refs/heads/main',
          '../../HEAD',
          '%00',
        ]) {
          for (const path of [
            '/api/v1/metadata/probe',
            '/api/v1/metadata',
            '/api/changes',
            '/metadata-landing-page',
            '/api/v1/metadata/probe/diff',
          ]) {
            await watched.ask('GET', `${path}?${name}=${encodeURIComponent(value).replace('%2500', '%00')}`)
          }
        }
      }
    })
  })

  it('name different records if they differ only in case', async () => {
    await watched.stands(async () => {
      for (const id of ['twin', 'Twin', 'TWIN', 'tWIN']) {
        const answer = await watched.send('POST', '/api/v1/metadata', [withId(id), document()])
        expect(answer.status, answer.text).to.equal(201)
      }
      expect((await watched.send('POST', '/api/v1/metadata', [withId('Twin'), document()])).status).to.equal(
        409,
      )
      const [schema, upper] = await Promise.all(
        ['case', 'Case'].map(schemaId => watched.postSchema({ schemaId }, '{"type": "object"}')),
      )
      expect([schema?.status, upper?.status]).to.deep.equal([201, 400])
      const documents = new Set<string>()
      for (const id of ['twin', 'Twin', 'TWIN', 'tWIN']) {
        documents.add((await watched.ask('GET', `/api/v1/metadata/${id}`)).text)
      }
      expect(documents.size).to.equal(4)
    })
    const twins = paths().filter(path => /=?t=?w=?i=?n/.test(path))
    expect(new Set(twins.map(path => path.toLowerCase())).size).to.equal(8)
  })
})
