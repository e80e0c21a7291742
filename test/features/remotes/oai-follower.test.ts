import { rename } from 'node:fs/promises'
import { setTimeout } from 'node:timers/promises'
import { expect } from 'chai'
import {
  jsonSchema,
  metadataRecordV1,
  startService,
  type TestService,
} from '../../support/http/test-service.js'
import { askOai, harvestAll, idsOf, oaiOptions } from '../../support/oai-pmh/oai-client.js'
import {
  removeRepositories,
  temporaryRepository,
  waitUntil,
} from '../../support/repository/test-repository.js'

describe('OAI-PMH of a server that follows another one', () => {
  let source: TestService
  let address: string

  beforeEach(async () => {
    source = await startService({ features: oaiOptions })
    await source.postSchema({ schemaId: 'plain' }, jsonSchema()).expect(201)
    await store('before')
    address = `${source.repository.dir}-moved`
  })
  afterEach(removeRepositories)

  async function store(id: string): Promise<void> {
    const record = metadataRecordV1(`https://example.org/${id}`, 'plain', { id })
    await source.postMetadata(record, '{}').expect(201)
  }

  /** Starts a follower. @param remote the folder to fetch from; it may be missing */
  async function startFollower(remote: string, oai = oaiOptions): Promise<TestService> {
    const repository = await temporaryRepository({ bare: true })
    await repository.git('fetch', '-q', source.repository.dir, 'main')
    await repository.git('update-ref', 'refs/heads/main', 'FETCH_HEAD')
    return await startService({ features: { ...oai, follow: remote, interval: '100ms' } }, {}, repository)
  }
  const dateOf = async (service: TestService) => (await askOai(service, 'verb=Identify')).responseDate
  const query = 'verb=ListIdentifiers&metadataPrefix=oai_dc'

  it('has the date of its last fetch, so that harvesters do not miss an update during an outage', async () => {
    await source.repository.git('clone', '-q', '--mirror', source.repository.dir, address)
    const refresh = () => source.repository.git(`--git-dir=${address}`, 'fetch', '-q')
    const follower = await startFollower(address)
    const first = await dateOf(follower)
    await waitUntil('the date follows the fetches', async () => (await dateOf(follower)) > first)

    await rename(address, `${address}-away`)
    await waitUntil('a fetch fails', async () =>
      follower.repository.reports.some(line => line.includes(address)),
    )
    const begun = await dateOf(follower)
    await store('meanwhile')
    await setTimeout(2500)
    expect(await dateOf(follower)).to.equal(begun)
    await rename(`${address}-away`, address)
    await refresh()

    const next = () => harvestAll(follower, `${query}&from=${begun}`)
    await waitUntil('the follower has it', async () => idsOf(await next()).includes('meanwhile'))
    await waitUntil('the date goes on', async () => (await dateOf(follower)) > begun)
  })

  it('continues the lists of its source, and the source continues the lists of the follower', async () => {
    for (const id of ['a', 'b', 'c', 'd', 'e']) await store(id)
    const oai = { ...oaiOptions, 'oai-page': 2 }
    const again = await startService({ features: oai }, {}, source.repository)
    const follower = await startFollower(source.repository.dir, oai)
    const begin = async (of: TestService) => (await askOai(of, query)).token?.text ?? ''
    const rest = async (of: TestService, token: string) =>
      idsOf(await harvestAll(of, `verb=ListIdentifiers&resumptionToken=${token}`))
    const [ofSource, ofFollower] = [await begin(again), await begin(follower)]
    expect(await rest(follower, ofSource)).to.deep.equal(['b', 'c', 'd', 'e'])
    expect(await rest(again, ofFollower)).to.deep.equal(['b', 'c', 'd', 'e'])

    // The follower fetches the new commits, and the list stays the same.
    const changed = metadataRecordV1('https://example.org/c', 'plain', {
      id: 'c',
      licenseUri: 'https://example.org/later',
    })
    await again.putMetadata('c', '*', changed).expect(200)
    const later = metadataRecordV1('https://example.org/later', 'plain', { id: 'later' })
    await again.postMetadata(later, '{}').expect(201)
    await waitUntil('the follower has it', async () =>
      idsOf(await harvestAll(follower, query)).includes('later'),
    )
    expect(await rest(follower, ofSource)).to.deep.equal(['b', 'c', 'd', 'e'])
    // The history of the follower lacks a state that it has not fetched yet.
    const newer = await begin(again)
    await waitUntil('the follower knows the state of the list', async () => {
      const { errors, records } = await askOai(follower, `verb=ListIdentifiers&resumptionToken=${newer}`)
      return errors.length === 0 && records.length > 0
    })
  })

  it('has the date of its served commit before its first fetch', async () => {
    const follower = await startFollower(address)
    const [served] = (await askOai(source, query)).records
    await setTimeout(2500)
    expect((await dateOf(follower)) < (served?.datestamp ?? '')).to.equal(true)
    const later = await dateOf(follower)
    await setTimeout(1100)
    expect(await dateOf(follower)).to.equal(later)
    // The date of the source follows the clock, because the source makes the commits itself.
    expect((await dateOf(source)) > later).to.equal(true)
  })
})
