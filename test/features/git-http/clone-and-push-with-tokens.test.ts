import { expect } from 'chai'
import { closeListeners, type GitClient, gitClient, listenOnPort } from '../../support/git/git-client.js'
import { jsonSchema, startServiceWithWorkTree, type TestService } from '../../support/http/test-service.js'
import { identifyWithTestSecret, userToken } from '../../support/http/test-tokens.js'
import { stopProcesses } from '../../support/program/run-program.js'
import { removeRepositories } from '../../support/repository/test-repository.js'

describe('git clients of a server with --auth', () => {
  let service: TestService
  let url: string
  let client: GitClient
  let root: string
  let jane: string

  beforeEach(async () => {
    service = await startServiceWithWorkTree({
      identify: identifyWithTestSecret,
      features: { 'allow-push': true },
    })
    url = await listenOnPort(service)
    client = await gitClient()
    root = await userToken('root', ['ADMINISTRATOR'])
    jane = await userToken('jane')
    await post('open', [{ sid: 'anonymousUser', permission: 'READ' }])
  })
  afterEach(async () => {
    await closeListeners()
    await removeRepositories()
    await stopProcesses()
  })

  const post = (schemaId: string, acl: readonly object[] = []) =>
    service.postSchema({ schemaId, acl }, jsonSchema()).set('Authorization', `Bearer ${root}`).expect(201)
  const bearer = (token: string) => ['-c', `http.extraHeader=Authorization: Bearer ${token}`]
  /** The answer of a credential helper of git. */
  const helper = (token: string) => [
    '-c',
    'credential.helper=',
    '-c',
    `credential.helper=!f() { echo username=x; echo password=${token}; }; f`,
  ]
  const quiet = ['-c', 'core.askPass=false', '-c', 'credential.helper=']
  const clone = (options: readonly string[], name = 'clone', more: readonly string[] = []) =>
    client.attempt(...options, 'clone', '-q', ...more, `${url}/repository.git`, name)

  it('clone and push with the token of an administrator, as a header or as a password', async () => {
    await post('hidden')
    for (const [name, options] of [
      ['one', bearer(root)],
      ['clone', helper(root)],
    ] as const) {
      const { code, stderr } = await clone(options, name)
      expect(code, stderr).to.equal(0)
    }
    await client.inClone('commit', '-q', '--allow-empty', '-m', 'Nothing')
    await client.inClone(...helper(root), 'push', '-q')

    expect(await service.repository.git('log', '-1', '--format=%s')).to.equal('Nothing')
  })

  it('are asked for a password, and get the reason of a refusal', async () => {
    await post('hidden')
    const refs = `${url}/repository.git/info/refs?service=git-upload-pack`
    expect((await fetch(refs)).headers.get('www-authenticate')).to.equal(
      'Basic realm="git-metastore", charset="UTF-8", Bearer realm="git-metastore"',
    )
    // Other requests are not, even if a record has the name of the git route.
    const nonsense = { Authorization: 'Bearer nonsense' }
    const named = `${url}/api/v1/schemas/repository.git/validate`
    expect(
      (await fetch(named, { method: 'POST', headers: nonsense })).headers.get('www-authenticate'),
    ).to.equal('Bearer realm="git-metastore", error="invalid_token"')
    const nobody = await clone(quiet)
    expect(nobody.code).to.not.equal(0)
    for (const options of [bearer(jane), helper(jane)]) {
      const { code, stderr } = await clone(options)
      expect(code).to.not.equal(0)
      expect(stderr).to.contain('remote: Only an administrator may clone the repository')
    }
    const wrong = await clone(helper('rubbish'))
    expect(wrong.stderr).to.contain('Authentication failed')
    for (const header of [
      'Basic',
      'Basic eA==',
      `Basic ${btoa('x:')}`,
      `Basic ${btoa(`${root}:`)}`,
      'Basic %',
    ]) {
      expect((await fetch(refs, { headers: { Authorization: header } })).status, header).to.equal(401)
    }
    // Only git requests accept a token as a password.
    const headers = { Authorization: `Basic ${btoa(`x:${root}`)}` }
    expect((await fetch(`${url}/api/v1/schemas`, { headers })).status).to.equal(401)
  })

  it('can clone a public repository without a token, and cannot push', async () => {
    for (const version of [0, 1, 2]) {
      const { code, stderr } = await clone([...quiet, '-c', `protocol.version=${version}`], `clone${version}`)
      expect(code, stderr).to.equal(0)
    }
    const shallow = await clone(quiet, 'clone', ['--depth', '1'])
    expect(shallow.code, shallow.stderr).to.equal(0)
    await post('another', [{ sid: 'PUBLIC', permission: 'READ' }])
    await client.inClone(...quiet, 'pull', '-q', '--ff-only')
    expect(await client.inClone('rev-parse', 'HEAD')).to.equal(await service.head())

    await client.inClone('commit', '-q', '--allow-empty', '-m', 'Nothing')
    for (const options of [quiet, bearer(jane)]) {
      const { code } = await client.attempt('-C', 'clone', ...options, 'push', '-q')
      expect(code).to.not.equal(0)
    }
    expect(await service.head()).to.not.equal(await client.inClone('rev-parse', 'HEAD'))
  })

  it('get only the served branch of a public repository without a token', async () => {
    const secret = await service.repository.git('commit-tree', '-m', 'A secret', 'HEAD^{tree}')
    await service.repository.git('branch', 'draft', secret)
    await service.repository.git('tag', 'secret', secret)

    const refs = await client.git(...quiet, 'ls-remote', `${url}/repository.git`)
    expect(refs.split('\n').map(line => line.split('\t')[1])).to.deep.equal(['HEAD', 'refs/heads/main'])
    expect((await clone(quiet)).code).to.equal(0)
    for (const version of [0, 2]) {
      const stolen = await client.attempt(
        '-C',
        'clone',
        ...quiet,
        '-c',
        `protocol.version=${version}`,
        'fetch',
        '-q',
        'origin',
        secret,
      )
      expect(stolen.code).to.not.equal(0)
    }
    expect(await client.git(...bearer(root), 'ls-remote', `${url}/repository.git`)).to.contain(
      'refs/heads/draft',
    )
  })

  it('need an administrator token if a record is hidden, deleted or broken', async () => {
    expect((await clone(quiet, 'before')).code).to.equal(0)
    const refused = async (name: string) => {
      const { code } = await clone(quiet, name)
      expect(code, name).to.not.equal(0)
      const { code: pulled } = await client.attempt('-C', 'before', ...quiet, 'pull', '-q')
      expect(pulled, name).to.not.equal(0)
    }
    const change = (acl: readonly object[]) =>
      service
        .putSchema('open', '*', { schemaId: 'open', acl })
        .set('Authorization', `Bearer ${root}`)
        .expect(200)
    const own = { sid: 'root', permission: 'ADMINISTRATE' }
    await change([own])
    await refused('hidden')
    await change([own, { sid: 'anonymousUser', permission: 'READ' }])
    expect((await clone(quiet, 'again')).code).to.equal(0)
    // This commit is made with git, and the server has not read it yet.
    const [record] = (await service.repository.git('ls-files', 'schemas/*record.json')).split('\n')
    await service.services.workTreeUpToDate()
    await service.repository.commit('Hide it', {
      [String(record)]: JSON.stringify({ id: 'open', acls: [own] }),
    })
    await refused('beside')
    await service.repository.patiently('revert', '--no-edit', 'HEAD')
    expect((await clone(quiet, 'reverted')).code).to.equal(0)
    await service.repository.commit('Break it', { [String(record)]: '{' })
    await refused('broken')
    await service.repository.patiently('revert', '--no-edit', 'HEAD')
    expect((await clone(quiet, 'mended')).code).to.equal(0)
    const remove = () =>
      service.http
        .delete('/api/v1/schemas/open')
        .set({ Authorization: `Bearer ${root}`, 'If-Match': '*' })
        .expect(204)
    await remove()
    await refused('revoked')
    await remove()
    await refused('gone')
  })
})
