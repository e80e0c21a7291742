import { expect } from 'chai'
import { readHtml } from '../../support/http/strict-html.js'
import {
  jsonSchema,
  metadataRecordV1,
  metadataType,
  startServiceWithWorkTree,
  type TestService,
} from '../../support/http/test-service.js'
import { identifyWithTestSecret, userToken } from '../../support/http/test-tokens.js'
import { removeRepositories, waitUntil } from '../../support/repository/test-repository.js'

const metadataPage = '/metadata-landing-page?id=rod-7'
const versions = '/api/v1/metadata/rod-7/versions'

describe('a commit that breaks a rule', () => {
  let service: TestService
  let broken: string
  const get = async (path: string, status = 200) => {
    const answer = await service.http.get(path).set('Accept', 'text/html').expect(status)
    return readHtml(answer.text).text.replace(/\s+/g, ' ')
  }
  const fileOf = async (name: string) => (await service.repository.git('ls-files', `*rod-7/${name}`)).trim()
  /** Commits a document with plain git. @returns the first digits of the commit, which the service has read */
  async function commit(message: string, document: string, name = 'document.json'): Promise<string> {
    const oid = await service.repository.commit(message, { [await fileOf(name)]: document })
    await waitUntil('the commit', async () => {
      const { body } = await service.http.get('/health')
      return body.catalog === oid
    })
    return oid.slice(0, 10)
  }

  beforeEach(async () => {
    service = await startServiceWithWorkTree()
    await service.postSchema({ schemaId: 'sample' }, jsonSchema('mass')).expect(201)
    const record = metadataRecordV1('https://example.org/7', 'sample', { id: 'rod-7' })
    await service.postMetadata(record, '{"mass": 1}').expect(201)
    await service.services.workTreeUpToDate()
    broken = await commit('Weigh it in pounds', '{"weight": 2}')
  })
  afterEach(removeRepositories)

  it('is named on the dashboard with its record, in place of "Everything works"', async () => {
    const dashboard = await get('/dashboard')

    expect(dashboard).to.contain('The service works, but something in the repository is not good.')
    expect(dashboard).to.match(
      /Files of the repository ?works Updates ?works Index of the records ?works Records ?does not work/,
    )
    expect(dashboard).to.not.contain('Everything works')
    expect(dashboard).to.contain(`rod-7: its newest commit ${broken} is not served:`)
    expect(dashboard).to.contain("must have required property 'mass'")
    expect(dashboard).to.contain('newest commit not served')
    expect(await get('/metadata-management')).to.contain('newest commit not served')
    expect(await get('/schema-management')).to.not.contain('newest commit not served')
  })

  it('is marked in search results, which show the last valid version', async () => {
    await waitUntil('the index', async () =>
      (await get('/search?q=rod-7&kind=metadata')).includes('1 record '),
    )

    expect(await get('/search?q=rod-7&kind=metadata')).to.match(/version 1, .*newest commit not served/)
    expect(await get('/search?q=&kind=schema'))
      .to.contain('sample')
      .and.not.contain('not served')
    const past = `/search?q=&kind=metadata&at=${await service.repository.git('rev-parse', 'HEAD~1')}`
    expect(await get(past.trim()))
      .to.contain('rod-7')
      .and.not.contain('not served')
  })

  it('is explained on the page of the record, which shows the last valid version', async () => {
    const page = await get(metadataPage)

    expect(page).to.contain('The newest commit of this record is not served,')
    expect(page).to.contain(broken).and.contain("must have required property 'mass'")
    expect(page).to.contain(`git revert ${broken}`)
    expect(page).to.contain('Version 1, the newest')
    expect(page).to.contain('The field "mass" is missing.').and.contain("must have required property 'mass'")
    expect(page).to.match(/Version 2 [\w ,:]+ UTC Jane not served: must have/)
    expect(await get(`${metadataPage}&version=1`)).to.not.contain('is not served')
  })

  it('is a warning of /health, with its record', async () => {
    const { body } = await service.http.get('/health').expect(200)

    expect(body.status).to.equal('UP')
    expect(body.warnings.records.ok).to.equal(false)
    expect(body.warnings.records.detail).to.contain('rod-7').and.contain(broken)
    expect(body.faults).to.have.lengthOf(1)
  })

  it('makes a version that is not served, and says why, until and after it is corrected', async () => {
    const url = '/api/v1/metadata/rod-7?version=2'
    const first = await service.http.get(url).expect(404)
    await commit('Weigh it in kilograms', '{"mass": 2}')
    const { body } = await service.http.get(url).set('Accept', metadataType).expect(404)

    expect(first.body.detail).to.match(
      /^Version '2' of ID 'rod-7' is not served: its commit [0-9a-f]{10} breaks a rule\. Version 1 is served\. /,
    )
    expect(body.detail).to.contain(`${broken} breaks a rule. Versions 1 and 3 are served. `)
    expect(body.detail).to.contain("Must have required property 'mass'")
    expect(body.findings).to.have.lengthOf(1)
    expect(await get(`${metadataPage}&version=2`, 404)).to.contain('Versions 1 and 3 are served')
    const difference = await service.http.get('/api/v1/metadata/rod-7/diff?from=2&to=3').expect(404)
    expect(difference.body.detail).to.contain('is not served')
    const past = await service.http.get(`${url}&at=main`).expect(404)
    expect(past.body.detail).to.contain('is not served')
    const unknown = await service.http.get('/api/v1/metadata/rod-7?version=9').expect(404)
    expect(unknown.body.detail).to.equal("Version '9' of ID 'rod-7' doesn't exist!")
  })

  it('is in the list of versions, between those that are served', async () => {
    const one = (await service.http.get(versions).expect(200)).body
    await commit('Weigh it in kilograms', '{"mass": 2}')
    await commit('Lose it', '{')
    await commit('Weigh it again', '{"mass": 3}')
    const { body } = await service.http.get(versions).expect(200)

    expect(one[0].unserved.map(({ version }: { version: number }) => version)).to.deep.equal([2])
    expect(one[0].unserved[0].findings[0].message).to.contain("must have required property 'mass'")
    expect(body.map(({ version }: { version: number }) => version)).to.deep.equal([5, 3, 1])
    expect(body[0]).to.not.have.property('unserved')
    expect(body[1].unserved[0]).to.include({ version: 4, author: 'Jane' })
    expect(body[2].unserved[0]).to.include({ version: 2 })
    const second = (await service.http.get(`${versions}?page=1&size=1`).expect(200)).body
    expect(second[0].unserved[0]).to.include({ version: 4 })
    const page = await get(metadataPage)
    expect(page).to.match(
      /Version 5 .*Version 4 [\w ,:]+ UTC Jane not served.*Version 3 .*Version 2 [\w ,:]+ UTC Jane not served.*Version 1 /,
    )
    expect(page).to.not.contain('The newest commit of this record is not served')
  })

  it('is gone from the dashboard and the page when it is reverted, but its version is still explained', async () => {
    await commit('Revert it', '{"mass": 1}')

    expect(await get('/dashboard'))
      .to.contain('Everything works.')
      .and.not.contain('not served')
    const page = await get(metadataPage)
    expect(page).to.contain('Version 3, the newest').and.not.contain('The newest commit')
    expect(page).to.match(/Version 2 [\w ,:]+ UTC Jane not served: /)
  })

  it('of a schema is named when a document is to follow its version, in a request or a commit', async () => {
    const oid = await service.repository.commit('Break it', { 'schemas/sample/schema.json': '{' })
    await waitUntil('the commit', async () => (await service.http.get('/health')).body.catalog === oid)
    const said = `Version 2 of the schema "sample" is not served: its commit ${oid.slice(0, 10)} breaks a rule. Version 1 is served.`

    const record = metadataRecordV1('https://example.org/8', 'sample', { id: 'rod-8', schemaVersion: 2 })
    const made = await service.postMetadata(record, '{"mass": 1}').expect(422)
    expect(made.body.detail).to.equal(said)
    const stored = JSON.parse(await service.repository.git('show', `HEAD:${await fileOf('record.json')}`))
    stored.schema.version = 2
    await commit('Follow it', JSON.stringify(stored), 'record.json')
    const { body } = await service.http.get('/health').expect(200)
    expect(JSON.stringify(body.faults)).to.contain(JSON.stringify(said))
    const never = await service
      .postMetadata(
        metadataRecordV1('https://example.org/9', 'sample', { id: 'rod-9', schemaVersion: 3 }),
        '{}',
      )
      .expect(422)
    expect(never.body.detail).to.equal('The schema "sample" has no version 3.')
  })

  it('is explained for a record of which nothing was ever served', async () => {
    const folder = 'metadata/0/0/0/0/00000000-0000-4000-8000-000000000000'
    const oid = await service.repository.commit('Add half of a record', { [`${folder}/document.json`]: '{}' })
    await waitUntil('the commit', async () => (await service.http.get('/health')).body.catalog === oid)

    const { body } = await service.http.get(`/api/v1/metadata/${folder.slice(-36)}`).expect(404)

    expect(body.detail).to.contain(`is not served: its commit ${oid.slice(0, 10)} breaks a rule.`)
    expect(body.findings).to.have.lengthOf(1)
  })
})

