import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { decodeJwt } from 'jose'
import { startIssuer, stopIssuers } from '../../support/http/test-tokens.js'
import {
  runMetastore,
  startServer,
  stopProcesses,
  temporaryFolder,
} from '../../support/program/run-program.js'

describe('access on the command line', () => {
  afterEach(async () => {
    await stopIssuers()
    await stopProcesses()
  })

  const secret = 'x'.repeat(32)
  const env = { METASTORE_JWT_SECRET: secret }
  const status = async (url: string, token?: string) =>
    (await fetch(url, token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } })).status

  async function refused(
    args: readonly string[],
    more: Readonly<Record<string, string>> = {},
  ): Promise<string> {
    const data = join(await temporaryFolder(), 'data')
    const { code, stderr } = await runMetastore(['serve', '--data', data, '--port', '0', ...args], {
      env: more,
    })
    expect(code, stderr).to.equal(2)
    return stderr
  }

  it('is off on the loopback address, and other addresses need --auth or --insecure', async () => {
    const data = join(await temporaryFolder(), 'data')
    const local = await startServer(['--data', data, '--host', '127.0.0.2'])
    expect(await status(`${local.url}api/v1/schemas`, 'rubbish')).to.equal(200)
    await local.stop()
    for (const host of ['0.0.0.0', '::', '192.0.2.1', 'example.org']) {
      const told = await refused(['--host', host])
      expect(told).to.contain(`every client that reaches ${host} may read, change and delete everything`)
      expect(told).to.contain('--auth').and.to.contain('--insecure')
    }
    const open = await startServer(['--data', data, '--host', '0.0.0.0', '--insecure'])
    expect(await status(`http://127.0.0.1:${open.port}/api/v1/schemas`)).to.equal(200)
    await open.stop()
    const guarded = await startServer(['--data', data, '--host', '0.0.0.0', '--auth'], { env })
    expect(await status(`http://127.0.0.1:${guarded.port}/api/v1/schemas`)).to.equal(200)
    expect(await status(`http://127.0.0.1:${guarded.port}/api/v1/schemas`, 'rubbish')).to.equal(401)
  })

  it('is reported at the start of a server without --auth over a repository with access lists of others', async () => {
    const data = join(await temporaryFolder(), 'data')
    const warning = 'this server runs without --auth'
    const fresh = await startServer(['--data', data])
    const stored = async (url: string, name: string, acl?: object) => {
      const form = new FormData()
      const record = { schemaId: name, mimeType: 'application/json', type: 'JSON', ...(acl && { acl }) }
      form.append('record', new Blob([JSON.stringify(record)], { type: 'application/json' }), 'record.json')
      form.append('schema', new Blob(['{ "type": "object" }']), 'schema.json')
      expect((await fetch(`${url}api/v1/schemas`, { method: 'POST', body: form })).status).to.equal(201)
    }
    await stored(fresh.url, 'public', [{ sid: 'anonymousUser', permission: 'READ' }])
    await fresh.stop()
    const second = await startServer(['--data', data])
    await stored(second.url, 'of-ada', [{ sid: 'ada', permission: 'READ' }])
    await second.stop()
    const third = await startServer(['--data', data])
    await third.stop()
    const guarded = await startServer(['--data', data, '--auth'], { env })
    await guarded.stop()

    for (const server of [fresh, second, guarded]) expect(server.stderr()).to.not.contain(warning)
    expect(third.stderr()).to.contain(`A record has an access list that names other users, and ${warning}`)
  })

  it('reports missing and contradictory options', async () => {
    const folder = await temporaryFolder()
    await writeFile(join(folder, 'empty'), '\n')
    expect(await refused(['--auth'])).to.contain('METASTORE_JWT_SECRET or --jwt-secret-file')
    expect(await refused(['--auth', '--jwt-secret-file', join(folder, 'empty')])).to.contain('is empty')
    expect(await refused(['--auth'], { METASTORE_JWT_SECRET: 'short' })).to.contain(
      'has 5 bytes, and HS256 needs 32',
    )
    expect(await refused(['--auth'], { METASTORE_JWT_SECRET: 'base64:!' })).to.contain('is not base64')
    expect(await refused(['--auth', '--insecure'], env)).to.contain('not both')
    expect(await refused(['--oidc-issuer', 'https://x.example', '--oidc-audience', 'a'])).to.contain(
      'without --auth',
    )
    expect(await refused(['--auth', '--oidc-issuer', 'https://x.example'])).to.contain('need each other')
    expect(await refused(['--auth', '--oidc-issuer', 'http://x.example', '--oidc-audience', 'a'])).to.contain(
      'https',
    )
    expect(await refused(['--auth', '--create-role', 'a b'], env)).to.contain('is not the name of a role')
  })

  it('reads the secret from the environment or a file, plain or in base64, and makes tokens with it', async () => {
    const folder = await temporaryFolder()
    const file = join(folder, 'secret')
    await writeFile(file, `base64:${Buffer.from(secret).toString('base64url')}\n`)
    const server = await startServer(['--data', join(folder, 'data'), '--auth', '--jwt-secret-file', file])
    const url = `${server.url}api/v1/schemas`

    const plain = await runMetastore(['token', 'jane'], { env })
    expect(plain.code, plain.stderr).to.equal(0)
    expect(await status(url, plain.stdout.trim())).to.equal(200)
    const usual = decodeJwt(plain.stdout.trim())
    expect(usual.exp).to.equal((usual.iat ?? 0) + 86_400)
    const full = await runMetastore([
      ...[
        'token',
        'root',
        '--role',
        'administrator',
        '--role',
        'ROLE_USER',
        '--group',
        'staff',
        '--valid',
        '7d',
      ],
      ...['--first-name', 'R', '--last-name', 'T', '--email', 'r@x', '--jwt-secret-file', file, '--json'],
    ])
    const { token, validFor } = JSON.parse(full.stdout)
    const { iat = 0, exp, ...claims } = decodeJwt(token)
    expect(claims).to.deep.equal({
      ...{ tokenType: 'USER', username: 'root', firstname: 'R', lastname: 'T', email: 'r@x' },
      ...{ groups: ['staff'], roles: ['ROLE_ADMINISTRATOR', 'ROLE_USER'] },
    })
    expect(exp).to.equal(iat + 7 * 86_400)
    expect(validFor).to.equal(7 * 86_400)
    expect(await status(url, token)).to.equal(200)
    const foreign = await runMetastore(['token', 'jane'], { env: { METASTORE_JWT_SECRET: `${secret}x` } })
    expect(await status(url, foreign.stdout.trim())).to.equal(401)
  })

  it('makes no token that the server would refuse', async () => {
    for (const [args, why] of [
      [['SELF'], 'somebody else'],
      [['jane', '--valid', 'long'], 'is not a duration'],
      [['jane', '--role', '-'], 'is not the name of a role'],
      [['jane', '--role', 'FOO'], 'is not a role of the server'],
      [['jane', '--url', 'http://localhost:1/'], 'leave out --url'],
    ] as const) {
      const { code, stdout, stderr } = await runMetastore(['token', ...args], { env })
      expect(code, stderr).to.equal(2)
      expect(stdout).to.equal('')
      expect(stderr).to.contain(why)
    }
    expect((await runMetastore(['token', 'jane'])).stderr).to.contain('METASTORE_JWT_SECRET')
  })

  it('starts when the issuer is unreachable, and reports it', async () => {
    const issuer = await startIssuer()
    issuer.answer = { status: 503, body: '' }
    const data = join(await temporaryFolder(), 'data')
    const options = ['--data', data, '--auth', '--oidc-issuer', issuer.url, '--oidc-audience', 'metastore']

    const server = await startServer(options)

    expect(server.stderr()).to.contain(`${issuer.url} answers 503`)
    expect(await status(`${server.url}api/v1/schemas`)).to.equal(200)
    await server.stop()
    issuer.answer = undefined
    const again = await startServer(options)
    expect(again.stderr()).to.not.contain('note:')
    expect(
      await status(`${again.url}api/v1/schemas`, await issuer.sign({ preferred_username: 'jane' })),
    ).to.equal(200)
  })

  it('lets only callers with --create-role create records', async () => {
    const data = join(await temporaryFolder(), 'data')
    const server = await startServer(['--data', data, '--auth', '--create-role', 'CURATOR'], { env })
    const folder = await temporaryFolder()
    await writeFile(join(folder, 's.json'), '{"type":"object"}')
    const tokenAs = async (role: string) =>
      (await runMetastore(['token', 'jane', '--role', role], { env })).stdout.trim()
    const register = async (id: string, role: string) => {
      const args = ['register', id, 's.json', '--url', server.url]
      return await runMetastore(args, { cwd: folder, env: { METASTORE_TOKEN: await tokenAs(role) } })
    }

    const guest = await register('one', 'GUEST')
    expect([guest.code, guest.stderr]).to.deep.equal([
      3,
      'git-metastore: Creating something here needs the role ROLE_CURATOR.\n',
    ])
    for (const [id, role] of [
      ['two', 'CURATOR'],
      ['three', 'ADMINISTRATOR'],
    ] as const) {
      const made = await register(id, role)
      expect(made.code, made.stderr).to.equal(0)
    }
    for (const [role, documents, sets] of [
      ['GUEST', 403, 403],
      ['USER', 403, 403],
      ['CURATOR', 201, 200],
    ] as const) {
      const send = sending(server.url, await tokenAs(role))
      const record = (id: string) => ({
        id,
        relatedResource: { identifier: `http://x/${id}`, identifierType: 'URL' },
        schema: { identifier: 'two', identifierType: 'INTERNAL' },
      })
      for (const mount of ['api/v1', 'metastore/api/v1']) {
        const parts = { record: record(`${role}-${mount}`.toLowerCase().replaceAll('/', '-')), document: {} }
        expect(await send('POST', `${mount}/metadata`, parts), role).to.equal(documents)
      }
      const created = { kind: 'metadata', action: 'create', record: record('set'), document: 'x' }
      const changeset = { interface: 1, changes: [created] }
      expect(await send('POST', 'api/changesets', { changeset, x: {} }), role).to.equal(sets)
    }
    // Updates of existing records depend only on their access lists.
    const guestly = sending(server.url, await tokenAs('GUEST'))
    expect(await guestly('PUT', 'api/v1/metadata/set', { document: { title: 'x' } })).to.equal(200)
    const updated = { kind: 'metadata', action: 'update', id: 'set', ifMatch: '*', document: 'x' }
    expect(await guestly('POST', 'api/changesets', { changeset: { changes: [updated] }, x: {} })).to.equal(
      200,
    )
    const nobody = await runMetastore(['register', 'four', 's.json', '--url', server.url], { cwd: folder })
    expect([nobody.code, nobody.stderr]).to.deep.equal([
      3,
      'git-metastore: Only callers with a token may change anything here. Send one as "Authorization: Bearer …". Commands send the token of METASTORE_TOKEN, which is not set.\n',
    ])
  })
})

/** Sends forms whose parts are JSON. @returns a function that returns the status */
function sending(url: string, token: string) {
  return async (method: string, path: string, parts: Readonly<Record<string, object>>): Promise<number> => {
    const body = new FormData()
    for (const [name, json] of Object.entries(parts))
      body.append(name, new Blob([JSON.stringify(json)], { type: 'application/json' }), `${name}.json`)
    const headers = { Authorization: `Bearer ${token}`, 'If-Match': '*' }
    return (await fetch(url + path, { method, body, headers })).status
  }
}
