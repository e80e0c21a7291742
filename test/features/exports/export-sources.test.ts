import { expect } from 'chai'
import {
  etagOf,
  jsonSchema,
  metadataRecordV1,
  noteXsdText,
  startService,
  type TestService,
} from '../../support/http/test-service.js'
import { identifyWithTestSecret, userToken } from '../../support/http/test-tokens.js'
import { removeRepositories } from '../../support/repository/test-repository.js'

const anyone = [{ sid: 'anonymousUser', permission: 'READ' }]

describe('The ETag of an export', () => {
  let service: TestService
  let owner: string

  beforeEach(async () => {
    service = await startService({ identify: identifyWithTestSecret })
    owner = await userToken('owner')
    await service
      .postSchema({ schemaId: 'note', acl: anyone }, noteXsdText, { 'units.xsd': noteXsdText })
      .auth(owner, { type: 'bearer' })
      .expect(201)
    await service
      .postSchema({ schemaId: 'free', acl: anyone }, jsonSchema())
      .auth(owner, { type: 'bearer' })
      .expect(201)
  })
  afterEach(removeRepositories)

  async function store(id: string, acl: object): Promise<void> {
    const record = metadataRecordV1(`https://example.org/${id}`, 'free', { id, acl })
    await service.postMetadata(record, '{}').auth(owner, { type: 'bearer' }).expect(201)
  }

  async function storeWithRelated(id: string, related: string): Promise<void> {
    const record = {
      id,
      titles: [{ value: 'A paper' }],
      acls: anyone,
      relatedIdentifiers: [
        { value: `https://example.org/${id}`, identifierType: 'URL', relationType: 'IS_METADATA_FOR' },
        { value: 'free', identifierType: 'INTERNAL', relationType: 'HAS_METADATA' },
        { value: related, identifierType: 'INTERNAL', relationType: 'REFERENCES' },
      ],
    }
    await service.http
      .post('/api/v2/metadata')
      .auth(owner, { type: 'bearer' })
      .attach('record', Buffer.from(JSON.stringify(record)), {
        filename: 'record.json',
        contentType: 'application/json',
      })
      .attach('document', Buffer.from('{}'), 'document.json')
      .expect(201)
  }

  const exported = (path: string) => service.http.get(`/api/v2/${path}`).buffer(true).expect(200)

  it('changes when a related record becomes readable, and when it is hidden again', async () => {
    await store('other', [])
    await storeWithRelated('paper', 'other')
    const path = 'metadata/paper/export/datacite-xml'
    const hidden = await exported(path)
    expect(hidden.text).to.not.contain('metadata-landing-page-v2?id=other')

    const share = async (acl: object) =>
      service
        .putMetadata(
          'other',
          '*',
          metadataRecordV1('https://example.org/other', 'free', { id: 'other', acl }),
        )
        .auth(owner, { type: 'bearer' })
        .expect(200)
    await share([{ sid: 'owner', permission: 'ADMINISTRATE' }, ...anyone])
    const shown = await exported(path)
    expect(shown.text).to.contain('metadata-landing-page-v2?id=other')
    expect(etagOf(shown)).to.not.equal(etagOf(hidden))
    await service.http.get(`/api/v2/${path}`).set('If-None-Match', etagOf(hidden)).expect(200)
    await service.http.get(`/api/v2/${path}`).set('If-None-Match', etagOf(shown)).expect(304)

    await share([{ sid: 'owner', permission: 'ADMINISTRATE' }])
    expect(etagOf(await exported(path))).to.equal(etagOf(hidden))
  })

  it('changes when the record of the schema in a crate changes', async () => {
    await store('paper', anyone)
    const before = await exported('metadata/paper/export/ro-crate')
    await service
      .putSchema('free', '*', { schemaId: 'free', label: 'Free notes' })
      .auth(owner, { type: 'bearer' })
      .expect(200)
    const after = await exported('metadata/paper/export/ro-crate')
    expect(after.text).to.contain('Free notes')
    expect(before.text).to.not.contain('Free notes')
    expect(etagOf(after)).to.not.equal(etagOf(before))
    await service.http
      .get('/api/v2/metadata/paper/export/ro-crate')
      .set('If-None-Match', etagOf(before))
      .expect(200)
  })

  it('changes when the schema in a crate is hidden', async () => {
    await store('paper', anyone)
    const before = await exported('metadata/paper/export/ro-crate')
    await service
      .putSchema('free', '*', {
        schemaId: 'free',
        acl: [{ sid: 'owner', permission: 'ADMINISTRATE' }],
      })
      .auth(owner, { type: 'bearer' })
      .expect(200)
    const after = await exported('metadata/paper/export/ro-crate')
    expect(after.text).to.not.equal(before.text)
    expect(etagOf(after)).to.not.equal(etagOf(before))
  })

  it('stays the same while other records change', async () => {
    await store('paper', anyone)
    const paths = ['ro-crate', 'prov', 'linkset', 'bibtex'].map(name => `metadata/paper/export/${name}`)
    const tags = async () => await Promise.all(paths.map(async path => etagOf(await exported(path))))
    const before = await tags()
    await store('other', anyone)
    expect(await tags()).to.deep.equal(before)
    for (const [index, path] of paths.entries())
      await service.http
        .get(`/api/v2/${path}`)
        .set('If-None-Match', before[index] ?? '')
        .expect(304)
  })
})
