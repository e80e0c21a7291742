import { expect } from 'chai'
import { openersOf } from '../../../src/feature.js'
import { features } from '../../../src/features.js'
import { openBearerAuthentication } from '../../../src/http/auth/bearer-authentication.js'
import { openSharedSecretVerifier } from '../../../src/http/auth/token-verification.js'
import {
  jsonSchema,
  metadataRecordV1,
  startService,
  type TestService,
} from '../../support/http/test-service.js'
import {
  identifyWithTestSecret,
  secondsFromNow,
  secret,
  signToken,
  userToken,
} from '../../support/http/test-tokens.js'
import { removeRepositories } from '../../support/repository/test-repository.js'

describe('What an application asks about its caller', () => {
  let service: TestService
  afterEach(removeRepositories)

  const bearer = (token: string) => ({ Authorization: `Bearer ${token}` })

  describe('GET /api/whoami', () => {
    const who = async (headers = {}) => (await service.http.get('/api/whoami').set(headers).expect(200)).body

    it('names SELF on a server that asks for no tokens', async () => {
      service = await startService()

      expect(await who()).to.deep.equal({
        name: 'SELF',
        displayName: 'SELF',
        groups: [],
        roles: [],
        administrator: true,
        creates: true,
      })
    })

    it('has name, groups, roles and the end of a token, and anonymousUser without one', async () => {
      service = await startService({ identify: identifyWithTestSecret })
      const exp = secondsFromNow(1000)
      const token = await signToken(
        {
          username: 'jane',
          firstname: 'Jane',
          lastname: 'Doe',
          groups: ['lab'],
          roles: '["ROLE_USER","ROLE_CURATOR"]',
        },
        secret,
        1000,
      )

      const { until, ...jane } = await who(bearer(token))

      expect(jane).to.deep.equal({
        name: 'jane',
        displayName: 'Jane Doe',
        groups: ['lab'],
        roles: ['ROLE_USER', 'ROLE_CURATOR'],
        administrator: false,
        creates: true,
      })
      expect(Date.parse(until)).to.be.within((exp - 5) * 1000, (exp + 5) * 1000)
      expect(await who()).to.deep.include({ name: 'anonymousUser', roles: [], creates: false })
      expect(await who(bearer(await userToken('root', ['ADMINISTRATOR'])))).to.deep.include({
        administrator: true,
      })
      await service.http.get('/api/whoami').set(bearer('nothing')).expect(401)
    })

    it('has no end if the token ends after the year 9999', async () => {
      service = await startService({ identify: identifyWithTestSecret })

      const caller = await who(bearer(await signToken({ username: 'jane' }, secret, 1e12)))

      expect(caller).to.include({ name: 'jane' }).and.not.have.property('until')
    })

    it('says whether the caller lacks the role to create records', async () => {
      service = await startService({
        identify: openBearerAuthentication({
          secret: openSharedSecretVerifier(Buffer.from(secret)),
          createRole: 'ROLE_STEWARD',
          addressOf: () => undefined,
        }),
      })

      expect(await who(bearer(await userToken('jane')))).to.include({ creates: false })
      expect(await who(bearer(await userToken('jane', ['STEWARD'])))).to.include({ creates: true })
    })
  })

  describe('GET /api/login', () => {
    const login = async (options: Readonly<Record<string, unknown>>) => {
      service = await startService({ features: options })
      return (await service.http.get('/api/login').expect(200)).body
    }

    it('says that no tokens are asked for', async () => {
      expect(await login({})).to.deep.equal({ tokens: false, paste: false })
    })

    it('names the issuer with the client, and no audience or secret', async () => {
      const issuer = 'https://login.example.org/realms/lab'
      const options = {
        auth: true,
        'oidc-issuer': issuer,
        'oidc-audience': 'metastore',
        'jwt-secret-file': '/a',
      }

      expect(await login({ ...options, 'oidc-client-id': 'web' })).to.deep.equal({
        tokens: true,
        paste: true,
        issuer,
        clientId: 'web',
        scopes: ['openid', 'profile', 'email'],
      })
    })

    it('has only a pasted token where there is no issuer', async () => {
      expect(await login({ auth: true })).to.deep.equal({ tokens: true, paste: true })
    })

    it('is refused at the start for a client without an issuer', async () => {
      const refused = await openersOf(features, { auth: true, 'oidc-client-id': 'web' }).catch(
        (error: Error) => error,
      )

      expect(refused).to.have.property('message').that.contains('--oidc-issuer')
    })
  })

  describe('GET …/{id}/may', () => {
    const owner = userToken('owner')
    const may = async (caller: Promise<string> | undefined, path = 'metadata/mine') => {
      const headers = caller ? bearer(await caller) : {}
      return (await service.http.get(`/api/v2/${path}/may`).set(headers).expect(200)).body.may
    }
    const record = metadataRecordV1('https://example.org/1', 'base', {
      id: 'mine',
      acl: [
        { sid: 'wendy', permission: 'WRITE' },
        { sid: 'anonymousUser', permission: 'READ' },
      ],
    })

    beforeEach(async () => {
      service = await startService({ identify: identifyWithTestSecret })
      const open = { schemaId: 'base', acl: [{ sid: 'anonymousUser', permission: 'ADMINISTRATE' }] }
      await service
        .postSchema(open, jsonSchema())
        .set(bearer(await owner))
        .expect(201)
      await service
        .postMetadata(record, '{}')
        .set(bearer(await owner))
        .expect(201)
    })

    it('has what requests of the caller are not refused', async () => {
      expect(await may(owner)).to.deep.equal(['READ', 'WRITE', 'ADMINISTRATE'])
      expect(await may(userToken('wendy'))).to.deep.equal(['READ', 'WRITE'])
      expect(await may(userToken('eve'))).to.deep.equal(['READ'])
      expect(await may(undefined)).to.deep.equal(['READ'])
      expect(await may(undefined, 'schemas/base')).to.deep.equal(['READ'])
      expect(await may(userToken('eve'), 'schemas/base')).to.deep.equal(['READ', 'WRITE', 'ADMINISTRATE'])
    })

    it('leaves WRITE on a FIXED record to those with ADMINISTRATE', async () => {
      const get = service.http.get('/api/v2/metadata/mine').set(bearer(await owner))
      const { body } = await get.set('Accept', 'application/vnd.datacite.org+json').expect(200)
      await service.http
        .put('/api/v2/metadata/mine')
        .set({ ...bearer(await owner), 'If-Match': '*' })
        .attach('record', Buffer.from(JSON.stringify({ ...body, state: 'FIXED' })), {
          filename: 'r.json',
          contentType: 'application/json',
        })
        .expect(200)

      expect(await may(userToken('wendy'))).to.deep.equal(['READ'])
      expect(await may(owner)).to.deep.equal(['READ', 'WRITE', 'ADMINISTRATE'])
    })

    it('leaves the answers of the record as they were', async () => {
      const { headers } = await service.http.options('/api/v2/metadata/mine').expect(204)

      expect(headers.allow).to.equal('HEAD, GET, PUT, DELETE, OPTIONS')
      const { text } = await service.http.get('/api/v2/metadata/mine').expect(200)
      expect(text).to.equal('{}')
    })
  })
})
