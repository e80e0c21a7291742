import { expect } from 'chai'
import { exportSPKI, generateKeyPair, importJWK, type JWTPayload, SignJWT } from 'jose'
import { openBearerAuthentication } from '../../../src/http/auth/bearer-authentication.js'
import { openIssuer } from '../../../src/http/auth/openid-issuer.js'
import { openSharedSecretVerifier } from '../../../src/http/auth/token-verification.js'
import { jsonSchema, startService, type TestService } from '../../support/http/test-service.js'
import {
  secondsFromNow,
  secret,
  startIssuer,
  stopIssuers,
  type TestIssuer,
  userToken,
} from '../../support/http/test-tokens.js'
import { removeRepositories } from '../../support/repository/test-repository.js'

describe('a token of an OpenID Connect issuer', () => {
  let issuer: TestIssuer
  let service: TestService
  /** Milliseconds. */
  const cooldown = 300

  async function start(withSecret = false, claims = { username: 'preferred_username', groups: 'groups' }) {
    service = await startService({
      identify: openBearerAuthentication({
        issuer: { ...openIssuer({ issuer: issuer.url, audience: 'metastore', cooldown }), claims },
        ...(withSecret && { secret: openSharedSecretVerifier(Buffer.from(secret)) }),
        addressOf: () => undefined,
      }),
    })
  }
  beforeEach(async () => {
    issuer = await startIssuer()
    await start()
  })
  afterEach(async () => {
    await stopIssuers()
    await removeRepositories()
  })

  const ask = async (token: string) =>
    await service.http.get('/api/v1/metadata').set('Authorization', `Bearer ${token}`)
  const jane: JWTPayload = {
    preferred_username: 'jane',
    given_name: 'Jane',
    family_name: 'Doe',
    email: 'jane@example.org',
  }

  async function expectRefused(token: string, why: string): Promise<void> {
    const { status, headers, body, text } = await ask(token)
    expect(status, text).to.equal(401)
    expect(headers['www-authenticate']).to.contain('error="invalid_token"')
    expect(body.detail).to.contain(why)
  }

  it('is accepted, and names the author of commits', async () => {
    const token = await issuer.sign({ ...jane, groups: ['staff'] })
    const record = { schemaId: 'note', acl: [{ sid: 'staff', permission: 'READ' }] }

    await service.postSchema(record, jsonSchema()).set('Authorization', `Bearer ${token}`).expect(201)

    expect(await service.repository.git('log', '-1', '--format=%an <%ae>')).to.equal(
      'Jane Doe <jane@example.org>',
    )
    const colleague = await issuer.sign({ preferred_username: 'bob', groups: ['staff'] })
    await service.http.get('/api/v1/schemas/note').set('Authorization', `Bearer ${colleague}`).expect(200)
    const stranger = await issuer.sign({ preferred_username: 'eve' })
    await service.http.get('/api/v1/schemas/note').set('Authorization', `Bearer ${stranger}`).expect(403)
    const root = await issuer.sign({
      preferred_username: 'root',
      realm_access: { roles: ['offline_access', 'ROLE_ADMINISTRATOR'] },
    })
    await service.http.get('/api/v1/schemas/note').set('Authorization', `Bearer ${root}`).expect(200)
    expect(issuer.asked()).to.equal(1)
  })

  it('is refused for another audience or issuer, after its expiry, or without one', async () => {
    await expectRefused(await issuer.sign({ ...jane, aud: 'other' }), '"aud"')
    await expectRefused(await issuer.sign({ ...jane, aud: ['x', 'y'] }), '"aud"')
    expect((await ask(await issuer.sign({ ...jane, aud: ['x', 'metastore'] }))).status).to.equal(200)
    await expectRefused(await issuer.sign({ ...jane, iss: 'https://example.org' }), '"iss"')
    await expectRefused(
      await issuer.sign({ preferred_username: 'x', nbf: secondsFromNow(60) }),
      'not valid yet',
    )
    await expectRefused(await issuer.sign({ given_name: 'x' }), 'no claim "preferred_username"')
    const other = await startIssuer()
    await expectRefused(await other.sign({ ...jane, iss: issuer.url }), '')
    const { privateKey } = await generateKeyPair('RS256')
    const header = { alg: 'RS256', kid: String(issuer.publicKey.kid) }
    const claims = { ...jane, iss: issuer.url, aud: 'metastore' }
    await expectRefused(
      await new SignJWT(claims).setProtectedHeader(header).setExpirationTime('5m').sign(privateKey),
      'signature',
    )
    await expectRefused(await issuer.sign({ ...jane, exp: secondsFromNow(-40) }), 'has expired')
    await expectRefused(await issuer.sign({ ...jane, exp: undefined }), 'no claim "exp"')
  })

  it('is accepted if the clocks differ by less than half a minute', async () => {
    for (const claims of [{ exp: secondsFromNow(-20) }, { nbf: secondsFromNow(20) }])
      expect((await ask(await issuer.sign({ ...jane, ...claims }))).status).to.equal(200)
    await expectRefused(await issuer.sign({ ...jane, nbf: secondsFromNow(40) }), 'not valid yet')
  })

  it('is refused if it is signed with the public key as a shared secret', async () => {
    await start(true)
    const key = await importJWK(issuer.publicKey, 'RS256', { extractable: true })
    const pem = await exportSPKI(key as Parameters<typeof exportSPKI>[0])
    for (const bytes of [pem, JSON.stringify(issuer.publicKey), String(issuer.publicKey.n)]) {
      const forged = new SignJWT({ ...jane, iss: issuer.url, aud: 'metastore' })
        .setProtectedHeader({ alg: 'HS256', kid: String(issuer.publicKey.kid) })
        .setExpirationTime('5m')
      await expectRefused(await forged.sign(Buffer.from(bytes)), 'signature')
    }
    // Each token is accepted with the key of its own issuer.
    expect((await ask(await userToken('ann'))).status).to.equal(200)
    expect((await ask(await issuer.sign(jane))).status).to.equal(200)
  })

  it('is accepted with a new key, and unknown keys cause a limited number of requests to the issuer', async () => {
    const before = await issuer.sign(jane)
    expect((await ask(before)).status).to.equal(200)
    await new Promise(resolve => setTimeout(resolve, cooldown + 50))
    await issuer.rotate()

    const began = performance.now()
    expect((await ask(await issuer.sign(jane))).status).to.equal(200)
    expect(issuer.asked()).to.equal(2)
    await expectRefused(before, 'a key its issuer does not have')
    const unknown = await issuer.sign(jane, { kid: 'nobody’s' })
    for (let count = 0; count < 20; count++) expect((await ask(unknown)).status).to.equal(401)
    const periods = 1 + Math.floor((performance.now() - began) / cooldown)
    expect(issuer.asked()).to.be.at.most(2 + periods)
  })

  it('is accepted without a key id, if any key of the issuer verifies it', async () => {
    const header = { kid: undefined } as unknown as { kid: string }

    expect((await ask(await issuer.sign(jane, header))).status).to.equal(200)
  })

  for (const [what, answer] of [
    ['fails', { status: 500, body: '' }],
    ['answers with a redirect', { status: 302, body: '' }],
    ['does not answer with JSON', { status: 200, body: '<html>' }],
    ['answers with another value', { status: 200, body: '[]' }],
  ] as const) {
    it(`is refused with 503 while the issuer ${what}, without effect on requests without token, and is accepted afterwards`, async () => {
      await service.http.get('/api/v1/metadata').expect(200)
      issuer.answer = answer

      const { status, headers, body } = await ask(await issuer.sign(jane))

      expect(status).to.equal(503)
      expect(headers['retry-after']).to.equal('10')
      expect(body.detail).to.contain(issuer.url)
      await service.http.get('/api/v1/metadata').expect(200)
      issuer.answer = undefined
      await new Promise(resolve => setTimeout(resolve, cooldown + 50))
      expect((await ask(await issuer.sign(jane))).status).to.equal(200)
    })
  }

  it('is refused with 503 if the issuer names another issuer, or keys without https', async () => {
    const wrong = [
      { issuer: 'https://example.org' },
      { jwks_uri: 'http://example.org/keys' },
      { jwks_uri: 7 },
    ]
    for (const discovery of wrong) {
      issuer.discovery = discovery
      await start()
      expect((await ask(await issuer.sign(jane))).status, JSON.stringify(discovery)).to.equal(503)
    }
  })

  it('names the user and the groups in the configured claims', async () => {
    await start(false, { username: 'sub', groups: 'teams' })
    const token = await issuer.sign({ sub: 'user-7', teams: ['staff'] })

    await service
      .postSchema({ schemaId: 'note' }, jsonSchema())
      .set('Authorization', `Bearer ${token}`)
      .expect(201)

    expect(await service.repository.git('log', '-1', '--format=%an')).to.equal('user-7')
  })

  for (const alg of ['ES256', 'PS256', 'Ed25519']) {
    it(`is accepted with a signature by ${alg}`, async () => {
      issuer = await startIssuer(alg)
      await start()
      expect((await ask(await issuer.sign(jane))).status).to.equal(200)
    })
  }
})
