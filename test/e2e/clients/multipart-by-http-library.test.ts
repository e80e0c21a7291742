import { expect } from 'chai'
import { listen, type RunningServer } from '../../../src/http/server/listen.js'
import { openRawConnection } from '../../support/http/raw-connection.js'
import {
  metadataRecordV1,
  noteXml,
  noteXsdText,
  startService,
  type TestService,
} from '../../support/http/test-service.js'
import { removeRepositories } from '../../support/repository/test-repository.js'

/**
 * The form of a program. Programs differ in the headers of the request and of each part (`NAME` stands for the name of
 * the part), the boundary in the body, and the text before and after the parts.
 */
interface Program {
  readonly name: string
  readonly boundary: string
  readonly head: readonly string[]
  readonly part: readonly string[]
  readonly preamble?: string
  readonly epilogue?: string
  readonly chunked?: boolean
  readonly expect?: boolean
}

const programs: readonly Program[] = [
  {
    name: 'curl -F',
    boundary: '------------------------d74496d66958873e',
    head: [
      'User-Agent: curl/8.5.0',
      'Accept: */*',
      'Content-Type: multipart/form-data; boundary=------------------------d74496d66958873e',
    ],
    part: [
      'Content-Disposition: form-data; name="NAME"; filename="NAME.json"',
      'Content-Type: application/json',
    ],
  },
  {
    name: 'curl -F with a large body, which it announces',
    boundary: '------------------------d74496d66958873e',
    head: [
      'User-Agent: curl/7.88.1',
      'Accept: */*',
      'Content-Type: multipart/form-data; boundary=------------------------d74496d66958873e',
      'Expect: 100-continue',
    ],
    part: ['Content-Disposition: form-data; name="NAME"'],
    expect: true,
  },
  {
    name: 'RestTemplate of Spring',
    boundary: 'k1XaXaXqf5fYR4Ys9o4Np9s3T_l8AbQ',
    head: [
      'Accept: application/json, application/*+json',
      'Content-Type: multipart/form-data;charset=UTF-8;boundary=k1XaXaXqf5fYR4Ys9o4Np9s3T_l8AbQ',
      'User-Agent: Java/17.0.9',
    ],
    part: [
      'Content-Disposition: form-data; name="NAME"; filename="=?UTF-8?Q?NAME_=C3=BC.json?="',
      'Content-Type: application/json',
      'Content-Length: LENGTH',
    ],
  },
  {
    name: 'Apache HttpClient',
    boundary: 'oX3Fd1n-zYk_A8kVd',
    head: [
      'Content-Type: multipart/form-data; boundary=oX3Fd1n-zYk_A8kVd; charset=ISO-8859-1',
      'User-Agent: Apache-HttpClient/4.5.14 (Java/11)',
      'Accept-Encoding: gzip,deflate',
    ],
    part: [
      'Content-Disposition: form-data; name="NAME"; filename="NAME"',
      'Content-Type: application/octet-stream',
      'Content-Transfer-Encoding: binary',
    ],
  },
  {
    name: 'WebClient of Spring, in chunks',
    boundary: '-Xf3_bOUnDary.1',
    head: [
      'user-agent: ReactorNetty/1.1.0',
      'accept: */*',
      'content-type: multipart/form-data;boundary="-Xf3_bOUnDary.1"',
    ],
    part: ['Content-Type: application/json', 'Content-Disposition: form-data; name="NAME"'],
    chunked: true,
  },
  {
    name: 'fetch with FormData',
    boundary: '----formdata-undici-033468284421',
    head: [
      'content-type: multipart/form-data; boundary=----formdata-undici-033468284421',
      'accept: */*',
      'accept-language: *',
      'sec-fetch-mode: cors',
      'user-agent: node',
      'accept-encoding: gzip, deflate',
    ],
    part: [
      'Content-Disposition: form-data; name="NAME"; filename="blob"',
      'Content-Type: application/octet-stream',
    ],
    chunked: true,
  },
  {
    name: 'a browser',
    boundary: '----WebKitFormBoundary7MA4YWxkTrZu0gW',
    head: [
      'Content-Type: multipart/form-data; boundary=----WebKitFormBoundary7MA4YWxkTrZu0gW',
      'Accept: application/json, text/plain, */*',
      'User-Agent: Mozilla/5.0',
    ],
    part: [
      `Content-Disposition: form-data; name="NAME"; filename="NAME.json"; filename*=UTF-8''NAME%20%C3%BC.json`,
      'Content-Type:',
    ],
  },
  {
    name: 'a program of its own kind',
    boundary: "a'()+_,-./:=? b",
    head: [`CONTENT-TYPE: Multipart/Form-Data; Boundary="a'()+_,-./:=? b"; type=x`],
    part: [
      'content-disposition:form-data;name=NAME;filename=NAME',
      'CONTENT-TYPE:\tAPPLICATION/JSON; charset="utf-8"',
    ],
    preamble: 'This is a message with several parts.\r\n',
    epilogue: 'Good bye.\r\n',
  },
]

