// test-schedule: quick
import { connect } from 'node:net'
import { expect } from 'chai'
import fc from 'fast-check'
import { base64url, type JWTPayload, SignJWT } from 'jose'
import type { Response } from 'supertest'
import { closeListeners, listenOnPort } from '../../support/git/git-client.js'
import { jsonSchema, schemaType, startService, type TestService } from '../../support/http/test-service.js'
import {
  identifyWithTestSecret,
  secondsFromNow,
  secret,
  signToken,
  userToken,
} from '../../support/http/test-tokens.js'
import { removeRepositories } from '../../support/repository/test-repository.js'

describe('a token signed with the shared secret', () => {
  let service: TestService
  before(async () => {
    service = await startService({ identify: identifyWithTestSecret })
    const token = await userToken('owner')
    const record = { schemaId: 'open', acl: [{ sid: 'anonymousUser', permission: 'READ' }] }
    await service.postSchema(record, jsonSchema()).set('Authorization', `Bearer ${token}`).expect(201)
  })
  after(async () => {
    await closeListeners()
    await removeRepositories()
  })

  const read = (path = '/api/v1/schemas/open') => service.http.get(path).set('Accept', schemaType)
  const withHeader = async (header: string): Promise<Response> => await read().set('Authorization', header)
  const withToken = (token: string) => withHeader(`Bearer ${token}`)

  function expectRefused({ status, headers, body, text }: Response, why?: string): void {
    expect(status, text).to.equal(401)
    expect(headers['content-type']).to.equal('application/problem+json')
    expect(headers['www-authenticate']).to.equal('Bearer realm="git-metastore", error="invalid_token"')
    expect(body).to.include({ status: 401, title: 'Unauthorized' })
    if (why !== undefined) expect(body.detail).to.contain(why)
  }

  it('is not needed for public records, and is accepted if valid', async () => {
    await read().expect(200)
    const { status, headers } = await withToken(await userToken('jane'))

    expect(status).to.equal(200)
    expect(headers.vary).to.contain('Authorization')
    expect((await withHeader(`bearer   ${await userToken('jane')}  `)).status).to.equal(200)
  })

  it('is accepted if the clocks differ by less than half a minute', async () => {
    const take = async (more: JWTPayload, validity: number) =>
      await withToken(await signToken({ username: 'jane', ...more }, secret, validity))

    expect((await take({}, -20)).status).to.equal(200)
    expectRefused(await take({}, -40), 'has expired')
    expect((await take({ nbf: secondsFromNow(20) }, 600)).status).to.equal(200)
    expectRefused(await take({ nbf: secondsFromNow(40) }, 600), 'not valid yet')
  })

  it('never expires without an expiry, as on existing servers', async () => {
    const endless = new SignJWT({ username: 'jane' }).setProtectedHeader({ alg: 'HS256' })

    expect((await withToken(await endless.sign(Buffer.from(secret)))).status).to.equal(200)
  })

  const bad: Readonly<Record<string, readonly [why: string, make: () => Promise<string> | string]>> = {
    'is expired': ['has expired', () => signToken({ username: 'a' }, secret, -31)],
    'is not valid yet': ['not valid yet', () => signToken({ username: 'a', nbf: secondsFromNow(40) })],
    'is signed with another secret': ['signature', () => signToken({ username: 'a' }, `${secret}!`)],
    'has no signature': [
      '',
      () => `${base64url.encode('{"alg":"none"}')}.${base64url.encode('{"username":"a"}')}.`,
    ],
    'is signed by HS512': [
      '',
      () => new SignJWT({ username: 'a' }).setProtectedHeader({ alg: 'HS512' }).sign(new Uint8Array(64)),
    ],
    'has a header with an unknown critical extension': [
      '',
      async () => {
        const [, ...rest] = (await userToken('a')).split('.')
        return [base64url.encode('{"alg":"HS256","crit":["b64"],"b64":false}'), ...rest].join('.')
      },
    ],
    'has no name': ['whose it is', () => signToken({ roles: '["ROLE_ADMINISTRATOR"]' })],
    'has an empty name': ['whose it is', () => signToken({ username: ' ' })],
    'has a number as name': ['"username" is not a string', () => signToken({ username: 7 })],
    'has a name of two lines': ['control characters', () => signToken({ username: 'a\nb' })],
    'has a name with reversed text': ['control characters', () => signToken({ username: 'a\u202eb' })],
    'has a name of 201 characters': ['more than 200', () => signToken({ username: 'a'.repeat(201) })],
    'has the name of everyone': ['somebody else', () => signToken({ username: 'anonymousUser' })],
    'has the name of the server': ['somebody else', () => signToken({ username: 'SELF' })],
    'has the server as group': ['somebody else', () => signToken({ username: 'a', groups: ['SELF'] })],
    'has groups in another form than a list': [
      '"groups" is not a list',
      () => signToken({ username: 'a', groups: 'staff' }),
    ],
    'is of an unknown type': ['tokenType "ROBOT"', () => signToken({ tokenType: 'ROBOT', username: 'a' })],
    'has permissions in another form than a list': [
      '"permissions" is not a list',
      () => signToken({ tokenType: 'TEMPORARY', principalname: 'a', permissions: '{' }),
    ],
    'has an invalid permission': [
      'permissions cannot be read',
      () => signToken({ tokenType: 'TEMPORARY', principalname: 'a', permissions: '[null]' }),
    ],
    'is not for the address of the client': [
      'not for requests from 127.0.0.1',
      () => signToken({ tokenType: 'SERVICE', servicename: 'a', sources: '["10.0.0.1","nowhere"]' }),
    ],
    'has an invalid subnet': [
      'not for requests from 127.0.0.1',
      () => signToken({ tokenType: 'SERVICE', servicename: 'a', sources: '["127.0.0.0/99"]' }),
    ],
    'has a signature algorithm with a public key': [
      '',
      () => `${base64url.encode('{"alg":"RS256"}')}.${base64url.encode('{"username":"a"}')}.AAAA`,
    ],
  }
  for (const [what, [why, make]] of Object.entries(bad)) {
    it(`that ${what} is refused, even for public records`, async () => {
      expectRefused(await withToken(await make()), why)
    })
  }

  it('is refused in every malformed header, on every kind of path', async () => {
    const token = await userToken('jane')
    const headers = [
      'Bearer',
      'Bearer  ',
      '',
      'Basic amFuZTp4',
      `Token ${token}`,
      token,
      `Bearer ${token} ${token}`,
      'Bearer .',
      'Bearer ..',
      'Bearer a.b.c',
      'Bearer {}',
      `Bearer ${'x.'.repeat(5000)}`,
    ]
    for (const header of headers) expectRefused(await withHeader(header))
    for (const path of [
      '/health',
      '/',
      '/api/changes',
      '/dashboard',
      '/v3/api-docs',
      '/nowhere',
      '/api/v1/schemas',
    ]) {
      expectRefused(await service.http.get(path).set('Authorization', 'Bearer x'))
    }
    expectRefused(await service.http.delete('/api/v1/schemas/open').set('Authorization', 'Bearer x'))
    expectRefused(await service.http.options('/api/v1/schemas').set('Authorization', 'Bearer x'))
  })

  it('is refused if it is not a token at all', async () => {
    const good = (await userToken('jane')).split('.')
    const json = fc.json().map(text => base64url.encode(text))
    const part = fc.oneof(
      fc.constantFrom(...good, ''),
      json,
      fc.base64String(),
      fc.stringMatching(/^[\x21-\x7e]{0,40}$/),
    )
    const tokens = fc.oneof(
      fc.array(part, { maxLength: 6 }).map(parts => parts.join('.')),
      fc
        .dictionary(
          fc.constantFrom(
            'username',
            'roles',
            'groups',
            'tokenType',
            'exp',
            'nbf',
            'permissions',
            'sources',
            '__proto__',
          ),
          fc.jsonValue(),
        )
        .map(claims => claims as JWTPayload),
    )
    await fc.assert(
      fc.asyncProperty(tokens, async token => {
        const text = typeof token === 'string' ? token : await signed(token)
        if (text === good.join('.')) return
        const answer = await withToken(text)
        expect([200, 401, 403], `${text}: ${answer.text}`).to.include(answer.status)
        if (typeof token === 'string') expectRefused(answer)
      }),
      { numRuns: 300 },
    )
  })

  async function signed(claims: JWTPayload): Promise<string> {
    const payload = base64url.encode(JSON.stringify(claims))
    const input = `${base64url.encode('{"alg":"HS256"}')}.${payload}`
    const key = await crypto.subtle.importKey(
      'raw',
      Buffer.from(secret),
      { name: 'HMAC', hash: 'SHA-256' },
      false,
      ['sign'],
    )
    const signature = await crypto.subtle.sign('HMAC', key, Buffer.from(input))
    return `${input}.${base64url.encode(new Uint8Array(signature))}`
  }

  it('is refused if there are two, if it is not ASCII, and if it exceeds the limit of headers', async () => {
    const port = Number(new URL(await listenOnPort(service)).port)
    const token = await userToken('jane')
    const ask = (headers: string) =>
      rawAnswer(port, `GET /health HTTP/1.1\r\nHost: x\r\n${headers}Connection: close\r\n\r\n`)

    expect(await ask(`Authorization: Bearer ${token}\r\n`)).to.match(/^HTTP\/1\.1 200 /)
    const twice = `Authorization: Bearer ${token}\r\n`.repeat(2)
    for (const headers of [
      twice,
      'Authorization: Bearer \xe4\xff\xfe.\xc3\xa4.\x80\r\n',
      'Authorization: \t\r\n',
    ]) {
      const answer = await ask(headers)
      expect(answer).to.match(/^HTTP\/1\.1 401 /)
      expect(answer).to.contain('application/problem+json')
    }
    expect(await ask(`Authorization: Bearer ${'x'.repeat(15_000)}\r\n`)).to.match(/^HTTP\/1\.1 401 /)
    expect(await ask(`Authorization: Bearer ${'x'.repeat(20_000)}\r\n`)).to.match(/^HTTP\/1\.1 431 /)
  })

  it('names the author of a commit, on one line and without characters that git interprets', async () => {
    const author = () => service.repository.git('log', '-1', '--format=%an <%ae>')
    const store = async (id: string, claims: JWTPayload) => {
      const token = await signToken(claims)
      return await service
        .postSchema({ schemaId: id }, jsonSchema())
        .set('Authorization', `Bearer ${token}`)
        .expect(201)
    }

    await store('a', { username: 'jane', firstname: 'Jane', lastname: 'Doe', email: 'jane@example.org' })
    expect(await author()).to.equal('Jane Doe <jane@example.org>')
    const { body } = await service.http.get('/api/v2/schemas/a').set({
      Accept: 'application/vnd.datacite.org+json',
      Authorization: `Bearer ${await userToken('jane')}`,
    })
    expect(body.creators).to.deep.equal([{ id: 1, familyName: 'Doe', givenName: 'Jane' }])
    expect(body.acls).to.deep.equal([{ id: 1, sid: 'jane', permission: 'ADMINISTRATE' }])
    expect(body.publisher).to.equal('jane')

    await store('b', { username: 'jürgen k' })
    expect(await author()).to.equal('jürgen k <j-rgen-k@git-metastore>')
    await store('c', {
      username: 'eve',
      firstname: 'E\n\nRecorded-At: 1\0',
      lastname: 'ro <root@x> \u202e',
      email: 'a@b>\nx',
    })
    expect(await author()).to.equal('E Recorded-At: 1 ro root@x <eve@git-metastore>')
    await store('d', { username: '...' })
    await service.repository.git('fsck', '--strict')
  })

  it('is refused with 403 for an inactive account', async () => {
    const answer = await withToken(await userToken('jane', ['USER', 'INACTIVE']))

    expect(answer.status).to.equal(403)
    expect(answer.body.detail).to.contain('inactive')
  })

  it('holds its roles as a list or as the JSON text of a list', async () => {
    const posts = async (roles: unknown) => {
      const token = await signToken({ username: 'root', roles })
      return (
        await service.http
          .get('/api/v1/metadata')
          .set({ Accept: 'application/json', Authorization: `Bearer ${token}` })
      ).status
    }
    for (const roles of [['ROLE_INACTIVE'], '["ROLE_INACTIVE"]', ['x', 'ROLE_INACTIVE', 1]])
      expect(await posts(roles)).to.equal(403)
    for (const roles of [undefined, null, 7, '{', 'ROLE_INACTIVE', {}, []])
      expect(await posts(roles)).to.equal(200)
  })
})

/** The whole answer, with one character for each byte. */
async function rawAnswer(port: number, request: string): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  let text = ''
  socket.on('data', bytes => {
    text += bytes.toString('latin1')
  })
  socket.write(Buffer.from(request, 'latin1'))
  await new Promise(resolve => socket.once('close', resolve))
  return text
}
