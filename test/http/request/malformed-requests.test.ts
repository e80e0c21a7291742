import { expect } from 'chai'
import { listen, type RunningServer } from '../../../src/http/server/listen.js'
import { formType, multipartBody, openRawConnection } from '../../support/http/raw-connection.js'
import {
  etagOf,
  jsonSchema,
  metadataRecordV1,
  noteXml,
  noteXsdText,
  startService,
  type TestService,
} from '../../support/http/test-service.js'
import { removeRepositories } from '../../support/repository/test-repository.js'

const record = 'Content-Disposition: form-data; name="record"'
const document = 'Content-Disposition: form-data; name="document"'
const json = JSON.stringify(metadataRecordV1('http://x/1', 'note'))

describe('requests with broken or unusual parts', () => {
  let service: TestService
  beforeEach(async () => {
    service = await startService({ limits: { document: 20_000, record: 1000, request: 50_000, parts: 5 } })
    await service.postSchema({ schemaId: 'note' }, noteXsdText).expect(201)
  })
  afterEach(removeRepositories)

  const post = (body: Buffer | string, type = formType) =>
    service.http.post('/api/v1/metadata').set('Content-Type', type).send(body)

  it('are refused with 400 if a part is missing, empty or repeated', async () => {
    await service.storesNothing(async () => {
      for (const parts of [
        [],
        [[record, json]],
        [[document, noteXml]],
        [
          [record, ''],
          [document, noteXml],
        ],
        [
          [record, json],
          [document, ''],
        ],
        [
          [`${document}; filename="d"`, ''],
          [record, json],
        ],
        [
          [record, json],
          [record, json],
          [document, noteXml],
        ],
        [
          [record, json],
          [document, noteXml],
          [`${document}; filename="d"`, noteXml],
        ],
        [
          [record, json],
          [`Content-Disposition: form-data; name="Document"`, noteXml],
        ],
        [
          [record, json],
          [`Content-Disposition: attachment; name="document"`, noteXml],
        ],
        [
          [record, json],
          [`Content-Disposition: form-data`, noteXml],
        ],
        [
          [record, json],
          [`Content-Disposition: form-data\r\nContent-Type: application/json; charset=x`, noteXml],
        ],
        [
          [record, json],
          [
            `Content-Disposition: form-data; filename="d"\r\nContent-Type: application/json; charset=x`,
            noteXml,
          ],
        ],
      ] as const) {
        const answer = await post(multipartBody(...parts))
        expect(answer.status, JSON.stringify(parts)).to.equal(400)
        expect(answer.body.detail).to.be.a('string')
      }
    })
  })

  it('are refused with 400 if the record is not a JSON object', async () => {
    await service.storesNothing(async () => {
      for (const text of ['{', '[]', '"x"', 'null', '7', 'record', Buffer.from([0x7b, 0xff, 0x7d])]) {
        await post(multipartBody([`${record}; filename="r"`, text], [document, noteXml])).expect(400)
      }
    })
  })

  it('are refused with 415 if they are not a form, or the record has another type than JSON', async () => {
    await service.storesNothing(async () => {
      for (const type of [
        'application/json',
        'multipart/mixed; boundary=boundary',
        'text/plain',
        'multipart/form-dataX',
      ]) {
        await post(multipartBody([record, json], [document, noteXml]).toString(), type).expect(415)
      }
      await service.http.post('/api/v1/metadata').expect(415)
      for (const type of ['text/plain', 'application/xml', 'application/jsonp', 'text/json']) {
        const file = `${record}; filename="r"\r\nContent-Type: ${type}`
        const answer = await post(multipartBody([file, json], [document, noteXml]))
        expect(answer.status, type).to.equal(415)
      }
    })
  })

  it('are refused with 415 if they have a content coding', async () => {
    const form = multipartBody([record, json], [document, noteXml])
    const encoded = (coding: string) => post(form).set('Content-Encoding', coding)
    await service.storesNothing(async () => {
      for (const coding of ['gzip', 'br', 'identity, gzip']) {
        const { body } = await encoded(coding).expect(415)
        expect(body.detail).to.equal(`The form has the content coding ${coding}: send it without one.`)
      }
    })
    await encoded('identity').expect(201)
  })

  it('are accepted with a record of any JSON type or none, as a file or a plain field', async () => {
    const files = [
      'application/json',
      'application/JSON; charset=utf-8',
      'application/x+json',
      'application/octet-stream',
    ]
    const heads = [
      `${record}; filename="r"`,
      ...files.map(type => `${record}; filename="r"\r\nContent-Type: ${type}`),
      record,
      `${record}\r\nContent-Type: text/plain`,
      `${record}\r\nContent-Type: application/octet-stream`,
      `${record}\r\nContent-Type: application/json;charset=UTF-8`,
    ]
    let number = 0
    for (const head of heads) {
      const text = JSON.stringify(metadataRecordV1(`http://x/é${++number}`, 'note'))
      const answer = await post(multipartBody([head, text], [document, noteXml]))
      expect(answer.status, head).to.equal(201)
      expect(answer.body.relatedResource.identifier).to.equal(`http://x/é${number}`)
    }
  })

  it('keep the bytes of a document, whether it is a file or a plain field', async () => {
    const latin = Buffer.from(
      '<?xml version="1.0" encoding="ISO-8859-1"?>\n<note xmlns="http://example.org/note"><text>\u00e9 \u00c3\u00a9</text></note>',
      'latin1',
    )
    const utf8 = Buffer.from('<note xmlns="http://example.org/note"><text>é Ã© €</text></note>\r\n')
    const sent: readonly (readonly [string, Buffer])[] = [
      [document, latin],
      [`${document}; filename="d"`, latin],
      [`${document}\r\nContent-Type: application/octet-stream`, latin],
      [`${document}\r\nContent-Type: text/xml; charset=ISO-8859-1`, latin],
      [document, utf8],
      [`${document}\r\nContent-Type: application/xml; charset="UTF-8"`, utf8],
      [`${document}; filename=""\r\nContent-Type: application/octet-stream`, utf8],
    ]
    let number = 0
    for (const [head, bytes] of sent) {
      const text = JSON.stringify(metadataRecordV1(`http://x/${++number}`, 'note'))
      const created = await post(multipartBody([record, text], [head, bytes]))
      expect(created.status, `${head}: ${created.text}`).to.equal(201)
      const answer = await service.http.get(`/api/v1/metadata/${created.body.id}`).responseType('blob')
      expect((answer.body as Buffer).equals(bytes), head).to.equal(true)
    }
  })

  it('are refused with 413 over the limits', async () => {
    const long = (bytes: number) => noteXml.replace('hello', 'x'.repeat(bytes))
    await service.storesNothing(async () => {
      for (const parts of [
        [
          [record, json],
          [document, long(20_001)],
        ],
        [
          [record, json],
          [`${document}; filename="d"`, long(20_001)],
        ],
        [
          [record, json],
          [`${document}\r\nContent-Type: application/octet-stream`, long(20_001)],
        ],
        [
          [record, json.replace('http://x/1', 'x'.repeat(1001))],
          [document, noteXml],
        ],
        [
          [record, json],
          [document, noteXml],
          ...['a', 'b', 'c', 'd'].map(
            name => [`Content-Disposition: form-data; name="${name}"`, ''] as const,
          ),
        ],
        [
          [record, json],
          [document, noteXml],
          [`Content-Disposition: form-data; name="other"; filename="o"`, 'x'.repeat(70_000)],
        ],
      ] as const) {
        const answer = await post(multipartBody(...parts))
        expect(answer.status, JSON.stringify(parts).slice(0, 200)).to.equal(413)
      }
    })
    await post(multipartBody([record, json], [document, long(19_000)])).expect(201)
  })

  it('are refused with 400 if an id, an ACL entry, a time or a number is invalid', async () => {
    await service.storesNothing(async () => {
      for (const schemaId of [null, 7, 'invalid/my_dc', 'myFirstTest', 'a b', '..', 'x'.repeat(201)]) {
        await service.postSchema({ schemaId }, jsonSchema()).expect(400)
      }
      await service.postSchema({ schemaId: 'x', type: 'JASON' }, jsonSchema()).expect(400)
      const acl = await service
        .postSchema({ schemaId: 'x', acl: [{ sid: null, permission: 'READ' }] }, jsonSchema())
        .expect(400)
      expect(acl.body.detail).to.equal('Subject ID of ACL entry must not be null.')
      for (const wrong of [
        { createdAt: 'x' },
        { relatedResource: 'x' },
        { schemaVersion: 'x' },
        { schema: null },
      ]) {
        await service
          .postMetadata({ ...metadataRecordV1('http://x/1', 'note'), ...wrong }, noteXml)
          .expect(400)
      }
    })
  })

  it('are refused with 400 if a member of a record is nested too deeply', async () => {
    const deep = `${'['.repeat(400)}${']'.repeat(400)}`
    await service.storesNothing(async () => {
      for (const name of ['acl', 'createdAt', 'unknown']) {
        const answer = await post(
          multipartBody([record, json.replace('{', `{"${name}":${deep},`)], [document, noteXml]),
        ).expect(400)
        expect(answer.body.detail).to.contain('more than 100 levels')
      }
    })
  })

  it('are refused with 400 if a part before the others is unreadable', async () => {
    await service.storesNothing(async () => {
      const answer = await post(
        multipartBody(
          ['Content-Disposition: form-data; name="x"; broken', 'x'],
          [`${record}\r\nContent-Type: application/json; charset=utf-8`, json],
          [document, noteXml],
        ),
      ).expect(400)
      expect(answer.body.detail).to.contain('Content-Disposition')
    })
  })

  it('are refused with 400 if a version or the percent-encoding is invalid', async () => {
    await service.storesNothing(async () => {
      for (const version of ['0', '-1', 'x', '1.5', '', '1&version=1']) {
        await service.http.get(`/api/v1/schemas/note?version=${version}`).expect(400)
        await service.http.get(`/api/v1/metadata/note?version=${version}`).expect(400)
        await service.putSchema('note', '*', { label: 'x' }).query(`version=${version}`).expect(400)
      }
      for (const url of [
        '/api/v1/schemas/%',
        '/api/v1/schemas/%zz',
        '/api/v1/schemas/%ff',
        '/%c3',
        '/api/v1/metadata?resoureId=%E4',
        '/api/v1/metadata?%',
      ]) {
        const answer = await service.http.get(url)
        expect(answer.status, url).to.equal(400)
        expect(answer.headers['content-type'], url).to.equal('application/problem+json')
      }
    })
  })

  it('do not change stored records', async () => {
    const created = await post(multipartBody([record, json], [document, noteXml])).expect(201)
    const put = (body: Buffer | string, type = formType) =>
      service.http
        .put(`/api/v1/metadata/${created.body.id}`)
        .set({ 'Content-Type': type, 'If-Match': etagOf(created) })
        .send(body)
    await service.storesNothing(async () => {
      await put('{}', 'application/json').expect(415)
      await put(multipartBody()).expect(400)
      await put(multipartBody(['Content-Disposition: form-data; name="other"', 'x'])).expect(400)
      await put(multipartBody([record, '{}'], [document, ''])).expect(400)
      await put(multipartBody([record, '{"licenseUri": 7}'])).expect(400)
      await put(multipartBody([document, noteXml.replace('text', 'test')])).expect(422)
      await put('--boundary\r\n').expect(400)
      await put('', 'multipart/form-data').expect(400)
    })
  })
})

