import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import type { Id } from '../../../../../src/core/value-types.js'
import { recordDirectory } from '../../../../../src/store/records/repository-layout.js'
import {
  jsonSchema,
  metadataRecordV1,
  startServiceWithWorkTree,
  type TestService,
} from '../../../../support/http/test-service.js'
import { removeRepositories, waitUntil } from '../../../../support/repository/test-repository.js'

describe('a commit of git with an earlier time than earlier commits', () => {
  let service: TestService

  before(async () => {
    service = await startServiceWithWorkTree()
    await service.postSchema({ schemaId: 's' }, jsonSchema('n')).expect(201)
    for (const id of ['a', 'b', 'c'])
      await service.postMetadata(metadataRecordV1(`about ${id}`, 's', { id }), '{"n":1}').expect(201)
    await service.services.workTreeUpToDate()
    const { dir, git } = service.repository
    await writeFile(join(dir, recordDirectory('metadata', 'a' as Id), 'document.json'), '{"n":2}')
    const atOldTime = 'alias.old=!GIT_COMMITTER_DATE=2001-02-03T04:05:06Z git commit'
    await git('-c', atOldTime, 'old', '-q', '-a', '-m', 'Later')
    const head = await git('rev-parse', 'HEAD')
    await waitUntil('the search has the commit', async () => {
      const { body } = await service.http.get('/api/v1/search?size=1')
      return body.commit === head.trim() && body.upToDate
    })
  })
  after(removeRepositories)

  const ids = async (query: string) => {
    const { body } = await service.http.get(`/api/v1/search?${query}`).expect(200)
    return (body.items as { record: { id: string } }[]).map(({ record }) => record.id).join('')
  }

  for (const q of ['', 'q=about']) {
    it(`has its place by time in the order of lastUpdate: ${q}`, async () => {
      expect(await ids(`${q}&sort=lastUpdate,desc`)).to.equal('cba')
      expect(await ids(`${q}&sort=lastUpdate`)).to.equal('abc')
      expect(await ids(`${q}&sort=lastUpdate,desc&size=1&page=2`)).to.equal('a')
    })
  }

  it('is the newest in the history, which is the default order', async () => {
    expect(await ids('')).to.equal('acb')
  })
})
