import { Worker } from 'node:worker_threads'
import { expect } from 'chai'
import { replaceThreadSource } from '../../../src/store/workers/worker-thread.js'
import { startService } from '../../support/http/test-service.js'
import { keepThreads } from '../../support/program/kept-threads.js'
import { removeRepositories, waitUntil } from '../../support/repository/test-repository.js'

// test-schedule: quick

describe('a server whose thread for the search index cannot run', () => {
  before(() => {
    replaceThreadSource(newThreads => ({
      ...newThreads,
      start: script =>
        script.href.endsWith('/index-thread.js')
          ? new Worker("throw new Error('It cannot run.')", { eval: true })
          : newThreads.start(script),
    }))
  })
  after(keepThreads)
  afterEach(removeRepositories)

  it('reports the reason, refuses only searches, and ends without an error', async () => {
    const { repository, services, http } = await startService()
    await http.get('/api/v1/search').query({ q: 'a' }).expect(503)
    await waitUntil('the server reports the reason', () =>
      repository.reports.find(line => line.includes('It cannot run.')),
    )
    await http.get('/api/v1/metadata').expect(200)
    await http.get('/api/v1/search').query({ q: 'a' }).expect(503)

    await services.close()
    expect(repository.reports.filter(line => line.includes('It cannot run.'))).to.have.length(1)
  })
})
