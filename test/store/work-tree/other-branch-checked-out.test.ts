import { expect } from 'chai'
import { jsonSchema, startServiceWithWorkTree } from '../../support/http/test-service.js'
import { removeRepositories } from '../../support/repository/test-repository.js'

describe('a checkout of another branch beside the server', () => {
  afterEach(removeRepositories)
  for (const how of [['-b', 'own'], ['--detach']]) {
    it(`keeps a work tree and an index of that branch: checkout ${how.join(' ')}`, async () => {
      const service = await startServiceWithWorkTree()
      const { git } = service.repository
      await git('checkout', '-q', ...how)

      const answer = await service.postSchema({ schemaId: 'note' }, jsonSchema())
      await service.services.workTreeUpToDate()

      // Both are correct: the update is stored on the served branch, or refused while HEAD is on another branch.
      expect(answer.status).to.be.oneOf([201, 503])
      expect(await git('status', '--porcelain')).to.equal('')
      await git('checkout', '-q', 'main')
      expect(await git('status', '--porcelain')).to.equal('')
      await service.postSchema({ schemaId: 'other' }, jsonSchema()).expect(201)
      await service.services.workTreeUpToDate()
      expect(await git('status', '--porcelain')).to.equal('')
    })
  }
})