describe('a commit that breaks a rule, of a server with access lists', () => {
  after(removeRepositories)

  it('is named only to callers who may read its record; others learn that something is wrong', async () => {
    const service = await startServiceWithWorkTree({ identify: identifyWithTestSecret })
    const as = async (name: string, roles?: readonly string[]) => `Bearer ${await userToken(name, roles)}`
    const [ada, ben] = [await as('ada'), await as('ben')]
    await service.postSchema({ schemaId: 'sample' }, jsonSchema('mass')).set('Authorization', ada).expect(201)
    const record = metadataRecordV1('https://example.org/7', 'sample', {
      id: 'rod-7',
      acl: [{ sid: 'ben', permission: 'READ' }],
    })
    await service.postMetadata(record, '{"mass": 1}').set('Authorization', ada).expect(201)
    await service.services.workTreeUpToDate()
    const file = (await service.repository.git('ls-files', '*rod-7/document.json')).trim()
    await service.repository.commit('Weigh it in pounds', { [file]: '{"weight": 2}' })
    const pageFor = async (authorization: string, path: string) => {
      const sent = service.http.get(path).set('Accept', 'text/html')
      const answer = await (authorization === '' ? sent : sent.set('Authorization', authorization))
      return readHtml(answer.text).text
    }
    await waitUntil('the fault', async () =>
      (await pageFor('', '/dashboard')).includes('something in the repository is not good'),
    )

    for (const reader of [ada, ben]) {
      expect(await pageFor(reader, '/dashboard')).to.contain('rod-7: its newest commit')
      expect(await pageFor(reader, metadataPage)).to.contain(
        'The newest commit of this record is not served,',
      )
    }
    for (const other of ['', await as('carl')]) {
      expect(await pageFor(other, '/dashboard'))
        .to.contain('something in the repository is not good')
        .and.not.contain('rod-7')
      expect(await pageFor(other, metadataPage))
        .to.not.contain('mass')
        .and.not.contain('is not served')
    }
    const { body } = await service.http.get('/health').expect(200)
    expect(body.warnings.records).to.deep.equal({ ok: false })
    expect(body.faults).to.deep.equal([])
  })
})