describe('forms of HTTP programs and libraries', () => {
  let service: TestService
  let server: RunningServer
  before(async () => {
    service = await startService()
    await service.postSchema({ schemaId: 'note' }, noteXsdText).expect(201)
    server = await listen(service.app, { port: 0 })
  })
  after(async () => {
    await server.stop()
    await removeRepositories()
  })

  for (const [index, program] of programs.entries()) {
    it(`${program.name}: the form is answered with 201, and every byte is stored`, async () => {
      const body = bodyOf(program, [
        ['record', JSON.stringify(metadataRecordV1(`http://x/ü/${index}`, 'note'))],
        ['document', noteXml],
      ])
      const length = program.chunked ? 'Transfer-Encoding: chunked' : `Content-Length: ${body.length}`
      const head = ['POST /api/v1/metadata HTTP/1.1', 'Host: metastore.test', ...program.head, length, '', '']
      const connection = await openRawConnection(server.port)
      connection.send(head.join('\r\n'))
      if (program.expect) {
        expect(await connection.until(/\r\n\r\n/)).to.equal('HTTP/1.1 100 Continue\r\n\r\n')
      }
      connection.send(program.chunked ? inChunks(body) : body)
      const answer = await connection.until(/HTTP\/1\.1 [2-5][\s\S]*\}$/)
      connection.destroy()

      expect(answer).to.match(/^(?:HTTP\/1\.1 100 Continue\r\n\r\n)?HTTP\/1\.1 201 Created\r\n/)
      const record = JSON.parse(Buffer.from(answer.slice(answer.indexOf('{')), 'latin1').toString())
      expect(record.relatedResource.identifier).to.equal(`http://x/ü/${index}`)
      expect((await service.http.get(`/api/v1/metadata/${record.id}`).expect(200)).text).to.equal(noteXml)
    })
  }
})

function bodyOf(program: Program, parts: readonly (readonly [name: string, content: string])[]): Buffer {
  const { boundary, preamble = '', epilogue = '' } = program
  const written = parts.map(([name, content]) => {
    const headers = program.part.map(line =>
      line.replaceAll('NAME', name).replace('LENGTH', String(Buffer.byteLength(content))),
    )
    return `--${boundary}\r\n${headers.join('\r\n')}\r\n\r\n${content}\r\n`
  })
  return Buffer.from(`${preamble}${written.join('')}--${boundary}--\r\n${epilogue}`)
}

/** Splits a body into chunks of 7 bytes, so that every line is split. */
function inChunks(body: Buffer): Buffer {
  const chunks: Buffer[] = []
  for (let at = 0; at < body.length; at += 7) {
    const chunk = body.subarray(at, at + 7)
    chunks.push(Buffer.from(`${chunk.length.toString(16)}\r\n`), chunk, Buffer.from('\r\n'))
  }
  return Buffer.concat([...chunks, Buffer.from('0\r\n\r\n')])
}