describe('requests that are incomplete or not HTTP', () => {
  let service: TestService
  let server: RunningServer
  beforeEach(async () => {
    service = await startService({ limits: { document: 20_000.5, request: 50_000 } })
    await service.postSchema({ schemaId: 'note' }, noteXsdText).expect(201)
    server = await listen(service.app, { port: 0 })
  })
  afterEach(async () => {
    await server.stop()
    await removeRepositories()
  })

  const head = (length: number, more = '') =>
    `POST /api/v1/metadata HTTP/1.1\r\nHost: metastore.test\r\nContent-Type: ${formType}\r\nContent-Length: ${length}\r\n${more}\r\n`

  it('are refused with 400 if the form ends early or its headers are invalid', async () => {
    const whole = multipartBody([`${record}; filename="r"`, json], [`${document}; filename="d"`, noteXml])
    await service.storesNothing(async () => {
      for (let length = 0; length < whole.length - 6; length += 7) {
        const connection = await openRawConnection(server.port)
        connection.send(head(length, 'Connection: close\r\n'))
        connection.send(whole.subarray(0, length))
        const answer = await connection.closed()
        expect(answer, `after ${length} bytes`).to.match(/^HTTP\/1\.1 400 /)
        expect(answer).to.contain('application/problem+json')
      }
      for (const broken of ['no: header\x00', 'name', `${record}\r\n${'x'.repeat(20_000)}: y`]) {
        const connection = await openRawConnection(server.port)
        const body = multipartBody([broken, json])
        connection.send(head(body.length, 'Connection: close\r\n'))
        connection.send(body)
        expect(await connection.closed()).to.match(/^HTTP\/1\.1 400 /)
      }
    })
  })

  it('store nothing if the client disconnects in the middle', async () => {
    const whole = multipartBody([record, json], [`${document}; filename="d"`, noteXml])
    await service.storesNothing(async () => {
      for (const length of [0, 10, 200, whole.length - 5]) {
        const connection = await openRawConnection(server.port)
        connection.send(head(whole.length))
        connection.send(whole.subarray(0, length))
        await service.http.get('/health').expect(200)
        connection.destroy()
      }
      await service.http.get('/health').expect(200)
    })
  })

  it('are refused with 413 before a body that is too long has arrived', async () => {
    const connection = await openRawConnection(server.port)
    connection.send(head(1_000_000_000))
    expect(await connection.until(/\}$/)).to.match(/^HTTP\/1\.1 413 /)
    connection.destroy()

    const chunked = await openRawConnection(server.port)
    chunked.send(
      `POST /api/v1/metadata HTTP/1.1\r\nHost: metastore.test\r\nContent-Type: ${formType}\r\nTransfer-Encoding: chunked\r\n\r\n`,
    )
    const start = `--boundary\r\nContent-Disposition: form-data; name="x"; filename="x"\r\n\r\n`
    for (const text of [start, ...Array.from({ length: 9 }, () => 'x'.repeat(10_000))]) {
      chunked.send(`${text.length.toString(16)}\r\n${text}\r\n`)
    }
    expect(await chunked.until(/\}$/)).to.match(/^HTTP\/1\.1 413 /)
    chunked.destroy()
  })

  it('get problem details even if they do not reach Koa', async () => {
    for (const [text, status] of [
      ['nonsense\r\n\r\n', 400],
      [`GET / HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`, 431],
      ['GET /health HTTP/1.1\r\nConnection: close\r\n\r\n', 400],
      ['GET /api/v1/%zz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n', 400],
    ] as const) {
      const connection = await openRawConnection(server.port)
      connection.send(text)
      const answer = await connection.closed()
      expect(answer).to.match(new RegExp(`^HTTP/1\\.1 ${status} `))
      expect(answer, text.slice(0, 20)).to.contain('application/problem+json')
    }
  })

  it('of HTTP/1.0 are answered without a Host header', async () => {
    const connection = await openRawConnection(server.port)
    connection.send('GET /api/v1/schemas HTTP/1.0\r\n\r\n')
    expect(await connection.closed()).to.contain(
      `http://127.0.0.1:${server.port}/api/v1/schemas/note?version=1`,
    )
  })
})
