import { expect } from 'chai'
import { exportFormats } from '../../../src/features/exports/export-formats.js'
import { checkExport } from '../../support/exports/check-export.js'
import { startService, type TestService } from '../../support/http/test-service.js'
import { removeRepositories } from '../../support/repository/test-repository.js'

/** A document with people and institutions that have identifiers, some of them without their resolver. */
const document = {
  '@context': 'https://schema.org/',
  '@type': 'Dataset',
  name: 'Creep',
  creator: [
    {
      '@type': 'Person',
      givenName: 'Ada',
      familyName: 'Example',
      identifier: '0000-0001-5727-2427',
      affiliation: { '@type': 'Organization', '@id': 'https://ror.org/04wxnsj81', name: 'Example Institute' },
    },
    { '@type': 'Organization', name: 'Alloy Group', '@id': 'https://ror.org/0abcdef12' },
    { '@type': 'Person', givenName: 'Max', familyName: 'Roe' },
  ],
  publisher: { '@type': 'Organization', name: 'Example Archive', '@id': 'https://ror.org/0abcdef34' },
  datePublished: '2020-01-02',
  license: 'https://creativecommons.org/licenses/by/4.0/',
}

describe('People and institutions whose identifiers a document has', () => {
  let service: TestService
  before(async () => {
    service = await startService()
    await service.postSchema({ schemaId: 'any' }, '{"type": "object"}').expect(201)
    await service
      .postMetadata(
        {
          id: 'creep',
          schema: { identifier: 'any', identifierType: 'INTERNAL' },
          relatedResource: { identifier: 'https://example.org/creep', identifierType: 'URL' },
        },
        JSON.stringify(document),
      )
      .expect(201)
  })
  after(removeRepositories)

  async function exported(format: string): Promise<Buffer> {
    const { body } = await service.http
      .get(`/api/v1/metadata/creep/export/${format}`)
      .responseType('blob')
      .expect(200)
    return body as Buffer
  }

  it('have their addresses in schema.org, in crates and in DCAT', async () => {
    const schemaOrg = JSON.parse(String(await exported('schemaorg')))
    expect(schemaOrg.creator).to.deep.equal([
      {
        '@type': 'Person',
        '@id': 'https://orcid.org/0000-0001-5727-2427',
        name: 'Ada Example',
        givenName: 'Ada',
        familyName: 'Example',
        affiliation: {
          '@type': 'Organization',
          '@id': 'https://ror.org/04wxnsj81',
          name: 'Example Institute',
        },
      },
      { '@type': 'Organization', '@id': 'https://ror.org/0abcdef12', name: 'Alloy Group' },
      { '@type': 'Person', name: 'Max Roe', givenName: 'Max', familyName: 'Roe' },
    ])
    expect(schemaOrg.publisher['@id']).to.equal('https://ror.org/0abcdef34')

    const { '@graph': entities } = JSON.parse(String(await exported('ro-crate')))
    const named = (id: string) => entities.find((entity: { readonly '@id': string }) => entity['@id'] === id)
    expect(named('https://orcid.org/0000-0001-5727-2427')).to.deep.include({
      name: 'Ada Example',
      affiliation: [{ '@id': 'https://ror.org/04wxnsj81' }],
    })
    expect(named('https://ror.org/04wxnsj81').name).to.equal('Example Institute')
    expect(named('https://ror.org/0abcdef34').name).to.equal('Example Archive')

    const turtle = String(await exported('dcat-ttl'))
    expect(turtle).to.contain('dct:creator <https://orcid.org/0000-0001-5727-2427>')
  })

  for (const { name } of exportFormats)
    it(`stand in a valid export: ${name}`, async () => {
      await checkExport(name, await exported(name))
    })
})
